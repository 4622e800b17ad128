//! The path of one sample, step by step.

use schemars::JsonSchema;
use serde::Serialize;

use nalgebra::DVector;

use super::check::{Unchecked, Verifier, VerifierScratch};
use super::posed::{Pose, Poser, late};
use super::{Kernels, Plan, Precision, Prepared};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, Posed};
use carom_core::real::Real;
use carom_core::rng::Stream;
use carom_core::status::Status;
use carom_law::{Compiled, Ending, Process};

/// Largest distance of the end of a path from the sample, in roundings of the largest velocity.
const ROUNDING: f64 = 1e4;

/// A sample and its path.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The sample alone, as computed by a run on the CPU.
    pub samples: Samples,
    /// The velocity (n), kinetic energy in J and contact velocity ((1+d) m) before the impact.
    pub before: ReplayPoint,
    /// The steps, segments, substeps or impacts. The last one ends in the sample, to the last bit.
    pub steps: Vec<ReplayStep>,
}

/// The velocity and energy of a sample after a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReplayPoint {
    /// The velocity (n).
    pub velocity: Vec<f64>,
    /// The contact velocity `J v` ((1+d) m) in m/s, normals first.
    pub contact_velocity: Vec<f64>,
    /// The kinetic energy in J.
    pub kinetic_energy: f64,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayStep {
    /// The normal impulse bound of each contact in N s (m): relative impulse rate times length of
    /// the step.
    pub caps: Vec<f64>,
    /// The impulse of the step in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// The velocity after the step.
    pub after: ReplayPoint,
}

impl Replay {
    /// Recomputes sample `sample` of a plan on the CPU in `precision`, and keeps its path. With a
    /// drawn pose, the path has rows for all contacts of the problem, and the steps of a second
    /// impact follow the steps of the first.
    ///
    /// # Errors
    /// A feature that the law does not support; a path that rounding leads away from the sample
    /// computed with vectors.
    pub fn new(
        problem: &ContactProblem,
        plan: &Plan,
        precision: Precision,
        sample: u64,
    ) -> Result<Self> {
        match precision {
            Precision::F32 => replay::<f32>(problem, plan, sample),
            Precision::F64 => replay::<f64>(problem, plan, sample),
        }
    }
}

/// [`Replay::new`] in one precision.
///
/// # Errors
/// Errors of [`Replay::new`].
pub fn replay<R: Kernels>(problem: &ContactProblem, plan: &Plan, sample: u64) -> Result<Replay> {
    // The path leads to the outcome of the law, before any forecast.
    let plan = &Plan { forecaster: None, ..plan.clone() };
    match Pose::of(problem, plan)? {
        None => replay_one::<R>(problem, plan, sample),
        Some(Pose::One(problem)) => replay_one::<R>(&problem, plan, sample),
        Some(Pose::Each(poser)) => replay_posed::<R>(&poser, sample),
    }
}

/// Joins the paths of a sample's impacts, if its pose was drawn.
fn replay_posed<R: Kernels>(poser: &Poser, sample: u64) -> Result<Replay> {
    let posed = poser.draw(sample)?;
    let first = replay_one::<R>(&posed.first, poser.plan(), sample)?;
    let mut samples = poser.whole(&posed, &first.samples);
    let mut replay = with_all_rows(poser, &posed, first);
    if let Some(late) = late::<R>(&posed, &samples)? {
        let second = replay_one::<R>(&late, poser.plan(), Stream::second(sample))?;
        poser.add(&mut samples, &posed, &second.samples);
        replay.steps.extend(with_all_rows(poser, &posed, second).steps);
    }
    Ok(Replay { samples, ..replay })
}

/// The path of an impact with rows for all contacts of the problem.
fn with_all_rows(poser: &Poser, posed: &Posed, path: Replay) -> Replay {
    let (m, k) = (poser.contacts(), posed.jacobian.nrows());
    let rows: Vec<_> = poser.rows(posed, path.samples.impulse.len()).collect();
    let place = |at: ReplayPoint| {
        let v = DVector::from_column_slice(&at.velocity);
        let mut all = (&posed.jacobian * v).as_slice().to_vec();
        rows.iter().for_each(|&(own, row)| all[row] = at.contact_velocity[own]);
        ReplayPoint { contact_velocity: all, ..at }
    };
    let step = |step: ReplayStep| {
        let (mut caps, mut impulse) = (vec![0.0; m], vec![0.0; k]);
        rows.iter().for_each(|&(own, row)| impulse[row] = step.impulse[own]);
        step.caps.iter().zip(&posed.order).for_each(|(cap, &i)| caps[i] = *cap);
        ReplayStep { caps, impulse, after: place(step.after) }
    };
    Replay {
        samples: path.samples,
        before: place(path.before),
        steps: path.steps.into_iter().map(step).collect(),
    }
}

/// The path of a sample of a problem without an uncertain pose.
fn replay_one<R: Kernels>(problem: &ContactProblem, plan: &Plan, sample: u64) -> Result<Replay> {
    let samples = Prepared::<R>::new(problem, plan)?.sample(sample, 1).clone();
    let reference = plan.law.prepare::<f64>(problem)?;
    let verifier = Verifier::new::<R>(problem, &reference, plan.seed, true);
    let stream = Stream::new(plan.seed, sample);
    let tracer = Tracer { verifier, problem, reference: &reference, sample };
    let of_sample = |ending: Ending<f64>| {
        (ending.status, ending.steps) == (samples.status[0], samples.steps[0])
    };
    let (before, mut steps) = if samples.repaired[0] {
        let (ending, path) = trace(&reference, false, &stream);
        let path = if of_sample(ending) { path } else { trace(&reference, true, &stream).1 };
        tracer.places(path)
    } else {
        tracer.places(trace(&plan.law.prepare::<R>(problem)?, false, &stream).1)
    };
    // Vectors and path sum in different orders, so the last digits may differ.
    if let Some(end) = steps.last_mut().map(|step| &mut step.after) {
        let differences = end.velocity.iter().zip(&samples.velocity).map(|(a, b)| (a - b).abs());
        let apart = differences.fold(0.0, f64::max) / problem.velocity().amax();
        if apart > ROUNDING * R::EPSILON.to_f64() {
            if plan.stopped() {
                return Err(Error::interrupted());
            }
            let what =
                format!("the path ends {apart:.1e} of the largest velocity beside the sample");
            let hint = "rounding leads it elsewhere: take another sample or precision";
            return Err(Error::input(what).option("sample").hint(hint));
        }
        *end = ReplayPoint {
            velocity: samples.velocity.clone(),
            contact_velocity: samples.contact_velocity.clone(),
            kinetic_energy: samples.kinetic_energy[0],
        };
    }
    Ok(Replay { samples, before, steps })
}

/// The steps of a path, dimensionless, and the impulse at its end.
struct Path<S> {
    /// Impulse bounds (m) and impulse (K) of each step.
    steps: Vec<(Vec<S>, Vec<S>)>,
    total: Vec<S>,
}

fn trace<S: Compiled>(process: &Process<S>, finer: bool, stream: &Stream) -> (Ending<S>, Path<S>) {
    let (mut steps, mut work) = (Vec::new(), process.workspace());
    let ending = process
        .trace(finer, stream, &mut work, &mut |caps, l| steps.push((caps.to_vec(), l.to_vec())));
    (ending, Path { steps, total: work.total().to_vec() })
}

/// Converts the steps of a path into velocities, by the verifier.
struct Tracer<'a> {
    verifier: Verifier<'a>,
    problem: &'a ContactProblem,
    reference: &'a Process<f64>,
    sample: u64,
}

impl Tracer<'_> {
    /// The state before the impact, and the steps.
    fn places<S: Real>(&self, path: Path<S>) -> (ReplayPoint, Vec<ReplayStep>) {
        let mut scratch = VerifierScratch::new(self.problem, self.reference.workspace());
        let mut total = vec![S::ZERO; path.total.len()];
        let mut before = self.place(&total, &mut scratch);
        let mut steps = Vec::new();
        let (scaling, rebound) = (&self.reference.space().scaling, self.reference.rebound());
        if rebound.plastic.iter().any(|impulse| *impulse != 0.0) {
            // A path of reflections begins after the plastic part of the impulse.
            let start = self.problem.velocity().as_slice();
            let place = ReplayPoint {
                velocity: start.to_vec(),
                contact_velocity: self.problem.contact_velocity().as_slice().to_vec(),
                kinetic_energy: self.problem.kinetic_energy(start),
            };
            let after = std::mem::replace(&mut before, place);
            let mut impulse = rebound.plastic.clone();
            impulse.resize(self.problem.jacobian().nrows(), 0.0);
            let caps = vec![0.0; self.problem.contact_count()];
            steps.push(ReplayStep { caps, impulse, after });
        }
        let last = path.steps.len();
        for (number, (caps, l)) in path.steps.iter().enumerate() {
            total.iter_mut().zip(l).for_each(|(total, l)| *total += *l);
            if number + 1 == last {
                // The process itself sums substeps in another order, which changes the last digits.
                total.copy_from_slice(&path.total);
            }
            let cap = |(i, cap): (usize, &S)| cap.to_f64() * scaling.impulse / scaling.sigma[i];
            let l: Vec<f64> = l.iter().map(|l| l.to_f64()).collect();
            let impulse = |j: usize| rebound.restitution * scaling.impulse_along(&l, j);
            steps.push(ReplayStep {
                caps: caps.iter().enumerate().map(cap).collect(),
                impulse: (0..self.problem.jacobian().nrows()).map(impulse).collect(),
                after: self.place(&total, &mut scratch),
            });
        }
        (before, steps)
    }

    /// The state after a dimensionless impulse (K).
    fn place<S: Real>(&self, total: &[S], scratch: &mut VerifierScratch) -> ReplayPoint {
        let endings = [Ending { status: Status::Terminated, steps: 0, residual: S::ZERO }];
        let raw = Unchecked { first: self.sample, endings: &endings, totals: total };
        let mut samples = Samples::default();
        self.verifier.verify(raw, scratch, Some(&mut samples), None);
        let Samples { velocity, contact_velocity, kinetic_energy, .. } = samples;
        ReplayPoint { velocity, contact_velocity, kinetic_energy: kinetic_energy[0] }
    }
}
