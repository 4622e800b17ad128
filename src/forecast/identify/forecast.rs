//! Forecast of an event by a model.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::model::Model;
use super::place::Placed;
use crate::forecast::Forecast;
use crate::reality::Event;
use carom_core::error::{Error, Result};
use carom_core::outcome::PointSet;
use carom_core::problem::{ContactProblem, Poses};
use carom_core::real::Real;
use carom_core::rng::{Purpose, Stream};
use carom_engine::PreparedImpact;
use carom_engine::run::{Plan, Precision, StepSolver};

/// Number of samples per pose draw, with uncertain poses.
const ORDERS: usize = 4;

impl Model {
    /// Forecast of the velocity after the impact of an event: `points` samples, each with its own
    /// draw of the uncertain numbers. Samples that do not end or are not accepted are dropped.
    ///
    /// The points are a function of (model, event, seed) alone; events with other numbers have
    /// other draws.
    ///
    /// # Errors
    /// Errors of the law on the event's problem, see [`Placed::new`]; an interruption by `stop`.
    pub fn forecast(
        &self,
        event: &Event,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Forecast> {
        let seed = seed_of(event, seed);
        let model = self.of_contacts(event.problem.contact_count());
        let mut forecast = model.undressed(event, points, seed, stop)?;
        if let Some(dress) = &model.dress {
            dress.apply(&mut forecast, &event.problem, seed);
        }
        match &model.residual {
            Some(residual) => residual.shifted(&forecast, event),
            None => Ok(forecast),
        }
    }

    /// Forecast without ensemble dressing; `seed` is the event's own.
    pub(super) fn undressed(
        &self,
        event: &Event,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Forecast> {
        let problem = &event.problem;
        let n = problem.coordinate_count();
        let (velocities, block) = self.impacts(event, points, seed, stop)?;
        let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)
            .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))?;
        let (points, noise, freedom) = (set.points().to_vec(), self.noise, self.freedom);
        Ok(Forecast { n, points, block, noise, freedom })
    }

    /// Velocities after the impacts, row by row, and the number of consecutive rows per pose. With
    /// uncertain poses [`ORDERS`] samples share a pose, and a pose counts only if all its samples
    /// are accepted.
    fn impacts(
        &self,
        event: &Event,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<(Vec<f64>, usize)> {
        if self.shift == 0.0 && self.attitude == 0.0 {
            let placed = Placed::new(self, event)?;
            return Ok((self.velocities(&placed, 0..points as u64, seed, stop)?, 1));
        }
        let poses = Poses::new(&Placed::problem(self, event)?);
        let n = event.problem.coordinate_count();
        let mut velocities = Vec::with_capacity(points * n);
        for first in (0..points as u64).step_by(ORDERS) {
            let placed = Placed::of(poses.draw(seed, first)?);
            let of_pose = first..first + ORDERS as u64;
            let rows = self.velocities(&placed, of_pose, seed, stop)?;
            if rows.len() == ORDERS * n {
                velocities.extend(rows);
            }
        }
        Ok((velocities, ORDERS))
    }

    /// Velocities of some samples after the impacts, row by row.
    fn velocities(
        &self,
        placed: &Placed,
        of: Range<u64>,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<f64>> {
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let prepare = |problem: &ContactProblem| {
            let plan = Plan {
                law: self.law()?,
                seed,
                solver: Some(StepSolver::Scalar),
                precision: Some(Precision::F32),
                ..Plan::default()
            };
            PreparedImpact::new(problem, &plan)
        };
        if stopped() {
            return Err(Error::interrupted());
        }
        let n = placed.first.coordinate_count();
        let residual = self.law.most_residual(&placed.first, f32::RESIDUAL);
        let mut first = prepare(&placed.first)?;
        let samples = first.sample(of.start, (of.end - of.start) as usize);
        let accepted = samples.accepted(residual);
        let rows = accepted.iter().map(|&i| samples.row(&samples.velocity, i));
        let Some(all) = &placed.all else { return Ok(rows.flatten().copied().collect()) };
        let late = placed.first.contact_count()..all.contact_count();
        let rest = all.rest_velocity::<f32>();
        let approaches = |row: &[f64]| {
            let speed = |c: usize| (0..n).map(|j| all.jacobian()[(c, j)] * row[j]).sum::<f64>();
            late.clone().any(|c| speed(c) < -rest)
        };
        let (mut velocities, mut again) = (Vec::with_capacity(accepted.len() * n), Vec::new());
        for (row, &i) in rows.zip(&accepted) {
            if approaches(row) {
                again.push((velocities.len(), of.start + i as u64));
            }
            velocities.extend_from_slice(row);
        }
        if again.is_empty() {
            return Ok(velocities);
        }
        if stopped() {
            return Err(Error::interrupted());
        }
        let (places, numbers): (Vec<usize>, Vec<u64>) = again.into_iter().unzip();
        let starts: Vec<f64> =
            places.iter().flat_map(|&at| &velocities[at..at + n]).copied().collect();
        prepare(all)?.sample_from(&numbers, &starts, &mut |k, one| {
            let ended = !one.accepted(residual).is_empty();
            let after = one.row(&one.velocity, 0);
            for (x, after) in velocities[places[k]..].iter_mut().zip(after) {
                *x = if ended { *after } else { f64::NAN };
            }
        })?;
        let ended = |row: &&[f64]| row.iter().all(|x| x.is_finite());
        Ok(velocities.chunks_exact(n).filter(ended).flatten().copied().collect())
    }
}

/// Seed of the samples of an event.
pub(super) fn seed_of(event: &Event, seed: u64) -> u64 {
    let [low, high, ..] = Stream::new(seed, event.number as u64).block(2, Purpose::State, 0);
    u64::from(low) | u64::from(high) << 32
}
