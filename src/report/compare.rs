//! Laws compared with the sampled set: as JSON for scripts, as text for people.

use std::fmt::Write;

use super::RunRecord;
use super::answer::Source;
use super::bounds::ApartRow;
use super::schema::{ModeName, named};
use super::table::set_lines;
use carom_analysis::bounds::BoundKind;
use carom_analysis::compare::{Compared, Comparison};
use carom_analysis::place::{SetPlace, Verdict};
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_core::text::line;
use carom_engine::{DeviceInfo, Precision};
use carom_law::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The comparison as `carom compare --json` prints it, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom compare --json` prints")]
pub struct CompareReport<'a> {
    set: Drawn<'a>,
    outcomes: Vec<Row<'a>>,
    refused: Vec<Refused>,
}

/// The sampled set.
#[derive(Serialize, JsonSchema)]
struct Drawn<'a> {
    law: &'static str,
    process: Option<&'static str>,
    seed: Option<u64>,
    device: Option<&'a DeviceInfo>,
    precision: Precision,
    samples: u64,
    terminated: u64,
    accepted: u64,
    resolution: f64,
    /// The set that says what is inside.
    verdict_from: Source,
}

/// An outcome of a law. Distances are over |v-|_M.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Outcome")]
struct Row<'a> {
    law: &'static str,
    /// Name of the outcome among those of its law.
    which: &'a str,
    /// Outcomes of the law with this velocity.
    times: usize,
    /// v+ (n).
    velocity: &'a [f64],
    /// J
    kinetic_energy: f64,
    modes: Vec<ModeName>,
    status: Status,
    /// Dimensionless.
    residual: f64,
    distance: f64,
    resolution: f64,
    verdict: Verdict,
    /// null where samples do not tell.
    in_set: Option<bool>,
    /// How far apart samples lie there.
    spacing: f64,
    /// A half-space that is proved to hold the set, and not the outcome; null where none is found.
    apart: Option<ApartRow>,
}

/// A law that does not apply.
#[derive(Serialize, JsonSchema)]
struct Refused {
    law: &'static str,
    why: String,
}

/// The comparison as JSON, `schema_version` 1. Velocities in SI units; `distance`, `spacing` and
/// `resolution` over `|v-|_M`, see [`SetPlace`].
pub fn json(problem: &ContactProblem, record: &RunRecord, comparison: &Comparison) -> Value {
    let tangents = problem.tangents_per_contact();
    let (summary, sampling) = (&comparison.run.summary, record.sampling.as_ref());
    let refused = comparison.refused.iter();
    record.with(CompareReport {
        set: Drawn {
            law: record.law(),
            process: sampling.and_then(|sampling| sampling.process),
            seed: record.seed,
            device: sampling.map(|sampling| &sampling.device),
            precision: record.precision(),
            samples: record.samples(),
            terminated: summary.terminated(),
            accepted: summary.accepted,
            resolution: comparison.resolution,
            verdict_from: Source::of(comparison.exact.as_ref()),
        },
        outcomes: comparison.outcomes.iter().map(|compared| row(compared, tangents)).collect(),
        refused: refused.map(|(law, why)| Refused { law, why: why.to_string() }).collect(),
    })
}

fn row(compared: &Compared, tangents: usize) -> Row<'_> {
    let Compared { law, which, outcome, times, place, spacing, apart } = compared;
    let Outcome { velocity, kinetic_energy, status, residual, .. } = outcome;
    let SetPlace { distance, resolution, verdict, .. } = *place;
    Row {
        law,
        which,
        times: *times,
        velocity,
        kinetic_energy: *kinetic_energy,
        modes: named(&outcome.modes, tangents),
        status: *status,
        residual: *residual,
        distance,
        resolution,
        verdict,
        in_set: match verdict {
            Verdict::Inside => Some(true),
            Verdict::Outside => Some(false),
            Verdict::NotResolved => None,
        },
        spacing: *spacing,
        apart: apart.as_ref().map(ApartRow::of),
    }
}

/// The comparison as text.
pub fn text(problem: &ContactProblem, record: &RunRecord, comparison: &Comparison) -> String {
    let mut text = String::new();
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    record.head(&mut text);
    set_lines(&mut text, &comparison.run.summary);
    let spacing = short_distance(comparison.resolution);
    let spacing = format!("samples set apart lie at most {spacing} from the nearest of the others");
    line(&mut text, "spacing", &spacing);
    line(&mut text, "distance", "of an outcome from the nearest sample, |a - b|_M / |v-|_M");
    let resolution =
        "how much farther from the outcome the 101st nearest sample is than the nearest";
    line(&mut text, "resolution", resolution);
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
    verdict.iter().zip(["verdict", ""]).for_each(|(words, key)| line(&mut text, key, words));
    let proofs = comparison.outcomes.iter().filter_map(|compared| compared.apart.as_ref());
    let mut kinds: Vec<BoundKind> = proofs.map(|apart| apart.kind).collect();
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
    let tangents = problem.tangents_per_contact();
    for Compared { law, which, outcome, times, place, apart, .. } in &comparison.outcomes {
        let times = if *times > 1 { format!(" ({times} times)") } else { String::new() };
        let modes: Vec<&str> = outcome.modes.iter().map(|mode| mode.name(tangents)).collect();
        let verdict = match place.verdict {
            _ if apart.is_some() => "outside, proved",
            Verdict::NotResolved => "not resolved at this count",
            verdict => verdict.name(),
        };
        let energy = if before > 0.0 { 100.0 * outcome.kinetic_energy / before } else { 100.0 };
        let [away, resolution] = [place.distance, place.resolution].map(short_distance);
        let (which, modes) = (format!("{which}{times}"), modes.join(", "));
        let ended = match outcome.status {
            Status::Terminated => String::new(),
            status => format!("; {}", status.name()),
        };
        let _ = writeln!(
            text,
            "  {law:<22}{which:<50}{away:>10}{resolution:>12}  {verdict:<28}{energy:>10.2} %  {modes}{ended}"
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

/// Restrictions of some laws with respect to friction.
const REMARKS: [(&str, &str); 2] = [
    ("propagative", "leaves friction out"),
    ("convex-relaxation", "lets contacts that slide leave each other"),
];

/// Three digits; 0 below the size of rounding errors.
pub(super) fn short_distance(distance: f64) -> String {
    match distance {
        _ if distance < 1e-9 => "0".to_string(),
        _ if distance < 0.01 => format!("{distance:.2e}"),
        _ => format!("{distance:.3}"),
    }
}
