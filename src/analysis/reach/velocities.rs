mod exact;
mod rounded;

use super::contact::{Contact, Numbers, Sums};
use super::rationals::Unsolved;
use carom_core::lcp::Facets;
use carom_core::polyhedra::{Cone, Vector};
use carom_core::problem::ContactProblem;

/// Relative margin of energy limits, against rounding.
const ROUNDED_UP: f64 = 1.000_001;

/// Number type of the polyhedra: exact integers or doubles.
pub trait Coordinates: Vector {
    /// Contact velocities of a problem; in space with the cones of `facets`. `go_on` returns false
    /// to stop.
    fn velocities(
        problem: &ContactProblem,
        facets: Option<&Facets>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved>;
}

/// Maps a ray to the outcome `v+` (n) with this contact velocity.
pub type Outcome<V> = Box<dyn Fn(&V) -> Vec<f64>>;

/// Contact velocity `u = B y` (K), normals first, in `r` coordinates `y` of the reachable affine
/// subspace, and stored impulses `S`. All vectors are points `(t, t y, t S)` or linear functions on
/// this space, up to positive factors.
///
/// In [`Integers`](carom_core::polyhedra::Integers) all vectors follow without rounding from the
/// problem's `M`, `J`, `mu`, `e` and `v`; see [`Rationals`](super::rationals::Rationals). In
/// [`Doubles`](carom_core::polyhedra::Doubles) `y` are entries of `u`, vectors are rounded, and
/// Delassus rows with a relative residual up to 1e-11 count as dependent.
pub struct Velocities<V> {
    /// Length of the vectors: 1 + r coordinates + stored impulses.
    pub entries: usize,
    pub start: V,
    /// Rows of `B` for the normal velocities (m).
    pub normal: Vec<V>,
    /// Rows of `B` for the tangential velocities (d m).
    pub tangent: Vec<V>,
    pub contacts: Vec<Contact<V>>,
    /// Energy limits `a . x >= 0` on velocities; empty where motions may gain energy.
    pub limits: Vec<V>,
    /// Unit of impulse in N s.
    pub impulse: f64,
    /// Maps a ray to `v+`; in exact arithmetic rounded once.
    pub outcome: Outcome<V>,
}

/// Upper bound on `v-' M v-`, twice the kinetic energy before the impact.
fn twice_energy(problem: &ContactProblem) -> f64 {
    let (v, mass) = (problem.velocity(), problem.mass());
    let size = |i: usize, j: usize| (v[i] * mass[(i, j)] * v[j]).abs();
    let n = v.len();
    (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| size(i, j)).sum::<f64>()
        * ROUNDED_UP
}

pub fn stores(problem: &ContactProblem) -> usize {
    problem.restitution().map_or(0, |e| e.iter().filter(|e| **e > 0.0).count())
}

fn contacts<V: Vector>(
    problem: &ContactProblem,
    facets: Option<&Facets>,
    sums: &impl Sums<V>,
) -> Vec<Contact<V>> {
    let (m, axes) = (problem.contact_count(), problem.tangents_per_contact());
    let e = |i: usize| problem.restitution().map_or(0.0, |e| e[i]);
    let contact = |i: usize| {
        let before = (0..i).filter(|j| e(*j) > 0.0).count();
        let numbers = Numbers {
            contact: i,
            tangents: m + i * axes..m + (i + 1) * axes,
            mu: problem.friction()[i],
            store: (e(i) > 0.0).then(|| (before, e(i))),
            stores: stores(problem) > 0,
            facets,
        };
        Contact::new(&numbers, sums)
    };
    (0..m).map(contact).collect()
}

/// Units that make contact space dimensionless: `u_i = velocity sigma_i u^_i` and
/// `L_i = impulse L^_i / sigma_i` with `velocity = max|u-|`, `sigma_i = sqrt(W_ii / max W)` and
/// `impulse = velocity / max W`.
struct Units {
    velocity: f64,
    impulse: f64,
    sigma: Vec<f64>,
}

impl Units {
    fn new(problem: &ContactProblem) -> Self {
        let w = problem.delassus();
        let size = |x: f64| if x > 0.0 { x } else { 1.0 };
        let velocity = size(problem.contact_velocity().amax());
        let largest = size(w.diagonal().amax());
        let sigma = w.diagonal().iter().map(|w| size((w / largest).sqrt())).collect();
        Units { velocity, impulse: velocity / largest, sigma }
    }

    /// The units, each rounded to a power of two.
    fn powers_of_two(self) -> Self {
        let power = |x: f64| x.max(f64::MIN_POSITIVE).log2().round().exp2();
        Units {
            velocity: power(self.velocity),
            impulse: power(self.impulse),
            sigma: self.sigma.into_iter().map(power).collect(),
        }
    }
}

impl<V: Vector> Velocities<V> {
    pub fn point(&self, y: &V) -> Cone<V> {
        let mut cone = Cone::origin(self.entries);
        cone.extend(y);
        cone
    }

    /// Polyhedron around all velocities with at most the kinetic energy before the impact.
    pub fn room(&self) -> Cone<V> {
        let mut room = Cone::space(self.entries);
        room.cut(&V::unit(self.entries, 0));
        self.limits.iter().for_each(|limit| room.cut(limit));
        room
    }
}
