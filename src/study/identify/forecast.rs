//! The forecast that a model makes of an event.

use std::sync::atomic::{AtomicBool, Ordering};

use super::model::Model;
use super::place::Placed;
use crate::engine::Prepared;
use crate::error::{Error, Result};
use crate::law::{Law, Sampler, most_residual};
use crate::outcome::{PointSet, Samples};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream};
use crate::run::{Plan, StepSolver};
use crate::study::forecast::Forecast;
use crate::study::reality::Event;

impl Model {
    /// What the model expects after the impact of an event: `points` samples, fewer where some do
    /// not end or are not accepted, each with a draw of its own of the uncertain numbers.
    ///
    /// The points are a function of (model, event, seed) alone; events with other numbers have
    /// other draws.
    /// # Errors
    /// Those of the law on the event's problem, see [`Placed::new`]; an interruption by `stop`.
    pub fn forecast(
        &self,
        event: &Event,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Forecast> {
        let seed = seed_of(event, seed);
        let mut forecast = self.undressed(event, points, seed, stop)?;
        if let Some(dress) = &self.dress {
            dress.apply(&mut forecast, &event.problem, seed);
        }
        match &self.residual {
            Some(residual) => residual.shifted(&forecast, event),
            None => Ok(forecast),
        }
    }

    /// The forecast without the dress; `seed` is the event's own.
    pub(super) fn undressed(
        &self,
        event: &Event,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Forecast> {
        let problem = &event.problem;
        let n = problem.coordinate_count();
        let velocities = self.velocities(&Placed::new(self, event)?, points, seed, stop)?;
        let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)
            .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))?;
        Ok(Forecast { n, points: set.points().to_vec(), block: 1, noise: self.noise })
    }

    /// The velocities after the impacts, row by row.
    fn velocities(
        &self,
        placed: &Placed,
        points: usize,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<f64>> {
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let prepare = |problem: &ContactProblem| {
            let plan = Plan {
                law: self.law_on(problem)?,
                seed,
                solver: Some(StepSolver::Scalar),
                ..Plan::default()
            };
            Prepared::<f32>::new(problem, &plan)
        };
        if stopped() {
            return Err(Error::interrupted());
        }
        let n = placed.first.coordinate_count();
        let residual = most_residual(f32::RESIDUAL, self.law.accuracy_on(&placed.first));
        let mut first = prepare(&placed.first)?;
        let samples = first.sample(0, points);
        let accepted = samples.accepted(residual);
        let rows = accepted.iter().map(|&i| samples.row(&samples.velocity, i));
        let Some(all) = &placed.all else { return Ok(rows.flatten().copied().collect()) };
        let (mut second, mut one) = (prepare(all)?, Samples::default());
        let late = placed.first.contact_count()..all.contact_count();
        let rest = all.rest_velocity::<f32>();
        let mut velocities = Vec::with_capacity(points * n);
        for (row, &i) in rows.zip(&accepted) {
            let approaches = |c: usize| {
                let speed = (0..n).map(|j| all.jacobian()[(c, j)] * row[j]).sum::<f64>();
                speed < -rest
            };
            if !late.clone().any(approaches) {
                velocities.extend_from_slice(row);
                continue;
            }
            if stopped() {
                return Err(Error::interrupted());
            }
            second.velocity(row)?;
            second.sample_into(i as u64, 1, &mut one);
            if !one.accepted(residual).is_empty() {
                velocities.extend_from_slice(one.row(&one.velocity, 0));
            }
        }
        Ok(velocities)
    }

    /// The law with the model's sampler and block on a problem.
    fn law_on(&self, problem: &ContactProblem) -> Result<Law> {
        let mut law = self.law.clone();
        if let Law::Routh(routh) = &mut law {
            if let Some(share) = self.coverage {
                let parts = [(Sampler::Uniform, 1.0 - share), (Sampler::Coverage, share)];
                let parts: Vec<_> = parts.into_iter().filter(|(_, share)| *share > 0.0).collect();
                routh.sampler = Some(Sampler::mix(&parts)?);
            }
            let natural = self.block.zip(problem.natural_step());
            routh.step = natural.map(|(block, natural)| block * natural).or(routh.step);
        }
        Ok(law)
    }
}

/// The seed of the samples of an event.
pub(super) fn seed_of(event: &Event, seed: u64) -> u64 {
    let [low, high, ..] = Stream::new(seed, event.number as u64).block(2, Purpose::State, 0);
    u64::from(low) | u64::from(high) << 32
}
