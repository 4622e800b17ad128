//! From a kernel's dimensionless impulses to checked samples, the same for every engine.

use crate::law::routh::{Bound, Ending, Workspace, rest_velocity};
use crate::outcome::{Samples, Summary, summary::Tolerance};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;
use crate::status::Status;

/// Samples of one summary block. Statistics are summed block by block, so they do not depend on how a run is
/// cut into chunks or spread over threads.
pub const BLOCK: usize = 1024;

/// Steps from which on a single-precision sample is solved again: rounding adds up, and after some hundred steps it
/// reaches the velocities that count as rest.
pub const LONG_RUN: u32 = 128;

/// The residual above which a sample of m contacts is solved again.
pub fn flag<R: Real>(m: usize) -> f64 {
    if m <= 3 { R::FLAG } else { R::RESIDUAL }
}

/// Turns impulses into samples, checks each against the problem in f64 and solves the flagged ones again.
#[derive(Debug)]
pub struct Finisher<'a> {
    problem: &'a ContactProblem,
    /// The law in f64: the repair of what a kernel flags.
    reference: &'a Bound<f64>,
    seed: u64,
    rest: f64,
    residual: f64,
    /// The residual above which a sample is solved again.
    flag: f64,
    /// Whether flagged samples are solved again; there is nothing better than the reference to solve them with.
    repairs: bool,
    round: bool,
}

impl<'a> Finisher<'a> {
    /// A finisher for kernels of precision `R`; `mended` says that the kernel itself is the reference.
    pub fn new<R: Real>(
        problem: &'a ContactProblem,
        reference: &'a Bound<f64>,
        seed: u64,
        mended: bool,
    ) -> Self {
        let single = R::EPSILON > f64::EPSILON;
        Finisher {
            problem,
            reference,
            seed,
            rest: rest_velocity::<R>(problem),
            residual: R::RESIDUAL,
            flag: flag::<R>(problem.contact_count()),
            repairs: !mended,
            round: single,
        }
    }

    /// An empty summary for the samples of this run.
    pub fn summary(&self) -> Summary {
        let tolerance = Tolerance { rest: self.rest, residual: self.residual };
        Summary::new(
            self.problem.coordinate_count(),
            self.problem.contact_count(),
            self.problem.tangents_per_contact(),
            tolerance,
        )
    }

    /// Finishes samples `first ..`, given one ending and one dimensionless impulse (2m) for each.
    pub fn finish<R: Real>(
        &self,
        first: u64,
        raw: impl Iterator<Item = (Ending<R>, Vec<R>)>,
        work: &mut Workspace<f64>,
    ) -> Samples {
        let mut samples = Samples { first, ..Samples::default() };
        for (i, (ending, total)) in raw.enumerate() {
            let total: Vec<f64> = total.iter().map(|x| x.to_f64()).collect();
            let ending =
                Ending { status: ending.status, steps: ending.steps, residual: ending.residual.to_f64() };
            self.push(&mut samples, ending, &total);
            if self.repairs && self.flagged(&samples, i) {
                let stream = Stream::new(self.seed, first + i as u64);
                let ending = self.reference.sample(&stream, work);
                self.pop(&mut samples);
                self.push(&mut samples, ending, &work.total);
                samples.repaired[i] = true;
            }
            self.settle(&mut samples, i);
        }
        if self.round {
            for array in [
                &mut samples.velocity,
                &mut samples.contact_velocity,
                &mut samples.impulse,
                &mut samples.kinetic_energy,
            ] {
                array.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
        }
        samples
    }

    /// `L`, `v+ = v + M^-1 J' L`, `u+ = J v+` and the energy of one sample.
    fn push(&self, samples: &mut Samples, ending: Ending<f64>, total: &[f64]) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        let scaling = &self.reference.scaling;
        let (at, from) = (samples.impulse.len(), samples.velocity.len());
        samples.impulse.extend((0..k).map(|i| total[i] * scaling.impulse / scaling.sigma[i]));
        samples.velocity.extend(self.problem.velocity().iter());
        let (response, jacobian) = (self.problem.response(), self.problem.jacobian());
        for j in 0..k {
            let l = samples.impulse[at + j];
            for i in 0..n {
                samples.velocity[from + i] += response[(i, j)] * l;
            }
        }
        let v = &samples.velocity[from..];
        for i in 0..k {
            let u = (0..n).map(|j| jacobian[(i, j)] * v[j]).sum();
            samples.contact_velocity.push(u);
        }
        samples.kinetic_energy.push(self.problem.kinetic_energy(v));
        samples.steps.push(ending.steps);
        samples.status.push(ending.status);
        samples.residual.push(ending.residual);
        samples.repaired.push(false);
    }

    fn pop(&self, samples: &mut Samples) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        samples.impulse.truncate(samples.impulse.len() - k);
        samples.velocity.truncate(samples.velocity.len() - n);
        samples.contact_velocity.truncate(samples.contact_velocity.len() - k);
        samples.kinetic_energy.pop();
        samples.steps.pop();
        samples.status.pop();
        samples.residual.pop();
        samples.repaired.pop();
    }

    /// How far sample `i` still approaches although it is said to be over, in m/s above the tolerance.
    fn approach(&self, samples: &Samples, i: usize) -> f64 {
        let u = samples.row(&samples.contact_velocity, i);
        let worst = u[..self.problem.contact_count()].iter().fold(0.0, |a: f64, &x| a.max(-x));
        if worst > self.rest { worst } else { 0.0 }
    }

    fn flagged(&self, samples: &Samples, i: usize) -> bool {
        let long = self.round && samples.steps[i] >= LONG_RUN;
        let sound = samples.residual[i] <= self.flag && samples.kinetic_energy[i].is_finite() && !long;
        match samples.status[i] {
            Status::StepLimit => !sound,
            Status::Terminated => !sound || self.approach(samples, i) > 0.0,
            Status::Unsolved | Status::NotFinite => true,
        }
    }

    /// Lets the residual of sample `i` say so where its recomputed velocity contradicts its status.
    fn settle(&self, samples: &mut Samples, i: usize) {
        if samples.status[i] == Status::Terminated {
            let approach = self.approach(samples, i) / self.reference.scaling.velocity;
            samples.residual[i] = samples.residual[i].max(approach);
        }
    }
}
