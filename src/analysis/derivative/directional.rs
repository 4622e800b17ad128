//! One-sided derivatives along a direction; they exist at kinks too.

use nalgebra::DVector;
use rayon::prelude::*;

use super::direction::{Direction, deciding, step_change};
use super::smooth::{DerivativeScratch, FORWARD, Smooth, finer, run};
use super::wrt::{Jacobians, Wrt};
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_core::real::Dual;
use carom_core::rng::Stream;
use carom_core::status::Status;
use carom_engine::run::Plan;

impl<'a> Smooth<'a> {
    pub fn along(problem: &'a ContactProblem, plan: &'a Plan, velocity: &[f64]) -> Result<Self> {
        let (n, found) = (problem.coordinate_count(), velocity.len());
        if found != n || velocity.iter().any(|x| !x.is_finite()) {
            let what = format!("expected {n} finite numbers, found {found} numbers");
            return Err(Error::usage(what).at("direction"));
        }
        let whole = Self::new(problem, plan, Wrt::Velocity, false)?;
        let speed = |velocity: &[f64]| (2.0 * problem.kinetic_energy(velocity)).sqrt();
        let (before, size) = (speed(problem.velocity().as_slice()), speed(velocity));
        let by = if before > 0.0 && size > 0.0 { before / size } else { 1.0 };
        let reference = &whole.reference;
        let rows = problem.jacobian() * DVector::from_column_slice(velocity);
        let steps = deciding(reference, problem).into_iter().map(|(row, slope)| slope * rows[row]);
        let step = steps.reduce(f64::max).unwrap_or(0.0);
        let direction = Direction { step, ..Wrt::Velocity.direction(problem, velocity) };
        let mut process = finer(&plan.law).prepare::<Dual>(problem)?;
        direction.displace(&mut process, problem, FORWARD);
        let checks = [1.0, 0.5].map(|part| {
            let by = part * by * whole.check.reach;
            let step = step_change(reference, problem, velocity, by);
            let mut moved = reference.clone();
            Direction { step, ..direction.clone() }.displace(&mut moved, problem, by);
            (by, moved)
        });
        Ok(Smooth {
            reported: 1,
            columns: vec![(direction, process)],
            parts: None,
            checks: checks.into(),
            probes: Vec::new(),
            ..whole
        })
    }

    pub fn directional(&self, first: u64, count: usize) -> Result<Jacobians> {
        let n = self.problem.coordinate_count();
        let mut values = vec![f64::NAN; count * n];
        let mut differentiable = vec![false; count];
        let chunks = values.par_chunks_mut(n).zip(&mut differentiable).enumerate();
        let prepare = || self.scratch();
        chunks.try_for_each_init(prepare, |scratch, (i, (values, has))| {
            *has = self.one_sided(first + i as u64, scratch, values);
            if self.plan.stopped() { Err(Error::interrupted()) } else { Ok(()) }
        })?;
        Ok(Jacobians { first, columns: 1, values, differentiable })
    }

    /// Writes the one-sided derivative of a sample (n), if any; returns whether the slopes confirm
    /// it.
    fn one_sided(&self, sample: u64, scratch: &mut DerivativeScratch, values: &mut [f64]) -> bool {
        let stream = Stream::new(self.plan.seed, sample);
        let Some((kick, finer)) = self.base(&stream, scratch) else { return false };
        let ended = self.slopes(&stream, finer, scratch, None);
        let mut quotients = Vec::new();
        for ((process, work), (by, _)) in scratch.checks.iter_mut().zip(&self.checks) {
            if run(process, finer, &stream, work).status != Status::Terminated {
                return false;
            }
            let moved = self.kick(&mut scratch.base, |row, _| work.total()[row]);
            let change = moved.iter().zip(&kick).map(|(moved, kick)| (moved - kick) / by);
            quotients.push(change.collect::<Vec<f64>>());
        }
        let [far, near] = &quotients[..] else { return false };
        let close = |x: &[f64], y: &[f64]| {
            let apart: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
            let [of_slope, of_kick] = self.check.sides;
            self.size(&apart) <= of_slope * self.size(y) + of_kick * self.size(&kick)
        };
        let direction = &self.columns[0].0.velocity;
        let confirmed = ended && close(far, &scratch.slopes) && close(near, &scratch.slopes);
        if confirmed || close(far, near) {
            for (a, value) in values.iter_mut().enumerate() {
                let slope = if confirmed { scratch.slopes[a] } else { 2.0 * near[a] - far[a] };
                *value = direction[a] + slope;
            }
        }
        confirmed
    }
}
