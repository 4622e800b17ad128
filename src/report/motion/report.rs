//! Reports of a motion.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::beside::{self, Beside, BesideRow, column};
use super::trace::{Trace, height};
use crate::Version;
use crate::table::{rest, taken};
use carom_core::text::{count, grouped, line, printable, short};
use carom_engine::{DeviceInfo, Precision};
use carom_mechanics::motion::MotionEnding;
use carom_mechanics::motion::lgvci::shape::{Convex, DIRECTIONS, ShapePart};
use carom_mechanics::motion::lgvci::{
    BodyCourse, BodyState, Collision, CopySpread, Lgvci, Perturbation, SpreadRow,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Collisions that the text lists.
const LISTED: usize = 20;
/// Times of the spread that the text lists.
const TIMES: usize = 11;

/// Copies of a motion, and how they were made.
pub struct Perturbed<'a> {
    /// The perturbation of the copies.
    pub how: &'a Perturbation,
    /// The course of the copies.
    pub spread: &'a CopySpread,
}

/// What `carom simulate --json` prints of a rigid body.
#[derive(Serialize, JsonSchema)]
pub struct BodyReport<'a> {
    #[serde(flatten)]
    version: Version,
    name: &'a str,
    #[schemars(extend("const" = Lgvci::NAME))]
    integrator: &'static str,
    /// s
    time_step: f64,
    body: BodyRow<'a>,
    /// Completed steps.
    steps: u64,
    /// The time of these, s.
    time: f64,
    collisions: &'a [Collision],
    collision_count: usize,
    energy: EnergyRow,
    /// The state after the last completed step.
    state: &'a BodyState<f64>,
    status: MotionEnding,
    /// With --perturb.
    #[serde(skip_serializing_if = "Option::is_none")]
    perturbation: Option<PerturbationRow<'a>>,
    /// With --beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Vec<BesideRow<'a>>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Body")]
struct BodyRow<'a> {
    /// kg
    mass: f64,
    /// kg m^2
    inertia: &'a [[f64; 3]; 3],
    /// Where the file leaves the inertia out.
    uniform: Option<UniformRow>,
    /// For each part that a function describes: whether the convexity is proved, or in how many
    /// directions it was checked.
    convex: Vec<Convexity>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Uniform")]
struct UniformRow {
    /// The mass centre in the frame of the file, m.
    center: [f64; 3],
    /// m^3
    volume: f64,
    closed_form: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Convexity {
    #[schemars(extend("const" = "proved"))]
    Proved(&'static str),
    Checked(usize),
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Energy")]
struct EnergyRow {
    /// J
    initial: f64,
    /// J; the largest difference from it.
    max_error: f64,
    /// s; of up to 4000 steps.
    time: Vec<f64>,
    /// J; the difference from it at these times.
    error: Vec<f64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Perturbation")]
struct PerturbationRow<'a> {
    /// Computed copies.
    copies: u64,
    /// rad
    angle: f64,
    /// m
    shift: f64,
    /// The seed of the axes.
    seed: u64,
    device: &'a DeviceInfo,
    precision: Precision,
    /// What a reader must know.
    warnings: Vec<String>,
    /// Steps of all copies together.
    steps: u64,
    /// The time that they took.
    seconds: f64,
    steps_per_second: f64,
    distance: Vec<DistanceRow>,
    /// Copies by status.
    #[schemars(with = "BTreeMap<String, u64>")]
    status: Map<String, Value>,
    /// Collisions of a copy.
    collisions_mean: f64,
    /// J; of all copies.
    energy_max_error: f64,
}

/// The distances |x - y| + |R - Q| of copies at a time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Distances")]
struct DistanceRow {
    /// Steps taken.
    step: u64,
    /// s
    time: f64,
    /// Copies that got there.
    copies: u64,
    min: f64,
    median: f64,
    p90: f64,
    max: f64,
    /// m
    height_mean: f64,
    /// m
    height_sd: f64,
}

/// The report as JSON, `schema_version` 1; attitudes as rows, angular momenta in the frame of the
/// body, the rest in the world.
pub fn json(
    motion: &Lgvci,
    course: &BodyCourse,
    trace: &Trace,
    perturbed: Option<&Perturbed<'_>>,
    beside: &[Beside],
) -> Value {
    let (errors, body) = (trace.errors(), motion.body());
    let uniform = motion.uniform().map(|of| UniformRow {
        center: of.center.into(),
        volume: of.volume,
        closed_form: of.closed,
    });
    let convex = functions(motion).map(|convex| match convex.is_proved() {
        true => Convexity::Proved("proved"),
        false => Convexity::Checked(DIRECTIONS),
    });
    let (convex, inertia) = (convex.collect(), &body.inertia);
    let [time, error] = [0, 1].map(|i| column(&errors, i));
    let (initial, max_error) = (course.initial.total(), course.energy_error);
    json!(BodyReport {
        version: Version::default(),
        name: motion.name(),
        integrator: Lgvci::NAME,
        time_step: motion.time_step(),
        body: BodyRow { mass: body.mass, inertia, uniform, convex },
        steps: course.steps,
        time: course.time,
        collisions: &course.collisions,
        collision_count: course.collisions.len(),
        energy: EnergyRow { initial, max_error, time, error },
        state: &course.state,
        status: course.ending,
        perturbation: perturbed.map(perturbation),
        beside: beside::rows(beside),
    })
}

fn functions(motion: &Lgvci) -> impl Iterator<Item = &Convex> {
    motion.body().shape.parts.iter().filter_map(|part| match part {
        ShapePart::Convex(convex) => Some(&**convex),
        _ => None,
    })
}

fn perturbation<'a>(Perturbed { how, spread }: &Perturbed<'a>) -> PerturbationRow<'a> {
    let row = |row: &SpreadRow| {
        let SpreadRow { step, time, copies, least: min, median, p90, largest: max, .. } = *row;
        let (height_mean, height_sd) = (row.mean_height, row.height);
        DistanceRow { step, time, copies, min, median, p90, max, height_mean, height_sd }
    };
    let ending = |(ending, count): &(MotionEnding, u64)| (ending.name().to_string(), json!(count));
    let Perturbation { angle, shift, seed, .. } = **how;
    let CopySpread { copies, device, steps, seconds, .. } = spread;
    PerturbationRow {
        copies: *copies,
        angle,
        shift,
        seed,
        device,
        precision: Precision::F64,
        warnings: Vec::new(),
        steps: *steps,
        seconds: *seconds,
        steps_per_second: *steps as f64 / seconds,
        distance: spread.rows.iter().map(row).collect(),
        status: spread.endings.iter().map(ending).collect(),
        collisions_mean: spread.collisions,
        energy_max_error: spread.energy_error,
    }
}

/// The report as text.
pub fn text(
    motion: &Lgvci,
    course: &BodyCourse,
    steps: u64,
    perturbed: Option<&Perturbed<'_>>,
    beside: &[Beside],
) -> String {
    let mut text = String::new();
    let body = motion.body();
    let (name, parts) = (printable(motion.name()), count(body.shape.parts.len(), "part"));
    line(&mut text, "motion", &format!("{name}: {}, a body of {parts}", Lgvci::NAME));
    for convex in functions(motion) {
        let directions = grouped(DIRECTIONS as u64);
        let known = match convex.is_proved() {
            true => "that the rules of composition prove to be convex".to_string(),
            false => format!("that was found to be convex in {directions} directions"),
        };
        line(&mut text, "function", &format!("a part {known}"));
    }
    let diagonal = [0, 1, 2].map(|i| short(body.inertia[i][i])).join(", ");
    let mass = short(body.mass);
    line(&mut text, "body", &format!("{mass} kg, inertia {diagonal} kg m^2 on the diagonal"));
    if let Some(uniform) = motion.uniform() {
        let center: Vec<String> = uniform.center.iter().map(|x| short(*x)).collect();
        let from = if uniform.closed { "in closed form" } else { "by quadrature" };
        let (volume, center) = (short(uniform.volume), center.join(", "));
        let moved = format!("volume {volume} m^3, mass centre at {center} of the file's frame");
        line(&mut text, "", &format!("of uniform density {from}: {moved}"));
    }
    line(&mut text, "steps", &taken(course.steps, steps, motion.time_step(), course.time));
    line(&mut text, "status", &format!("{}: {}", course.ending.name(), course.ending.meaning()));
    let (initial, off) = (course.initial.total(), course.energy_error);
    let part = match initial {
        0.0 => String::new(),
        _ => format!(", {} of it", short(off / initial.abs())),
    };
    let [first, most] = [initial, off].map(short);
    let energy = format!("{first} J at first; never off by more than {most} J{part}");
    line(&mut text, "energy", &energy);
    line(&mut text, "collisions", &grouped(course.collisions.len() as u64));
    beside::text(&mut text, beside);
    if !course.collisions.is_empty() {
        let head = ["time, s", "impulse, N s", "closing, m/s", "height, m"];
        let head = head.map(|word| format!("{word:>14}")).concat();
        let _ = writeln!(text, "\n{:>8} {head}", "step");
    }
    for hit in course.collisions.iter().take(LISTED) {
        let height = height(body, &hit.state);
        let cells = [hit.time, hit.impulse, hit.speed, height].map(|x| format!("{x:>14.6}"));
        let _ = writeln!(text, "{:>8} {}", hit.step, cells.concat());
    }
    rest(&mut text, course.collisions.len(), LISTED);
    if let Some(Perturbed { how, spread }) = perturbed {
        let (copies, words, seed) = (grouped(spread.copies), how.words(), how.seed);
        text.push('\n');
        let each = format!("{copies}, each {words} in a direction of its own, seed {seed}");
        line(&mut text, "copies", &each);
        let (name, why) = (printable(&spread.device.name), spread.device.reason());
        let (backend, rate) = (&spread.device.backend, spread.steps as f64 / spread.seconds);
        let rate = short(rate);
        line(&mut text, "", &format!("on {name} ({backend}; {why}), f64: {rate} steps/s"));
        let ending = |(ending, count): &(MotionEnding, u64)| {
            format!("{} {}", grouped(*count), ending.name())
        };
        let endings = spread.endings.iter().map(ending).collect::<Vec<_>>().join(", ");
        let [hits, off] = [spread.collisions, spread.energy_error].map(short);
        let each = format!("{endings}; {hits} collisions each; energy off by at most {off} J");
        line(&mut text, "", &each);
        let heads = ["median", "p90", "max"].map(|head| format!("{head:>14}")).concat();
        let _ = writeln!(text, "\n{:>12}{heads}   |x - y| + |R - Q|", "time, s");
        let stride = spread.rows.len().div_ceil(TIMES - 1).max(1);
        for row in spread.rows.iter().step_by(stride) {
            let cells = [row.median, row.p90, row.largest].map(|x| format!("{:>14}", short(x)));
            let _ = writeln!(text, "{:>12}{}", short(row.time), cells.concat());
        }
        if stride > 1 {
            let times = grouped(spread.rows.len() as u64);
            let _ = writeln!(text, "  one of {stride} times is shown; --json has all {times}");
        }
    }
    text
}
