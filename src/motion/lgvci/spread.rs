//! Many copies of a motion whose attitudes differ a little at first, and how they part.

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::algebra::product;
use super::flight::matrix;
use super::given::Lgvci;
use super::run::Course;
use super::state::State;
use crate::error::{Error, Result};
use crate::motion::ending::Ending;
use crate::rng::stream::unit;
use crate::rng::{Purpose, Stream};

/// The address of the rotation of a copy among the draws of [`Purpose::Parameter`].
const ROTATION: u32 = 4;
/// Most times at which copies are compared.
const ROWS: u64 = 100;
/// Copies that are computed before the next ones begin.
const CHUNK: u64 = 1024;

/// How copies differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perturbation {
    /// How many there are.
    pub copies: u64,
    /// By which angle each is turned, in rad, about an axis of its own.
    pub angle: f64,
    /// The seed of the axes.
    pub seed: u64,
}

/// How far copies are from the original at a time: quantiles of `|x - y| + |R - Q|_2` over the copies that got there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Steps taken.
    pub step: u64,
    /// In s.
    pub time: f64,
    /// Copies that got there.
    pub copies: u64,
    /// The least, the median, the 90th of 100, the largest.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// Nine of ten copies are nearer.
    pub p90: f64,
    /// The largest.
    pub largest: f64,
    /// Standard deviation of the height over the plane's origin, `n . x`, in m.
    pub height: f64,
}

/// How the copies part.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Copies that were computed: all of them, unless the caller stopped it.
    pub copies: u64,
    /// From the start to the end.
    pub rows: Vec<Row>,
    /// Copies by ending.
    pub endings: Vec<(Ending, u64)>,
    /// Mean number of collisions of a copy.
    pub collisions: f64,
    /// Largest error of the energy of a copy, in J.
    pub energy_error: f64,
}

/// One copy at the times of rows.
struct Copy {
    states: Vec<State<f64>>,
    ending: Ending,
    collisions: u64,
    energy_error: f64,
}

impl Lgvci {
    /// The start of a copy: the attitude `R exp(S(angle u))` with a unit vector u drawn uniformly.
    ///
    /// Source: \[TL24\] Sec. 7.4, where one axis is given. The draws are words 0 and 1 of step 4 of [`Purpose::Parameter`].
    pub fn perturbed(&self, how: &Perturbation, copy: u64) -> State<f64> {
        let stream = Stream::new(how.seed, copy);
        let [along, around] = [0, 1].map(|j| f64::from(unit(stream.draw(ROTATION, Purpose::Parameter, j))));
        let (z, turn) = (2.0 * along - 1.0, std::f64::consts::TAU * around);
        let r = (1.0 - z * z).max(0.0).sqrt();
        let half = (0.5 * how.angle).tan();
        let f = [r * turn.cos(), r * turn.sin(), z].map(|x| x * half);
        State { attitude: product(&self.start().attitude, &matrix(f)), ..*self.start() }
    }

    /// Computes the copies on all cores, beside the original; `take` sees the states of each copy at the times of the rows, in the order of
    /// the copies, and `done` how many copies are finished.
    ///
    /// A copy depends on seed and number alone. Copies that end early, or start in the plane, count up to where they got.
    ///
    /// # Errors
    /// No copies; an angle that is not in [0, pi); those of `take`; [`Error::interrupted`] where `stop` is raised before the first copies
    /// are done. Later it leaves out the copies that are not.
    pub fn spread(
        &self,
        steps: u64,
        how: &Perturbation,
        stop: Option<&AtomicBool>,
        mut take: impl FnMut(u64, &[(u64, State<f64>)]) -> Result<()>,
        done: impl Fn(u64) + Sync,
    ) -> Result<Spread> {
        if how.copies == 0 {
            return Err(Error::usage("expected at least one copy").at("--perturb"));
        }
        if !(0.0..std::f64::consts::PI).contains(&how.angle) {
            return Err(Error::usage(format!("an angle from 0 to pi, found {}", how.angle)).at("--spread"));
        }
        let stride = steps.div_ceil(ROWS).max(1);
        let times: Vec<u64> = (0..=steps).step_by(stride as usize).collect();
        let original = self.copy(self.start(), steps, stride, stop)?.ok_or_else(Error::interrupted)?;
        let mut distances: Vec<Vec<f32>> = vec![Vec::new(); times.len()];
        let mut heights = vec![(0.0, 0.0); times.len()];
        let mut spread =
            Spread { copies: 0, rows: Vec::new(), endings: Vec::new(), collisions: 0.0, energy_error: 0.0 };
        let mut counts = [0; Ending::ALL.len()];
        let mut hits = 0;
        for first in (0..how.copies).step_by(CHUNK as usize) {
            let chunk = first..how.copies.min(first + CHUNK);
            let one = |copy: u64| {
                let computed = self.copy(&self.perturbed(how, copy), steps, stride, stop);
                done(1);
                computed
            };
            let copies: Option<Vec<Copy>> = chunk.into_par_iter().map(one).collect::<Result<_>>()?;
            let Some(copies) = copies else { break };
            for (copy, number) in copies.iter().zip(first..) {
                let reached: Vec<_> = times.iter().copied().zip(copy.states.iter().copied()).collect();
                take(number, &reached)?;
                for (i, (state, original)) in copy.states.iter().zip(&original.states).enumerate() {
                    distances[i].push(state.distance(original) as f32);
                    let height = self.height(state) - self.height(original);
                    heights[i].0 += height;
                    heights[i].1 += height * height;
                }
                counts[copy.ending as usize] += 1;
                hits += copy.collisions;
                spread.energy_error = spread.energy_error.max(copy.energy_error);
            }
            spread.copies += copies.len() as u64;
        }
        if spread.copies == 0 {
            return Err(Error::interrupted());
        }
        spread.collisions = hits as f64 / spread.copies as f64;
        spread.endings = Ending::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        for (i, distances) in distances.iter_mut().enumerate().filter(|(_, d)| !d.is_empty()) {
            distances.sort_unstable_by(f32::total_cmp);
            let last = distances.len() - 1;
            let at = |share: f64| f64::from(distances[(share * last as f64).round() as usize]);
            let count = distances.len() as f64;
            let mean = heights[i].0 / count;
            spread.rows.push(Row {
                step: times[i],
                time: times[i] as f64 * self.time_step(),
                copies: distances.len() as u64,
                least: at(0.0),
                median: at(0.5),
                p90: at(0.9),
                largest: at(1.0),
                height: (heights[i].1 / count - mean * mean).max(0.0).sqrt(),
            });
        }
        Ok(spread)
    }

    /// One copy, at every `stride`-th step; `None` where it was stopped.
    fn copy(
        &self,
        start: &State<f64>,
        steps: u64,
        stride: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<Copy>> {
        let mut states = Vec::new();
        let course = self.run_from(start, steps, stop, &mut |moment| {
            if moment.step.is_multiple_of(stride) {
                states.push(*moment.state);
            }
            Ok(())
        })?;
        let Course { ending, energy_error, .. } = course;
        let collisions = course.collisions.len() as u64;
        Ok((ending != Ending::Interrupted).then_some(Copy { states, ending, collisions, energy_error }))
    }

    /// `n . x`.
    fn height(&self, state: &State<f64>) -> f64 {
        super::algebra::dot(self.body().normal, state.position)
    }
}
