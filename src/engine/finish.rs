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
        endings: &[Ending<R>],
        totals: &[R],
        work: &mut Workspace<f64>,
    ) -> Samples {
        let mut samples = Samples::default();
        self.finish_into(first, endings, totals, work, &mut samples);
        samples
    }

    /// The same into samples that are there, without allocating where they have room.
    pub fn finish_into<R: Real>(
        &self,
        first: u64,
        endings: &[Ending<R>],
        totals: &[R],
        work: &mut Workspace<f64>,
        samples: &mut Samples,
    ) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        let count = endings.len();
        samples.clear();
        samples.first = first;
        samples.velocity.resize(count * n, 0.0);
        samples.contact_velocity.resize(count * k, 0.0);
        samples.impulse.resize(count * k, 0.0);
        samples.kinetic_energy.resize(count, 0.0);
        samples.steps.extend(endings.iter().map(|ending| ending.steps));
        samples.status.extend(endings.iter().map(|ending| ending.status));
        samples.residual.extend(endings.iter().map(|ending| ending.residual.to_f64()));
        samples.repaired.resize(count, false);
        let width = 2 * self.reference.step.contacts;
        for i in 0..count {
            self.place(samples, i, &totals[i * width..(i + 1) * width]);
            if self.repairs && self.flagged(samples, i) {
                let ending = self.reference.sample(&Stream::new(self.seed, first + i as u64), work);
                (samples.steps[i], samples.status[i]) = (ending.steps, ending.status);
                samples.residual[i] = ending.residual;
                samples.repaired[i] = true;
                self.place(samples, i, &work.total);
            }
            self.settle(samples, i);
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
    }

    /// Writes `L`, `v+ = v + M^-1 J' L`, `u+ = J v+` and the energy of sample `i`.
    fn place<R: Real>(&self, samples: &mut Samples, i: usize, total: &[R]) {
        // With the number of coordinates known, the compiler unrolls what is otherwise mostly loop overhead.
        match self.problem.coordinate_count() {
            2 => self.place_in::<R, 2>(samples, i, total),
            3 => self.place_in::<R, 3>(samples, i, total),
            5 => self.place_in::<R, 5>(samples, i, total),
            6 => self.place_in::<R, 6>(samples, i, total),
            _ => self.place_in::<R, 0>(samples, i, total),
        }
    }

    /// [`Finisher::place`] for N coordinates; 0 stands for any number.
    #[inline(always)]
    fn place_in<R: Real, const N: usize>(&self, samples: &mut Samples, i: usize, total: &[R]) {
        let (any, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        let n = if N == 0 { any } else { N };
        let impulse = &mut samples.impulse[i * k..(i + 1) * k];
        let velocity = &mut samples.velocity[i * n..(i + 1) * n];
        let contact_velocity = &mut samples.contact_velocity[i * k..(i + 1) * k];
        let scaling = &self.reference.scaling;
        // Matrices lie column by column.
        let (response, jacobian) = (self.problem.response().as_slice(), self.problem.jacobian().as_slice());
        let mass = self.problem.mass().as_slice();
        velocity.copy_from_slice(&self.problem.velocity().as_slice()[..n]);
        for j in 0..k {
            impulse[j] = total[j].to_f64() * scaling.impulse / scaling.sigma[j];
            let column = &response[j * n..(j + 1) * n];
            for a in 0..n {
                velocity[a] += column[a] * impulse[j];
            }
        }
        contact_velocity.fill(0.0);
        for a in 0..n {
            let column = &jacobian[a * k..(a + 1) * k];
            for j in 0..k {
                contact_velocity[j] += column[j] * velocity[a];
            }
        }
        let mut energy = 0.0;
        for a in 0..n {
            let column = &mass[a * n..(a + 1) * n];
            let mut momentum = 0.0;
            for b in 0..n {
                momentum += column[b] * velocity[b];
            }
            energy += momentum * velocity[a];
        }
        samples.kinetic_energy[i] = 0.5 * energy;
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
