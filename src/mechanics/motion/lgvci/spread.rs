use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::algebra::{add, dot, product, scaled};
use super::flight::matrix;
use super::given::Lgvci;
use super::replica::{Replica, Setting};
use super::state::BodyState;
use crate::motion::ending::MotionEnding;
use carom_core::digits::short;
use carom_core::error::{Error, Result};
use carom_core::rng::stream::unit;
use carom_core::rng::{Purpose, Stream};
use carom_engine::{DeviceInfo, Engine};

/// The address of the rotation of a copy among the draws of [`Purpose::Parameter`].
const ROTATION: u32 = 4;
/// Most times at which copies are compared.
const ROWS: u64 = 100;
/// Number of copies that are computed, and whose states are kept, before the next ones begin.
const CHUNK: u64 = 1024;

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
}

impl Perturbation {
    /// Description of the perturbation, in words.
    pub fn words(&self) -> String {
        let turned = format!("turned by {} rad", short(self.angle));
        let moved = format!("moved by {} m", short(self.shift));
        match (self.angle, self.shift) {
            (_, 0.0) => turned,
            (0.0, _) => moved,
            _ => format!("{turned} and {moved}"),
        }
    }

    fn check(&self) -> Result<()> {
        if self.copies == 0 {
            return Err(Error::usage("expected at least one copy").option("perturb"));
        }
        if !(0.0..std::f64::consts::PI).contains(&self.angle) {
            return Err(Error::usage(format!("an angle from 0 to pi, found {}", self.angle))
                .option("spread"));
        }
        if !(self.shift.is_finite() && self.shift >= 0.0) {
            let what = format!("a distance is a finite number >= 0, found {}", self.shift);
            return Err(Error::usage(what).option("shift"));
        }
        Ok(())
    }
}

/// Distances of copies from the original at a time: quantiles of `|x - y| + |R - Q|_2` over the
/// copies that reached it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadRow {
    /// Number of steps taken.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// Number of copies that reached this time.
    pub copies: u64,
    /// The smallest distance.
    pub least: f64,
    /// The median distance.
    pub median: f64,
    /// The 90th percentile of the distance.
    pub p90: f64,
    /// The largest distance.
    pub largest: f64,
    /// Mean height above the plane's origin, `n . x`, in m.
    pub mean_height: f64,
    /// Standard deviation of the height, in m.
    pub height: f64,
}

/// The distances of the copies over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CopySpread {
    /// Number of computed copies: all, unless the caller stopped the run.
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
    /// Number of steps of all copies together.
    pub steps: u64,
    /// Wall-clock seconds of the steps.
    pub seconds: f64,
}

/// A function that takes the states of a copy at the times of the rows, with the steps taken.
pub type Take<'a> = &'a mut dyn FnMut(u64, &[(u64, BodyState)]) -> Result<()>;

impl Lgvci {
    /// The start of a copy: the attitude `R exp(S(angle u))` and the position `x + shift w` with
    /// unit vectors u and w drawn uniformly.
    ///
    /// Source: \[TL24\] Sec. 7.4, where one axis and one direction are given. The draws are words 0
    /// and 1, for w 2 and 3, of step 4 of [`Purpose::Parameter`].
    pub fn perturbed(&self, how: &Perturbation, copy: u64) -> BodyState {
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

    /// Computes the copies on all cores. Calls `take` with the states of each copy at the times of
    /// the rows, in the order of the copies, and `done` with the number of finished copies.
    ///
    /// A copy depends on seed and number alone. Copies that end early, or start in the plane, count
    /// until they end.
    ///
    /// # Errors
    /// No copies; an angle outside [0, pi), a shift that is not a finite number >= 0; errors of
    /// `take`; [`Error::interrupted`] if `stop` is raised before the first copies are done. If
    /// raised later, the unfinished copies are left out.
    pub fn spread(
        &self,
        steps: u64,
        how: &Perturbation,
        stop: Option<&AtomicBool>,
        mut take: Option<Take<'_>>,
        done: impl Fn(u64),
    ) -> Result<CopySpread> {
        how.check()?;
        let stride = steps.div_ceil(ROWS).max(1);
        let times = (0..=steps).step_by(stride as usize).collect();
        let tracks = Tracks { setting: self.setting(), times, steps, stop };
        let original = tracks.track(self.start()).ok_or_else(Error::interrupted)?.reached;
        let height = |state: &BodyState| dot(self.body().normal, state.position);
        let mut distances: Vec<Vec<f32>> = vec![Vec::new(); original.len()];
        let mut heights = vec![(0.0, 0.0); original.len()];
        let mut counts = [0; MotionEnding::ALL.len()];
        let (mut copies, mut hits, mut taken, mut energy_error) = (0, 0, 0, 0.0);
        let began = Instant::now();
        for first in (0..how.copies).step_by(CHUNK as usize) {
            let numbers = first..how.copies.min(first + CHUNK);
            let track = |copy| tracks.track(&self.perturbed(how, copy));
            let chunk: Option<Vec<Track>> = numbers.clone().into_par_iter().map(track).collect();
            let Some(chunk) = chunk else { break };
            for (number, Track { reached, end }) in numbers.zip(&chunk) {
                for (i, ((_, state), (_, original))) in reached.iter().zip(&original).enumerate() {
                    let higher = height(state) - height(original);
                    distances[i].push(state.distance(original) as f32);
                    heights[i].0 += higher;
                    heights[i].1 += higher * higher;
                }
                if let Some(take) = &mut take {
                    take(number, reached)?;
                }
                counts[end.ending as usize] += 1;
                hits += end.collisions;
                taken += end.steps;
                energy_error = f64::max(energy_error, end.energy_error);
            }
            copies += chunk.len() as u64;
            done(chunk.len() as u64);
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
            let (step, original) = &original[i];
            rows.push(SpreadRow {
                step: *step,
                time: *step as f64 * self.time_step(),
                copies: distances.len() as u64,
                least: at(0.0),
                median: at(0.5),
                p90: at(0.9),
                largest: at(1.0),
                mean_height: height(original) + mean,
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
            device: Engine::cpu("copies run on the CPU").info().clone(),
            steps: taken,
            seconds: began.elapsed().as_secs_f64(),
        })
    }
}

/// The data of all copies, and the times at which they are compared.
struct Tracks<'a> {
    setting: Setting,
    times: Vec<u64>,
    steps: u64,
    stop: Option<&'a AtomicBool>,
}

/// A copy: its states at the times of the rows until its end, and its ending.
struct Track {
    reached: Vec<(u64, BodyState)>,
    end: Replica,
}

impl Tracks<'_> {
    /// Course of a copy; `None` if the run was stopped.
    fn track(&self, start: &BodyState) -> Option<Track> {
        let mut copy = Replica::new(&self.setting.body, start);
        let mut reached = Vec::with_capacity(self.times.len());
        for &time in &self.times {
            self.advance(&mut copy, time)?;
            if copy.steps == time {
                reached.push((time, copy.state));
            }
        }
        self.advance(&mut copy, self.steps)?;
        Some(Track { reached, end: copy })
    }

    /// Moves a copy until it has ended or taken `until` steps; `None` if the run was stopped.
    fn advance(&self, copy: &mut Replica, until: u64) -> Option<()> {
        while copy.goes_on(until) {
            copy.step(&self.setting, |_| ());
        }
        (!self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))).then_some(())
    }
}
