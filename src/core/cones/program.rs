//! The convex program of impulses in friction cones.

use nalgebra::{DMatrix, DVector};

use super::conic::{ConicProgram, ConicRow};
use super::space::ConeSpace;
use crate::Limits;

/// Regularisation added to the diagonal of `W`, whose entries are 1.
const SOFT: f64 = 1e-9;

/// The impulse (K) that minimises `1/2 L' W L + u' L + sum_i gap_i ln_i` over the friction cones,
/// by the solver Clarabel; `None` without a result, or if the flag is raised. `gap` (m) adds to
/// normal velocities. Dimensionless.
///
/// [`SOFT`] on the diagonal of `W` keeps opposing impulses finite. The solver's variables are `ln
/// max(1, mu)` and `lt max(1, 1 / mu)`, whose cone is the same for every `mu`; a contact without
/// friction has no `lt`.
pub fn minimise(space: &ConeSpace, gap: &[f64], limits: &Limits) -> Option<DVector<f64>> {
    let m = space.contacts();
    // The rows of L among the variables, and the ratio of L to the variable.
    let mut variables: Vec<(usize, f64)> = Vec::new();
    let mut cones: Vec<Vec<usize>> = Vec::new();
    for (i, &mu) in space.mu.iter().enumerate() {
        let first = variables.len();
        let scale = |row: usize| if row < m { 1.0 / mu.max(1.0) } else { mu.min(1.0) };
        let rubbing = |row: &usize| *row < m || mu > 0.0;
        variables.extend(space.rows(i).filter(rubbing).map(|row| (row, scale(row))));
        cones.push((first..variables.len()).collect());
    }
    let n = variables.len();
    let linear = |(row, scale): &(usize, f64)| {
        scale * (space.u[*row] + gap.get(*row).copied().unwrap_or(0.0))
    };
    let mut program = ConicProgram::minimise(variables.iter().map(linear).collect(), limits);
    program.quadratic(DMatrix::from_fn(n, n, |i, j| {
        let ((a, x), (b, y)) = (variables[i], variables[j]);
        x * y * (space.w[(a, b)] + if a == b { SOFT } else { 0.0 })
    }));
    for cone in cones {
        let rows: Vec<ConicRow> = cone.iter().map(|&j| (vec![(j, -1.0)], 0.0)).collect();
        if rows.len() == 1 { program.nonnegative(rows) } else { program.round(rows) }
    }
    let found = program.solve()?.x;
    let mut l = DVector::zeros(space.u.len());
    variables.iter().zip(found).for_each(|(&(row, scale), x)| l[row] = scale * x);
    Some(l)
}
