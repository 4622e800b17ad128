//! Derivatives of samples of one problem, by dual numbers, verified by finite differences.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::direction::{Direction, Probe, moving, probes, step_change, step_slope};
use super::wrt::{Jacobians, Wrt};
use carom_core::draws::numbers::{disturbance, noise_root};
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_core::real::{Dual, Real};
use carom_core::rng::Stream;
use carom_core::status::Status;
use carom_engine::run::Plan;
use carom_law::{Compiled, Ending, Law, Process, ProcessKind, Routh, Workspace};

/// Finite differences and tolerances for the verification of a derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    /// Relative step of the finite differences.
    pub(super) reach: f64,
    /// Tolerance of each one-sided difference, relative to the derivative and to the change.
    pub(super) sides: [f64; 2],
    /// Tolerance of the central difference, relative to the derivative and to the change.
    pub(super) mean: [f64; 2],
}

/// Verification if rounding is the only error.
const EXACT: Check = Check { reach: 1e-6, sides: [1e-5; 2], mean: [1e-5; 2] };
/// Verification for an inclusion, which is integrated with an error of at most [`ACCURACY`].
const INTEGRATED: Check = Check { reach: 2e-4, sides: [2e-2; 2], mean: [2e-2, 2e-3] };
/// Integration accuracy for differentiation of an inclusion: its error divided by [`Check::reach`]
/// is far below the tolerances of the verification.
const ACCURACY: f64 = 1e-6;

/// Differentiates the samples of one problem.
#[derive(Debug)]
pub(super) struct Smooth<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) plan: &'a Plan,
    /// Law of the samples, and more accurate law for differentiation.
    pub(super) sampled: Process<f64>,
    pub(super) reference: Process<f64>,
    pub(super) held: bool,
    /// Columns displaced to each side, for branch derivatives at kinks; else empty.
    pub(super) beside: Vec<Vec<Process<Dual>>>,
    /// Number p of columns of a derivative.
    pub(super) reported: usize,
    /// Computed columns (q), and the components (q,p) of a derivative's columns in them.
    pub(super) columns: Vec<(Direction, Process<Dual>)>,
    pub(super) parts: Option<DMatrix<f64>>,
    /// Forward and backward step of each probe: its size, and the displaced law.
    pub(super) checks: Vec<(f64, Process<f64>)>,
    pub(super) probes: Vec<Probe>,
    pub(super) check: Check,
}

/// Velocity (n) after a sample's impact, a derivative (n,p), and whether it is the sample's own.
pub(super) struct Derived {
    pub velocity: Vec<f64>,
    pub slope: DMatrix<f64>,
    pub differentiable: bool,
}

/// Workspaces of a thread for differentiation.
pub(super) struct DerivativeScratch {
    pub(super) sampled: Workspace<f64>,
    pub(super) base: Workspace<f64>,
    pub(super) columns: Vec<(Process<Dual>, Workspace<Dual>)>,
    pub(super) checks: Vec<(Process<f64>, Workspace<f64>)>,
    /// Change of the velocity by the impulse, along each column (n,q).
    pub(super) slopes: Vec<f64>,
}

/// Maximum ratio of the relative changes of the outcome and of the velocity for an adjacent branch.
const NEAR: f64 = 100.0;

pub(super) const FORWARD: Dual = Dual { value: 0.0, slope: 1.0 };

impl<'a> Smooth<'a> {
    /// Prepares derivatives; `held` fixes the impulse step or block length.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt, held: bool) -> Result<Self> {
        let sampled = plan.law.prepare::<f64>(problem)?;
        let reference = finer(&plan.law).prepare::<f64>(problem)?;
        let kind = reference.kind();
        let law = plan.law.name();
        let bounces =
            problem.restitution().is_some() || !problem.uncertainty().restitution.is_empty();
        let refused = match (kind, wrt) {
            _ if plan.forecaster.is_some() => Some((
                "outcomes of a law have derivatives, and a model's samples are forecasts"
                    .to_string(),
                "take --law-only",
            )),
            (ProcessKind::Plain(_), _) => {
                let what = format!("samples of the law `{law}` have no derivatives");
                Some((what, "take the law routh"))
            }
            (
                ProcessKind::RandomOrder | ProcessKind::SpatialOrder,
                Wrt::Step | Wrt::Friction | Wrt::Restitution,
            ) => Some((
                format!("the law `{law}` has derivatives with respect to the velocity only"),
                "take the law routh, or the velocity",
            )),
            _ if reference.rebound().plastic.iter().any(|x| *x != 0.0) => Some((
                "reflections with restitution below 1 have no derivatives here".to_string(),
                "take restitution 1, or the law routh",
            )),
            (_, Wrt::Restitution) if !bounces => Some((
                "the problem has no coefficients of restitution".to_string(),
                "give it some above 0: at 0 there is a derivative on one side only, and all entries are NaN",
            )),
            _ => None,
        };
        if let Some((what, hint)) = refused {
            return Err(Error::usage(what).at("jacobian").hint(hint));
        }
        let (axes, parts) = match wrt {
            Wrt::Velocity => moving(problem)?,
            _ => (DMatrix::identity(wrt.columns(problem), wrt.columns(problem)), None),
        };
        let dual = finer(&plan.law).prepare::<Dual>(problem)?;
        let follows = wrt == Wrt::Velocity && !held;
        let column = |axis: &[f64]| {
            let mut direction = wrt.direction(problem, axis);
            if follows {
                direction.step = step_slope(&reference, problem, &direction.velocity);
            }
            let mut process = dual.clone();
            direction.displace(&mut process, problem, FORWARD);
            (direction, process)
        };
        let columns: Vec<_> = axes.column_iter().map(|axis| column(axis.as_slice())).collect();
        let check = if kind == ProcessKind::Inclusion { INTEGRATED } else { EXACT };
        let probes = probes(problem, wrt, &axes);
        let both = probes.iter().flat_map(|probe| [(probe, check.reach), (probe, -check.reach)]);
        let moved = |(probe, by): (&Probe, f64)| {
            let mut direction = probe.direction.clone();
            if follows {
                direction.step = step_change(&reference, problem, &direction.velocity, by);
            }
            let mut process = reference.clone();
            direction.displace(&mut process, problem, by);
            (by, process)
        };
        let checks = both.map(moved).collect();
        let reported = wrt.columns(problem);
        Ok(Smooth {
            problem,
            plan,
            sampled,
            reference,
            held,
            beside: Vec::new(),
            reported,
            columns,
            parts,
            checks,
            probes,
            check,
        })
    }

    pub fn of_branches(self) -> Self {
        let Some(probe) = self.probes.first() else { return self };
        let follows = self.parts.is_some() && !self.held;
        let beside = [self.check.reach, -self.check.reach].map(|by| {
            let mut direction = probe.direction.clone();
            if follows {
                let velocity = &direction.velocity;
                direction.step = step_change(&self.reference, self.problem, velocity, by);
            }
            let moved = |(_, process): &(Direction, Process<Dual>)| {
                let mut process = process.clone();
                direction.displace(&mut process, self.problem, Dual { value: by, slope: 0.0 });
                process
            };
            self.columns.iter().map(moved).collect()
        });
        Smooth { beside: beside.into(), ..self }
    }

    pub fn jacobians(&self, first: u64, count: usize, tell: impl Fn() + Sync) -> Result<Jacobians> {
        let n = self.problem.coordinate_count();
        let columns = self.reported;
        let mut values = vec![f64::NAN; count * n * columns];
        let mut differentiable = vec![false; count];
        let chunks = values.par_chunks_mut((n * columns).max(1)).zip(&mut differentiable);
        let prepare = || self.scratch();
        chunks.enumerate().try_for_each_init(prepare, |scratch, (i, (values, has))| {
            let found = self.derive(first + i as u64, scratch, values);
            if self.plan.stopped() {
                return Err(Error::interrupted());
            }
            *has = found == Some(true);
            if found.is_none() {
                values.fill(f64::NAN);
            }
            tell();
            Ok(())
        })?;
        Ok(Jacobians { first, columns, values, differentiable })
    }

    /// Velocity after a sample's impact and its derivative, if any.
    pub fn of_sample(&self, sample: u64) -> Option<Derived> {
        let (n, p, mut scratch) = (self.problem.coordinate_count(), self.reported, self.scratch());
        let mut values = vec![f64::NAN; n * p];
        let differentiable = self.derive(sample, &mut scratch, &mut values)?;
        let stream = Stream::new(self.plan.seed, sample);
        let mut velocity = self.problem.velocity().clone();
        if let Some(root) = noise_root(self.problem) {
            velocity += root * DVector::from_fn(n, |a, _| disturbance::<f64>(&stream, a));
        }
        velocity += DVector::from_vec(self.base(&stream, &mut scratch)?.0);
        let slope = DMatrix::from_row_slice(n, p, &values);
        Some(Derived { velocity: velocity.as_slice().to_vec(), slope, differentiable })
    }

    pub(super) fn scratch(&self) -> DerivativeScratch {
        DerivativeScratch {
            sampled: self.room(&self.sampled),
            base: self.room(&self.reference),
            columns: self.columns.iter().map(|(_, of)| (of.clone(), self.room(of))).collect(),
            checks: self.checks.iter().map(|(_, of)| (of.clone(), self.room(of))).collect(),
            slopes: Vec::new(),
        }
    }

    /// Workspace of a process, one of many in a scratch; the plan's flag interrupts it.
    fn room<R: Compiled>(&self, process: &Process<R>) -> Workspace<R> {
        let mut work = process.workspace();
        work.spare(2 + self.columns.len() + self.checks.len());
        work.stop().clone_from(&self.plan.stop);
        work
    }

    /// Writes the derivative of a sample (n,p), or of a branch; `true` for the sample's own.
    fn derive(&self, i: u64, scratch: &mut DerivativeScratch, values: &mut [f64]) -> Option<bool> {
        if self.differentiate(i, scratch, values) {
            return Some(true);
        }
        (!self.plan.stopped() && self.branch(i, scratch, values)).then_some(false)
    }

    /// Writes the derivative of a sample (n,p); returns whether the sample has one.
    fn differentiate(&self, i: u64, scratch: &mut DerivativeScratch, values: &mut [f64]) -> bool {
        let stream = Stream::new(self.plan.seed, i);
        let Some((kick, finer)) = self.base(&stream, scratch) else { return false };
        if !self.slopes(&stream, finer, scratch, None) {
            return false;
        }
        self.combine(&scratch.slopes, values);
        let agrees = |number: usize| self.agrees(number, finer, &stream, scratch, &kick);
        values.iter().all(|x| x.is_finite()) && (0..self.probes.len()).all(agrees)
    }

    /// Writes the derivative of a branch at a sample (n,p); returns whether it exists.
    fn branch(&self, sample: u64, scratch: &mut DerivativeScratch, values: &mut [f64]) -> bool {
        let stream = Stream::new(self.plan.seed, sample);
        let Some((kick, finer)) = self.base(&stream, scratch) else { return false };
        let near = |columns: &Vec<Process<Dual>>| {
            self.slopes(&stream, finer, scratch, Some((columns.as_slice(), kick.as_slice())))
        };
        let found = self.beside.iter().any(near);
        self.combine(&scratch.slopes, values);
        found && values.iter().all(|x| x.is_finite())
    }

    /// Computes the derivative of the velocity change by the impulse along each column; returns
    /// whether all columns terminate. With displaced columns `beside` the sample must also end near
    /// the sample with velocity change `kick` (n).
    pub(super) fn slopes(
        &self,
        stream: &Stream,
        finer: bool,
        scratch: &mut DerivativeScratch,
        beside: Option<(&[Process<Dual>], &[f64])>,
    ) -> bool {
        let DerivativeScratch { base, columns, slopes, .. } = scratch;
        let (n, q) = (self.problem.coordinate_count(), columns.len());
        slopes.clear();
        slopes.resize(n * q, f64::NAN);
        let before = self.size(self.problem.velocity().as_slice());
        for (k, ((own, work), (direction, _))) in columns.iter_mut().zip(&self.columns).enumerate()
        {
            let mut there = beside.map(|(columns, _)| columns[k].clone());
            let process = there.as_mut().unwrap_or(own);
            if self.held {
                direction.hold_length(process, base, FORWARD);
            }
            if run(process, finer, stream, work).status != Status::Terminated {
                return false;
            }
            if let Some((_, kick)) = beside {
                let there = self.kick(base, |row, _| work.total()[row].to_f64());
                let apart: Vec<f64> = there.iter().zip(kick).map(|(x, here)| x - here).collect();
                if self.size(&apart) > NEAR * self.check.reach * (before + self.size(kick)) {
                    return false;
                }
            }
            let slope = self.kick(base, |row, _| work.total()[row].slope());
            for a in 0..n {
                slopes[a * q + k] = slope[a];
            }
        }
        true
    }

    /// Derivative (n,p) from the changes by the impulse along the computed columns (n,q).
    fn combine(&self, slopes: &[f64], values: &mut [f64]) {
        let (n, p, q) = (self.problem.coordinate_count(), self.reported, self.columns.len());
        let Some(parts) = &self.parts else { return values.copy_from_slice(slopes) };
        for a in 0..n {
            for k in 0..p {
                let by_impulse: f64 = (0..q).map(|l| slopes[a * q + l] * parts[(l, k)]).sum();
                values[a * p + k] = by_impulse + if a == k { 1.0 } else { 0.0 };
            }
        }
    }

    /// Velocity change of a sample at the accuracy of derivatives, and whether only a finer
    /// computation is accepted. `None` if none is accepted, or if the result deviates from the
    /// sample.
    pub(super) fn base(
        &self,
        stream: &Stream,
        scratch: &mut DerivativeScratch,
    ) -> Option<(Vec<f64>, bool)> {
        let found = |process: &Process<f64>, work: &mut Workspace<f64>| {
            let most = process.most_residual::<f64>();
            let accepted = |ending: Ending<f64>| {
                ending.status == Status::Terminated && ending.residual <= most
            };
            let finer = !accepted(process.sample(stream, work));
            let found = !finer || accepted(run(process, true, stream, work));
            found.then(|| (self.kick(work, |row, work| work.total()[row]), finer))
        };
        let sampled = found(&self.sampled, &mut scratch.sampled);
        let (kick, finer) = found(&self.reference, &mut scratch.base)?;
        let (sampled, _) = sampled?;
        let apart: Vec<f64> = sampled.iter().zip(&kick).map(|(a, b)| a - b).collect();
        let most = self.sampled.most_residual::<f64>()
            * (self.size(&kick) + self.size(self.problem.velocity().as_slice()));
        (self.size(&apart) <= most).then_some((kick, finer))
    }

    /// Whether finite differences along a probe agree with the slopes of a sample's `kick` (n).
    fn agrees(
        &self,
        number: usize,
        finer: bool,
        stream: &Stream,
        scratch: &mut DerivativeScratch,
        kick: &[f64],
    ) -> bool {
        let (Probe { direction, entries }, DerivativeScratch { base, checks, slopes, .. }) =
            (&self.probes[number], scratch);
        let (n, q) = (kick.len(), entries.len());
        let along = |a: usize| (0..q).map(|k| slopes[a * q + k] * entries[k]).sum::<f64>();
        let expected: Vec<f64> = (0..n).map(along).collect();
        let within = |apart: &[f64], [of_slope, of_kick]: [f64; 2]| {
            self.size(apart) <= of_slope * self.size(&expected) + of_kick * self.size(kick)
        };
        let mut mean = vec![0.0; n];
        for side in [2 * number, 2 * number + 1] {
            let ((process, work), by) = (&mut checks[side], self.checks[side].0);
            if self.held {
                direction.hold_length(process, base, by);
            }
            let ending = run(process, finer, stream, work);
            let moved = self.kick(base, |row, _| work.total()[row]);
            let apart: Vec<f64> = (0..n).map(|a| (moved[a] - kick[a]) / by - expected[a]).collect();
            if ending.status != Status::Terminated || !within(&apart, self.check.sides) {
                return false;
            }
            mean.iter_mut().zip(&apart).for_each(|(mean, apart)| *mean += 0.5 * apart);
        }
        within(&mean, self.check.mean)
    }

    /// Velocity change (n) by impulse rows `total`, with the inertia drawn into `base`.
    pub(super) fn kick(
        &self,
        base: &mut Workspace<f64>,
        total: impl Fn(usize, &Workspace<f64>) -> f64,
    ) -> Vec<f64> {
        let (scaling, rebound) = (&self.reference.space().scaling, self.reference.rebound());
        let unit = |row: usize| rebound.restitution * scaling.impulse / scaling.sigma[row];
        let rows = 0..self.problem.jacobian().nrows();
        let part =
            |j: usize| scaling.parts(j).map(|(row, weight)| total(row, base) * weight * unit(row));
        let impulse = DVector::from_iterator(rows.len(), rows.map(|j| part(j).sum()));
        let response = base.drawn().map_or(self.problem.response(), |drawn| &drawn.response);
        (response * impulse).as_slice().to_vec()
    }

    /// `|v|_M` of a velocity (n).
    pub(super) fn size(&self, velocity: &[f64]) -> f64 {
        (2.0 * self.problem.kinetic_energy(velocity)).sqrt()
    }
}

/// The law at the accuracy for derivatives.
pub(super) fn finer(law: &Law) -> Law {
    match law {
        Law::Routh(law) => {
            let accuracy = law.accuracy.unwrap_or(Routh::ACCURACY).min(ACCURACY);
            Law::Routh(Routh { accuracy: Some(accuracy), ..law.clone() })
        }
        law => law.clone(),
    }
}

/// Computes a sample, with finer tolerances on request.
pub(super) fn run<R: Compiled>(
    process: &Process<R>,
    finer: bool,
    stream: &Stream,
    work: &mut Workspace<R>,
) -> Ending<R> {
    if finer { process.sample_again(stream, work) } else { process.sample(stream, work) }
}
