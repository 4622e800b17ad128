//! Bounds that are proved: how far an impact can go in a direction of velocities, at most.
//!
//! A direction `c` (n) asks for the largest `c.v+`. Samples of a law reach some of it; a bound says what cannot be reached.

pub mod certified;
pub mod cone;
mod conic;
pub mod program;
pub mod proof;
pub mod rounding;
pub mod whitened;

pub use certified::certified;
pub use conic::conic;

use crate::error::{Error, Result};
use crate::problem::ContactProblem;

/// What a bound holds for, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// For the planar inelastic law with any order of impulses, and attained.
    Exact,
    /// For the planar inelastic law with any order of impulses.
    Certified,
    /// For every law that pushes within the friction cones and adds no energy.
    Conic,
}

impl BoundKind {
    /// All kinds.
    pub const ALL: [BoundKind; 3] = [BoundKind::Exact, BoundKind::Certified, BoundKind::Conic];

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            BoundKind::Exact => "exact",
            BoundKind::Certified => "certified",
            BoundKind::Conic => "conic",
        }
    }

    /// Whether there is such a bound for a problem.
    pub fn applies(self, problem: &ContactProblem) -> bool {
        match self {
            BoundKind::Exact => false,
            BoundKind::Certified => certified::refusal(problem).is_none(),
            BoundKind::Conic => true,
        }
    }

    /// What exceeds the bound, and what may.
    pub fn excludes(self) -> &'static str {
        match self {
            BoundKind::Exact | BoundKind::Certified => {
                "no order of impulses of the planar inelastic law exceeds it"
            }
            BoundKind::Conic => {
                "no law exceeds it that pushes within the friction cones, adds no energy and ends when no contact approaches, \
                 with or without restitution; laws that add energy may"
            }
        }
    }
}

/// A number that `c.v+` does not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// What it holds for.
    pub kind: BoundKind,
    /// The number, in the units of `c.v`.
    pub value: f64,
    /// Whether the number is proved, rounding included; otherwise it is the solver's.
    pub certified: bool,
}

/// The bound of `c.v+` of a kind, for a direction `c` (n). Uncertain numbers are taken as they are given.
///
/// # Errors
/// Those of [`check_direction`]; a kind that does not apply to the problem.
pub fn bound(problem: &ContactProblem, c: &[f64], kind: BoundKind) -> Result<Bound> {
    check_direction(problem, c)?;
    match kind {
        BoundKind::Conic => Ok(conic(problem, c)),
        BoundKind::Certified => certified(problem, c),
        BoundKind::Exact => Err(Error::usage(format!("there is no bound of the kind `{}` yet", kind.name()))
            .at("--kind")
            .hint("take `certified`, which holds for the same law, or `conic`")),
    }
}

/// Checks that `c` is a direction of velocities of the problem.
///
/// # Errors
/// Not n numbers, one that is not finite, all of them zero, numbers too large or too small to compute with.
pub fn check_direction(problem: &ContactProblem, c: &[f64]) -> Result<()> {
    let (n, names) = (problem.coordinate_count(), problem.coordinates().join(", "));
    let wrong = |what: String| Error::usage(what).at("--direction");
    if c.len() != n {
        return Err(wrong(format!("{} numbers for {n} coordinates", c.len())).hint(format!(
            "give one number for each of {names}, or some by name: \"{}=1\"",
            problem.coordinates()[0]
        )));
    }
    if let Some(x) = c.iter().find(|x| !x.is_finite()) {
        return Err(wrong(format!("{x} is no finite number")).hint("a direction has finite numbers"));
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
