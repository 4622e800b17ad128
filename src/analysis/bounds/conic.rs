use nalgebra::DVector;

use super::proof::{length, upper};
use super::whitened::Whitened;
use super::{Bound, BoundKind, cone};
use carom_core::cones::conic::{ConicProgram, Limits};
use carom_core::problem::ContactProblem;

/// Maximum of `c.v+` over all velocities `v+ = v- + M^-1 J' L` after an impact with
///
/// ```text
/// |Lt_i| <= mu_i Ln_i,    |v+|_M <= |v-|_M,    Jn v+ >= 0
/// ```
///
/// The bound holds for any law that pushes within the friction cones, gains no energy, and ends
/// when no contact approaches: in the plane and in space, with restitution, in any order. `c` (n)
/// has the units that make `c.v` the quantity of interest. Method: the dual second-order cone
/// program in coordinates in which the kinetic metric is Euclidean. By weak duality its solution is
/// a certificate, which [`upper`] evaluates. Guarantee: if `certified` is true, the value is a
/// bound whatever the solver did. If impulses can cancel each other, for example between two walls,
/// rounding cannot be told from an impulse, and the value is not proved. The value never exceeds
/// `|c|_{M^-1} |v-|_M`. A raised flag may widen the bound.
pub fn conic(problem: &ContactProblem, c: &[f64], limits: &Limits) -> Bound {
    let (value, certified) = match Whitened::new(problem) {
        Some(space) => bounded(problem, &space, c, limits),
        None => (f64::INFINITY, false),
    };
    Bound::new(BoundKind::Conic, value, certified)
}

fn bounded(problem: &ContactProblem, space: &Whitened, c: &[f64], limits: &Limits) -> (f64, bool) {
    let (n, m) = (problem.coordinate_count(), problem.contact_count());
    // The bound from energy alone.
    let energy = upper(problem, space, c, &DVector::zeros(n), &vec![0.0; m], None);
    if length(problem.mass(), problem.velocity()) <= f64::MIN_POSITIVE {
        return energy;
    }
    let Some((x, p)) = certificate(space, c, limits) else { return energy };
    let found = upper(problem, space, c, &x, &p, None);
    let pointing = || cone::pointing(space, |i| space.cone.size[i], limits);
    let found = if found.1 { found } else { upper(problem, space, c, &x, &p, pointing().as_ref()) };
    if found.0 <= energy.0 { found } else { energy }
}

/// Solver's dual solution: velocity `x` and multipliers `p` (m) of the best bound.
///
/// ```text
/// minimise y-.z + t  subject to  |d - z + N' p| <= t,  p >= 0,  z falls along every impulse
/// ```
fn certificate(space: &Whitened, c: &[f64], limits: &Limits) -> Option<(DVector<f64>, Vec<f64>)> {
    let d = space.direction(c)?;
    let size = d.norm();
    if !(size.is_finite() && size > 0.0) {
        return None;
    }
    let (n, m) = (space.dimension(), space.cone.normal.len());
    let objective = space.before.iter().copied().chain(vec![0.0; m]).chain([1.0]).collect();
    let lengths: Vec<f64> = space.cone.normal.iter().map(DVector::norm).collect();
    let mut program = ConicProgram::minimise(objective, limits);
    let rest = (0..n).map(|k| {
        let weights = (0..m).map(|i| (n + i, -space.cone.normal[i][k] / lengths[i]));
        (std::iter::once((k, 1.0)).chain(weights).collect(), d[k] / size)
    });
    program.round(std::iter::once((vec![(n + m, -1.0)], 0.0)).chain(rest).collect());
    program.nonnegative((0..m).map(|i| (vec![(n + i, -1.0)], 0.0)).collect());
    cone::falls(&mut program, &space.cone, |_| 0.0, 0);
    let found = program.solve()?.x;
    let x = space.velocity(&found[..n])? * size;
    let p = (0..m).map(|i| found[n + i] * size / (lengths[i] * space.cone.size[i])).collect();
    Some((x, p))
}
