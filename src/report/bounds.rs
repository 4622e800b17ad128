//! The reach of a set in a direction, or the largest cost, sampled and bounded: as JSON for
//! scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::RunRecord;
use super::warnings::biased;
use carom_analysis::Reach;
use carom_analysis::bounds::{Aim, Apart, Bound, BoundKind, energy, ranges};
use carom_analysis::judged::{Bounds, Farthest};
use carom_analysis::proofs::Proofs;
use carom_core::polyhedra::MOST_ENTRIES;
use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, kept, line, number, number_above, short};

/// The bounds as JSON, `schema_version` 1. Values in the units of `c.v`, or of the cost.
pub fn json(record: &RunRecord, found: &Bounds) -> Value {
    let Bounds { before, farthest, proofs, .. } = found;
    record.with(proved(proofs, *before, farthest.as_ref()))
}

/// The bounds as JSON, without a record; `farthest`: the sample that goes farthest, if any.
pub fn proved(proofs: &Proofs, before: Option<f64>, farthest: Option<&Farthest>) -> Value {
    let bounds: Vec<Value> = proofs.bounds.iter().map(bound).collect();
    let (key, asked) = match &proofs.aim {
        Aim::Direction(c) => ("direction", json!(c)),
        Aim::Cost(cost) => ("cost", json!(cost.text())),
    };
    let missing: Vec<Value> = (proofs.missing.iter())
        .map(|(kind, error)| json!({ "kind": kind.name(), "why": error.what, "hint": error.hint }))
        .collect();
    let (value, sample) = (farthest.map(|of| of.value), farthest.map(|of| of.sample));
    json!({
        key: asked,
        "missing": missing,
        "before": before,
        "sampled": { "value": value, "sample": sample },
        "within": proofs.within.map(|within| within.as_secs_f64()),
        "bounds": bounds,
        "strongest": proofs.strongest().map(|bound| bound.kind.name()),
        "gap": proofs.strongest().zip(value).map(|(bound, value)| bound.value - value),
    })
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
    let proofs = &found.proofs;
    match &proofs.aim {
        Aim::Direction(c) => line(&mut text, "direction", &direction(problem, c)),
        Aim::Cost(cost) => {
            line(&mut text, "cost", &format!("the largest {} after the impact", cost.text()))
        }
    }
    let values = proofs.bounds.iter().map(|bound| bound.value).filter(|value| value.is_finite());
    let reached = found.farthest.map(|farthest| farthest.value);
    let largest = values.chain(found.before).chain(reached);
    let largest = largest.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let holds = match (as_given, ranges(problem)) {
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
        let part = match &proofs.aim {
            Aim::Direction(c) => {
                format!(", {:.2} % of what energy allows", 100.0 * gap / energy(problem, c))
            }
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

/// What is known of a bound; `holds`: what proofs hold for.
fn note(proofs: &Proofs, bound: &Bound, holds: &str) -> String {
    match (bound.kind, bound.is_proved()) {
        _ if bound.withdrawn.is_some() => "withdrawn: a sample goes beyond it".into(),
        _ if !bound.value.is_finite() => {
            "none: over ranges of the velocities the cost has no bound".into()
        }
        (BoundKind::Exact, false) => {
            "not proved: the set that was found may lack outcomes".to_string()
        }
        (BoundKind::Enclosure, false) => {
            "not proved: around motions without end, no larger than what is proved".to_string()
        }
        (_, false) => "the solver's, not proved".into(),
        (_, true) if bound.by_ranges => {
            format!("{holds}, by ranges of single velocities: may be far too large")
        }
        (BoundKind::Enclosure, true) => format!("{holds}; outcomes need not go as far"),
        (kind, true) => {
            let limit = proofs.within.filter(|_| kind != BoundKind::Conic);
            let within = limit.map_or(String::new(), |within| format!(", within {within:?}"));
            let same = if proofs.is_no_better(bound) { "; no lower than conic" } else { "" };
            format!("{holds}{within}{same}")
        }
    }
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
