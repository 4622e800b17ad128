//! Impacts that propagate from contact to contact: elastic reflections in every order, plastic and inelastic outcomes.

use nalgebra::{DMatrix, DVector};

use super::random_order::{self, Rebound};
use super::reflections::{Reflections, Sequences};
use super::resolved::{Details, MAX_IMPACTS, Outcome, Resolved, coincide};
use super::restitution::require_coefficient;
use super::uniqueness::Uniqueness;
use crate::error::{Error, Result};
use crate::lcp::{Lemke, Scaling, StepProblem, cone};
use crate::problem::ContactProblem;
use crate::status::Status;

/// How the sequence of an outcome came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sequence that ends feasible while no proper subsequence does. \[SM14\] Definition 1.
    Minimal,
    /// A sequence that reflects violated contacts only and stops at the first feasible momentum.
    Admissible,
    /// The sequence that always reflects the contact with the smallest normalised rate.
    Argmin,
    /// The sequence that always reflects the violated contact with the largest normalised rate.
    Argmax,
    /// The projection onto the momenta at which every contact rests. \[SM14\] (11)
    PlasticProjection,
    /// The plastic outcome without tension, `0 <= ln _|_ u+_n >= 0`.
    PlasticUnilateral,
}

impl Kind {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Minimal => "minimal",
            Kind::Admissible => "admissible",
            Kind::Argmin => "argmin",
            Kind::Argmax => "argmax",
            Kind::PlasticProjection => "plastic-projection",
            Kind::PlasticUnilateral => "plastic-unilateral",
        }
    }
}

/// The propagative law: frictionless impacts, resolved as sequences of single reflections.
///
/// ```text
/// elastic    p+ = p- Gamma(w_1) ... Gamma(w_n),  Gamma(u) = I - 2 M^-1 u' u / (u M^-1 u')
/// plastic    p+ = p- projected onto <p,u_i> = 0 for every contact, or the unilateral outcome beside it
/// inelastic  p+ = a p_elastic + (1 - a) p_plastic,  a = R
/// ```
///
/// Every minimal and every admissible sequence is listed, up to a length, with its outcome; the two greedy orders; and
/// both plastic outcomes. A momentum is feasible when `<p,u_i> >= -1e-11 |p|` at unit normals.
/// Source: \[SM14\] (7), (11), (14), (17). Deviations: `a = R`, because `R^2 = 1 - dE/E_p` gives that and not
/// `sqrt(1 - R^2)`; all contacts of the problem take part, not only those violated at `p-`, because a cradle whose
/// balls rest would stop after one reflection. Friction is left out, with a warning.
/// Guarantee: every sequence up to the length; for two contacts, by default, every sequence there is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Propagative {
    /// Energetic coefficient of restitution `R`; `None`: the problem's, else 1.
    pub restitution: Option<f64>,
    /// [`Kind::Minimal`] or [`Kind::Admissible`], to list only these sequences beside the greedy ones.
    pub sequences: Option<Kind>,
    /// Length of the longest sequence; `None`: for up to two contacts the bound on their length, for more
    /// contacts as long as [`Propagative::SEQUENCES`] sequences allow.
    pub max_length: Option<usize>,
}

/// A momentum is feasible when every normalised rate is at least this, times `-|p|`.
const FEASIBLE: f64 = 1e-11;

/// How far a point may lie from the plastic outcome's equations.
const PLASTIC: f64 = 1e-10;

impl Propagative {
    /// The law's name.
    pub const NAME: &'static str = "propagative";
    /// Sequences of three and more contacts that are looked at where no length is given, repetitions left out.
    pub const SEQUENCES: f64 = 1e5;
    /// Orders that are sampled for three and more contacts.
    pub const SAMPLED: u64 = 4096;

    /// Every sequence with its outcome, the greedy orders, the plastic outcomes.
    ///
    /// # Errors
    /// Coefficients of restitution that differ from contact to contact or lie outside [0, 1].
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        let restitution = self.restitution_on(problem)?;
        let mut uniqueness = Uniqueness::of(problem);
        let longest = self.longest(problem.contact_count(), &uniqueness);
        let impact = Impact::new(problem, restitution);
        let reflections = &impact.reflections;

        let admissible = reflections.admissible(longest);
        let minimal = match self.sequences {
            Some(Kind::Admissible) => Sequences { found: Vec::new(), length: longest, complete: true },
            _ => reflections.minimal(longest),
        };
        // Rates that rounding alone tells apart are equal: the first contact goes first.
        let greedy = |sign: f64| {
            reflections.propagate(MAX_IMPACTS, |violated, u| {
                let better = |i: usize, best: usize| sign * (u[i] - u[best]) > reflections.rest;
                violated.iter().copied().fold(violated[0], |best, i| if better(i, best) { i } else { best })
            })
        };
        let (argmin, argmax) = (greedy(-1.0), greedy(1.0));

        let of = |kind: Kind| move |sequence: &Vec<usize>| (sequence.clone(), kind);
        let all = minimal.found.iter().map(of(Kind::Minimal));
        let all = all.chain(admissible.found.iter().map(of(Kind::Admissible)));
        let mut outcomes: Vec<Outcome> = all.map(|(sequence, kind)| impact.outcome(sequence, kind)).collect();
        let first = minimal.found.len();
        let ended = outcomes[first..].iter().filter(|outcome| outcome.status == Status::Terminated);
        let velocities = ended.map(|outcome| &outcome.velocity[..]);
        uniqueness.indeterminacy = indeterminacy(problem, velocities);
        if problem.contact_count() > 2 {
            let rebound = self.rebound(problem)?;
            let sampled = random_order::sampled_velocities(problem, rebound, Self::SAMPLED)?;
            uniqueness.sampled = Some(indeterminacy(problem, sampled.iter().map(Vec::as_slice)));
        }
        if self.sequences == Some(Kind::Minimal) {
            outcomes.truncate(first);
        }
        outcomes.push(impact.outcome(argmin, Kind::Argmin));
        outcomes.push(impact.outcome(argmax, Kind::Argmax));
        outcomes.extend([impact.projected(), impact.unilateral()]);

        let complete = admissible.complete && minimal.complete;
        let mut warnings = warnings(problem, &impact, &outcomes);
        for (kind, sequences) in [(Kind::Minimal, &minimal), (Kind::Admissible, &admissible)] {
            if !sequences.complete {
                let (kind, length) = (kind.name(), sequences.length);
                warnings.push(format!("there may be {kind} sequences of more than {length} reflections"));
            }
        }
        let mut resolved = Resolved {
            law: Self::NAME,
            outcomes,
            complete,
            uniqueness: Some(uniqueness),
            course: None,
            warnings,
        };
        resolved.finish(problem);
        Ok(resolved)
    }

    fn restitution_on(&self, problem: &ContactProblem) -> Result<f64> {
        if let Some(r) = self.restitution {
            return require_coefficient(r);
        }
        let Some(e) = problem.restitution() else { return Ok(1.0) };
        match e.iter().position(|&other| other != e[0]) {
            None => Ok(e[0]),
            Some(i) => Err(Error::input(format!(
                "the law `{}` has one coefficient of restitution for all contacts; found {} and {}",
                Self::NAME,
                e[0],
                e[i]
            ))
            .at(format!("restitution[{i}]"))
            .hint("set all of them to one value, or pass --restitution")),
        }
    }

    /// What is made of the impulse of reflections.
    pub(super) fn rebound(&self, problem: &ContactProblem) -> Result<Rebound> {
        let restitution = self.restitution_on(problem)?;
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        if restitution == 1.0 {
            return Ok(Rebound { energy: Some(before), ..Rebound::NONE });
        }
        let plastic = Impact::new(problem, restitution).projected();
        let energy = plastic.kinetic_energy + restitution * restitution * (before - plastic.kinetic_energy);
        let part = plastic.impulse.iter().map(|l| (1.0 - restitution) * l).collect();
        Ok(Rebound { restitution, plastic: part, energy: Some(energy) })
    }

    /// The longest sequence that is looked for.
    fn longest(&self, m: usize, uniqueness: &Uniqueness) -> usize {
        let bound = match m {
            1 => 1,
            2 => uniqueness.length_bound.map_or(MAX_IMPACTS, |bound| bound.min(MAX_IMPACTS as f64) as usize),
            _ => {
                let (m, branches) = (m as f64, (m - 1) as f64);
                1 + ((Self::SEQUENCES / m).ln() / branches.ln()).max(0.0) as usize
            }
        };
        self.max_length.unwrap_or(bound)
    }
}

fn warnings(problem: &ContactProblem, impact: &Impact, outcomes: &[Outcome]) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |holds: bool, warning: String| warnings.extend(holds.then_some(warning));
    warn(problem.friction().iter().any(|&mu| mu > 0.0), "friction is left out: the law has none".to_string());
    warn(
        pulls(&impact.projection),
        "the plastic projection needs contacts that pull; plastic-unilateral is the outcome that only pushes"
            .to_string(),
    );
    warn(
        outcomes.iter().any(|outcome| outcome.status == Status::StepLimit),
        format!("an order had not ended after {MAX_IMPACTS} reflections; there may be no outcome"),
    );
    warnings
}

/// The largest distance between two outcomes, over `|p-|`, in the kinetic metric.
fn indeterminacy<'v>(problem: &ContactProblem, velocities: impl Iterator<Item = &'v [f64]>) -> f64 {
    let mut distinct: Vec<&[f64]> = Vec::new();
    for velocity in velocities {
        if !distinct.iter().any(|other| coincide(problem, other, velocity)) {
            distinct.push(velocity);
        }
    }
    if distinct.is_empty() {
        return f64::NAN;
    }
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let apart = |(i, a): (usize, &&[f64])| {
        let distance = |b: &&[f64]| {
            let difference: Vec<f64> = a.iter().zip(*b).map(|(a, b)| a - b).collect();
            (problem.kinetic_energy(&difference) / before).sqrt()
        };
        distinct[..i].iter().map(distance).fold(0.0, f64::max)
    };
    distinct.iter().enumerate().map(apart).fold(0.0, f64::max)
}

/// One impact, dimensionless, with its plastic outcome.
struct Impact<'a> {
    problem: &'a ContactProblem,
    restitution: f64,
    scaling: Scaling,
    reflections: Reflections,
    /// The impulse (m) of the plastic projection.
    projection: Vec<f64>,
}

impl<'a> Impact<'a> {
    fn new(problem: &'a ContactProblem, restitution: f64) -> Self {
        let m = problem.contact_count();
        let normals = problem.delassus().view((0, 0), (m, m)).into_owned();
        let rates = problem.contact_velocity().rows(0, m).into_owned();
        let (step, scaling, mut start) = StepProblem::scaled(&normals, &vec![0.0; m], &rates);
        start.truncate(m);
        let energy = problem.kinetic_energy(problem.velocity().as_slice());
        let rest = FEASIBLE * (2.0 * energy).sqrt() * (scaling.inverse_mass.sqrt() / scaling.velocity);
        let reflections = Reflections { step, start, rest };
        let projection =
            if reflections.feasible(&reflections.start) { vec![0.0; m] } else { project(&reflections) };
        Impact { problem, restitution, scaling, reflections, projection }
    }

    fn new_outcome(&self, l: &[f64], kind: Kind) -> Outcome {
        let details = Details::Propagative { kind, tension: pulls(l) };
        Outcome::new(self.problem, &self.scaling, l.len(), l, details)
    }

    /// The outcome of a sequence: elastic, or between it and the projection.
    fn outcome(&self, sequence: Vec<usize>, kind: Kind) -> Outcome {
        let (u, total) = self.reflections.follow(&sequence);
        let r = self.restitution;
        let l: Vec<f64> = total.iter().zip(&self.projection).map(|(e, p)| r * e + (1.0 - r) * p).collect();
        let mut outcome = self.new_outcome(&l, kind);
        if outcome.status == Status::Terminated && !self.reflections.feasible(&u) {
            outcome.status = Status::StepLimit;
        }
        let before = self.problem.kinetic_energy(self.problem.velocity().as_slice());
        let plastic = if r < 1.0 { self.projected().kinetic_energy } else { before };
        let lost = (outcome.kinetic_energy - plastic - r * r * (before - plastic)).abs();
        let approach = self.rates(&outcome).iter().fold(0.0, |worst: f64, u| worst.max(-u));
        let approach = if outcome.status == Status::Terminated { approach } else { 0.0 };
        let residual = approach.max(if before > 0.0 { lost / before } else { 0.0 });
        Outcome { impacts: sequence.len(), sequence, residual, ..outcome }
    }

    fn projected(&self) -> Outcome {
        let outcome = self.new_outcome(&self.projection, Kind::PlasticProjection);
        let nothing = self.projection.iter().all(|&l| l == 0.0);
        let residual = self.rates(&outcome).iter().fold(0.0, |worst: f64, u| worst.max(u.abs()));
        Outcome { impacts: usize::from(!nothing), residual: if nothing { 0.0 } else { residual }, ..outcome }
    }

    fn unilateral(&self) -> Outcome {
        let Reflections { step, start, .. } = &self.reflections;
        let m = start.len();
        let mut l = vec![0.0; m];
        // A monotone problem: Lemke's method solves it.
        Lemke::new(m).solve(|i, j| step.w[i * 2 * m + j], |i| start[i], |_| 1.0, &mut l);
        l.iter_mut().for_each(|l| *l = l.max(0.0));
        let outcome = self.new_outcome(&l, Kind::PlasticUnilateral);
        let gap = |i: usize, u: f64| u.min(l[i] / self.scaling.sigma[i]).abs();
        let gaps = self.rates(&outcome).into_iter().enumerate().map(|(i, u)| gap(i, u));
        let residual = gaps.fold(0.0, f64::max);
        Outcome { impacts: usize::from(l.iter().any(|&l| l > 0.0)), residual, ..outcome }
    }

    /// Normal velocities after the impact (m), over `max|u-|`.
    fn rates(&self, outcome: &Outcome) -> Vec<f64> {
        let normal = self.problem.jacobian().rows(0, self.problem.contact_count());
        let u = normal * DVector::from_column_slice(&outcome.velocity);
        u.iter().map(|u| u / self.scaling.velocity).collect()
    }
}

/// Whether an impulse (m) pulls somewhere, rounding apart.
fn pulls(l: &[f64]) -> bool {
    let size = l.iter().fold(0.0, |size: f64, l| size.max(l.abs()));
    l.iter().any(|&l| l < -1e-9 * size)
}

/// The impulse (m) that brings every contact to rest: without tension where there is such, else the smallest.
///
/// Source: \[SM14\] (11). Deviation: normals may depend on each other; then (10) may have a solution that pushes only
/// although the smallest one pulls.
fn project(reflections: &Reflections) -> Vec<f64> {
    let m = reflections.start.len();
    let w = DMatrix::from_fn(m, m, |i, j| reflections.step.w[i * 2 * m + j]);
    let b = -DVector::from_column_slice(&reflections.start);
    let (l, distance) = cone::nonnegative(&w, &b);
    if distance <= PLASTIC * b.norm() {
        return l.as_slice().to_vec();
    }
    let eigen = w.symmetric_eigen();
    let least = 1e-11 * eigen.eigenvalues.amax();
    let mut l = DVector::zeros(m);
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > least {
            l.axpy(vector.dot(&b) / value, &vector, 1.0);
        }
    }
    l.as_slice().to_vec()
}
