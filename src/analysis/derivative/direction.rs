//! Changes of the numbers of an impact, along which derivatives are taken.

use carom_core::contact_space::ContactSpace;
use carom_core::draws::numbers::Numbers;
use carom_core::draws::rates::Rates;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_law::{Process, Workspace};

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

    /// Moves the numbers of a process, which was prepared for `problem`, by `by` along the
    /// direction. Units stay those of `problem`; so does the impulse step, unless the direction
    /// changes it. Ranges from which a sample draws move too.
    pub fn displace<R: Real>(&self, process: &mut Process<R>, problem: &ContactProblem, by: R) {
        let along = |x: f64| R::from_f64(x) * by;
        let contact_velocity =
            problem.jacobian() * nalgebra::DVector::from_column_slice(&self.velocity);
        let h = process.rates().map(|rates| rates.step_on(problem));
        let space = space_mut(process);
        let m = space.step.contacts;
        for i in 0..space.start.len() {
            space.start[i] += along(space.scaling.along(&contact_velocity, i));
        }
        let axes = space.step.axes;
        let scale = |i: usize| space.scaling.sigma[m + i * axes] / space.scaling.sigma[i];
        let friction: Vec<R> = (0..m).map(|i| along(self.friction[i] * scale(i))).collect();
        for (mu, change) in space.step.mu.iter_mut().zip(&friction) {
            *mu += *change;
        }
        if let Process::Steps(steps) = process
            && self.friction.iter().any(|x| *x != 0.0)
        {
            steps.renew();
        }
        if let Some(numbers) = numbers_mut(process) {
            for i in 0..m {
                numbers.mu[i][0] += friction[i];
                numbers.e[i][0] += along(self.restitution[i]);
            }
        }
        if let (Some(rates), Some(h)) = (rates_mut(process), h) {
            for cap in &mut rates.caps {
                *cap += *cap * along(self.step / h);
            }
        }
    }

    /// Sets the length of blocks to that of a sample, which `work` holds in f64, moved by `by`
    /// along the direction. Does nothing where all samples have one length.
    pub fn hold_length<R: Real>(&self, process: &mut Process<R>, work: &Workspace<f64>, by: R) {
        if let (Process::Inclusion(process), Workspace::Inclusion(work)) = (process, work) {
            let change = R::from_f64(self.step / process.space.scaling.impulse) * by;
            process.hold_length(R::from_f64(work.lanes[0].state.length) + change);
        }
    }
}

/// The rows of the contact velocity that decide on the impulse step of all samples of
/// `problem`, see [`Rates::deciding`](carom_core::draws::rates::Rates::deciding).
pub fn deciding<R: Real>(process: &Process<R>, problem: &ContactProblem) -> Vec<(usize, f64)> {
    match process {
        Process::Inclusion(process) if process.adapts => Vec::new(),
        process => process.rates().map_or(Vec::new(), |rates| rates.deciding(problem)),
    }
}

/// The problem's contact space.
fn space_mut<R: Real>(process: &mut Process<R>) -> &mut ContactSpace<R> {
    match process {
        Process::Steps(process) => &mut process.space,
        Process::Bouncing(process) => &mut process.steps.space,
        Process::Events(process) => &mut process.space,
        Process::Inclusion(process) => &mut process.space,
        Process::RandomOrder(process) => &mut process.space,
        Process::Plain(process) => &mut process.space,
    }
}

/// The impulse step and the sampler of the rates.
fn rates_mut<R: Real>(process: &mut Process<R>) -> Option<&mut Rates<R>> {
    match process {
        Process::Steps(process) => Some(&mut process.rates),
        Process::Bouncing(process) => Some(&mut process.steps.rates),
        Process::Events(process) => Some(&mut process.rates),
        Process::Inclusion(process) => Some(&mut process.rates),
        Process::RandomOrder(_) | Process::Plain(_) => None,
    }
}

/// Friction, restitution and noise of a sample, in processes that store restitution.
fn numbers_mut<R: Real>(process: &mut Process<R>) -> Option<&mut Numbers<R>> {
    match process {
        Process::Bouncing(process) => Some(&mut process.numbers),
        Process::Events(process) => Some(&mut process.numbers),
        Process::Inclusion(process) => Some(&mut process.numbers),
        Process::Steps(_) | Process::RandomOrder(_) | Process::Plain(_) => None,
    }
}
