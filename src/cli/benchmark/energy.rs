//! The energy that processors use during a run, where the machine can tell.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

/// The energy of a device during a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Energy {
    /// The energy in J.
    pub joules: f64,
    /// What told it: `powercap` counts the energy of processors; `hwmon` and `nvidia-smi` read the
    /// power of a GPU up to five times a second.
    pub source: &'static str,
}

/// A running meter; a call returns the energy since its start.
pub type Meter = Box<dyn FnOnce() -> Option<Energy>>;

/// The energy meter of the processors, from the counters below `sys/class/powercap`; each counter
/// may wrap around once. `None` if the counters cannot be read.
pub fn of_processors(sys: &Path) -> Option<Meter> {
    let domains = fs::read_dir(sys.join("class/powercap")).ok()?.flatten();
    let mut counters = Vec::new();
    for domain in domains {
        let name = domain.file_name().to_string_lossy().into_owned();
        // Parts of a processor have names with another number, such as `intel-rapl:0:1`.
        if name.starts_with("intel-rapl:") && name.matches(':').count() == 1 {
            let range = number(&domain.path().join("max_energy_range_uj"))?;
            let file = domain.path().join("energy_uj");
            counters.push((number(&file)?, range, file));
        }
    }
    if counters.is_empty() {
        return None;
    }
    Some(Box::new(move || {
        let mut joules = 0.0;
        for (before, range, file) in counters {
            let more = number(&file)? - before;
            joules += 1e-6 * if more < 0.0 { more + range } else { more };
        }
        Some(Energy { joules, source: "powercap" })
    }))
}

pub(super) fn number(file: &Path) -> Option<f64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}
