//! Bounds that are proved: how far an impact can go in a direction of velocities, at most.
//!
//! A direction `c` (n) asks for the largest `c.v+`. Samples show a part of what a law can reach; a
//! bound says what it cannot.

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

/// Whether a problem has a bound of this kind that takes little time, for a law: the exact one of
/// three contacts and the certified one of three in space may take long.
pub fn applies(kind: BoundKind, problem: &ContactProblem, law: &Law) -> bool {
    match kind {
        BoundKind::Exact | BoundKind::Enclosure => {
            !ranges(problem) && Reach::of(law, problem).ends_soon(problem)
        }
        BoundKind::Certified => certified::ends_soon(problem),
        BoundKind::Conic => true,
    }
}

/// Whether a bound of this kind holds for all that a law may draw on an uncertain problem.
pub fn covers(kind: BoundKind, problem: &ContactProblem, law: &Law) -> bool {
    uncovered(kind, problem, law).is_none()
}

/// Why no bound of this kind holds for all that a law may draw on a problem, if so. Every interface
/// asks this before it gives a bound. Steps may leave what the law without steps reaches, facets
/// may leave round cones, and reflections that are made plastic may pull.
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

/// The kinds of bounds that take little time on a problem and hold for a law, the strongest first.
pub fn kinds(problem: &ContactProblem, law: &Law) -> impl Iterator<Item = BoundKind> {
    let all = BoundKind::ALL.into_iter();
    all.filter(move |kind| applies(*kind, problem, law) && covers(*kind, problem, law))
}

/// Whether a bound of this kind takes milliseconds; others may take seconds.
pub fn is_cheap(kind: BoundKind, problem: &ContactProblem) -> bool {
    kind == BoundKind::Conic || problem.contact_count() == 1 || Reach::default().ends_soon(problem)
}

/// An uncertain number other than friction and restitution, by its key.
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

/// What is uncertain of a problem and bounds hold for all of it: friction and restitution.
pub fn covered(uncertainty: &Uncertainty) -> Uncertainty {
    let Uncertainty { friction, restitution, .. } = uncertainty.clone();
    Uncertainty { friction, restitution, ..Uncertainty::default() }
}

/// Whether friction or restitution is uncertain.
pub fn ranges(problem: &ContactProblem) -> bool {
    let uncertain = problem.uncertainty();
    !(uncertain.friction.is_empty() && uncertain.restitution.is_empty())
}

/// The bound of `c.v+` of this kind, for a direction `c` (n). It holds for all friction and
/// restitution in the ranges of the problem, of each contact and at each moment; other uncertain
/// numbers have their given values.
///
/// # Errors
/// Those of [`check_direction`]; a kind that does not apply to the problem, as `exact` does not
/// where friction or restitution is uncertain; an uncertain pose.
pub fn bound(problem: &ContactProblem, c: &[f64], kind: BoundKind) -> Result<Bound> {
    bound_until(problem, c, kind, &Limits::default())
}

/// [`bound`], unless the flag is raised, which solvers and proofs read again and again.
pub fn bound_until(
    problem: &ContactProblem,
    c: &[f64],
    kind: BoundKind,
    limits: &Limits,
) -> Result<Bound> {
    let bound = bound_so_far(problem, c, kind, limits)?;
    if limits.stopped() { Err(Error::interrupted()) } else { Ok(bound) }
}

/// [`bound_until`], or the best bound that was found when the flag was raised: of the certified
/// kind no larger than the conic one; of the conic kind a wider one, which may not be proved. The
/// exact kind has none then.
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
    // Energy allows at least the velocities that an impact can reach.
    let most = energy(problem, c);
    Ok(bound.unless_passed(-most, WRONG * most))
}

/// Checks that `c` is a direction of velocities of the problem.
///
/// # Errors
/// Not n numbers, one that is not finite, all of them zero, numbers too large or too small to
/// compute with.
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
