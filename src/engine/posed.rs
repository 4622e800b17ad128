//! Samples of a problem with an uncertain pose. Sample i is sample i of the problem in a pose of
//! its own. If a contact left out of the first impact closes, a second impact of all closing
//! contacts follows.

use nalgebra::DVector;
use rayon::prelude::*;

use super::check::Verifier;
use super::cpu::Block;
use super::{Kernels, Plan, StepSolver};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, Posed, Poses};
use carom_core::rng::Stream;
use carom_core::status::Status;

/// The reason why samples with poses of their own are computed one by one on the CPU.
pub(super) const WHY: &str =
    "each sample has a pose of its own, and is one of a problem of its own";

/// The pose of a problem's samples.
#[derive(Clone, Debug)]
pub(super) enum Pose {
    /// All samples have this problem.
    One(Box<ContactProblem>),
    /// Each sample has a problem of its own.
    Each(Box<Poser>),
}

/// Computes the sample with this number of a problem, under a plan.
pub(super) trait Impact: Fn(&ContactProblem, &Plan, u64) -> Result<Samples> + Sync {}

impl<T: Fn(&ContactProblem, &Plan, u64) -> Result<Samples> + Sync> Impact for T {}

/// Draws the problem of each sample, and adds up the results of the sample's impacts.
#[derive(Clone, Debug)]
pub(super) struct Poser {
    poses: Poses,
    plan: Plan,
    velocity: Vec<f64>,
    /// The numbers m, d and n: contacts, tangents per contact, coordinates.
    sizes: [usize; 3],
}

impl Pose {
    /// The pose of the samples of a problem under a plan; `None` if the pose is certain.
    pub fn of(problem: &ContactProblem, plan: &Plan) -> Result<Option<Pose>> {
        if !problem.uncertainty().poses() {
            return Ok(None);
        }
        let poses = Poses::new(problem);
        if poses.are_one() {
            let posed = poses.draw(plan.seed, 0)?;
            if posed.first.contact_count() == problem.contact_count() {
                return Ok(Some(Pose::One(Box::new(posed.first))));
            }
        }
        if let Some(solver) = plan.known_solver().filter(|solver| *solver != StepSolver::Scalar) {
            let what = format!("the solver `{}` is for samples of one problem", solver.name());
            let hint =
                "leave it out: with an uncertain pose each sample is one of a problem of its own";
            return Err(Error::usage(what).option("solver").hint(hint));
        }
        Ok(Some(Pose::Each(Box::new(Poser {
            poses,
            // The forecast is made from the whole sample, not from each of the sample's impacts.
            plan: Plan { solver: Some(StepSolver::Scalar), forecaster: None, ..plan.clone() },
            velocity: problem.velocity().as_slice().to_vec(),
            sizes: [
                problem.contact_count(),
                problem.tangents_per_contact(),
                problem.coordinate_count(),
            ],
        }))))
    }
}

impl Poser {
    /// Adopts the velocity of the problem.
    pub fn follow(&mut self, problem: &ContactProblem) {
        self.poses = Poses::new(problem);
        self.velocity.copy_from_slice(problem.velocity().as_slice());
    }

    pub fn seed(&mut self, seed: u64) {
        self.plan.seed = seed;
    }

    pub fn contacts(&self) -> usize {
        self.sizes[0]
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn draw(&self, i: u64) -> Result<Posed> {
        self.poses.draw(self.plan.seed, i)
    }

    /// Samples `first .. first + count`, on the caller's thread.
    pub fn here<R: Kernels>(&self, first: u64, count: u64, impact: impl Impact) -> Samples {
        let samples = self.joined((0..count).map(|i| self.sample::<R>(first + i, &impact)));
        Samples { first, ..samples }
    }

    /// Samples `first .. first + count`, spread over all cores.
    pub fn on_all_cores<R: Kernels>(
        &self,
        first: u64,
        count: u64,
        impact: impl Impact,
    ) -> Vec<Samples> {
        (0..count).into_par_iter().map(|i| self.sample::<R>(first + i, &impact)).collect()
    }

    /// The samples in blocks of `size`, after [`Verifier::hand_out`]; with `keep`, blocks keep
    /// their samples.
    pub fn blocks(
        &self,
        samples: &[Samples],
        size: usize,
        verifier: &Verifier<'_>,
        keep: bool,
    ) -> Vec<Block> {
        let block = |samples: &[Samples]| {
            let mut joined = self.joined(samples.iter().cloned());
            let mut summary = verifier.summary();
            verifier.hand_out(&mut joined, Some(&mut summary));
            (summary, keep.then_some(joined))
        };
        samples.par_chunks(size).map(block).collect()
    }

    fn joined(&self, samples: impl Iterator<Item = Samples>) -> Samples {
        samples.fold(Samples::default(), |mut all, next| {
            all.append(next);
            all
        })
    }

    /// Sample `i`. If its problem cannot be drawn or solved, the sample is unsolved.
    fn sample<R: Kernels>(&self, i: u64, impact: &impl Impact) -> Samples {
        self.sampled::<R>(i, impact).unwrap_or_else(|_| self.unsolved(i))
    }

    fn sampled<R: Kernels>(&self, i: u64, impact: &impl Impact) -> Result<Samples> {
        let posed = self.draw(i)?;
        let first = impact(&posed.first, &self.plan, i)?;
        let mut sample = self.whole(&posed, &first);
        if let Some(late) = late::<R>(&posed, &first)? {
            let second = impact(&late, &self.plan, Stream::second(i))?;
            self.add(&mut sample, &posed, &second);
        }
        Ok(sample)
    }

    /// An unsolved sample `i`.
    pub fn unsolved(&self, i: u64) -> Samples {
        let [m, d, n] = self.sizes;
        let mut sample = Samples { first: i, ..Samples::default() };
        sample.resize(1, n, (1 + d) * m);
        sample.velocity.copy_from_slice(&self.velocity);
        sample.residual = vec![f64::INFINITY];
        sample
    }

    /// The sample after the first impact, with rows for all contacts; rows of left-out contacts are
    /// 0.
    pub fn whole(&self, posed: &Posed, first: &Samples) -> Samples {
        let [m, d, _] = self.sizes;
        let mut sample = first.clone();
        sample.impulse = vec![0.0; (1 + d) * m];
        sample.contact_velocity = vec![0.0; (1 + d) * m];
        self.add_impulse(&mut sample, posed, first);
        self.place(&mut sample, posed, first);
        sample
    }

    pub fn add(&self, sample: &mut Samples, posed: &Posed, second: &Samples) {
        sample.velocity.copy_from_slice(&second.velocity);
        sample.kinetic_energy.copy_from_slice(&second.kinetic_energy);
        sample.steps[0] = sample.steps[0].saturating_add(second.steps[0]);
        sample.status[0] = second.status[0];
        if sample.residual[0].total_cmp(&second.residual[0]).is_lt() {
            sample.residual[0] = second.residual[0];
        }
        sample.repaired[0] |= second.repaired[0];
        self.add_impulse(sample, posed, second);
        self.place(sample, posed, second);
    }

    fn add_impulse(&self, sample: &mut Samples, posed: &Posed, impact: &Samples) {
        for (own, row) in self.rows(posed, impact.impulse.len()) {
            sample.impulse[row] += impact.impulse[own];
        }
    }

    /// Sets the contact velocities: results of the impact at its contacts, `J v` in this pose
    /// elsewhere.
    fn place(&self, sample: &mut Samples, posed: &Posed, impact: &Samples) {
        let v = DVector::from_column_slice(&impact.velocity);
        sample.contact_velocity.copy_from_slice((&posed.jacobian * v).as_slice());
        for (own, row) in self.rows(posed, impact.impulse.len()) {
            sample.contact_velocity[row] = impact.contact_velocity[own];
        }
    }

    /// The `count` rows of an impact, each with its row index in the problem.
    pub fn rows<'a>(
        &'a self,
        posed: &'a Posed,
        count: usize,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let [m, d, _] = self.sizes;
        let own = count / (1 + d);
        let tangents =
            move |j: usize| (0..d).map(move |k| (own + d * j + k, m + d * posed.order[j] + k));
        (0..own).flat_map(move |j| std::iter::once((j, posed.order[j])).chain(tangents(j)))
    }
}

/// The problem of the second impact, if one follows the first impact.
pub(super) fn late<R: Kernels>(posed: &Posed, first: &Samples) -> Result<Option<ContactProblem>> {
    match first.status[0] {
        Status::Terminated => posed.late::<R>(&first.velocity),
        _ => Ok(None),
    }
}
