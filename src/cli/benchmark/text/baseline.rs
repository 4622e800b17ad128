//! Speedup of measurements over a baseline.

use std::path::Path;

use crate::benchmark::{Measurement, Report};
use carom_core::error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// An earlier report of `carom bench --json`.
#[derive(Debug)]
pub struct BenchBaseline(Value);

/// The median rates of a measurement over those of the same measurement in the baseline: on the
/// device of that name, or on its only device of that kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ratio {
    /// The device.
    pub device: String,
    /// The device of the baseline.
    pub baseline_device: String,
    /// The scene.
    pub scene: String,
    /// In what precision, by which process, solution and solver.
    pub how: String,
    /// Threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Ratio of the speeds of the kernel.
    pub kernel: f64,
    /// Ratio of the speeds of whole runs.
    pub end_to_end: f64,
    /// By how much repeats of either kernel differ, and those of either run.
    pub spread: [f64; 2],
    /// Whether repeats of either kernel differ by more than the kernel's ratio does from 1.
    pub within_noise: bool,
}

impl BenchBaseline {
    /// Reads a report.
    pub fn read(path: &Path) -> Result<Self> {
        let fault = |what: String| {
            Error::usage(format!("`{}`: {what}", path.display()))
                .option("baseline")
                .hint("`carom bench --json > OLD.json` writes one")
        };
        let text = std::fs::read_to_string(path).map_err(|e| fault(e.to_string()))?;
        let report: Value =
            serde_json::from_str(&text).map_err(|e| fault(format!("is no JSON: {e}")))?;
        match report["devices"].is_array() {
            true => Ok(BenchBaseline(report)),
            false => Err(fault("is no report of a bench".to_string())),
        }
    }

    /// The ratios of all measurements that have a counterpart in the baseline.
    pub fn ratios(&self, devices: &[Report]) -> Vec<Ratio> {
        let of = |device: &Report| -> Vec<Ratio> {
            let old = self.device(device);
            let ratio = |new| old.and_then(|old| Self::ratio(&device.name, old, new));
            device.measurements.iter().filter_map(ratio).collect()
        };
        devices.iter().flat_map(of).collect()
    }

    /// Cautions about a baseline measured on a busy machine, with another measuring time, or by
    /// another version or commit.
    pub fn cautions(&self, seconds: f64, commit: Option<&str>) -> Vec<String> {
        let mut cautions = Vec::new();
        if let Some(old) = self.0["seconds"].as_f64().filter(|old| *old != seconds) {
            cautions
                .push(format!("The baseline took {old} s for each rate, this run {seconds} s."));
        }
        if self.0["busy"] == true {
            cautions.push("The machine of the baseline was busy.".to_string());
        }
        let (version, built) = (self.0["version"].as_str(), self.0["commit"].as_str());
        if version != Some(env!("CARGO_PKG_VERSION")) || built != commit {
            let [version, built] = [version, built].map(|word| word.unwrap_or("unknown"));
            cautions.push(format!("The baseline is of carom {version}, commit {built}."));
        }
        cautions
    }

    /// The baseline's device of equal name, or its only device of equal kind.
    fn device(&self, new: &Report) -> Option<&Value> {
        let devices = self.0["devices"].as_array()?;
        let mut alike = devices.iter().filter(|old| old["kind"] == new.kind);
        let named = devices.iter().find(|old| old["name"] == *new.name);
        named.or_else(|| alike.next().filter(|_| alike.next().is_none()))
    }

    fn ratio(device: &str, old: &Value, new: &Measurement) -> Option<Ratio> {
        let baseline_device = old["name"].as_str()?.to_string();
        let old = old["measurements"].as_array()?.iter().find(|old| {
            let words =
                [("scene", &*new.scene), ("precision", new.precision), ("process", new.process)];
            let more = [("solution", new.solution), ("solver", new.solver)];
            words.iter().chain(&more).all(|(key, word)| old[key] == *word)
                // Older reports have the law routh only.
                && old["law"].as_str().unwrap_or("routh") == new.law
                && old["facets"].as_u64() == new.facets.map(u64::from)
                && old["threads"].as_u64() == new.threads.map(|threads| threads as u64)
        })?;
        let kernel = new.kernel.median / old["kernel"]["median"].as_f64()?;
        let spread = [("kernel", &new.kernel), ("end_to_end", &new.end_to_end)]
            .map(|(key, new)| old[key]["spread"].as_f64().unwrap_or(0.0).max(new.spread));
        Some(Ratio {
            device: device.to_string(),
            baseline_device,
            scene: new.scene.clone(),
            how: format!("{} {} {} {}", new.precision, new.how(), new.solution, new.solver),
            threads: new.threads,
            kernel,
            end_to_end: new.end_to_end.median / old["end_to_end"]["median"].as_f64()?,
            spread,
            within_noise: kernel.max(1.0 / kernel) < 1.0 + spread[0],
        })
    }
}
