//! The exact bound: the support of the exact set.

use super::kind::{Bound, BoundKind};
use crate::error::Result;
use crate::law::reach::Reach;
use crate::problem::ContactProblem;

/// Most contacts of a problem whose exact set always ends soon.
pub const MOST_CONTACTS: usize = 2;

/// Vertices are rounded by less than this, over `|c|` times the speed, both in the kinetic metric.
const ROUNDING: f64 = 1e-12;

/// The largest `c.v+` of the exact set, and attained but for rounding; proved where the set is.
///
/// # Errors
/// Those of [`Reach::set`].
pub fn exact(problem: &ContactProblem, c: &[f64]) -> Result<Bound> {
    let set = Reach { describe: false, ..Reach::default() }.set(problem)?;
    let (value, _) = set.support(c);
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let c = nalgebra::DVector::from_column_slice(c);
    let dual = problem.mass().clone().cholesky().map_or(f64::INFINITY, |mass| c.dot(&mass.solve(&c)).sqrt());
    Ok(Bound { kind: BoundKind::Exact, value: value + ROUNDING * dual * speed, certified: set.is_complete() })
}
