//! Device limits that kernels depend on.

/// Most samples of one dispatch: on hardware enough for the duration of a submission.
const SOFTWARE_CHUNK: u64 = 1 << 17;
const HARDWARE_CHUNK: u64 = 1 << 23;

/// Most bytes of the impulses and velocities of the samples of one dispatch.
pub const MAX_STATE_BYTES: u64 = 512 << 20;

/// Maximum per-kernel state in storage buffers, in bytes, without the common state of all kernels:
/// on hardware enough for the threads that keep it busy.
const SOFTWARE_KEPT_BYTES: u64 = 96 << 20;
const HARDWARE_KEPT_BYTES: u64 = 256 << 20;

/// Most samples per hardware thread and dispatch, if memory holds the state of few samples. On
/// software dispatches are short, so that runs show their progress.
const HARDWARE_TURNS: u64 = 64;

/// Loop rounds per thread and dispatch. lavapipe silently ends every loop of a thread after 65 535
/// rounds in total; on hardware the bound keeps a dispatch below the watchdog's time limit.
const SOFTWARE_ROUNDS: usize = 60_000;
const HARDWARE_ROUNDS: usize = 1_000_000;

/// Most workgroups of one dimension of a dispatch.
pub const MAX_GROUPS: u64 = 65_535;

/// The limits of a device.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The adapter's name, for errors.
    pub name: &'a str,
    /// Whether the adapter is a GPU rather than software.
    pub hardware: bool,
    /// Whether shaders can compute in f64.
    pub f64: bool,
    /// Largest storage buffer that a shader can see, in bytes.
    pub storage_buffer_bytes: u64,
    /// Memory shared by a workgroup, in bytes.
    pub workgroup_memory_bytes: u32,
}

impl Limits<'_> {
    /// Most samples of one dispatch.
    pub fn chunk(&self) -> u64 {
        if self.hardware { HARDWARE_CHUNK } else { SOFTWARE_CHUNK }
    }

    /// Maximum per-kernel state in storage buffers, in bytes.
    pub fn kept_bytes(&self) -> u64 {
        if self.hardware { HARDWARE_KEPT_BYTES } else { SOFTWARE_KEPT_BYTES }
    }

    /// Number of threads that keep the device busy.
    pub fn fewest_threads(&self) -> u32 {
        if self.hardware { 1 << 18 } else { 1 << 11 }
    }

    /// Most samples per thread in a dispatch.
    pub fn most_turns(&self) -> u64 {
        if self.hardware { HARDWARE_TURNS } else { 1 }
    }

    /// Loop rounds per thread in a dispatch.
    pub fn rounds(&self) -> usize {
        if self.hardware { HARDWARE_ROUNDS } else { SOFTWARE_ROUNDS }
    }
}
