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

/// A convex part of the set.
#[derive(Clone, Debug)]
pub struct OutcomePolytope {
    /// The vertices `v+` (n each) and faces of the part.
    pub shape: Polytope,
    /// The signs of the contact velocity ((1+d) m, normals first) at each vertex.
    pub signs: Vec<Vec<i32>>,
    /// What each contact does (m) at outcomes in its interior.
    pub contacts: Vec<Mode>,
    /// The states of the contacts (m each) that lead there, one after the other.
    pub states: Vec<Vec<State>>,
    /// Which contacts compress there, and which give back (m each).
    pub phases: Vec<Vec<Phase>>,
    /// For each vertex a path to it through these states, where asked for and found.
    pub paths: Vec<Option<Vec<Leg>>>,
}

/// All outcomes of the law, a union of polytopes. See `Reach::set`.
///
/// Distances are those of the kinetic metric, `|v|_M = sqrt(v' M v)`, over `|v-|_M`.
#[derive(Clone, Debug)]
pub struct ExactSet {
    pub(super) polytopes: Vec<OutcomePolytope>,
    pub(super) passed: Vec<Polytope>,
    pub(super) arithmetic: Arithmetic,
    pub(super) certificate: Option<Certificate>,
    /// Whether a contact approaches at all.
    pub(super) moves: bool,
    pub(super) flows: usize,
    pub(super) widened: usize,
    pub(super) tight: bool,
    pub(super) seconds: f64,
    pub(super) parts: Option<Parts>,
    pub(super) metric: PointSet,
}

/// Simplices that make up the highest dimension of the set, and overlap in boundaries only.
#[derive(Clone, Debug)]
pub struct Parts {
    polytopes: Vec<Polytope>,
    /// Each by its polytope and vertices of that.
    simplices: Vec<(usize, Vec<usize>)>,
    /// The sum of the volumes of the first simplices, up to each of them.
    volumes: Vec<f64>,
}

impl Parts {
    /// The parts of polytopes that overlap in boundaries only.
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

    /// Polytopes of the velocities that motions pass through, their ends among them: all of these,
    /// where the set is complete and none was [widened](Self::work). Empty where `Reach::describe`
    /// was not asked for, and with restitution.
    pub fn passed(&self) -> &[Polytope] {
        &self.passed
    }

    /// With which numbers it was computed.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// What is known about motions that leave a point through infinitely many cells, if checked.
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// Whether it is proved that the law has no other outcome: computed exactly, and checked.
    pub fn is_complete(&self) -> bool {
        let shown =
            self.certificate.is_some_and(|certificate| certificate.shown == certificate.faces);
        self.arithmetic == Arithmetic::Exact && (shown || !self.moves)
    }

    /// Whether every point of it is an outcome, or a limit of velocities that motions reach. It
    /// need not be where motions chatter without end, polyhedra were widened around them, and
    /// motions may end in what was added.
    pub fn is_tight(&self) -> bool {
        self.tight
    }

    /// Whether all points of it are outcomes, or all outcomes are proved to be in it. A set that is
    /// neither is an enclosure without a proof, which pictures leave out.
    pub fn is_known(&self) -> bool {
        self.is_tight() || self.is_complete()
    }

    /// How many flows were computed, and how many polyhedra were widened.
    pub fn work(&self) -> [usize; 2] {
        [self.flows, self.widened]
    }

    /// Seconds that the polytopes took, without the check.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// All vertices (n each).
    pub fn vertices(&self) -> impl Iterator<Item = &[f64]> {
        self.polytopes.iter().flat_map(|polytope| polytope.shape.vertices.iter().map(Vec::as_slice))
    }

    /// The largest `direction . v+`, and an outcome that attains it.
    pub fn support(&self, direction: &[f64]) -> (f64, &[f64]) {
        self.worst(|v| direction.iter().zip(v).map(|(c, v)| c * v).sum())
    }

    /// The largest `cost` of an outcome, if it is convex, and an outcome that has it.
    pub fn worst(&self, cost: impl Fn(&[f64]) -> f64) -> (f64, &[f64]) {
        let costs = self.vertices().map(|v| (cost(v), v));
        costs.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NEG_INFINITY, &[]))
    }

    /// The smallest and the largest value (n each) of each coordinate.
    pub fn extents(&self) -> [Vec<f64>; 2] {
        let n = self.vertices().next().map_or(0, <[f64]>::len);
        let extreme = |start: f64, pick: fn(f64, f64) -> f64| {
            let of = |i: usize| self.vertices().map(|v| v[i]).fold(start, pick);
            (0..n).map(of).collect()
        };
        [extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max)]
    }

    /// The distance of a velocity (n) from the set; 0 to 1e-9 inside. NaN stands for any number.
    pub fn distance(&self, velocity: &[f64]) -> f64 {
        self.distance_of(velocity, self.polytopes.iter().map(|polytope| &polytope.shape))
    }

    /// The distance of a velocity (n) from those that motions [pass](Self::passed).
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

    /// Whether a velocity (n) is within `eps` of the set. Doubles lie on thin sets to rounding
    /// only, so `eps` is to be above 0. The answer is right except where the distance differs from
    /// `eps` by less than 1e-9 of it, or 1e-12 of the farthest vertex.
    pub fn contains(&self, velocity: &[f64], eps: f64) -> bool {
        self.distance(velocity) <= eps
    }

    /// The dimension of the set: the largest of its polytopes.
    pub fn dimension(&self) -> usize {
        self.polytopes.iter().map(|polytope| polytope.shape.dimension).max().unwrap_or(0)
    }

    /// The volume in its [`dimension`](Self::dimension), in units of `|v-|_M`; the number of
    /// points, if that is 0. `None` where `Reach::describe` was not asked for.
    pub fn volume(&self) -> Option<f64> {
        Some(self.parts.as_ref()?.volumes.last().copied().unwrap_or(0.0))
    }

    /// `count` outcomes (N,n), row by row, uniform on the part of the set that has its
    /// [`dimension`](Self::dimension). `None` where `Reach::describe` was not asked for.
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
