//! Parsing of the statistics in a report.

use std::collections::BTreeMap;

use carom_core::outcome::{Mode, Spread, Sum, Summary, Tolerance};
use carom_core::status::Status;
use serde::Deserialize;
use serde_json::Value;

/// Report keys that depend on the samples.
pub const KEYS: [&str; 14] = [
    "terminated",
    "accepted",
    "repaired",
    "status",
    "steps",
    "residual_max",
    "seconds",
    "velocity",
    "normal_velocity",
    "tangent_velocity",
    "kinetic_energy",
    "modes",
    "modes_not_listed",
    "sums",
];

#[derive(Deserialize)]
struct Statistics {
    samples: u64,
    accepted: u64,
    repaired: u64,
    status: BTreeMap<String, u64>,
    steps: Steps,
    residual_max: f64,
    velocity: Extremes<Vec<Option<f64>>>,
    normal_velocity: Extremes<Vec<Option<f64>>>,
    tangent_velocity: Extremes<Vec<Option<f64>>>,
    kinetic_energy: Extremes<Option<f64>>,
    modes: Vec<Counted>,
    modes_not_listed: u64,
    sums: Sums,
}

#[derive(Deserialize)]
struct Steps {
    max: u32,
}

#[derive(Deserialize)]
struct Extremes<T> {
    min: T,
    max: T,
}

#[derive(Deserialize)]
struct Counted {
    mode: Vec<String>,
    count: u64,
}

/// Components of exact sums; null stands for a value that is not finite.
type Parts = Vec<Option<f64>>;

#[derive(Deserialize)]
struct Sums {
    steps: u64,
    velocity: Vec<Parts>,
    normal_velocity: Vec<Parts>,
    tangent_velocity: Vec<Parts>,
    kinetic_energy: Parts,
}

/// The statistics of a report; the report does not contain the tolerances.
pub fn read(report: &Value) -> serde_json::Result<Summary> {
    let of = Statistics::deserialize(report)?;
    let (m, rows) = (of.sums.normal_velocity.len(), of.sums.tangent_velocity.len());
    let tangents = rows / m.max(1);
    let unknown = Tolerance { rest: f64::NAN, residual: f64::NAN };
    let mut summary = Summary::new(of.sums.velocity.len(), m, tangents, unknown);
    summary.samples = of.samples;
    summary.accepted = of.accepted;
    summary.repaired = of.repaired;
    summary.steps_sum = of.sums.steps;
    summary.steps_max = of.steps.max;
    summary.residual_max = of.residual_max;
    for status in Status::ALL {
        summary.status[status as usize] = of.status.get(status.name()).copied().unwrap_or(0);
    }
    let spread = |of_all: Extremes<Vec<Option<f64>>>, sums: Vec<Parts>| {
        let extents = of_all.min.into_iter().zip(of_all.max).zip(sums);
        Spread::of(of.accepted, extents.map(|((min, max), parts)| extent(min, max, parts)))
    };
    summary.velocity = spread(of.velocity, of.sums.velocity);
    summary.normal_velocity = spread(of.normal_velocity, of.sums.normal_velocity);
    summary.tangent_velocity = spread(of.tangent_velocity, of.sums.tangent_velocity);
    let Extremes { min, max } = of.kinetic_energy;
    let energy = extent(min, max, of.sums.kinetic_energy);
    summary.kinetic_energy = Spread::of(of.accepted, std::iter::once(energy));
    for Counted { mode, count } in &of.modes {
        let named = |name: &String| Mode::ALL.into_iter().find(|mode| mode.name(tangents) == name);
        let known = mode.iter().map(named).collect::<Option<Vec<Mode>>>();
        let known = known.filter(|known| known.len() == m);
        summary.modes.count_modes(&known.ok_or_else(unknown_modes)?, *count);
    }
    summary.modes.count_beyond(of.modes_not_listed);
    Ok(summary)
}

fn extent(min: Option<f64>, max: Option<f64>, parts: Parts) -> (f64, f64, Sum) {
    let sum = parts.into_iter().map(|part| part.unwrap_or(f64::NAN)).collect();
    (min.unwrap_or(f64::INFINITY), max.unwrap_or(f64::NEG_INFINITY), sum)
}

fn unknown_modes() -> serde_json::Error {
    serde::de::Error::custom("`modes` has other modes than its contacts can have")
}
