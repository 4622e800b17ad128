//! The explicit solution of an impulse step: its critical regions, and whether they overlap.

use nalgebra::DMatrix;

use super::interior::interior;
use super::modes::{ModeMap, regular_maps};
use super::step::StepProblem;

/// Width of a cone below which it counts as without interior.
const WIDTH: f64 = 1e-9;

/// The solutions of a step problem as a piecewise affine map of `x = (u, c)`, `u` in the range of
/// `W`, as in explicit MPC.
///
/// The critical regions are the cones of regular combinations of contact modes ([`regular_maps`])
/// that have interior and an approaching contact. All other cones are faces of critical regions.
#[derive(Clone, Debug)]
pub struct ExplicitMap {
    /// The critical regions with their affine maps.
    pub regions: Vec<ModeMap>,
    /// Whether no two regions with different `u+` (hence different `v+`) are found to overlap: then
    /// every step has one solution, except on a set of measure zero.
    pub unique: bool,
}

impl ExplicitMap {
    /// The map of a step problem. Cost: one small linear program per combination and contact, and
    /// one per pair of cones until two are found to overlap.
    pub fn pruned(problem: &StepProblem<f64>) -> Self {
        let m = problem.contacts;
        let w = DMatrix::from_row_slice(2 * m, 2 * m, &problem.w);
        let basis = range(&w);
        let free = basis.ncols();
        let mut lift = DMatrix::zeros(3 * m, free + m);
        lift.view_mut((0, 0), (2 * m, free)).copy_from(&basis);
        lift.view_mut((2 * m, free), (m, m)).fill_with_identity();

        let approaching: Vec<Vec<f64>> = (0..m)
            .map(|i| basis.row(i).iter().map(|x| -x).chain(std::iter::repeat_n(0.0, m)).collect())
            .collect();
        let mut regions = Vec::new();
        let mut kept: Vec<(Vec<Vec<f64>>, DMatrix<f64>)> = Vec::new();
        for map in regular_maps(problem) {
            let cone = rows_of(&(&map.conditions * &lift));
            let matters = approaching.iter().any(|row| {
                let rows: Vec<Vec<f64>> = cone.iter().chain([row]).cloned().collect();
                interior(&rows, free).is_none_or(|t| t > WIDTH)
            });
            if matters {
                let mut velocity = &w * &map.impulse;
                velocity
                    .view_mut((0, 0), (2 * m, 2 * m))
                    .iter_mut()
                    .step_by(2 * m + 1)
                    .for_each(|x| *x += 1.0);
                kept.push((cone, velocity * &lift));
                regions.push(map);
            }
        }
        let same = |a: &DMatrix<f64>, b: &DMatrix<f64>| (a - b).amax() <= 1e-9 * a.amax().max(1.0);
        let disjoint = |a: &[Vec<f64>], b: &[Vec<f64>]| {
            let opposite =
                |x: &Vec<f64>, y: &Vec<f64>| x.iter().zip(y).all(|(x, y)| (x + y).abs() <= 1e-12);
            a.iter().any(|x| b.iter().any(|y| opposite(x, y)))
                || interior(&[a, b].concat(), free).is_some_and(|t| t <= WIDTH)
        };
        let unique = kept.iter().enumerate().all(|(k, (cone, velocity))| {
            kept[..k].iter().all(|(other, u)| same(velocity, u) || disjoint(other, cone))
        });
        ExplicitMap { regions, unique }
    }
}

/// An orthonormal basis (2m,r) of the range of a symmetric positive semidefinite matrix.
fn range(w: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = w.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let large = (0..w.nrows()).filter(|&i| eigen.eigenvalues[i] > 1e-10 * largest);
    let columns: Vec<_> = large.map(|i| eigen.eigenvectors.column(i).into_owned()).collect();
    if columns.is_empty() { DMatrix::zeros(w.nrows(), 0) } else { DMatrix::from_columns(&columns) }
}

/// The rows of a cone, each with largest entry 1; zero rows always hold and are left out.
fn rows_of(conditions: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let rows = conditions.row_iter().map(|row| (row.amax(), row));
    let rows = rows.filter(|(size, _)| *size > 1e-9);
    rows.map(|(size, row)| row.iter().map(|x| x / size).collect()).collect()
}
