//! The explicit map of an impulse step: its critical regions, and the classes of regions with the
//! same solution.

use nalgebra::DMatrix;

use super::interior::interior;
use super::modes::{ModeMap, regular_maps};
use super::step::StepProblem;

/// A cone narrower than this counts as having no interior.
pub(super) const WIDTH: f64 = 1e-9;

/// The solutions of a step problem as a piecewise affine map of `x = (u, c)`, `u` in the range of
/// `W`, as in explicit MPC.
///
/// The critical regions are the cones where regular combinations of contact modes hold
/// ([`regular_maps`]). Regions with the same `u+` (hence the same `v+`) form a *class*: one
/// distinct solution.
#[derive(Clone, Debug)]
pub struct ExplicitMap {
    /// The critical regions with their affine maps; those of one class are neighbours in the list.
    pub regions: Vec<ModeMap>,
    /// The class of each region, from 0 on.
    pub classes: Vec<usize>,
    /// An orthonormal basis (2m,r) of the velocities `u` that occur: the range of `W`.
    pub basis: DMatrix<f64>,
    /// Whether no two regions of different classes are found to overlap: then every step has one
    /// solution, except on a set of measure zero. Only [`ExplicitMap::pruned`] determines it.
    pub unique: bool,
}

impl ExplicitMap {
    /// The map with chosen combinations of modes. Cost: a comparison per pair.
    pub fn of(problem: &StepProblem<f64>, maps: Vec<ModeMap>) -> Self {
        Self::build(problem, maps, false)
    }

    /// The map with only those regions that have interior and where a contact approaches; all other
    /// regions are faces of these. Also determines whether regions overlap. Cost: one small linear
    /// program per combination and contact, and one per pair of cones until two are found to
    /// overlap.
    pub fn pruned(problem: &StepProblem<f64>) -> Self {
        Self::pruned_of(problem, regular_maps(problem))
    }

    /// [`ExplicitMap::pruned`] where the regular combinations of modes are there already.
    pub fn pruned_of(problem: &StepProblem<f64>, maps: Vec<ModeMap>) -> Self {
        Self::build(problem, maps, true)
    }

    fn build(problem: &StepProblem<f64>, maps: Vec<ModeMap>, prune: bool) -> Self {
        let m = problem.contacts;
        let basis = range(&DMatrix::from_row_slice(2 * m, 2 * m, &problem.w));
        let free = basis.ncols();
        let mut lift = DMatrix::zeros(3 * m, free + m);
        lift.view_mut((0, 0), (2 * m, free)).copy_from(&basis);
        lift.view_mut((2 * m, free), (m, m)).fill_with_identity();

        let approaching: Vec<Vec<f64>> = (0..m)
            .map(|i| basis.row(i).iter().map(|x| -x).chain(std::iter::repeat_n(0.0, m)).collect())
            .collect();
        let mut kept: Vec<(ModeMap, Vec<Vec<f64>>, DMatrix<f64>)> = Vec::new();
        let w = DMatrix::from_row_slice(2 * m, 2 * m, &problem.w);
        for map in maps {
            let cone = rows_of(&(&map.conditions * &lift));
            let matters = !prune
                || approaching.iter().any(|row| {
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
                kept.push((map, cone, velocity * &lift));
            }
        }
        let mut classes: Vec<usize> = Vec::new();
        for k in 0..kept.len() {
            let velocity = &kept[k].2;
            let same =
                (0..k).find(|&j| (velocity - &kept[j].2).amax() <= 1e-9 * velocity.amax().max(1.0));
            let class =
                same.map_or_else(|| classes.iter().max().map_or(0, |c| c + 1), |j| classes[j]);
            classes.push(class);
        }
        let disjoint = |a: &[Vec<f64>], b: &[Vec<f64>]| {
            let opposite =
                |x: &Vec<f64>, y: &Vec<f64>| x.iter().zip(y).all(|(x, y)| (x + y).abs() <= 1e-12);
            a.iter().any(|x| b.iter().any(|y| opposite(x, y)))
                || interior(&[a, b].concat(), free).is_some_and(|t| t <= WIDTH)
        };
        let unique = prune
            && (0..kept.len()).all(|k| {
                (0..k).all(|j| classes[j] == classes[k] || disjoint(&kept[j].1, &kept[k].1))
            });
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&k| classes[k]);
        ExplicitMap {
            regions: order.iter().map(|&k| kept[k].0.clone()).collect(),
            classes: order.iter().map(|&k| classes[k]).collect(),
            basis,
            unique,
        }
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

/// The rows of a cone, each with largest entry 1; zero rows hold everywhere and are left out.
fn rows_of(conditions: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let rows = conditions.row_iter().map(|row| (row.amax(), row));
    let rows = rows.filter(|(size, _)| *size > 1e-9);
    rows.map(|(size, row)| row.iter().map(|x| x / size).collect()).collect()
}
