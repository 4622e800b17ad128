//! Variants of the WGSL text: the samples are the same, but devices differ in which is fastest.

use schemars::JsonSchema;
use serde::Serialize;

/// The variant of the programs for a device. Samples do not depend on it, except for the rounding
/// of repaired ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Most samples of a dispatch that a thread computes one after the other, where there are
    /// enough for all threads.
    pub share: u32,
    /// Whether a thread that has finished a sample begins the next one while others continue
    /// theirs, in kernels where a sample takes long to begin; otherwise threads that run in step
    /// begin together. In other kernels each thread begins at once.
    pub refills: bool,
    /// Whether the high word of a product of words comes from one product of 64 bits, which the
    /// device must have, instead of the sum of four products of 16 bits.
    pub wide_products: bool,
    /// Whether the device, instead of the host, computes flagged samples again in f64, which the
    /// device must have.
    pub device_repair: bool,
}

impl Default for Variant {
    /// The variant that every device supports.
    fn default() -> Self {
        Variant { share: 1, refills: false, wide_products: false, device_repair: false }
    }
}

impl Variant {
    /// The variant for a device: the fastest measured one on software adapters, the natural one for
    /// the instructions of hardware. The device may have integers of 64 bits, or f64.
    pub fn usual(hardware: bool, int64: bool, f64: bool) -> Self {
        Variant {
            // Hardware starts workgroups as others end; measured on an H200.
            share: if hardware { 1 } else { 8 },
            // A software adapter executes the code that begins a sample in every round, even if no
            // thread needs it.
            refills: hardware,
            // Hardware has an instruction for wide products; the software adapter lavapipe draws
            // faster with it too.
            wide_products: int64,
            // The host would take longer for one sample in a hundred than hardware for all; a
            // software adapter runs on the host's processor.
            device_repair: hardware && f64,
        }
    }
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.share == 1 { "" } else { "s" };
        let products = if self.wide_products { 64 } else { 32 };
        let repair = if self.device_repair { "device" } else { "host" };
        let refills = if self.refills { "alone" } else { "together" };
        write!(
            f,
            "{} sample{plural} a thread, begun {refills}, products of {products} bits, the {repair} repairs",
            self.share,
        )
    }
}
