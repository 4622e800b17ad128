//! The reach of a set in a direction, or the largest cost, sampled and bounded: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::RunRecord;
use super::text::{grouped, kept, line, number, short};
use super::warnings::biased;
use crate::law::bounds::Aim;
use crate::problem::ContactProblem;
use crate::study::Bounds;

/// The bounds as JSON, `schema_version` 1. Values in the units of `c.v`, or of the cost.
pub fn json(record: &RunRecord, found: &Bounds) -> Value {
    let bounds: Vec<Value> = (found.bounds.iter())
        .map(|bound| {
            json!({
                "kind": bound.kind.name(),
                "value": bound.value,
                "certified": bound.certified,
                "excludes": bound.kind.excludes(),
            })
        })
        .collect();
    let (key, asked) = match &found.aim {
        Aim::Direction(c) => ("direction", json!(c)),
        Aim::Cost(cost) => ("cost", json!(cost.text())),
    };
    record.with(json!({
        key: asked,
        "before": found.before,
        "sampled": { "value": found.farthest.value, "sample": found.farthest.sample },
        "bounds": bounds,
    }))
}

/// The bounds as text: an interval from what a sample reached to what is proved.
pub fn text(problem: &ContactProblem, record: &RunRecord, found: &Bounds) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let summary = &found.run.summary;
    line(&mut text, "set", &kept(summary.accepted, summary.samples));
    if let Some(biased) = biased(summary.terminated(), summary.samples) {
        line(&mut text, "biased", &biased);
    }
    match &found.aim {
        Aim::Direction(c) => line(&mut text, "direction", &direction(problem, c)),
        Aim::Cost(cost) => line(&mut text, "cost", &format!("the largest {} after the impact", cost.text())),
    }
    let values = found.bounds.iter().map(|bound| bound.value);
    let largest = values.chain([found.before, found.farthest.value]);
    let largest = largest.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let mut row = |what: &str, value: f64, note: &str| {
        let _ = writeln!(text, "  {what:<22}{:>13}  {note}", number(value, largest));
    };
    row("before the impact", found.before, "");
    row("sampled, at least", found.farthest.value, &format!("sample {}", grouped(found.farthest.sample)));
    for bound in &found.bounds {
        let what = format!("{}, at most", bound.kind.name());
        row(&what, bound.value, if bound.certified { "proved" } else { "the solver's, not proved" });
    }
    for bound in &found.bounds {
        let _ = writeln!(text, "{}: {}", bound.kind.name(), bound.kind.excludes());
    }
    text
}

/// `x - 0.5 theta`
fn direction(problem: &ContactProblem, c: &[f64]) -> String {
    let mut text = String::new();
    for (name, &x) in problem.coordinates().iter().zip(c).filter(|(_, x)| **x != 0.0) {
        let sign = match (text.is_empty(), x < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = if x.abs() == 1.0 { String::new() } else { format!("{} ", short(x.abs())) };
        let _ = write!(text, "{sign}{size}{name}");
    }
    format!("the largest {text} after the impact")
}
