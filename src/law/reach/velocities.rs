//! The contact velocities of a planar problem in independent coordinates, and how impulses change them.

use nalgebra::{DMatrix, DVector};

use super::state::State;
use crate::lcp::{Scaling, StepProblem};
use crate::polyhedra::{Cone, Vector};
use crate::problem::ContactProblem;

/// A contact velocity depends on others if what they do not explain of its entry of `W` is at most this part of it.
const DEPENDENT: f64 = 1e-11;

/// Coefficients of dependent contact velocities are rounded to multiples of this.
const GRAIN: f64 = 1.0 / (1u64 << 44) as f64;

/// The dimensionless contact velocity `u = B y` (2m), normals first, in `r` independent entries `y` of it. All vectors
/// but the impulses are functions of, or points in, the space of `(t, t y)`.
///
/// The Delassus matrix is `W = B W_y B'`, where `W_y` (r,r) is its part for the entries `y`. `W_y`, `B`, friction and `y` before
/// the impact are doubles, and from here on they count as exact.
pub struct Velocities<V> {
    /// `1 + r`, the number of entries of vectors.
    pub entries: usize,
    /// Which entries of `u` are in `y` (r).
    pub basis: Vec<usize>,
    /// The rows of the dimensionless `W` for `y` (r,2m).
    response: DMatrix<f64>,
    /// Friction (m) in the dimensionless problem.
    pub friction: Vec<f64>,
    /// From dimensionless numbers to those of the problem.
    pub scaling: Scaling,
    /// `y` before the impact.
    pub start: V,
    /// The rows of `B` for the normal velocities (m).
    pub normal: Vec<V>,
    /// The rows of `B` for the tangent velocities (m).
    pub tangent: Vec<V>,
    /// The changes of `y` by impulses `(1, -mu)` and `(1, mu)` of each contact (m).
    pub edges: Vec<[V; 2]>,
}

impl<V: Vector> Velocities<V> {
    /// Those of a planar or frictionless problem.
    pub fn new(problem: &ContactProblem) -> Self {
        let (step, scaling, u) =
            StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
        let m = step.contacts;
        let w = DMatrix::from_row_slice(2 * m, 2 * m, &step.w);
        let (basis, rows) = independent(&w);
        let r = basis.len();
        let row = |i: usize| V::new(&[&[0.0][..], &rows.row(i).iter().copied().collect::<Vec<_>>()].concat());
        let edge = |i: usize, mu: f64| {
            let entry = |k: usize| {
                let term = |j: usize| {
                    let w = w[(basis[k], basis[j])];
                    [[w, rows[(i, j)], 1.0], [w, rows[(m + i, j)], mu]]
                };
                (0..r).flat_map(term).collect()
            };
            V::of_sums(&[vec![Vec::new()], (0..r).map(entry).collect()].concat())
        };
        let start: Vec<f64> = basis.iter().map(|i| u[*i]).collect();
        Velocities {
            entries: r + 1,
            start: V::new(&[&[1.0][..], &start].concat()),
            normal: (0..m).map(row).collect(),
            tangent: (m..2 * m).map(row).collect(),
            edges: (0..m).map(|i| [edge(i, -step.mu[i]), edge(i, step.mu[i])]).collect(),
            response: w.select_rows(&basis),
            friction: step.mu,
            basis,
            scaling,
        }
    }

    /// The cone of a point.
    pub fn point(&self, y: &V) -> Cone<V> {
        let mut cone = Cone::origin(self.entries);
        cone.extend(y);
        cone
    }

    /// Generators of the cone of the directions in which `y` moves where the contacts are in these states.
    pub fn directions(&self, states: &[State]) -> Vec<V> {
        let mut cone = Cone::origin(self.entries);
        for (i, state) in states.iter().enumerate() {
            for side in state.sides() {
                cone.extend(&self.edges[i][usize::from(*side > 0.0)]);
            }
        }
        for (state, tangent) in states.iter().zip(&self.tangent) {
            if *state == State::Hold {
                cone.flatten(tangent);
            }
        }
        let lines = cone.lines.iter().flat_map(|line| [line.clone(), line.opposite()]);
        cone.rays.iter().map(|ray| ray.x.clone()).chain(lines).collect()
    }

    /// The change of `y` by the impulse `(1, side)` of a contact, dimensionless.
    pub fn change(&self, (contact, side): (usize, f64)) -> DVector<f64> {
        self.response.column(contact) + side * self.response.column(self.friction.len() + contact)
    }

    /// The point of a ray, as a contact velocity `y` of the problem (r), in m/s.
    pub fn unscaled(&self, ray: &V) -> DVector<f64> {
        let near = ray.near();
        let size = |k: usize| self.scaling.velocity * self.scaling.sigma[self.basis[k]];
        DVector::from_fn(self.entries - 1, |k, _| near[k + 1] / near[0] * size(k))
    }
}

/// Independent rows of a positive semidefinite matrix, in order, by Cholesky's method with pivots; and the coefficients
/// that give all rows from these.
fn independent(w: &DMatrix<f64>) -> (Vec<usize>, DMatrix<f64>) {
    let size = w.nrows();
    let (mut rest, mut basis) = (w.clone(), Vec::new());
    let part = |rest: &DMatrix<f64>, i: usize| if w[(i, i)] > 0.0 { rest[(i, i)] / w[(i, i)] } else { 0.0 };
    loop {
        let others = (0..size).filter(|i| !basis.contains(i));
        let Some(next) = others.max_by(|a, b| part(&rest, *a).total_cmp(&part(&rest, *b))) else { break };
        if part(&rest, next) <= DEPENDENT {
            break;
        }
        let column = rest.column(next) / rest[(next, next)].sqrt();
        rest -= &column * column.transpose();
        basis.push(next);
    }
    basis.sort_unstable();
    let gram = DMatrix::from_fn(basis.len(), basis.len(), |i, j| w[(basis[i], basis[j])]);
    let solver = gram.cholesky();
    let mut rows = DMatrix::zeros(size, basis.len());
    for i in 0..size {
        match (basis.iter().position(|j| *j == i), &solver) {
            (Some(j), _) => rows[(i, j)] = 1.0,
            (None, Some(solver)) => {
                let among = DVector::from_iterator(basis.len(), basis.iter().map(|j| w[(i, *j)]));
                rows.set_row(i, &solver.solve(&among).map(|x| (x / GRAIN).round() * GRAIN).transpose());
            }
            (None, None) => {}
        }
    }
    (basis, rows)
}
