//! Laws beside the sampled set: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::RunRecord;
use super::bounds::apart;
use super::warnings::biased;
use carom_analysis::bounds::BoundKind;
use carom_analysis::compare::Comparison;
use carom_analysis::place::Verdict;
use carom_core::problem::ContactProblem;
use carom_core::text::{kept, line};

/// The comparison as JSON, `schema_version` 1. Velocities in SI units; `distance`, `spacing` and
/// `resolution` over `|v-|_M`, see [`SetPlace`](carom_analysis::place::SetPlace); `in_set` is true inside,
/// false outside, `null` where that is not resolved.
pub fn json(problem: &ContactProblem, record: &RunRecord, comparison: &Comparison) -> Value {
    let tangents = problem.tangents_per_contact();
    let outcomes: Vec<Value> = (comparison.outcomes.iter())
        .map(|compared| {
            let (outcome, place) = (&compared.outcome, &compared.place);
            let in_set = match place.verdict {
                Verdict::Inside => Some(true),
                Verdict::Outside => Some(false),
                Verdict::NotResolved => None,
            };
            json!({
                "law": compared.law,
                "which": compared.which,
                "times": compared.times,
                "velocity": outcome.velocity,
                "kinetic_energy": outcome.kinetic_energy,
                "modes": outcome.modes.iter().map(|mode| mode.name(tangents)).collect::<Vec<_>>(),
                "status": outcome.status.name(),
                "residual": outcome.residual,
                "distance": place.distance,
                "resolution": place.resolution,
                "verdict": place.verdict.name(),
                "in_set": in_set,
                "spacing": compared.spacing,
                "apart": compared.apart.as_ref().map(apart),
            })
        })
        .collect();
    let refused: Vec<Value> = comparison
        .refused
        .iter()
        .map(|(law, why)| json!({ "law": law, "why": why.to_string() }))
        .collect();
    let summary = &comparison.run.summary;
    let mut set = record.only(&["law", "process", "seed", "device", "precision", "samples"]);
    set.insert("terminated".to_string(), summary.terminated().into());
    set.insert("accepted".to_string(), summary.accepted.into());
    set.insert("resolution".to_string(), comparison.resolution.into());
    let judge = match &comparison.exact {
        Some(set) if set.is_tight() => "exact",
        Some(_) => "enclosure",
        None => "samples",
    };
    set.insert("verdict_from".to_string(), judge.into());
    record.with(json!({ "set": set, "outcomes": outcomes, "refused": refused }))
}

/// The comparison as text.
pub fn text(problem: &ContactProblem, record: &RunRecord, comparison: &Comparison) -> String {
    let mut text = String::new();
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    record.head(&mut text);
    let summary = &comparison.run.summary;
    line(&mut text, "set", &kept(summary.accepted, summary.samples));
    if let Some(biased) = biased(summary.terminated(), summary.samples) {
        line(&mut text, "biased", &biased);
    }
    let spacing = short_distance(comparison.resolution);
    line(
        &mut text,
        "spacing",
        &format!("samples set apart lie at most {spacing} from the nearest of the others"),
    );
    line(&mut text, "distance", "of an outcome from the nearest sample, |a - b|_M / |v-|_M");
    line(
        &mut text,
        "resolution",
        "how much farther from the outcome the 101st nearest sample is than the nearest",
    );
    let verdict: &[&str] = match &comparison.exact {
        Some(set) if !set.is_tight() => &[
            "inside: a sample lies within 1e-6; outside: farther than 1e-6 from a proved enclosure of all outcomes",
        ],
        Some(_) => &[
            "inside: within 1e-6 of the exact set, of all orders of impulses; outside: farther from it",
        ],
        None => &[
            "inside: a sample lies within 1e-6; outside: at 512, 1024, 2048, ... samples the distance was",
            "above ten resolutions, and no later sample halved it; it is outside of what the sampler meets",
        ],
    };
    for (words, key) in verdict.iter().zip(["verdict", ""]) {
        line(&mut text, key, words);
    }
    let mut kinds: Vec<BoundKind> = comparison
        .outcomes
        .iter()
        .filter_map(|compared| Some(compared.apart.as_ref()?.kind))
        .collect();
    kinds.dedup();
    for kind in kinds {
        let what = format!("a half-space of velocities holds the set ({}):", kind.name());
        line(&mut text, "proved", &what);
        line(&mut text, "", kind.excludes());
    }
    let _ = writeln!(
        text,
        "\n  {:<22}{:<50}{:>10}{:>12}  {:<28}{:>12}  contacts",
        "law", "outcome", "distance", "resolution", "verdict", "energy left"
    );
    for compared in &comparison.outcomes {
        let outcome = &compared.outcome;
        let times =
            if compared.times > 1 { format!(" ({} times)", compared.times) } else { String::new() };
        let which = format!("{}{times}", compared.which);
        let tangents = problem.tangents_per_contact();
        let modes: Vec<&str> = outcome.modes.iter().map(|mode| mode.name(tangents)).collect();
        let verdict = match compared.place.verdict {
            _ if compared.apart.is_some() => "outside, proved",
            Verdict::NotResolved => "not resolved at this count",
            verdict => verdict.name(),
        };
        let energy = if before > 0.0 { 100.0 * outcome.kinetic_energy / before } else { 100.0 };
        let _ = writeln!(
            text,
            "  {:<22}{which:<50}{:>10}{:>12}  {verdict:<28}{energy:>10.2} %  {}{}",
            compared.law,
            short_distance(compared.place.distance),
            short_distance(compared.place.resolution),
            modes.join(", "),
            ended(outcome.status),
        );
    }
    for (law, why) in &comparison.refused {
        let _ = writeln!(text, "  {law:<22}does not apply: {}", why.what);
    }
    if problem.friction().iter().any(|&mu| mu > 0.0) && problem.tangents_per_contact() > 0 {
        let is_shown = |law| comparison.outcomes.iter().any(|compared| compared.law == law);
        let said = REMARKS.iter().filter(|(law, _)| is_shown(*law));
        for (i, (law, what)) in said.enumerate() {
            let _ = writeln!(text, "{}The law {law} {what}.", if i == 0 { "\n" } else { "" });
        }
    }
    let _ = writeln!(text, "\n{}", record.signature());
    text
}

/// What a reader must know of laws with friction.
const REMARKS: [(&str, &str); 2] = [
    ("propagative", "leaves friction out"),
    ("convex-relaxation", "lets contacts that slide leave each other"),
];

/// Three digits, and 0 for what is rounding.
pub(super) fn short_distance(distance: f64) -> String {
    match distance {
        _ if distance < 1e-9 => "0".to_string(),
        _ if distance < 0.01 => format!("{distance:.2e}"),
        _ => format!("{distance:.3}"),
    }
}

fn ended(status: carom_core::status::Status) -> String {
    if status == carom_core::status::Status::Terminated {
        String::new()
    } else {
        format!("; {}", status.name())
    }
}
