//! Sampling speed, relative to the peak performance of the device.

mod case;
pub mod energy;
mod flop;
mod latency;
pub mod power;
mod report;
mod sampling;
pub mod text;
mod work;

pub use energy::Energy;
pub use report::{Counts, Latency, MeasuredPeak, Measurement, Rate, Report, Work, WorkCheck};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::{ContactProblem, Error, ErrorKind, Result};
use carom_engine::peak::{self, Peak as PeakOf};
use carom_engine::threads::thread_pool;
use carom_engine::{Device, DeviceInfo, Engine, Precision};

/// Number of samples that a kernel computes at a time; on hardware more, for full occupancy.
const CHUNK: usize = 4096;
const HARDWARE_CHUNK: usize = 1 << 18;
/// Smallest number of repeats of a measurement.
const REPEATS: usize = 3;
/// Shortest repeat, as a fraction of a measurement's time.
const PART: f64 = 0.1;

/// The scope and duration of measurements.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Seconds for one measurement, which has at least three repeats.
    pub seconds: f64,
    /// Whether only the default law and the planner's solver are measured.
    pub quick: bool,
    /// The precision; `None`: each that the device has.
    pub precision: Option<Precision>,
    /// Seed of the samples.
    pub seed: u64,
    /// Time limit for the fixed work of a scene in s, see [`Bench::work`].
    pub within: Option<f64>,
    /// Ends the measurements early, see [`Plan::stop`](carom_engine::Plan::stop).
    pub stop: Option<Arc<AtomicBool>>,
}

impl Bench {
    /// The devices that `wanted` selects. `Auto` selects the CPU and every hardware adapter, with
    /// `software` also software adapters; among adapters with equal names, the first.
    pub fn devices(wanted: &Device, software: bool) -> Vec<Device> {
        if *wanted != Device::Auto {
            return vec![wanted.clone()];
        }
        let mut devices = vec![Device::Cpu];
        let adapters = carom_engine::gpu::adapters().into_iter();
        for adapter in adapters.filter(|adapter| software || adapter.is_hardware()) {
            let name = Device::Named(adapter.name);
            if !devices.contains(&name) {
                devices.push(name);
            }
        }
        devices
    }

    /// Opens a device for measurements.
    ///
    /// # Errors
    /// Errors of [`Engine::open`]; a software adapter selected by `gpu`, without its name.
    pub fn open(device: &Device) -> Result<Engine> {
        let engine = Engine::open(device)?;
        let DeviceInfo { software, name, .. } = engine.info();
        if *device == Device::Gpu && *software {
            return Err(Error::device(format!("the only GPU is the software adapter {name}"))
                .option("device")
                .hint("--device all, or part of its name, measures a software adapter"));
        }
        Ok(engine)
    }

    fn head(engine: &Engine) -> Report {
        let (info, gpu) = (engine.info(), engine.gpu());
        let on_cpu = info.kind == "cpu";
        Report {
            kind: info.kind,
            software: info.software,
            name: info.name.clone(),
            backend: info.backend.clone(),
            driver: gpu.map(|gpu| gpu.report.driver.clone()),
            variant: gpu.map(carom_engine::gpu::Gpu::variant),
            threads: on_cpu.then(rayon::current_num_threads),
            instruction_set: on_cpu.then(peak::instruction_set),
            ..Report::default()
        }
    }

    fn peaks_in(&self, engine: &Engine, precision: Precision) -> Result<Vec<MeasuredPeak>> {
        match precision {
            Precision::F32 => self.peaks::<f32>(engine),
            Precision::F64 => self.peaks::<f64>(engine),
        }
    }

    /// Measures scenes, given by name, on a device. Before each measurement, `tell` is called with
    /// the completed fraction of all measurements and the name of the next one. After
    /// [`Bench::stop`] was set, the report holds all measurements completed before.
    ///
    /// # Errors
    /// A precision that the device lacks, a problem that the law does not support, a device that
    /// was lost.
    pub fn run(
        &self,
        engine: &Engine,
        scenes: &[(String, ContactProblem)],
        tell: impl FnMut(f64, &str),
    ) -> Result<Report> {
        let mut report = Report::default();
        match self.measure(engine, scenes, tell, &mut report) {
            Err(error) if error.kind == ErrorKind::Interrupted => report.interrupted = true,
            ended => ended?,
        }
        Ok(report)
    }

    fn measure(
        &self,
        engine: &Engine,
        scenes: &[(String, ContactProblem)],
        mut tell: impl FnMut(f64, &str),
        report: &mut Report,
    ) -> Result<()> {
        *report = Self::head(engine);
        let precisions = self.precisions(engine)?;
        for (i, &precision) in precisions.iter().enumerate() {
            tell(0.05 * i as f64, &format!("peak {}", precision.name()));
            report.peaks.extend(self.peaks_in(engine, precision)?);
        }
        let cases = self.cases(engine, scenes);
        let all = cases.len() * precisions.len();
        for (i, case) in cases.iter().enumerate() {
            for (j, &precision) in precisions.iter().enumerate() {
                let done = (i * precisions.len() + j) as f64 / all as f64;
                tell(0.1 + 0.8 * done, &format!("{} {}", case.scene, precision.name()));
                let peaks = &report.peaks;
                report.measurements.extend(match precision {
                    Precision::F32 => self.measurements::<f32>(engine, case, precision, peaks)?,
                    Precision::F64 => self.measurements::<f64>(engine, case, precision, peaks)?,
                });
            }
        }
        let held = scenes.iter().filter(|(_, problem)| holds(engine, problem));
        if let Some((scene, problem)) = held.min_by_key(|(name, _)| name != "rocking-block") {
            for (i, &precision) in precisions.iter().enumerate() {
                tell(0.9 + 0.05 * i as f64, &format!("latency {}", precision.name()));
                report.latencies.extend(match precision {
                    Precision::F32 => self.latencies::<f32>(engine, scene, problem, precision)?,
                    Precision::F64 => self.latencies::<f64>(engine, scene, problem, precision)?,
                });
            }
        }
        Ok(())
    }

    fn precisions(&self, engine: &Engine) -> Result<Vec<Precision>> {
        let has_f64 = engine.gpu().is_none_or(|gpu| gpu.report.f64);
        let found: Vec<Precision> = ([Precision::F32, Precision::F64].into_iter())
            .filter(|&p| self.precision.is_none_or(|wanted| p == wanted))
            .filter(|&p| p == Precision::F32 || has_f64)
            .collect();
        if found.is_empty() {
            return Err(Error::device(format!("{} has no f64 in shaders", engine.info().name))
                .option("precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        Ok(found)
    }

    fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Sorted times in seconds of one round. `once` does as many rounds as its argument says and
    /// returns the seconds.
    fn repeat(&self, mut once: impl FnMut(u64) -> Result<f64>) -> Result<Vec<f64>> {
        let mut rounds = 1;
        once(rounds)?;
        loop {
            let seconds = once(rounds)?.max(1e-9);
            let more = PART * self.seconds / seconds;
            if more < 1.5 || self.stopped() {
                break;
            }
            rounds = (rounds as f64 * more.min(16.0)) as u64;
        }
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < REPEATS || start.elapsed().as_secs_f64() < self.seconds {
            if self.stopped() {
                return Err(Error::interrupted());
            }
            times.push(once(rounds)? / rounds as f64);
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    /// The peak performance of a device: of one thread and of all threads, or of a GPU.
    fn peaks<R: PeakOf>(&self, engine: &Engine) -> Result<Vec<MeasuredPeak>> {
        let rates = |flop: &mut dyn FnMut() -> Result<f64>,
                     bytes: &mut dyn FnMut() -> Result<f64>,
                     threads| {
            let best = |once: &mut dyn FnMut() -> Result<f64>| -> Result<f64> {
                let start = Instant::now();
                let (mut best, mut repeats) = (0.0, 0);
                while repeats <= REPEATS || start.elapsed().as_secs_f64() < self.seconds {
                    if self.stopped() {
                        return Err(Error::interrupted());
                    }
                    best = once()?.max(best);
                    repeats += 1;
                }
                Ok(best)
            };
            Ok(MeasuredPeak {
                precision: R::NAME,
                threads,
                flop_per_second: best(flop)?,
                bytes_per_second: best(bytes)?,
            })
        };
        if let Some(gpu) = engine.gpu() {
            let peak = std::cell::RefCell::new(carom_engine::gpu::peak::GpuPeak::new::<R>(gpu)?);
            let mut flop = || peak.borrow_mut().flop_per_second();
            let mut bytes = || peak.borrow_mut().bytes_per_second();
            return Ok(vec![rates(&mut flop, &mut bytes, None)?]);
        }
        let mut copy = peak::Copy::new();
        let mut peaks = Vec::new();
        for pool in pools()? {
            let mut flop = || Ok(pool.install(peak::flop_per_second::<R>));
            let mut bytes = || Ok(pool.install(|| copy.bytes_per_second()));
            peaks.push(rates(&mut flop, &mut bytes, Some(pool.current_num_threads()))?);
        }
        Ok(peaks)
    }
}

/// Number of samples that the kernels of an engine compute at a time.
fn chunk(engine: &Engine) -> usize {
    let DeviceInfo { kind, software, .. } = engine.info();
    if *kind == "cpu" || *software { CHUNK } else { HARDWARE_CHUNK }
}

/// A pool with one thread, and one with all threads where there are several.
fn pools() -> Result<Vec<rayon::ThreadPool>> {
    let all = rayon::current_num_threads();
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    counts.into_iter().map(|count| thread_pool(Some(count))).collect()
}

/// The quantile `share` of sorted numbers: the number at the nearest rank.
fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// Whether the device supports the problem's number of contacts.
fn holds(engine: &Engine, problem: &ContactProblem) -> bool {
    engine.gpu().is_none() || problem.contact_count() <= carom_shaders::spec::MAX_CONTACTS
}
