//! The circumstances of a measurement.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

/// Above this load for each core others were at work too.
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
        let seconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let first =
            |path: &str| fs::read_to_string(path).ok()?.split_whitespace().next()?.parse().ok();
        Circumstances {
            date: date(seconds),
            os: os(),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            load: first("/proc/loadavg"),
            commit,
            command: std::env::args().collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether others were at work before the measurements.
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

/// The date of a number of seconds since 1970, in UTC.
fn date(seconds: u64) -> String {
    let (mut days, mut year) = (seconds / 86_400, 1970);
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let [hour, minute, second] = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // `date -u -d @SECONDS +%FT%TZ`
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
