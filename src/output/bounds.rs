//! The reach of a set in a direction, or the largest cost, sampled and bounded: as JSON for
//! scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::RunRecord;
use super::text::{grouped, kept, line, number, number_above, short};
use super::warnings::biased;
use crate::analysis::Reach;
use crate::analysis::bounds::{Aim, Apart, Bound, BoundKind, energy, ranges};
use crate::polyhedra::MOST_ENTRIES;
use crate::problem::ContactProblem;
use crate::study::Bounds;

/// The bounds as JSON, `schema_version` 1. Values in the units of `c.v`, or of the cost.
pub fn json(record: &RunRecord, found: &Bounds) -> Value {
    let bounds: Vec<Value> = found.bounds.iter().map(bound).collect();
    let (key, asked) = match &found.aim {
        Aim::Direction(c) => ("direction", json!(c)),
        Aim::Cost(cost) => ("cost", json!(cost.text())),
    };
    let missing: Vec<Value> = (found.missing.iter())
        .map(|(kind, error)| json!({ "kind": kind.name(), "why": error.what, "hint": error.hint }))
        .collect();
    record.with(json!({
        key: asked,
        "missing": missing,
        "before": found.before,
        "sampled": { "value": found.farthest.value, "sample": found.farthest.sample },
        "within": found.within.map(|within| within.as_secs_f64()),
        "bounds": bounds,
        "strongest": found.strongest().map(|bound| bound.kind.name()),
        "gap": found.gap(),
    }))
}

/// A bound as JSON.
pub(super) fn bound(bound: &Bound) -> Value {
    json!({
        "kind": bound.kind.name(),
        "value": bound.value,
        "certified": bound.certified,
        "by_ranges": bound.by_ranges,
        "tight": bound.attained,
        "withdrawn": bound.withdrawn,
        "excludes": bound.kind.excludes(),
    })
}

/// A half-space that a velocity lies outside of, as JSON.
pub(super) fn apart(apart: &Apart) -> Value {
    json!({
        "kind": apart.kind.name(),
        "direction": apart.direction,
        "bound": apart.bound,
        "value": apart.value,
        "distance": apart.distance,
        "excludes": apart.kind.excludes(),
    })
}

/// The bounds as text: an interval from what a sample reached to what is proved. `as_given`:
/// whether uncertain numbers other than friction and restitution are taken as they are given.
pub fn text(
    problem: &ContactProblem,
    record: &RunRecord,
    found: &Bounds,
    as_given: bool,
) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let summary = &found.run.summary;
    line(&mut text, "set", &kept(summary.accepted, summary.samples));
    if let Some(biased) = biased(summary.terminated(), summary.samples) {
        line(&mut text, "biased", &biased);
    }
    match &found.aim {
        Aim::Direction(c) => line(&mut text, "direction", &direction(problem, c)),
        Aim::Cost(cost) => {
            line(&mut text, "cost", &format!("the largest {} after the impact", cost.text()))
        }
    }
    let values = found.bounds.iter().map(|bound| bound.value);
    let largest =
        values.filter(|value| value.is_finite()).chain(found.before).chain([found.farthest.value]);
    let largest = largest.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let proved = match (as_given, ranges(problem)) {
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
    let sample = format!("sample {}", grouped(found.farthest.sample));
    row("sampled, at least", number(found.farthest.value, largest), &sample);
    for bound in &found.bounds {
        let what = format!("{}, at most", bound.kind.name());
        let exact = bound.kind == BoundKind::Exact;
        let loose = exact && !bound.attained;
        let note = match (bound.value.is_finite(), bound.certified, bound.by_ranges) {
            (false, ..) if bound.withdrawn.is_some() => "withdrawn: a sample goes beyond it".into(),
            (true, true, false) if loose => {
                format!("{proved}; the set is enclosed, so outcomes may not go as far")
            }
            (false, ..) => "none: over ranges of the velocities the cost has no bound".into(),
            (_, true, false) => match found.within.filter(|_| bound.kind != BoundKind::Conic) {
                Some(within) => format!("{proved}, within {within:?}"),
                None => proved.to_string(),
            },
            (_, true, true) => {
                format!("{proved}, by ranges of single velocities: may be far too large")
            }
            (_, false, _) if exact => "the set's; that it has all outcomes is not proved".into(),
            (_, false, _) => "the solver's, not proved".into(),
        };
        row(&what, number_above(bound.value, largest), &note);
    }
    if let (Some(strongest), Some(gap)) = (found.strongest(), found.gap()) {
        let part = match &found.aim {
            Aim::Direction(c) => {
                format!(", {:.2} % of what energy allows", 100.0 * gap / energy(problem, c))
            }
            Aim::Cost(_) => String::new(),
        };
        row(
            "open, at most",
            number_above(gap, largest),
            &format!("{} is strongest{part}", strongest.kind.name()),
        );
    }
    for bound in found.bounds.iter().filter(|bound| bound.withdrawn.is_none()) {
        let _ = writeln!(text, "{}: {}", bound.kind.name(), bound.kind.excludes());
    }
    for (kind, error) in &found.missing {
        let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        let _ = writeln!(text, "{}: missing, as {}{hint}", kind.name(), error.what);
    }
    let tried = found.bounds.iter().map(|bound| bound.kind);
    let mut tried = tried.chain(found.missing.iter().map(|(kind, _)| *kind));
    let (reach, small) = (Reach::default(), problem.coordinate_count() < MOST_ENTRIES);
    let long = small && !reach.ends_often(problem) && reach.refusal(problem).is_none();
    if long && !tried.any(|kind| kind == BoundKind::Exact) {
        text.push_str(
            "exact: not computed, as it takes long with more than four contacts; --kind exact asks for it\n",
        );
    }
    text
}

fn direction(problem: &ContactProblem, c: &[f64]) -> String {
    format!("the largest {} after the impact", sum(problem.coordinates(), c))
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
