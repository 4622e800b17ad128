//! Dual cone: linear functions that rise (or fall) along every impulse of the friction cones.

use nalgebra::DVector;

use super::rounding::{Sum, up};
use super::whitened::{Cones, Whitened};
use carom_core::cones::conic::{ConicProgram, ConicRow, Limits};
use carom_core::problem::ContactProblem;

/// Constraint `b_i.z + |T_i' z| <= slack_i s` for every contact, where `s` is the variable `at`.
/// With `slack` 0, `z` falls along every impulse. `z` are the first n variables.
pub fn falls(program: &mut ConicProgram, cones: &Cones, slack: impl Fn(usize) -> f64, at: usize) {
    let entries = |row: &DVector<f64>, sign: f64| {
        row.iter().map(|x| sign * x).enumerate().collect::<Vec<_>>()
    };
    for (i, (normal, tangents)) in cones.normal.iter().zip(&cones.tangents).enumerate() {
        let head = |row: &DVector<f64>| -> ConicRow {
            let mut entries = entries(row, 1.0);
            entries.push((at, -slack(i)));
            (entries, 0.0)
        };
        match &tangents[..] {
            [] => program.nonnegative(vec![head(normal)]),
            [tangent] => {
                program.nonnegative(vec![head(&(normal + tangent)), head(&(normal - tangent))])
            }
            _ => {
                let rest = tangents.iter().map(|tangent| (entries(tangent, 1.0), 0.0));
                program.round(std::iter::once(head(normal)).chain(rest).collect());
            }
        }
    }
}

/// Velocity `r` whose product with every impulse is positive, with the maximum margin; `None` if no
/// such velocity exists. If it exists, the friction cone is pointed (\[HP23\] Assumption 2).
///
/// ```text
/// maximise e  subject to  Jn_i r - mu_i |Jt_i r| >= e weight_i  for all i,  |r|_M <= 1
/// ```
///
/// The margin is not checked here. `None` also if the solver fails or the flag is raised.
pub fn pointing(
    space: &Whitened,
    weight: impl Fn(usize) -> f64,
    limits: &Limits,
) -> Option<DVector<f64>> {
    let n = space.dimension();
    let mut objective = vec![0.0; n + 1];
    objective[n] = 1.0;
    // The variables are z = -C' r and s = -e.
    let mut program = ConicProgram::minimise(objective, limits);
    falls(&mut program, &space.cone, |i| weight(i) / space.cone.size[i], n);
    let ball = (0..n).map(|k| (vec![(k, 1.0)], 0.0));
    program.round(std::iter::once((Vec::new(), 1.0)).chain(ball).collect());
    let z: Vec<f64> = program.solve()?.x[..n].iter().map(|z| -z).collect();
    space.velocity(&z)
}

/// Maximum rise of a velocity `x` along the impulses of contact i, per unit of normal impulse:
/// `Jn_i x + mu_i |Jt_i x|`. Sums are rounded up.
pub fn rise(problem: &ContactProblem, i: usize, x: &DVector<f64>) -> f64 {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let row = |k: usize| Sum::of(problem.jacobian().row(k).iter().zip(x.iter()));
    let square: f64 = (0..d).map(|a| row(m + d * i + a).most_absolute().powi(2)).sum();
    up(row(i).most() + up(problem.friction()[i] * square.sqrt()))
}
