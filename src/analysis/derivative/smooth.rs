//! Derivatives of samples of one problem, by arithmetic with slopes and checked by differences.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::wrt::{Jacobians, Wrt};
use crate::error::{Error, Result};
use crate::law::draws::numbers::{disturbance, noise_root};
use crate::law::{Direction, Ending, Law, Process, ProcessKind, Routh, Workspace};
use crate::problem::ContactProblem;
use crate::real::{Dual, Real};
use crate::rng::Stream;
use crate::run::Plan;
use crate::status::Status;

/// The finite differences and tolerances that check a derivative.
#[derive(Clone, Copy, Debug)]
struct Check {
    /// Size of the finite differences, relative to the size of the numbers.
    reach: f64,
    /// Largest distance of finite differences on each side from the derivative, relative to the
    /// derivative and to the change of the velocity.
    sides: [f64; 2],
    /// Largest distance of the mean of both sides from the derivative, likewise.
    mean: [f64; 2],
}

/// The check where rounding is the only error.
const EXACT: Check = Check { reach: 1e-6, sides: [1e-5; 2], mean: [1e-5; 2] };

/// The check of an inclusion, which is integrated with an error of at most [`ACCURACY`].
const INTEGRATED: Check = Check { reach: 2e-4, sides: [2e-2; 2], mean: [2e-2, 2e-3] };

/// Least accuracy with which an inclusion is differentiated and its derivatives are checked: its
/// error, over [`Check::reach`], is far below the tolerances of the check.
const ACCURACY: f64 = 1e-6;

/// Computes the derivatives of samples of one problem.
#[derive(Debug)]
pub(super) struct Smooth<'a> {
    problem: &'a ContactProblem,
    plan: &'a Plan,
    /// The law of the samples, and the law that is differentiated.
    sampled: Process<f64>,
    reference: Process<f64>,
    columns: Vec<(Direction, Process<Dual>)>,
    /// Each probe, forward and backward: the size of the step, and the law there.
    checks: Vec<(f64, Process<f64>)>,
    probes: Vec<Probe>,
    check: Check,
}

/// A direction of finite differences, and its entries in the columns (p).
#[derive(Debug)]
struct Probe {
    direction: Direction,
    entries: Vec<f64>,
}

/// The memory in which a thread differentiates.
struct DerivativeScratch {
    sampled: Workspace<f64>,
    base: Workspace<f64>,
    columns: Vec<(Process<Dual>, Workspace<Dual>)>,
    checks: Vec<(Process<f64>, Workspace<f64>)>,
}

const FORWARD: Dual = Dual { value: 0.0, slope: 1.0 };

impl<'a> Smooth<'a> {
    /// See [`Differentiator::new`](super::Differentiator::new).
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt) -> Result<Self> {
        let sampled = plan.law.prepare::<f64>(problem)?;
        let reference = finer(&plan.law).prepare::<f64>(problem)?;
        let kind = reference.kind();
        let refuse = |what: String, hint: &str| Err(Error::usage(what).at("jacobian").hint(hint));
        let law = plan.law.name();
        if plan.forecaster.is_some() {
            let what = "outcomes of a law have derivatives, and a model's samples are forecasts";
            return refuse(what.to_string(), "take --law-only");
        }
        match (kind, wrt) {
            (ProcessKind::Plain(_), _) => {
                return refuse(
                    format!("samples of the law `{law}` have no derivatives"),
                    "take the law routh",
                );
            }
            (
                ProcessKind::RandomOrder | ProcessKind::SpatialOrder,
                Wrt::Step | Wrt::Friction | Wrt::Restitution,
            ) => {
                return refuse(
                    format!("the law `{law}` has derivatives with respect to the velocity only"),
                    "take the law routh, or the velocity",
                );
            }
            _ if reference.rebound().plastic.iter().any(|x| *x != 0.0) => {
                return refuse(
                    "reflections with restitution below 1 have no derivatives here".to_string(),
                    "take restitution 1, or the law routh",
                );
            }
            (_, Wrt::Restitution)
                if problem.restitution().is_none()
                    && problem.uncertainty().restitution.is_empty() =>
            {
                return refuse(
                    "the problem has no coefficients of restitution".to_string(),
                    "give it some above 0: at 0 there is a derivative on one side only, and all entries are NaN",
                );
            }
            _ => {}
        }
        let dual = reference.cast::<Dual>(problem)?;
        let columns: Vec<_> = (0..wrt.columns(problem))
            .map(|k| {
                let (direction, mut process) = (wrt.direction(problem, k), dual.clone());
                process.displace(problem, &direction, FORWARD);
                (direction, process)
            })
            .collect();
        let check = if kind == ProcessKind::Inclusion { INTEGRATED } else { EXACT };
        let probes = probes(problem, wrt);
        let both = probes.iter().flat_map(|probe| [(probe, check.reach), (probe, -check.reach)]);
        let checks = both
            .map(|(probe, by)| {
                let mut process = reference.clone();
                process.displace(problem, &probe.direction, by);
                (by, process)
            })
            .collect();
        Ok(Smooth { problem, plan, sampled, reference, columns, checks, probes, check })
    }

    /// See [`Differentiator::jacobians`](super::Differentiator::jacobians).
    pub fn jacobians(
        &self,
        first: u64,
        count: usize,
        progress: impl Fn() + Sync,
    ) -> Result<Jacobians> {
        let n = self.problem.coordinate_count();
        let columns = self.columns.len();
        let mut values = vec![f64::NAN; count * n * columns];
        let mut differentiable = vec![false; count];
        (values.par_chunks_mut((n * columns).max(1)).zip(&mut differentiable).enumerate())
            .try_for_each_init(
                || self.scratch(),
                |scratch, (i, (values, differentiable))| {
                    *differentiable = self.differentiate(first + i as u64, scratch, values);
                    if self.plan.stopped() {
                        return Err(Error::interrupted());
                    }
                    if !*differentiable {
                        values.fill(f64::NAN);
                    }
                    progress();
                    Ok(())
                },
            )?;
        Ok(Jacobians { first, columns, values, differentiable })
    }

    /// The velocity (n) after a sample's impact and its derivative (n,p), if it has one.
    pub fn of_sample(&self, sample: u64) -> Option<(Vec<f64>, DMatrix<f64>)> {
        let (n, p, mut scratch) =
            (self.problem.coordinate_count(), self.columns.len(), self.scratch());
        let mut values = vec![f64::NAN; n * p];
        if !self.differentiate(sample, &mut scratch, &mut values) {
            return None;
        }
        let stream = Stream::new(self.plan.seed, sample);
        let mut velocity = self.problem.velocity().clone();
        if let Some(root) = noise_root(self.problem) {
            velocity += root * DVector::from_fn(n, |a, _| disturbance::<f64>(&stream, a));
        }
        velocity += DVector::from_vec(self.base(&stream, &mut scratch)?.0);
        Some((velocity.as_slice().to_vec(), DMatrix::from_row_slice(n, p, &values)))
    }

    fn scratch(&self) -> DerivativeScratch {
        DerivativeScratch {
            sampled: self.room(&self.sampled),
            base: self.room(&self.reference),
            columns: self
                .columns
                .iter()
                .map(|(_, process)| (process.clone(), self.room(process)))
                .collect(),
            checks: self
                .checks
                .iter()
                .map(|(_, process)| (process.clone(), self.room(process)))
                .collect(),
        }
    }

    /// A workspace of a process, one of many in a scratch, that the plan's flag interrupts.
    fn room<R: Real>(&self, process: &Process<R>) -> Workspace<R> {
        let mut work = process.workspace();
        work.spare(2 + self.columns.len() + self.checks.len());
        work.stop().clone_from(&self.plan.stop);
        work
    }

    /// Writes the derivative of a sample (n,p); returns whether the sample has one.
    fn differentiate(
        &self,
        sample: u64,
        scratch: &mut DerivativeScratch,
        values: &mut [f64],
    ) -> bool {
        let stream = Stream::new(self.plan.seed, sample);
        let Some((kick, finer)) = self.base(&stream, scratch) else { return false };
        let DerivativeScratch { base, columns, .. } = scratch;
        let (n, p) = (self.problem.coordinate_count(), columns.len());
        for (k, ((process, work), (direction, _))) in
            columns.iter_mut().zip(&self.columns).enumerate()
        {
            process.hold_length(base, direction, FORWARD);
            let ending = run(process, finer, &stream, work);
            if ending.status != Status::Terminated {
                return false;
            }
            let slope = self.kick(base, |row, _| work.total()[row].slope());
            for a in 0..n {
                values[a * p + k] = direction.velocity[a] + slope[a];
            }
        }
        let agrees = |number: usize| self.agrees(number, finer, &stream, scratch, &kick, values);
        values.iter().all(|x| x.is_finite()) && (0..self.probes.len()).all(agrees)
    }

    /// The change of the velocity of a sample, computed as accurately as derivatives need, and
    /// whether only a finer computation is accepted. `None` if none is accepted, or if the result
    /// is not that of the sample.
    fn base(&self, stream: &Stream, scratch: &mut DerivativeScratch) -> Option<(Vec<f64>, bool)> {
        let [sampled, kick] =
            [(&self.sampled, &mut scratch.sampled), (&self.reference, &mut scratch.base)].map(
                |(process, work)| {
                    let most = process.most_residual::<f64>();
                    let accepted = |ending: Ending<f64>| {
                        ending.status == Status::Terminated && ending.residual <= most
                    };
                    let finer = !accepted(process.sample(stream, work));
                    let found = !finer || accepted(run(process, true, stream, work));
                    found.then(|| (self.kick(work, |row, work| work.total()[row]), finer))
                },
            );
        let ((sampled, _), (kick, finer)) = (sampled?, kick?);
        let apart: Vec<f64> = sampled.iter().zip(&kick).map(|(a, b)| a - b).collect();
        let most = self.sampled.most_residual::<f64>()
            * (self.size(&kick) + self.size(self.problem.velocity().as_slice()));
        (self.size(&apart) <= most).then_some((kick, finer))
    }

    /// Whether finite differences along a probe, forward, backward and in the mean, agree with the
    /// derivative `values` (n,p) of the sample that changes the velocity by `kick` (n).
    fn agrees(
        &self,
        number: usize,
        finer: bool,
        stream: &Stream,
        scratch: &mut DerivativeScratch,
        kick: &[f64],
        values: &[f64],
    ) -> bool {
        let (Probe { direction, entries }, DerivativeScratch { base, checks, .. }) =
            (&self.probes[number], scratch);
        let (n, p) = (kick.len(), entries.len());
        let along = |a: usize| (0..p).map(|k| values[a * p + k] * entries[k]).sum::<f64>();
        let expected: Vec<f64> = (0..n).map(|a| along(a) - direction.velocity[a]).collect();
        let within = |apart: &[f64], [of_slope, of_kick]: [f64; 2]| {
            self.size(apart) <= of_slope * self.size(&expected) + of_kick * self.size(kick)
        };
        let mut mean = vec![0.0; n];
        for side in [2 * number, 2 * number + 1] {
            let ((process, work), by) = (&mut checks[side], self.checks[side].0);
            process.hold_length(base, direction, by);
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

    /// The change of the velocity (n) by the impulse whose dimensionless rows are `total`, with the
    /// inertia that the sample has drawn into `base`.
    fn kick(
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
    fn size(&self, velocity: &[f64]) -> f64 {
        (2.0 * self.problem.kinetic_energy(velocity)).sqrt()
    }
}

/// The law with the accuracy that its derivatives have.
fn finer(law: &Law) -> Law {
    match law {
        Law::Routh(law) => {
            let accuracy = law.accuracy.unwrap_or(Routh::ACCURACY).min(ACCURACY);
            Law::Routh(Routh { accuracy: Some(accuracy), ..law.clone() })
        }
        law => law.clone(),
    }
}

/// Computes a sample, with finer tolerances if asked for.
fn run<R: Real>(
    process: &Process<R>,
    finer: bool,
    stream: &Stream,
    work: &mut Workspace<R>,
) -> Ending<R> {
    if finer { process.sample_again(stream, work) } else { process.sample(stream, work) }
}

/// The columns of `wrt`, and an oblique direction, which no plane of symmetry contains. Each step
/// is about the size of the numbers that it changes.
fn probes(problem: &ContactProblem, wrt: Wrt) -> Vec<Probe> {
    let p = wrt.columns(problem);
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let size = |k: usize| match wrt {
        Wrt::Velocity if speed > 0.0 => speed / problem.mass()[(k, k)].sqrt(),
        Wrt::Friction if problem.friction()[k] > 0.0 => problem.friction()[k],
        Wrt::Step => problem.natural_step().unwrap_or(1.0),
        _ => 1.0,
    };
    let turn = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let share = |k: usize| turn(k) / (k as f64 + std::f64::consts::SQRT_2);
    let oblique = (0..p).map(|k| share(k) * size(k)).collect();
    let along = |column: usize| (0..p).map(|k| if k == column { size(k) } else { 0.0 }).collect();
    let probe = |entries: Vec<f64>| {
        let mut direction = Direction::none(problem);
        match wrt {
            Wrt::Velocity => direction.velocity.clone_from(&entries),
            Wrt::Friction => direction.friction.clone_from(&entries),
            Wrt::Restitution => direction.restitution.clone_from(&entries),
            Wrt::Step => direction.step = entries[0],
        }
        Probe { direction, entries }
    };
    // The oblique direction is the first.
    std::iter::once(oblique).chain((0..p).map(along)).map(probe).collect()
}
