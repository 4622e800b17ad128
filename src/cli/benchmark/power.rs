//! The energy of a GPU during a run, integrated from samples of its power.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::energy::{Energy, Meter, number};

const BETWEEN: Duration = Duration::from_millis(200);

/// The energy meter of the GPU at a PCI address: from its driver's files below `sys`, else from
/// `nvidia-smi`; `None` if neither reports power.
pub fn of_gpu(sys: &Path, pci: &str) -> Option<Meter> {
    let sensors = fs::read_dir(sys.join("bus/pci/devices").join(pci).join("hwmon"));
    for sensor in sensors.into_iter().flatten().flatten() {
        for file in ["power1_average", "power1_input"].map(|file| sensor.path().join(file)) {
            if number(&file).is_some() {
                return Some(meter("hwmon", move || Some(1e-6 * number(&file)?)));
            }
        }
    }
    let pci = pci.to_string();
    let watts = move || {
        let query = ["--query-gpu=power.draw", "--format=csv,noheader,nounits", "--id", &pci];
        let output = Command::new("nvidia-smi").args(query).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse().ok()
    };
    watts()?;
    Some(meter("nvidia-smi", watts))
}

/// An energy meter: elapsed time times mean power in W, which a thread polls.
fn meter(source: &'static str, watts: impl Fn() -> Option<f64> + Send + 'static) -> Meter {
    let start = Instant::now();
    let over = Arc::new(AtomicBool::new(false));
    let ends = over.clone();
    let readings = thread::spawn(move || {
        let mut readings = Vec::new();
        while !ends.load(Ordering::Relaxed) {
            readings.extend(watts());
            thread::sleep(BETWEEN);
        }
        readings
    });
    Box::new(move || {
        let seconds = start.elapsed().as_secs_f64();
        over.store(true, Ordering::Relaxed);
        let readings = readings.join().ok().filter(|readings| !readings.is_empty())?;
        let mean = readings.iter().sum::<f64>() / readings.len() as f64;
        Some(Energy { joules: seconds * mean, source })
    })
}
