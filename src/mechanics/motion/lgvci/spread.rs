//! Many copies of a motion whose states differ a little at the start, and how they part.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::algebra::{add, dot, product, scaled};
use super::flight::matrix;
use super::given::Lgvci;
use super::lanes::advance;
#[cfg(feature = "gpu")]
use super::on_gpu::{OnGpu, on_the_cpu};
use super::replica::{Replica, Setting};
use super::state::BodyState;
use crate::motion::ending::MotionEnding;
use carom_core::digits::short;
use carom_core::error::{Error, Result};
use carom_core::rng::stream::unit;
use carom_core::rng::{Purpose, Stream};
use carom_core::vectors::Lane;
use carom_engine::{Device, DeviceInfo, Engine, Precision};

/// The address of the rotation of a copy among the draws of [`Purpose::Parameter`].
const ROTATION: u32 = 4;
/// Most times at which copies are compared.
const ROWS: u64 = 100;
/// Number of copies that are computed before the next ones begin, where their states are kept.
const KEPT: u64 = 4096;
/// Number of copies that a thread of the CPU computes at a time.
const TASK: usize = 256;
/// Rounding of attitudes by single precision within some steps, in rad, about.
const ROUNDED: f64 = 8.0 * <f32 as carom_core::real::Real>::EPSILON;

/// The perturbation of the copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perturbation {
    /// Number of copies.
    pub copies: u64,
    /// The angle by which each copy is turned, in rad, about an axis of its own.
    pub angle: f64,
    /// The distance by which each copy is moved, in m, in a direction of its own.
    pub shift: f64,
    /// The seed of the axes and directions.
    pub seed: u64,
    /// The precision of the copies; `None`: f32 on a GPU, f64 on the CPU.
    pub precision: Option<Precision>,
}

impl Perturbation {
    /// What was done to each copy, in words.
    pub fn words(&self) -> String {
        let turned = format!("turned by {} rad", short(self.angle));
        let moved = format!("moved by {} m", short(self.shift));
        match (self.angle, self.shift) {
            (_, 0.0) => turned,
            (0.0, _) => moved,
            _ => format!("{turned} and {moved}"),
        }
    }

    /// A warning where the precision is too coarse for copies that differ so little.
    pub fn warning(&self, precision: Precision) -> Option<String> {
        let most = self.angle.max(self.shift);
        (precision == Precision::F32 && most < ROUNDED).then(|| {
            format!(
                "f32 rounds attitudes by about {ROUNDED:.0e} rad within a few steps: distances show its rounding, not a spread of {most:e}; \
                 take --precision f64, or a larger --spread",
            )
        })
    }
}

/// The distances of copies from the original at a time: quantiles of `|x - y| + |R - Q|_2` over the
/// copies that got there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadRow {
    /// Number of steps taken.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// Number of copies that got there.
    pub copies: u64,
    /// The smallest distance.
    pub least: f64,
    /// The median distance.
    pub median: f64,
    /// The distance that nine of ten copies stay below.
    pub p90: f64,
    /// The largest distance.
    pub largest: f64,
    /// Mean of the height over the plane's origin, `n . x`, in m.
    pub mean_height: f64,
    /// The standard deviation of that height, in m.
    pub height: f64,
}

/// The distances of the copies over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CopySpread {
    /// Number of copies that were computed: all, unless the caller stopped the run.
    pub copies: u64,
    /// The distances at times from the start to the end.
    pub rows: Vec<SpreadRow>,
    /// Number of copies by ending.
    pub endings: Vec<(MotionEnding, u64)>,
    /// Mean number of collisions of a copy.
    pub collisions: f64,
    /// Largest error of the energy of a copy, in J.
    pub energy_error: f64,
    /// The device that computed the copies.
    pub device: DeviceInfo,
    /// The precision of the copies.
    pub precision: Precision,
    /// Number of steps of all copies together.
    pub steps: u64,
    /// Wall-clock seconds that these steps took.
    pub seconds: f64,
}

/// A function that takes the states of a copy at the times of the rows, with the steps taken.
pub type Take<'a> = &'a mut dyn FnMut(u64, &[(u64, BodyState<f64>)]) -> Result<()>;

impl Lgvci {
    /// The start of a copy: the attitude `R exp(S(angle u))` and the position `x + shift w` with
    /// unit vectors u and w drawn uniformly.
    ///
    /// Source: \[TL24\] Sec. 7.4, where one axis and one direction are given. The draws are words 0
    /// and 1, for w 2 and 3, of step 4 of [`Purpose::Parameter`].
    pub fn perturbed(&self, how: &Perturbation, copy: u64) -> BodyState<f64> {
        let stream = Stream::new(how.seed, copy);
        let direction = |first: u32| {
            let [along, around] = [first, first + 1]
                .map(|j| f64::from(unit(stream.draw(ROTATION, Purpose::Parameter, j))));
            let (z, turn) = (2.0 * along - 1.0, std::f64::consts::TAU * around);
            let r = (1.0 - z * z).max(0.0).sqrt();
            [r * turn.cos(), r * turn.sin(), z]
        };
        let start = self.start();
        let turn = matrix(scaled(direction(0), (0.5 * how.angle).tan()));
        BodyState {
            attitude: product(&start.attitude, &turn),
            position: add(start.position, scaled(direction(2), how.shift)),
            ..*start
        }
    }

    /// Opens a device for copies. `auto` means the CPU where the shape has an intersection or is
    /// too large for a GPU.
    ///
    /// # Errors
    /// Those of [`Engine::open`]; such a shape on a GPU.
    pub fn open(&self, device: &Device) -> Result<Engine> {
        let engine = Engine::open(device)?;
        #[cfg(feature = "gpu")]
        if let Some(why) = engine.gpu().and_then(|gpu| on_the_cpu(&self.body().shape, gpu)) {
            return match device {
                Device::Auto => Ok(Engine::cpu(&why)),
                _ => Err(Error::device(format!("{why} only"))
                    .option("device")
                    .hint("run with --device cpu")),
            };
        }
        Ok(engine)
    }

    /// Computes the copies beside the original, with [`Lgvci::open`]'s engine; `take` is called
    /// with the states of each copy at the times of the rows, in the order of the copies, and
    /// `done` with the number of finished copies.
    ///
    /// A copy depends on seed, number, precision and device alone; on the CPU its numbers are those
    /// of [`step`](super::step), bit by bit. The original is computed in the same way. Copies that
    /// end early, or start in the plane, count up to where they got.
    ///
    /// # Errors
    /// No copies; an angle that is not in [0, pi), a shift that is not a finite number >= 0; a
    /// device that was lost, or has no such precision; those of `take`; [`Error::interrupted`]
    /// where `stop` is raised before the first copies are done. If raised later, the unfinished
    /// copies are left out.
    pub fn spread(
        &self,
        steps: u64,
        how: &Perturbation,
        on: &Engine,
        stop: Option<&AtomicBool>,
        take: Option<Take<'_>>,
        done: impl Fn(u64),
    ) -> Result<CopySpread> {
        if how.copies == 0 {
            return Err(Error::usage("expected at least one copy").option("perturb"));
        }
        if !(0.0..std::f64::consts::PI).contains(&how.angle) {
            return Err(Error::usage(format!("an angle from 0 to pi, found {}", how.angle))
                .option("spread"));
        }
        if !(how.shift.is_finite() && how.shift >= 0.0) {
            let what = format!("a distance is a finite number >= 0, found {}", how.shift);
            return Err(Error::usage(what).option("shift"));
        }
        let precision = how.precision.unwrap_or(on.default_precision());
        let run = Run { motion: self, steps, how, on, precision, stop };
        match precision {
            Precision::F32 => run.spread::<f32>(take, done),
            Precision::F64 => run.spread::<f64>(take, done),
        }
    }
}

/// The input of [`Lgvci::spread`].
struct Run<'a> {
    motion: &'a Lgvci,
    steps: u64,
    how: &'a Perturbation,
    on: &'a Engine,
    precision: Precision,
    stop: Option<&'a AtomicBool>,
}

impl Run<'_> {
    fn spread<T: Lane>(
        &self,
        mut take: Option<Take<'_>>,
        done: impl Fn(u64),
    ) -> Result<CopySpread> {
        let Run { motion, how, .. } = *self;
        let setting = motion.setting::<T>();
        let stride = self.steps.div_ceil(ROWS).max(1);
        let times: Vec<u64> = (0..=self.steps).step_by(stride as usize).collect();
        let mut mover = Mover::new(self.on, &setting)?;
        let original = {
            let mut original = Vec::new();
            let start = [Replica::new(&setting.body, &motion.start().cast())];
            let whole = self
                .course(&mut mover, &times, start.to_vec(), |_, copies| original.push(copies[0]))?;
            whole.ok_or_else(Error::interrupted)?;
            original
        };
        let height = |state: &BodyState<T>| dot(setting.body.normal, state.position).to_f64();
        let mut distances: Vec<Vec<f32>> = vec![Vec::new(); times.len()];
        let mut heights = vec![(0.0, 0.0); times.len()];
        let mut counts = [0; MotionEnding::ALL.len()];
        let (mut copies, mut hits, mut taken, mut energy_error) = (0, 0, 0, 0.0);
        let chunk = if take.is_some() { KEPT } else { mover.most() };
        let began = Instant::now();
        for first in (0..how.copies).step_by(chunk as usize) {
            let numbers: Vec<u64> = (first..how.copies.min(first + chunk)).collect();
            let start =
                |copy: &u64| Replica::new(&setting.body, &motion.perturbed(how, *copy).cast());
            let starts = numbers.par_iter().map(start).collect();
            let mut reached = vec![Vec::new(); if take.is_some() { numbers.len() } else { 0 }];
            let mut row = Vec::new();
            let all = self.course(&mut mover, &times, starts, |i, copies| {
                let Some(original) = original.get(i).filter(|original| original.steps == times[i])
                else {
                    return;
                };
                let there = copies.iter().filter(|copy| copy.steps == times[i]);
                row.push(
                    there
                        .map(|copy| {
                            let height = height(&copy.state) - height(&original.state);
                            (copy.state.distance(&original.state).to_f64() as f32, height)
                        })
                        .collect::<Vec<_>>(),
                );
                for (reached, copy) in
                    reached.iter_mut().zip(copies).filter(|(_, copy)| copy.steps == times[i])
                {
                    reached.push((times[i], copy.state.cast()));
                }
            })?;
            let Some(all) = all else { break };
            for (i, row) in row.iter().enumerate() {
                for (distance, height) in row {
                    distances[i].push(*distance);
                    heights[i].0 += height;
                    heights[i].1 += height * height;
                }
            }
            for (number, copy) in numbers.iter().zip(&all) {
                if let Some(take) = &mut take {
                    take(*number, &reached[(number - first) as usize])?;
                }
                counts[copy.ending as usize] += 1;
                hits += copy.collisions;
                taken += copy.steps;
                energy_error = f64::max(energy_error, copy.energy_error.to_f64());
            }
            copies += all.len() as u64;
            done(all.len() as u64);
        }
        if copies == 0 {
            return Err(Error::interrupted());
        }
        let mut rows = Vec::new();
        for (i, distances) in distances.iter_mut().enumerate().filter(|(_, d)| !d.is_empty()) {
            distances.sort_unstable_by(f32::total_cmp);
            let last = distances.len() - 1;
            let at = |share: f64| f64::from(distances[(share * last as f64).round() as usize]);
            let count = distances.len() as f64;
            let mean = heights[i].0 / count;
            rows.push(SpreadRow {
                step: times[i],
                time: times[i] as f64 * motion.time_step(),
                copies: distances.len() as u64,
                least: at(0.0),
                median: at(0.5),
                p90: at(0.9),
                largest: at(1.0),
                mean_height: height(&original[i].state) + mean,
                height: (heights[i].1 / count - mean * mean).max(0.0).sqrt(),
            });
        }
        Ok(CopySpread {
            copies,
            rows,
            endings: MotionEnding::ALL
                .into_iter()
                .zip(counts)
                .filter(|(_, count)| *count > 0)
                .collect(),
            collisions: hits as f64 / copies as f64,
            energy_error,
            device: self.on.info().clone(),
            precision: self.precision,
            steps: taken,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// Moves copies from time to time, and to the end; `look` is called with them at each time.
    /// `None` where the run was stopped.
    fn course<T: Lane>(
        &self,
        mover: &mut Mover<'_, T>,
        times: &[u64],
        mut copies: Vec<Replica<T>>,
        mut look: impl FnMut(usize, &[Replica<T>]),
    ) -> Result<Option<Vec<Replica<T>>>> {
        let stopped = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        for (i, &time) in times.iter().enumerate() {
            mover.advance(&mut copies, time, &stopped)?;
            if stopped() {
                return Ok(None);
            }
            look(i, &copies);
        }
        mover.advance(&mut copies, self.steps, &stopped)?;
        Ok((!stopped()).then_some(copies))
    }
}

/// The device that moves copies.
enum Mover<'a, T> {
    /// All cores of this machine.
    Cores(&'a Setting<T>),
    #[cfg(feature = "gpu")]
    Gpu(Box<OnGpu<'a, T>>),
}

impl<'a, T: Lane> Mover<'a, T> {
    fn new(on: &'a Engine, setting: &'a Setting<T>) -> Result<Self> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = on.gpu() {
            return Ok(Mover::Gpu(Box::new(OnGpu::new(gpu, setting)?)));
        }
        let _ = on;
        Ok(Mover::Cores(setting))
    }

    /// Most copies at a time.
    fn most(&self) -> u64 {
        match self {
            Mover::Cores(_) => (16 * TASK * rayon::current_num_threads()) as u64,
            #[cfg(feature = "gpu")]
            Mover::Gpu(gpu) => gpu.most(),
        }
    }

    /// Moves copies until each has ended or taken `until` steps; only some of them where the run is
    /// stopped.
    fn advance(
        &mut self,
        copies: &mut [Replica<T>],
        until: u64,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        match self {
            #[cfg(feature = "gpu")]
            Mover::Gpu(gpu) => gpu.advance(copies, until, stopped)?,
            Mover::Cores(setting) => {
                copies
                    .par_chunks_mut(TASK)
                    .filter(|_| !stopped())
                    .for_each(|copies| advance(setting, copies, until));
            }
        }
        Ok(())
    }
}
