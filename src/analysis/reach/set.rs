use schemars::JsonSchema;

use super::{Certificate, Leg, Phase, State};
use carom_core::named;
use carom_core::outcome::hull;
use carom_core::outcome::polytope::Polytope;
use carom_core::outcome::{Mode, PointSet};
use carom_core::rng::stream::unit;
use carom_core::rng::{Purpose, Stream};

named! {
    /// With which numbers a set is computed.
    #[derive(Default, JsonSchema)]
    pub enum Arithmetic {
        /// Integers of any size: no rounding of the numbers given, nor of what follows from them.
        #[default]
        Exact = "exact",
        /// Doubles, for controllers: what is within 1e-10 of a face counts as on it, and nothing is
        /// proved.
        Doubles = "doubles",
    }
}

/// Convex part of the outcome set.
#[derive(Clone, Debug)]
pub struct OutcomePolytope {
    /// Vertices `v+` (n each) and facets.
    pub shape: Polytope,
    /// Signs of the contact velocity ((1+d) m, normals first) at each vertex.
    pub signs: Vec<Vec<i32>>,
    /// Contact modes (m) in the relative interior.
    pub contacts: Vec<Mode>,
    /// Contact states (m each) along the path to this polytope, in order.
    pub states: Vec<Vec<State>>,
    /// Contact phases (m each) along this path, in order.
    pub phases: Vec<Vec<Phase>>,
    /// Path to each vertex through these states; `None` if not requested or not found.
    pub paths: Vec<Option<Vec<Leg>>>,
}

/// Outcome set of the law, a union of polytopes. See `Reach::set`.
///
/// Distances are in the kinetic metric `|v|_M = sqrt(v' M v)`, in units of `|v-|_M`.
#[derive(Clone, Debug)]
pub struct ExactSet {
    pub(super) polytopes: Vec<OutcomePolytope>,
    pub(super) passed: Vec<Polytope>,
    pub(super) arithmetic: Arithmetic,
    pub(super) certificate: Option<Certificate>,
    /// Whether a contact approaches before the impact.
    pub(super) moves: bool,
    pub(super) flows: usize,
    pub(super) widened: usize,
    pub(super) tight: bool,
    pub(super) seconds: f64,
    pub(super) parts: Option<Parts>,
    pub(super) metric: PointSet,
}

/// Simplicial decomposition of the highest-dimensional part of the set; simplices overlap in
/// boundaries only.
#[derive(Clone, Debug)]
pub struct Parts {
    polytopes: Vec<Polytope>,
    /// Index of the polytope, and indices of its vertices.
    simplices: Vec<(usize, Vec<usize>)>,
    /// Cumulative volumes of the simplices.
    volumes: Vec<f64>,
}

impl Parts {
    /// Decomposes polytopes that overlap in boundaries only.
    pub(super) fn new(polytopes: Vec<Polytope>, metric: &PointSet) -> Self {
        let (mut simplices, mut volumes, mut volume) = (Vec::new(), Vec::new(), 0.0);
        for (at, polytope) in polytopes.iter().enumerate() {
            for simplex in polytope.simplices() {
                volume += polytope.volume_of(&simplex, metric.map());
                simplices.push((at, simplex));
                volumes.push(volume);
            }
        }
        Parts { polytopes, simplices, volumes }
    }
}

impl ExactSet {
    /// The polytopes; none lies in another one.
    pub fn polytopes(&self) -> &[OutcomePolytope] {
        &self.polytopes
    }

    /// Polytopes of intermediate velocities, final ones included. The list covers every
    /// intermediate velocity if the set is complete and no polyhedron was [widened](Self::work).
    /// Empty without `Reach::describe`, and with restitution.
    pub fn passed(&self) -> &[Polytope] {
        &self.passed
    }

    /// Number type of the computation.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Certificate about motions that leave a point through infinitely many cells, if it was
    /// requested.
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// Whether it is proved that no outcome lies outside: exact arithmetic and a full certificate.
    pub fn is_complete(&self) -> bool {
        let shown =
            self.certificate.is_some_and(|certificate| certificate.shown == certificate.faces);
        self.arithmetic == Arithmetic::Exact && (shown || !self.moves)
    }

    /// Whether every point is an outcome or a limit of reachable velocities. False only if motions
    /// chatter without end, polyhedra were widened around them, and motions may end in the widened
    /// part.
    pub fn is_tight(&self) -> bool {
        self.tight
    }

    /// Whether the set is tight or proved complete. Otherwise it is an unproved enclosure, which
    /// pictures leave out.
    pub fn is_known(&self) -> bool {
        self.is_tight() || self.is_complete()
    }

    /// Number of computed flows, and number of widened polyhedra.
    pub fn work(&self) -> [usize; 2] {
        [self.flows, self.widened]
    }

    /// Computing time of the polytopes in seconds, without the certificate.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// All vertices (n each).
    pub fn vertices(&self) -> impl Iterator<Item = &[f64]> {
        self.polytopes.iter().flat_map(|polytope| polytope.shape.vertices.iter().map(Vec::as_slice))
    }

    /// Support function: the maximum of `direction . v+`, and a maximizing outcome.
    pub fn support(&self, direction: &[f64]) -> (f64, &[f64]) {
        self.worst(|v| direction.iter().zip(v).map(|(c, v)| c * v).sum())
    }

    /// Maximum of a convex `cost` over the set, and a maximizing outcome.
    pub fn worst(&self, cost: impl Fn(&[f64]) -> f64) -> (f64, &[f64]) {
        let costs = self.vertices().map(|v| (cost(v), v));
        costs.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NEG_INFINITY, &[]))
    }

    /// Minimum and maximum of each coordinate (n each).
    pub fn extents(&self) -> [Vec<f64>; 2] {
        let n = self.vertices().next().map_or(0, <[f64]>::len);
        let extreme = |start: f64, pick: fn(f64, f64) -> f64| {
            let of = |i: usize| self.vertices().map(|v| v[i]).fold(start, pick);
            (0..n).map(of).collect()
        };
        [extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max)]
    }

    /// Distance of a velocity (n) from the set; 0 up to 1e-9 inside. A NaN entry matches any
    /// number.
    pub fn distance(&self, velocity: &[f64]) -> f64 {
        self.distance_of(velocity, self.polytopes.iter().map(|polytope| &polytope.shape))
    }

    /// Distance of a velocity (n) from the [intermediate velocities](Self::passed).
    pub fn distance_on_the_way(&self, velocity: &[f64]) -> f64 {
        self.distance_of(velocity, self.passed.iter())
    }

    fn distance_of<'a>(&self, v: &[f64], of: impl Iterator<Item = &'a Polytope>) -> f64 {
        let (metric, given) = self.metric.where_given(v);
        let y = metric.point(&given);
        let from = |polytope: &Polytope| {
            let points: Vec<_> = polytope.vertices.iter().map(|v| metric.point(v)).collect();
            let columns: Vec<Vec<f64>> =
                (0..y.len()).map(|i| points.iter().map(|point| point[i]).collect()).collect();
            hull::distance(&columns, y.as_slice())
        };
        of.map(from).fold(f64::INFINITY, f64::min)
    }

    /// Whether a velocity (n) is within `eps` of the set. Doubles lie on thin sets only up to
    /// rounding, so choose `eps > 0`. The answer is right unless the distance differs from `eps` by
    /// less than 1e-9 `eps`, or by less than 1e-12 of the distance of the farthest vertex.
    pub fn contains(&self, velocity: &[f64], eps: f64) -> bool {
        self.distance(velocity) <= eps
    }

    /// Dimension of the set: the maximum over its polytopes.
    pub fn dimension(&self) -> usize {
        self.polytopes.iter().map(|polytope| polytope.shape.dimension).max().unwrap_or(0)
    }

    /// Volume in the set's [`dimension`](Self::dimension), in powers of `|v-|_M`; in dimension 0
    /// the number of points. `None` without `Reach::describe`.
    pub fn volume(&self) -> Option<f64> {
        Some(self.parts.as_ref()?.volumes.last().copied().unwrap_or(0.0))
    }

    /// `count` outcomes (N,n), row by row, uniform on the part of maximum
    /// [`dimension`](Self::dimension). `None` without `Reach::describe`.
    pub fn sample(&self, count: u64, seed: u64) -> Option<Vec<f64>> {
        let Parts { polytopes, simplices, volumes } = self.parts.as_ref()?;
        let all = volumes.last().copied().unwrap_or(0.0);
        let mut rows = Vec::new();
        for sample in 0..count {
            let stream = Stream::new(seed, sample);
            let place = f64::from(unit(stream.draw(0, Purpose::User, 0))) * all;
            let at = volumes.partition_point(|volume| *volume <= place);
            let at = at.min(volumes.len().saturating_sub(1));
            let (polytope, simplex) = &simplices[at];
            let words = (1..).map(|j| stream.draw(0, Purpose::User, j));
            rows.extend(polytopes[*polytope].point_of(simplex, words));
        }
        Some(rows)
    }
}
