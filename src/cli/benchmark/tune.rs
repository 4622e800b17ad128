//! The choice of the variant of the kernels that suits a device.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Bench, at, chunk};
use carom_core::error::{Error, ErrorKind, Result};
use carom_core::problem::ContactProblem;
use carom_engine::gpu::{Gpu, Kernel, Tuned};
use carom_engine::{Engine, Plan, Precision};
use carom_law::{Law, Routh};
use carom_shaders::{KernelChoice, Variant};

/// Numbers of samples per thread that are tried.
const SHARES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Most variants that are measured.
const MOST_TRIALS: f64 = SHARES.len() as f64 + 4.0;

/// Ratio of speeds from which a variant replaces another: a smaller one is noise.
const FASTER: f64 = 1.03;

/// A variant, and its measured speed.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The variant.
    pub variant: Variant,
    /// The measurement: `kernel`, by the device's clock where it has one, or `run`, with checks,
    /// repair and statistics.
    pub measured: &'static str,
    /// Samples per second over those of the best variant before: the geometric mean over all scenes
    /// and processes.
    pub ratio: f64,
    /// What the ratio is for each scene and process.
    pub ratios: BTreeMap<String, f64>,
}

/// The result of tuning a device.
#[derive(Clone, Debug, Serialize)]
pub struct Tuning {
    /// The fastest variant, and the device it belongs to.
    pub tuned: Tuned,
    /// The usual variant.
    pub usual: Variant,
    /// All variants that were tried, in this order.
    pub tried: Vec<Tried>,
    /// Whether other variants were to be tried.
    pub interrupted: bool,
}

impl Bench {
    /// Measures the variants of a GPU on scenes, each by the default process and by steps, in f32,
    /// and finds the fastest: loops first, then how samples are begun, samples per thread, the
    /// products of words, and who repairs. `tell` as in [`Bench::run`]. After [`Bench::stop`] was
    /// set, the result holds what was tried until then.
    ///
    /// # Errors
    /// An engine that is no GPU, and those of [`Bench::run`].
    pub fn tune(
        &self,
        engine: &mut Engine,
        scenes: &[(String, ContactProblem)],
        tell: impl FnMut(f64, &str),
    ) -> Result<Tuning> {
        let Some(usual) = engine.gpu().map(Gpu::usual_variant) else {
            return Err(Error::usage("the CPU has no variants of kernels to choose from")
                .option("tune")
                .hint("name a GPU with --device; `carom doctor` lists them"));
        };
        let best = usual;
        let mut trials = Trials { bench: self, engine, scenes, tell, best, tried: Vec::new() };
        let interrupted = match trials.all() {
            Err(error) if error.kind == ErrorKind::Interrupted => true,
            ended => ended.map(|()| false)?,
        };
        let Trials { best, tried, .. } = trials;
        let gpu = engine.gpu().ok_or_else(|| Error::device("the GPU is gone"))?;
        Ok(Tuning { tuned: Tuned::new(&gpu.report, best), usual, tried, interrupted })
    }

    /// Sorted times of the kernel for `chunk` samples.
    fn kernel_times(
        &self,
        gpu: &Gpu,
        law: &Law,
        problem: &ContactProblem,
        chunk: u64,
    ) -> Result<Vec<f64>> {
        let reference = law.prepare::<f64>(problem)?;
        let process = reference.cast::<f32>(problem)?;
        let choice = KernelChoice::new(&process, &reference, &gpu.report.limits());
        let mut kernel = Kernel::chosen(gpu, &choice, self.seed)?;
        kernel.measure();
        self.repeat(|rounds| {
            let start = std::time::Instant::now();
            kernel.compute_all(0, rounds * chunk, || self.stopped())?;
            Ok(kernel.seconds().unwrap_or_else(|| start.elapsed().as_secs_f64()))
        })
    }

    /// Sorted times of whole runs, without their preparation.
    fn run_times(&self, engine: &Engine, law: Law, problem: &ContactProblem) -> Result<Vec<f64>> {
        let (precision, stop) = (Some(Precision::F32), self.stop.clone());
        let mut plan = Plan { law, precision, seed: self.seed, stop, ..Plan::default() };
        self.repeat(|rounds| {
            plan.samples = rounds * chunk(engine) as u64;
            let run = engine.summarize(problem, &plan, |_| ())?;
            Ok(run.seconds_total - run.seconds_build)
        })
    }
}

/// The set-up and the results of the measurements of variants.
struct Trials<'a, F> {
    bench: &'a Bench,
    engine: &'a mut Engine,
    scenes: &'a [(String, ContactProblem)],
    tell: F,
    /// The fastest variant so far.
    best: Variant,
    tried: Vec<Tried>,
}

impl<F: FnMut(f64, &str)> Trials<'_, F> {
    /// Tries all variants.
    fn all(&mut self) -> Result<()> {
        let other = |best: Variant| Variant { unrolled: !best.unrolled, ..best };
        self.choose(&[other(self.best)], "kernel")?;
        let other = |best: Variant| Variant { refills: !best.refills, ..best };
        self.choose(&[other(self.best)], "kernel")?;
        let best = self.best;
        self.choose(&SHARES.map(|share| Variant { share, ..best }), "kernel")?;
        let other = |best: Variant| Variant { wide_products: !best.wide_products, ..best };
        self.choose(&[other(self.best)], "kernel")?;
        let other = |best: Variant| Variant { device_repair: !best.device_repair, ..best };
        self.choose(&[other(self.best)], "run")
    }

    /// Makes the fastest of those `variants` that the device supports the best one, unless none is
    /// clearly faster.
    fn choose(&mut self, variants: &[Variant], measured: &'static str) -> Result<()> {
        let before = self.best;
        let reference = self.rates(before, measured)?;
        let mut most = FASTER;
        for &variant in variants {
            if variant == before
                || self.engine.gpu().is_none_or(|gpu| gpu.possible(variant) != variant)
            {
                continue;
            }
            (self.tell)(self.tried.len() as f64 / MOST_TRIALS, "tuning");
            let rates = self.rates(variant, measured)?;
            let ratios: BTreeMap<_, _> = rates
                .into_iter()
                .map(|(what, rate)| (what.clone(), rate / reference[&what]))
                .collect();
            let logarithms = ratios.values().map(|ratio| ratio.ln()).sum::<f64>();
            let ratio = (logarithms / ratios.len().max(1) as f64).exp();
            self.tried.push(Tried { variant, measured, ratio, ratios });
            if ratio > most {
                (self.best, most) = (variant, ratio);
            }
        }
        Ok(())
    }

    /// Samples per second with a variant, of each scene and process.
    fn rates(&mut self, variant: Variant, measured: &str) -> Result<BTreeMap<String, f64>> {
        if let Some(gpu) = self.engine.gpu_mut() {
            gpu.set_variant(variant);
        }
        let (bench, engine) = (self.bench, &*self.engine);
        let chunk = chunk(engine);
        let mut rates = BTreeMap::new();
        for (scene, problem) in
            self.scenes.iter().filter(|(_, problem)| super::holds(engine, problem))
        {
            let mut laws = vec![super::case::default_on(engine, problem)];
            if problem.tangents_per_contact() == 1 && laws != [Routh::steps()] {
                laws.push(Routh::steps());
            }
            for law in laws {
                let law = Law::Routh(law);
                let process = law.prepare::<f64>(problem)?.kind().name();
                let times = match engine.gpu() {
                    Some(gpu) if measured == "kernel" => {
                        bench.kernel_times(gpu, &law, problem, chunk as u64)?
                    }
                    _ => bench.run_times(engine, law, problem)?,
                };
                rates.insert(format!("{scene}, {process}"), chunk as f64 / at(&times, 0.5));
            }
        }
        Ok(rates)
    }
}
