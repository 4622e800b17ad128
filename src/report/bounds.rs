//! The reach of a set in a direction, or the largest cost, sampled and bounded: as JSON for
//! scripts, as text for people.

use std::fmt::Write;

use super::RunRecord;
use super::schema::Finite;
use super::table::set_lines;
use carom_analysis::Reach;
use carom_analysis::bounds::{Aim, Apart, Bound, BoundKind, energy, ranges};
use carom_analysis::judged::{Bounds, Farthest};
use carom_analysis::proofs::Proofs;
use carom_core::error::Error;
use carom_core::polyhedra::MOST_ENTRIES;
use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, line, number, number_above, short};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The bounds as `carom bound --json` prints them, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom bound --json` prints")]
pub struct BoundsReport<'a> {
    #[serde(flatten)]
    asked: Asked<'a>,
    /// Kinds of bounds that apply and could not be found.
    missing: Vec<MissingRow<'a>>,
    /// The value before the impact; null where a cost has none there.
    before: Option<f64>,
    sampled: Sampled,
    /// The time that the exact set and the certified bound might take together, in s; null without
    /// such a limit.
    within: Option<f64>,
    /// Bounds that are proved come first.
    bounds: Vec<BoundRow>,
    /// The kind with the smallest proved value, `conic` where it is as small; null: nothing is
    /// proved.
    strongest: Option<BoundKind>,
    /// How far the strongest bound is above the sample; below 0 where the sample exceeds it.
    gap: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Asked<'a> {
    /// c (n).
    Direction(&'a [f64]),
    /// The expression of `--cost`.
    Cost(&'a str),
}

/// The sample that goes farthest; null: no sample is accepted.
#[derive(Serialize, JsonSchema)]
struct Sampled {
    value: Option<f64>,
    sample: Option<u64>,
}

/// A kind of proof that could not be found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Missing")]
pub(super) struct MissingRow<'a> {
    kind: BoundKind,
    why: &'a str,
    hint: &'a Option<String>,
}

impl<'a> MissingRow<'a> {
    pub(super) fn of(kind: BoundKind, Error { what, hint, .. }: &'a Error) -> Self {
        MissingRow { kind, why: what, hint }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Bound")]
pub(super) struct BoundRow {
    kind: BoundKind,
    /// null: none.
    value: Finite,
    /// Whether the value is proved.
    certified: bool,
    /// Whether it follows from ranges of single velocities.
    by_ranges: bool,
    /// Whether an outcome attains it, but for rounding.
    tight: bool,
    /// A value that was said to be proved and that an outcome exceeds: a defect of carom.
    withdrawn: Option<f64>,
    /// The laws that do not exceed it.
    excludes: &'static str,
}

impl BoundRow {
    pub(super) fn of(bound: &Bound) -> Self {
        let Bound { kind, certified, by_ranges, attained: tight, withdrawn, .. } = *bound;
        let (value, excludes) = (Finite(bound.value), kind.excludes());
        BoundRow { kind, value, certified, by_ranges, tight, withdrawn, excludes }
    }
}

/// A half-space that is proved to hold all outcomes, and that a velocity lies outside of.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Apart")]
pub(super) struct ApartRow {
    kind: BoundKind,
    /// c (n).
    direction: Vec<f64>,
    /// What c.v does not exceed after an impact.
    bound: f64,
    /// c.v of the velocity.
    value: f64,
    /// No more than the distance from any outcome, over |v-|_M.
    distance: f64,
    /// The laws whose outcomes it holds.
    excludes: &'static str,
}

impl ApartRow {
    pub(super) fn of(apart: &Apart) -> Self {
        let Apart { kind, direction, bound, value, distance } = apart.clone();
        ApartRow { kind, direction, bound, value, distance, excludes: kind.excludes() }
    }
}

/// The bounds as JSON, `schema_version` 1. Values in the units of `c.v`, or of the cost.
pub fn json(record: &RunRecord, found: &Bounds) -> Value {
    let Bounds { before, farthest, proofs, .. } = found;
    record.with(BoundsReport::of(proofs, *before, farthest.as_ref()))
}

impl<'a> BoundsReport<'a> {
    /// The bounds without a record; `farthest`: the sample that goes farthest, if any.
    pub fn of(proofs: &'a Proofs, before: Option<f64>, farthest: Option<&Farthest>) -> Self {
        let missing = proofs.missing.iter();
        let (value, sample) = (farthest.map(|of| of.value), farthest.map(|of| of.sample));
        let strongest = proofs.strongest();
        BoundsReport {
            asked: match &proofs.aim {
                Aim::Direction(c) => Asked::Direction(c),
                Aim::Cost(cost) => Asked::Cost(cost.text()),
            },
            missing: missing.map(|(kind, error)| MissingRow::of(*kind, error)).collect(),
            before,
            sampled: Sampled { value, sample },
            within: proofs.within.map(|within| within.as_secs_f64()),
            bounds: proofs.bounds.iter().map(BoundRow::of).collect(),
            strongest: strongest.map(|bound| bound.kind),
            gap: strongest.zip(value).map(|(bound, value)| bound.value - value),
        }
    }
}

/// The bounds as text: the interval from the farthest sample to the proved bound. `given`: proofs
/// take uncertain parameters other than friction and restitution at their given values.
pub fn text(problem: &ContactProblem, record: &RunRecord, found: &Bounds, given: bool) -> String {
    let mut text = String::new();
    record.head(&mut text);
    set_lines(&mut text, &found.run.summary);
    let proofs = &found.proofs;
    let (of, what) = match &proofs.aim {
        Aim::Direction(c) => ("direction", sum(problem.coordinates(), c)),
        Aim::Cost(cost) => ("cost", cost.text().to_string()),
    };
    line(&mut text, of, &format!("the largest {what} after the impact"));
    let values = proofs.bounds.iter().map(|bound| bound.value).filter(|value| value.is_finite());
    let reached = found.farthest.map(|farthest| farthest.value);
    let largest = values.chain(found.before).chain(reached);
    let largest = largest.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let holds = match (given, ranges(problem)) {
        (true, false) => "proved for the numbers as given",
        (true, true) => {
            "proved for the ranges of friction and restitution, and other numbers as given"
        }
        (false, true) => "proved for the ranges of friction and restitution",
        (false, false) => "proved",
    };
    let mut row = |what: &str, value: String, note: &str| {
        let _ = writeln!(text, "  {what:<22}{value:>13}  {note}");
    };
    let before = found.before.map_or("none".to_string(), |before| number(before, largest));
    row("before the impact", before, "");
    match &found.farthest {
        Some(Farthest { value, sample }) => {
            let sample = format!("sample {}", grouped(*sample));
            row("sampled, at least", number(*value, largest), &sample);
        }
        None => row("sampled", "none".to_string(), "no sample is accepted"),
    }
    for bound in &proofs.bounds {
        let most = if bound.is_proved() { ", at most" } else { "" };
        let what = format!("{}{most}", bound.kind.name());
        row(&what, number_above(bound.value, largest), &note(proofs, bound, holds));
    }
    if let (Some(strongest), Some(gap)) = (proofs.strongest(), found.gap()) {
        let share = |c| 100.0 * gap / energy(problem, c);
        let part = match &proofs.aim {
            Aim::Direction(c) => format!(", {:.2} % of what energy allows", share(c)),
            Aim::Cost(_) => String::new(),
        };
        let note = format!("from the sample to {}{part}", strongest.kind.name());
        row("gap", number_above(gap, largest), &note);
    }
    for bound in proofs.bounds.iter().filter(|bound| bound.withdrawn.is_none()) {
        let _ = writeln!(text, "{}: {}", bound.kind.name(), bound.kind.excludes());
    }
    for (kind, error) in &proofs.missing {
        let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        let _ = writeln!(text, "{}: missing, as {}{hint}", kind.name(), error.what);
    }
    let tried = proofs.bounds.iter().map(|bound| bound.kind);
    let mut tried = tried.chain(proofs.missing.iter().map(|(kind, _)| *kind));
    let (reach, small) = (Reach::default(), problem.coordinate_count() < MOST_ENTRIES);
    let long = small && !reach.ends_often(problem) && reach.refusal(problem).is_none();
    if long && !tried.any(|kind| matches!(kind, BoundKind::Exact | BoundKind::Enclosure)) {
        text.push_str(
            "exact: not computed, as it takes long with more than four contacts; --kind exact asks for it\n",
        );
    }
    text
}

/// The evidence for a bound; `holds`: the parameter ranges that proofs cover.
fn note(proofs: &Proofs, bound: &Bound, holds: &str) -> String {
    let what = match (bound.kind, bound.is_proved()) {
        _ if bound.withdrawn.is_some() => "withdrawn: a sample goes beyond it",
        _ if !bound.value.is_finite() => {
            "none: over ranges of the velocities the cost has no bound"
        }
        (BoundKind::Exact, false) => "not proved: the set that was found may lack outcomes",
        (BoundKind::Enclosure, false) => {
            "not proved: around motions without end, no larger than what is proved"
        }
        (_, false) => "the solver's, not proved",
        (_, true) if bound.by_ranges => {
            return format!("{holds}, by ranges of single velocities: may be far too large");
        }
        (BoundKind::Enclosure, true) => return format!("{holds}; outcomes need not go as far"),
        (kind, true) => {
            let limit = proofs.within.filter(|_| kind != BoundKind::Conic);
            let within = limit.map_or(String::new(), |within| format!(", within {within:?}"));
            let same = if proofs.is_no_better(bound) { "; no lower than conic" } else { "" };
            return format!("{holds}{within}{same}");
        }
    };
    what.to_string()
}

/// `x - 0.5 theta`
pub(super) fn sum(names: &[String], c: &[f64]) -> String {
    let mut text = String::new();
    for (name, &x) in names.iter().zip(c).filter(|(_, x)| **x != 0.0) {
        let sign = match (text.is_empty(), x < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = if x.abs() == 1.0 { String::new() } else { format!("{} ", short(x.abs())) };
        let _ = write!(text, "{sign}{size}{name}");
    }
    text
}
