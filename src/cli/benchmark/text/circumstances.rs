//! The circumstances of a measurement.

use std::fs;

use chrono::Utc;
use schemars::JsonSchema;
use serde::Serialize;

/// Load per core above which the machine counts as busy.
const BUSY: f64 = 0.25;

/// The circumstances on which results depend beside the device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Circumstances {
    /// UTC, such as `2026-01-31T12:00:00Z`.
    pub date: String,
    /// The operating system and its kernel.
    pub os: String,
    /// Cores of the CPU.
    pub cores: usize,
    /// Mean number of processes that ran in the minute before, where the system reports it.
    pub load: Option<f64>,
    /// The commit of the source that was measured, where it is known.
    pub commit: Option<String>,
    /// The command.
    pub command: String,
}

impl Circumstances {
    /// The present circumstances.
    pub fn now(commit: Option<String>) -> Self {
        let load =
            || fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok();
        Circumstances {
            date: Utc::now().format("%FT%TZ").to_string(),
            os: os(),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            load: load(),
            commit,
            command: std::env::args().collect::<Vec<_>>().join(" "),
        }
    }
    /// Whether the machine was busy before the measurements.
    pub fn busy(&self) -> bool {
        self.load.is_some_and(|load| load > BUSY * self.cores as f64)
    }
}

fn os() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    format!("{name} {}", kernel.trim()).trim().to_string()
}
