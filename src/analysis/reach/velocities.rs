//! The contact velocities of a planar problem in independent coordinates, and how impulses change
//! them.

mod exact;
mod rounded;

use nalgebra::{DMatrix, DVector};

use super::rationals::Unsolved;
use super::state::State;
use crate::lcp::Scaling;
use crate::polyhedra::{Cone, Vector};
use crate::problem::ContactProblem;

/// Limits are farther out than need be by this factor, for rounding.
const ROUNDED_UP: f64 = 1.000_001;

/// The vectors in which a set is computed: integers, for the numbers of the problem as they are
/// given, or doubles.
pub trait Coordinates: Vector {
    /// The contact velocities of a planar or frictionless problem, while `go_on` says so.
    ///
    /// # Errors
    /// See [`Unsolved`].
    fn velocities(
        problem: &ContactProblem,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved>;
}

/// From a ray to the outcome `v+` (n) whose contact velocity it is.
pub type Outcome<V> = Box<dyn Fn(&V) -> Vec<f64>>;

/// The contact velocity `u = B y` (2m), normals first, in `r` coordinates `y` of the velocities
/// that impulses can lead to. All vectors are functions of, or points in, the space of `(t, t y)`,
/// and count up to positive factors.
///
/// In [`Integers`](crate::polyhedra::Integers) all of them follow without rounding from the
/// problem's `M`, `J`, `mu` and `v`; see [`Rationals`](super::rationals::Rationals). In
/// [`Doubles`](crate::polyhedra::Doubles) `y` are entries of `u`, they are rounded, and rows of the
/// Delassus matrix that others explain up to 1e-11 count as dependent.
pub struct Velocities<V> {
    /// `1 + r`, the number of entries of vectors.
    pub entries: usize,
    /// The change of `y` by each dimensionless impulse (r,2m), rounded.
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
    /// What contains all velocities whose energy is not above that before the impact, `a . x >= 0`.
    pub limits: Vec<V>,
    /// From a ray to `v+`, rounded once where vectors are exact.
    pub outcome: Outcome<V>,
}

/// At least `v-' M v-`, twice the energy before the impact.
fn twice_energy(problem: &ContactProblem) -> f64 {
    let (v, mass) = (problem.velocity(), problem.mass());
    let size = |i: usize, j: usize| (v[i] * mass[(i, j)] * v[j]).abs();
    let n = v.len();
    (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| size(i, j)).sum::<f64>()
        * ROUNDED_UP
}

impl<V: Vector> Velocities<V> {
    /// The cone of a point.
    pub fn point(&self, y: &V) -> Cone<V> {
        let mut cone = Cone::origin(self.entries);
        cone.extend(y);
        cone
    }

    /// A polyhedron that contains all velocities whose energy is not above that before the impact.
    pub fn room(&self) -> Cone<V> {
        let mut room = Cone::space(self.entries);
        room.cut(&V::unit(self.entries, 0));
        self.limits.iter().for_each(|limit| room.cut(limit));
        room
    }

    /// Generators of the cone of the directions in which `y` moves where the contacts are in these
    /// states.
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
}
