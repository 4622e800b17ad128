//! Changes of the numbers of an impact, along which derivatives are taken.

use super::process::Workspace;
use crate::Process;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;

/// The derivative of a problem's numbers by a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// Change of the velocity before the impact (n).
    pub velocity: Vec<f64>,
    /// Change of the coefficients of friction (m).
    pub friction: Vec<f64>,
    /// Change of the coefficients of restitution (m).
    pub restitution: Vec<f64>,
    /// Change of the impulse step, or of the length of a block, in N s; 0 where each sample has its
    /// own, which follows its velocity.
    pub step: f64,
}

impl Direction {
    /// The direction in which no number of the problem changes.
    pub fn none(problem: &ContactProblem) -> Self {
        let m = problem.contact_count();
        Direction {
            velocity: vec![0.0; problem.coordinate_count()],
            friction: vec![0.0; m],
            restitution: vec![0.0; m],
            step: 0.0,
        }
    }
}

impl<R: Real> Process<R> {
    /// Moves the numbers of this process, which was prepared for `problem`, by `by` along
    /// `direction`. Units stay those of `problem`; so does the impulse step, unless the direction
    /// changes it. Ranges from which a sample draws move too.
    pub fn displace(&mut self, problem: &ContactProblem, direction: &Direction, by: R) {
        let along = |x: f64| R::from_f64(x) * by;
        let contact_velocity =
            problem.jacobian() * nalgebra::DVector::from_column_slice(&direction.velocity);
        let h = self.rates().map(|rates| rates.step_on(problem));
        let space = self.space_mut();
        let m = space.step.contacts;
        for i in 0..space.start.len() {
            space.start[i] += along(space.scaling.along(&contact_velocity, i));
        }
        let axes = space.step.axes;
        let scale = |i: usize| space.scaling.sigma[m + i * axes] / space.scaling.sigma[i];
        let friction: Vec<R> = (0..m).map(|i| along(direction.friction[i] * scale(i))).collect();
        for (mu, change) in space.step.mu.iter_mut().zip(&friction) {
            *mu += *change;
        }
        if let Process::Steps(steps) = self
            && direction.friction.iter().any(|x| *x != 0.0)
        {
            steps.renew();
        }
        if let Some(numbers) = self.numbers_mut() {
            for i in 0..m {
                numbers.mu[i][0] += friction[i];
                numbers.e[i][0] += along(direction.restitution[i]);
            }
        }
        if let (Some(rates), Some(h)) = (self.rates_mut(), h) {
            for cap in &mut rates.caps {
                *cap += *cap * along(direction.step / h);
            }
        }
    }

    /// Sets the length of blocks to that of a sample, which `work` holds in f64, moved by `by`
    /// along `direction`. Does nothing where all samples have one length.
    pub fn hold_length(&mut self, work: &Workspace<f64>, direction: &Direction, by: R) {
        if let (Process::Inclusion(process), Workspace::Inclusion(work)) = (self, work) {
            let change = R::from_f64(direction.step / process.space.scaling.impulse) * by;
            process.hold_length(R::from_f64(work.lanes[0].state.length) + change);
        }
    }

    /// The rows of the contact velocity that decide on the impulse step of all samples of
    /// `problem`, see [`Rates::deciding`](carom_core::draws::rates::Rates::deciding).
    pub fn deciding(&self, problem: &ContactProblem) -> Vec<(usize, f64)> {
        match self {
            Process::Inclusion(process) if process.adapts => Vec::new(),
            process => process.rates().map_or(Vec::new(), |rates| rates.deciding(problem)),
        }
    }
}
