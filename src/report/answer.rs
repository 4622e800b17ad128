//! Answers to questions about a set, as `carom query --json` prints them.

use super::bounds::{ApartRow, BoundRow, MissingRow};
use super::exact_set::Extents;
use super::schema::ModeName;
use carom_analysis::ExactSet;
use carom_analysis::sampled_set::Answer;
use schemars::JsonSchema;
use serde::Serialize;

/// An answer, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom query --json` prints")]
pub struct QueryReport<'a> {
    #[serde(flatten)]
    pub(super) answer: QueryAnswer<'a>,
    /// The reason why the exact set is missing, where it might be expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<MissingRow<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum QueryAnswer<'a> {
    Largest(Largest<'a>),
    Distance(Distant<'a>),
    Contains(Contained<'a>),
    Extents(Ranges),
    Modes(Modes),
    Representatives(Representatives<'a>),
    Clusters(Clusters<'a>),
    Invariants(Invariants),
}

/// `support`, `worst`: the sample that goes farthest.
#[derive(Serialize, JsonSchema)]
pub(super) struct Largest<'a> {
    pub value: f64,
    pub sample: u64,
    pub velocity: &'a [f64],
    /// A proved bound, where the exact set does not answer; no sample is beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundRow>,
    #[serde(flatten)]
    pub of_set: OfSet<Peak<'a>>,
}

/// The answer of the set beside the samples.
#[derive(Serialize, JsonSchema)]
pub(super) struct OfSet<T> {
    /// The answer of the exact set, all of which are outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<Known<T>>,
    /// The answer of the set in place of `exact` where it is not tight; cut by what is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    enclosure: Option<Known<T>>,
}

impl<T> OfSet<T> {
    /// The answer of a set, if it gives one.
    pub fn new(set: Option<&ExactSet>, answer: Option<T>) -> Self {
        let known = set.zip(answer).map(|(set, answer)| {
            let (complete, tight) = (set.is_complete(), set.is_tight());
            (tight, Known { answer, complete, tight })
        });
        match known {
            Some((false, known)) => OfSet { exact: None, enclosure: Some(known) },
            known => OfSet { exact: known.map(|(_, known)| known), enclosure: None },
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Known<T> {
    #[serde(flatten)]
    answer: T,
    /// Whether it is proved that the set has all outcomes.
    complete: bool,
    /// Whether all of the set are outcomes.
    tight: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Peak<'a> {
    /// The largest value; of an enclosure that is complete, no less than that.
    pub value: f64,
    /// An outcome that has the value; null in an enclosure.
    pub velocity: Option<&'a [f64]>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Away {
    /// The distance; an enclosure that is complete has no larger one.
    pub distance: f64,
}

/// `distance`, in the kinetic metric over |v-|_M.
#[derive(Serialize, JsonSchema)]
pub(super) struct Distant<'a> {
    pub nearest: Near<'a>,
    pub hull: Hull,
    #[serde(flatten)]
    pub of_set: OfSet<Away>,
}

/// The nearest sample.
#[derive(Serialize, JsonSchema)]
pub(super) struct Near<'a> {
    distance: f64,
    sample: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<&'a [f64]>,
}

impl<'a> Near<'a> {
    pub fn of(Answer { value, sample, velocity }: Answer<'a>, shown: bool) -> Self {
        Near { distance: value, sample, velocity: shown.then_some(velocity) }
    }
}

/// The hull of the samples.
#[derive(Serialize, JsonSchema)]
pub(super) struct Hull {
    pub distance: f64,
}

/// `contains`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Contained<'a> {
    /// null: not excluded; a set that is not tight is as near, and no sample is.
    pub contains: Option<bool>,
    pub answer: Word,
    /// Whether the answer is proved, not sampled.
    pub proved: bool,
    pub distance: f64,
    pub from: Source,
    pub nearest: Near<'a>,
    #[serde(flatten)]
    pub of_set: OfSet<Away>,
    /// A half-space that is proved to hold all outcomes, and lies farther than `--eps` from the
    /// velocity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<ApartRow>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    /// The velocity is possible.
    Yes,
    /// The point is proved to lie outside.
    No,
    /// No sample is as near, and nothing excludes the velocity; `contains` is false or null.
    Unknown,
}

/// The set that was asked.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    /// The exact set, all of which are outcomes.
    Exact,
    /// A set of which not all need be outcomes.
    Enclosure,
    /// The samples.
    Samples,
}

impl Source {
    pub fn of(set: Option<&ExactSet>) -> Self {
        match set {
            Some(set) if set.is_tight() => Source::Exact,
            Some(_) => Source::Enclosure,
            None => Source::Samples,
        }
    }
}

/// `extents`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ranges {
    #[serde(flatten)]
    pub sampled: Extents,
    #[serde(flatten)]
    pub of_set: OfSet<Extents>,
}

/// `modes`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Modes {
    pub modes: Vec<ModeRow>,
    /// Whether it is proved that no others can occur.
    pub complete: bool,
    /// Whether all of the exact set are outcomes, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tight: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ModeRow {
    pub contacts: Vec<ModeName>,
    pub count: u64,
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    pub sample: Option<u64>,
    /// Whether a sample or a path shows it; else it is not excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurs: Option<bool>,
    /// An outcome, and a path to it, where there is an exact set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Option<Witness>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Witness {
    pub velocity: Vec<f64>,
    pub path: Option<Vec<WitnessLeg>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WitnessLeg {
    pub contacts: Vec<String>,
    /// N s
    pub impulse: Vec<f64>,
}

/// `representatives`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Representatives<'a> {
    pub samples: Vec<u64>,
    /// No sample is farther from the nearest of these.
    pub radius: f64,
    pub velocities: Vec<&'a [f64]>,
    #[schemars(inner(range(min = 0, max = 1)))]
    pub shares: Vec<f64>,
}

/// `clusters`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Clusters<'a> {
    pub gap: f64,
    pub clusters: Vec<ClusterRow<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClusterRow<'a> {
    pub count: u64,
    pub share: f64,
    /// The sample in the middle.
    pub sample: u64,
    pub velocity: &'a [f64],
    pub extents: Extents,
}

/// `invariants`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Invariants {
    pub invariants: Vec<InvariantRow>,
    pub from: Source,
    /// Whether it is proved that the exact set has all outcomes, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Whether all of the exact set are outcomes, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tight: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct InvariantRow {
    /// c (n).
    pub direction: Vec<f64>,
    pub min: f64,
    pub max: f64,
    pub spread: f64,
}
