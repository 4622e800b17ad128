//! Proved upper bounds on linear functions and costs of the velocity after an impact.
//!
//! For a direction `c` (n) a bound limits `c.v+` from above for every outcome of the law. Samples
//! show only a part of the outcomes.

mod aim;
mod apart;
mod branch;
pub mod certified;
pub mod cone;
mod conic;
mod cost;
mod cost_bound;
mod exact;
mod kind;
mod outline;
pub mod proof;
pub(crate) mod rounding;
mod simplices;
pub mod whitened;

pub use aim::Aim;
pub use apart::{Apart, apart};
pub use carom_core::cones::conic::Limits;
pub use certified::certified;
pub use conic::conic;
pub use cost::Cost;
pub use cost_bound::{bound_cost, bound_cost_until, most_cost};
pub use exact::exact;
pub use kind::{Bound, BoundKind, WRONG};

use super::reach::Reach;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, Uncertainty};
use carom_law::{Hypothesis, Law, ProcessKind};
pub use whitened::energy;

/// Whether a problem has a quick bound of this kind for a law. The exact bound of three contacts
/// and the certified bound of three spatial contacts may take long.
pub fn applies(kind: BoundKind, problem: &ContactProblem, law: &Law) -> bool {
    match kind {
        BoundKind::Exact | BoundKind::Enclosure => {
            !ranges(problem) && Reach::of(law, problem).ends_soon(problem)
        }
        BoundKind::Certified => certified::ends_soon(problem),
        BoundKind::Conic => true,
    }
}

/// Whether a bound of this kind holds for all problems that a law may draw from the uncertainty.
pub fn covers(kind: BoundKind, problem: &ContactProblem, law: &Law) -> bool {
    uncovered(kind, problem, law).is_none()
}

/// Reason why a bound of this kind does not hold for a law on a problem, or `None`. Every interface
/// asks this before it returns a bound. Steps may leave the reachable set of the law without steps.
/// Facets may leave circular cones. Reflections made plastic may pull.
pub fn uncovered(kind: BoundKind, problem: &ContactProblem, law: &Law) -> Option<Error> {
    let only = |what: &str| Some(Error::usage(format!("proofs hold for {what}")));
    let narrow = |what: &str| {
        let error = Error::usage(format!("proofs of the kind `{}` hold for {what}", kind.name()));
        Some(error.hint(kind.excludes()))
    };
    if let Some(name) = beyond(problem.uncertainty()) {
        return only(&format!(
            "certain numbers and for ranges of friction and restitution, and `{name}` is uncertain"
        ));
    }
    match law.hypothesis_on(problem) {
        Some(Hypothesis::Newton) => {
            return only("laws that add no energy, and Newton's restitution may");
        }
        Some(Hypothesis::Poisson) if kind != BoundKind::Exact => {
            return narrow("laws that add no energy, and Poisson's restitution may");
        }
        _ => {}
    }
    let name = law.name();
    match law.process_on(problem) {
        ProcessKind::Events | ProcessKind::Inclusion => None,
        ProcessKind::Plain(_) => only(&format!("laws that add no energy, and `{name}` may")),
        _ if matches!(law, Law::Propagative(_)) => {
            only(&format!("laws that push within the friction cones, and `{name}` may pull"))
        }
        _ if law.facets().is_some() => only("circular friction cones, and facets may leave them"),
        _ if kind != BoundKind::Conic => {
            narrow("the law of Routh without steps, and these samples are of another")
        }
        _ => None,
    }
}

/// Kinds of quick bounds that hold for a law on a problem, strongest first.
pub fn kinds(problem: &ContactProblem, law: &Law) -> impl Iterator<Item = BoundKind> {
    let all = BoundKind::ALL.into_iter();
    all.filter(move |kind| applies(*kind, problem, law) && covers(*kind, problem, law))
}

/// Whether a bound of this kind takes milliseconds; other bounds may take seconds.
pub fn is_cheap(kind: BoundKind, problem: &ContactProblem) -> bool {
    kind == BoundKind::Conic || problem.contact_count() == 1 || Reach::default().ends_soon(problem)
}

/// Key of an uncertain number other than friction and restitution.
fn beyond(uncertainty: &Uncertainty) -> Option<&'static str> {
    let Uncertainty { inertia, noise, gap, late, inset, shift, attitude, slope, .. } = uncertainty;
    let all = [
        ("inertia", !inertia.is_empty()),
        ("noise", *noise > 0.0),
        ("gap", gap.is_some()),
        ("late", late.is_some()),
        ("inset", *inset != [0.0; 2]),
        ("shift", *shift > 0.0),
        ("attitude", *attitude > 0.0),
        ("slope", !slope.is_empty()),
    ];
    all.into_iter().find(|(_, uncertain)| *uncertain).map(|(name, _)| name)
}

/// Uncertainty covered by bounds: friction and restitution.
pub fn covered(uncertainty: &Uncertainty) -> Uncertainty {
    let Uncertainty { friction, restitution, .. } = uncertainty.clone();
    Uncertainty { friction, restitution, ..Uncertainty::default() }
}

/// Whether friction or restitution is uncertain.
pub fn ranges(problem: &ContactProblem) -> bool {
    let uncertain = problem.uncertainty();
    !(uncertain.friction.is_empty() && uncertain.restitution.is_empty())
}

/// Bound of a kind on `c.v+`, for a direction `c` (n). The bound holds for all friction and
/// restitution in the problem's ranges, independently at each contact and each moment. Other
/// uncertain numbers have their nominal values.
///
/// # Errors
/// See [`check_direction`]; a kind that does not apply to the problem, for example `exact` with
/// uncertain friction or restitution; an uncertain pose.
pub fn bound(problem: &ContactProblem, c: &[f64], kind: BoundKind) -> Result<Bound> {
    bound_until(problem, c, kind, &Limits::default())
}

/// [`bound`], or an error once the stop flag is raised; solvers and proofs poll the flag.
pub fn bound_until(
    problem: &ContactProblem,
    c: &[f64],
    kind: BoundKind,
    limits: &Limits,
) -> Result<Bound> {
    let bound = bound_so_far(problem, c, kind, limits)?;
    if limits.stopped() { Err(Error::interrupted()) } else { Ok(bound) }
}

/// [`bound_until`], but a raised flag returns the best bound so far. In that case a certified bound
/// is at most the conic one. A conic bound may be wider and unproved. The exact kind returns an
/// error.
pub fn bound_so_far(
    problem: &ContactProblem,
    c: &[f64],
    kind: BoundKind,
    limits: &Limits,
) -> Result<Bound> {
    check_direction(problem, c)?;
    problem.refuse_pose("bounds are those of")?;
    let bound = match kind {
        BoundKind::Conic => conic(&certified::widest(problem)?.0, c, limits),
        BoundKind::Certified => certified(problem, c, limits)?,
        BoundKind::Exact | BoundKind::Enclosure => exact(problem, c, &Reach::default(), limits)?,
    };
    // Energy gives `c.v+ >= -most`; a smaller bound is wrong.
    let most = energy(problem, c);
    Ok(bound.unless_passed(-most, WRONG * most))
}

/// Checks that `c` is a direction of velocities of the problem.
///
/// # Errors
/// A length other than n, an entry that is not finite, a zero vector, entries too large or too
/// small to compute with.
pub fn check_direction(problem: &ContactProblem, c: &[f64]) -> Result<()> {
    let (n, names) = (problem.coordinate_count(), problem.coordinates().join(", "));
    let wrong = |what: String| Error::usage(what).option("direction");
    if c.len() != n {
        return Err(wrong(format!("{} numbers for {n} coordinates", c.len())).hint(format!(
            "give one number for each of {names}, or some by name: \"{}=1\"",
            problem.coordinates()[0]
        )));
    }
    if let Some(x) = c.iter().find(|x| !x.is_finite()) {
        let error = wrong(format!("{x} is no finite number"));
        return Err(error.hint("a direction has finite numbers"));
    }
    let largest = c.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 {
        return Err(wrong("all numbers are 0, which is no direction".to_string())
            .hint(format!("the coordinates are {names}")));
    }
    if !(1e-100..1e100).contains(&largest) {
        return Err(wrong(format!("the largest number is {largest:e}; expected 1e-100 to 1e100"))
            .hint("only the direction matters: scale the numbers"));
    }
    Ok(())
}
