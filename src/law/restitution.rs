//! What a coefficient of restitution means, and which values it may have.

use crate::error::{Error, Result};
use crate::problem::ContactProblem;

/// How the end of the impact is found from its phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// Energies: restitution returns `e^2` of the work of compression.
    #[default]
    Stronge,
    /// Impulses: that of restitution is `e` times that of compression.
    Poisson,
    /// Velocities: the last is `-e` times the first.
    Newton,
}

impl Hypothesis {
    /// Every hypothesis.
    pub const ALL: [Hypothesis; 3] = [Hypothesis::Stronge, Hypothesis::Poisson, Hypothesis::Newton];

    /// The name that the command line and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Stronge => "stronge",
            Hypothesis::Poisson => "poisson",
            Hypothesis::Newton => "newton",
        }
    }
}

/// Refuses a coefficient of restitution outside [0, 1].
///
/// # Errors
/// A usage error at `restitution`.
pub fn require_coefficient(e: f64) -> Result<f64> {
    match (0.0..=1.0).contains(&e) {
        true => Ok(e),
        false => {
            Err(Error::usage(format!("a coefficient of restitution lies in [0, 1], found {e}"))
                .at("restitution"))
        }
    }
}

/// Refuses coefficients of restitution above 0.
pub(super) fn require_inelastic(problem: &ContactProblem, law: &str) -> Result<()> {
    match problem.restitution().and_then(|e| e.iter().position(|&e| e > 0.0)) {
        None => Ok(()),
        Some(i) => {
            Err(Error::input(format!("the law `{law}` is inelastic; it cannot honour a restitution above 0"))
                .at(format!("restitution[{i}]"))
                .hint("set it to 0, leave `restitution` out, or pass --restitution 0"))
        }
    }
}
