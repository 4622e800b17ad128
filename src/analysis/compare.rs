//! Comparison of the sampled set with the outcomes of every applicable law.

use super::{ExactSet, Reach, SetPlace, Verdict, require_samples};
use crate::bounds::{Apart, BoundKind, apart, covers, is_cheap, kinds};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::outcome::distance::PointSet;
use carom_core::problem::ContactProblem;
use carom_engine::{Engine, Finished, Plan};
use carom_law::{
    AnitescuPotra, ConeComplementarity, ConvexRelaxation, DarbouxKeller, Details, FiniteLaw,
    Limits, Outcome, Plus, Propagative, Sequential,
};

/// Number of held-out samples that measure the spacing of the others.
const HELD_OUT: usize = 256;
/// Distance from the exact set, in units of `|v-|_M`, below which an outcome lies in it.
const ON_SET: f64 = 1e-6;
/// Share of unterminated samples above which no verdict is outside.
const MOST_LOST: f64 = 0.5;

/// The sampled set of a problem, and the outcomes of the laws with finitely many outcomes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Run that sampled the set.
    pub run: Finished,
    /// Samples of the set.
    pub samples: Samples,
    /// Indices of the accepted samples.
    pub accepted: Vec<usize>,
    /// Resolution of the accepted samples, see [`PointSet::resolution`].
    pub resolution: f64,
    /// Distinct outcomes, law by law.
    pub outcomes: Vec<Compared>,
    /// Exact set, if it is quick and proved complete; it then decides on inside.
    pub exact: Option<ExactSet>,
    /// Laws that do not apply to the problem, with reasons.
    pub refused: Vec<(&'static str, Error)>,
}

/// Distinct outcome of a law.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Name of the law.
    pub law: &'static str,
    /// Label of the outcome within its law: `start 0`, `minimal, admissible`.
    pub which: String,
    /// First outcome of the law with this `v+`.
    pub outcome: Outcome<Details>,
    /// Number of the law's outcomes with this `v+`.
    pub times: usize,
    /// Position relative to the samples.
    pub place: SetPlace,
    /// Local spacing of the samples, see [`PointSet::distance`].
    pub spacing: f64,
    /// Half-space proved to separate the set from the outcome, without an exact set.
    pub apart: Option<Apart>,
}

/// Samples the set by `plan`, in memory, and compares it with the outcomes of the laws with
/// finitely many.
///
/// # Errors
/// See [`Engine::sample`]; a set without accepted samples. A law that does not apply is no error:
/// see [`Comparison::refused`].
pub fn compare(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> Result<Comparison> {
    compare_with(engine, problem, plan, &[], Vec::new())
}

/// [`compare`] with further laws, each with a label of its outcomes. Only the laws with the given
/// names are resolved; all laws if no names are given.
///
/// # Errors
/// See [`compare`].
pub fn compare_with(
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
    only: &[&str],
    more: Vec<(String, FiniteLaw)>,
) -> Result<Comparison> {
    let (run, samples) = engine.collect(problem, plan)?;
    require_samples(&run)?;
    let accepted = samples.accepted(run.summary.tolerance().residual);
    let velocities: Vec<f64> =
        accepted.iter().flat_map(|&i| samples.row(&samples.velocity, i)).copied().collect();
    let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)
        .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))?;
    let resolution = set.resolution(HELD_OUT);
    let lost = run.summary.samples - run.summary.terminated();
    let partial = lost as f64 > MOST_LOST * run.summary.samples as f64;
    let seen = |verdict| match verdict {
        Verdict::Outside if partial => Verdict::NotResolved,
        verdict => verdict,
    };
    let of_law = covers(BoundKind::Exact, problem, &plan.law);
    // Without the exact set, samples and proofs decide.
    let soon = || Reach::of(&plan.law, problem).soon(problem).ok().flatten();
    let exact = if of_law { soon() } else { None };
    let exact = exact.filter(ExactSet::is_complete);
    // There may be many outcomes, so only quick proofs run here.
    let proofs = kinds(problem, &plan.law)
        .find(|kind| *kind != BoundKind::Exact && is_cheap(*kind, problem));
    let proofs = proofs.filter(|_| exact.is_none());
    let (mut outcomes, mut refused) = (Vec::new(), Vec::new());
    let mut laws = vec![
        FiniteLaw::AnitescuPotra(AnitescuPotra { facets: plan.law.facets() }),
        FiniteLaw::ConeComplementarity(ConeComplementarity::default()),
        FiniteLaw::ConvexRelaxation(ConvexRelaxation),
        FiniteLaw::Sequential(Sequential::default()),
        FiniteLaw::Propagative(Propagative::default()),
        FiniteLaw::Plus(Plus::default()),
    ];
    if (problem.contact_count(), problem.tangents_per_contact()) == (1, 2) {
        laws.push(FiniteLaw::DarbouxKeller(DarbouxKeller::default()));
    }
    let named = laws.into_iter().map(|law| (None, law));
    let all = named.chain(more.into_iter().map(|(title, law)| (Some(title), law)));
    for (title, law) in all.filter(|(_, law)| only.is_empty() || only.contains(&law.name())) {
        let name = law.name();
        let limits = Limits::until(plan.stop.clone());
        match law.resolve_within(problem, &limits) {
            Err(error) => refused.push((name, error)),
            Ok(resolved) => {
                for number in 0..resolved.distinct() {
                    let all = resolved.outcomes.iter();
                    let same: Vec<_> = all.filter(|outcome| outcome.number == number).collect();
                    let Some(&first) = same.first() else { continue };
                    let place = SetPlace::of(&first.velocity, &set);
                    let apart = match proofs {
                        Some(kind) if place.verdict != Verdict::Inside => {
                            let v = &first.velocity;
                            apart(problem, kind, v, &velocities, ON_SET, &limits)?
                        }
                        _ => None,
                    };
                    let verdict = match &exact {
                        _ if apart.is_some() => Verdict::Outside,
                        Some(exact) if !exact.contains(&first.velocity, ON_SET) => Verdict::Outside,
                        Some(exact) if exact.is_tight() => Verdict::Inside,
                        // An outcome near a set that is not tight may be near no outcome of the
                        // law.
                        Some(_) if place.verdict == Verdict::Inside => Verdict::Inside,
                        Some(_) => Verdict::NotResolved,
                        None => seen(place.verdict),
                    };
                    outcomes.push(Compared {
                        law: name,
                        which: title.clone().unwrap_or_else(|| which(&same)),
                        outcome: first.clone(),
                        times: same.len(),
                        place: SetPlace { verdict, ..place },
                        spacing: set.distance(&first.velocity).1,
                        apart,
                    });
                }
            }
        }
    }
    Ok(Comparison { run, samples, accepted, resolution, outcomes, exact, refused })
}

/// Label of the outcomes with one `v+`.
fn which(same: &[&Outcome<Details>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for outcome in same {
        let name = outcome.details.describe().title();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
