use schemars::JsonSchema;
use serde::Serialize;

use crate::motion::course::{Change, Impact};
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::MechanismState;
use crate::motion::watch::Passing;

/// The beginning of a branch: an outcome of a simultaneous impact.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fork {
    /// Time of the impact, in s.
    pub time: f64,
    /// The contacts of the impact, by name.
    pub contacts: Vec<String>,
    /// The sample that led there, or the number of the outcome in its law's list.
    pub sample: u64,
    /// The share of the outcomes of this impact that the branch stands for: those nearest to its
    /// outcome.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Largest distance of an outcome of this impact from the nearest one that continues, over
    /// `|v-|_M`.
    pub radius: f64,
    /// Impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// Velocity after the impact (n).
    pub velocity: Vec<f64>,
}

/// Branch: motion from one simultaneous impact to the next, or to the end.
#[derive(Clone, Debug)]
pub struct Node {
    /// Parent branch; `None` for the root.
    pub parent: Option<usize>,
    /// The impact with which the branch begins; `None` at the start.
    pub fork: Option<Fork>,
    /// Share of the branch in the sampler's mass: the product of the shares of its forks. This is
    /// no physical probability.
    pub mass: f64,
    /// Impacts without a fork: of one contact, or with one outcome.
    pub impacts: Vec<Impact>,
    /// The times at which contacts became sustained or ended.
    pub changes: Vec<Change>,
    /// Possible tunnelling of bodies.
    pub passed: Vec<Passing>,
    /// The branches that follow; empty at the end of a motion.
    pub children: Vec<usize>,
    /// The last state of the branch.
    pub state: MechanismState,
    /// Ending of the motion; `None` if branches follow.
    pub ending: Option<MotionEnding>,
}

/// The range of one coordinate over the ends of branches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Range {
    /// The least value.
    #[serde(rename = "min")]
    pub least: f64,
    /// The largest value.
    #[serde(rename = "max")]
    pub most: f64,
    /// The mean value, weighted by mass.
    pub mean: f64,
    /// The standard deviation, weighted by mass.
    pub deviation: f64,
}

/// A tree of motions.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The branches; each comes after its parent.
    pub nodes: Vec<Node>,
    /// Number of simultaneous impacts with fewer continuations than requested, due to the limit on
    /// branches.
    pub cut: usize,
}

impl Node {
    pub(super) fn new(
        parent: Option<usize>,
        fork: Option<Fork>,
        mass: f64,
        state: MechanismState,
    ) -> Self {
        let (impacts, changes, passed, children) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Node { parent, fork, mass, impacts, changes, passed, children, state, ending: None }
    }

    pub(super) fn is_open(&self) -> bool {
        self.ending.is_none() && self.children.is_empty()
    }
}

impl Tree {
    /// Whether the caller stopped the growth.
    pub fn is_interrupted(&self) -> bool {
        self.nodes.iter().any(|node| node.ending == Some(MotionEnding::Interrupted))
    }

    /// Possible tunnelling of bodies in any branch.
    pub fn passed(&self) -> Vec<Passing> {
        let mut all = Vec::new();
        self.nodes
            .iter()
            .flat_map(|node| node.passed.clone())
            .for_each(|one| Passing::note(&mut all, one));
        all
    }

    /// The branches that reach the end.
    pub fn ends(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.ending == Some(MotionEnding::Done))
    }

    /// Range of a number over the ends, such as a coordinate.
    pub fn range(&self, of: impl Fn(&Node) -> f64) -> Option<Range> {
        let ends: Vec<(f64, f64)> = self.ends().map(|(_, node)| (node.mass, of(node))).collect();
        let mass: f64 = ends.iter().map(|(mass, _)| mass).sum();
        if ends.is_empty() || mass <= 0.0 {
            return None;
        }
        let mean = ends.iter().map(|(mass, x)| mass * x).sum::<f64>() / mass;
        let variance = ends.iter().map(|(mass, x)| mass * (x - mean).powi(2)).sum::<f64>() / mass;
        Some(Range {
            least: ends.iter().map(|(_, x)| *x).fold(f64::INFINITY, f64::min),
            most: ends.iter().map(|(_, x)| *x).fold(f64::NEG_INFINITY, f64::max),
            mean,
            deviation: variance.sqrt(),
        })
    }
}
