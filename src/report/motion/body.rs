//! The report of the motion of a rigid body.

use std::collections::BTreeMap;

use super::Simulated;
use super::beside::{self, BesideRow, column};
use crate::Version;
use carom_engine::{DeviceInfo, Precision};
use carom_mechanics::motion::lgvci::shape::{Convex, DIRECTIONS, ShapePart};
use carom_mechanics::motion::lgvci::{BodyState, CopySpread, Lgvci, Perturbation, SpreadRow};
use carom_mechanics::motion::{Impact, MotionEnding};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The column of the error of the energy.
pub(super) const ERROR: usize = 23;

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
    collisions: Vec<CollisionRow>,
    collision_count: usize,
    energy: EnergyRow,
    /// The state after the last completed step.
    state: StateRow,
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
#[schemars(rename = "State")]
struct StateRow {
    /// Position of the mass centre, m.
    position: [f64; 3],
    /// Rows; body to world.
    attitude: [[f64; 3]; 3],
    /// N s, in the world.
    momentum: [f64; 3],
    /// N m s, about the mass centre, in the frame of the body.
    angular_momentum: [f64; 3],
}

/// A collision, with the state just after it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Collision")]
struct CollisionRow {
    #[serde(flatten)]
    state: StateRow,
    /// The step in which it falls, from 0.
    step: u64,
    /// The number within the step, from 0.
    within: u32,
    /// s
    time: f64,
    /// N s
    impulse: f64,
    /// Where it touches, in the world, m.
    point: [f64; 3],
    /// The speed at which the gap closed, m/s.
    speed: f64,
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

/// The report of a motion.
pub(super) fn report<'a>(motion: &'a Lgvci, ran: &Simulated<'a>) -> BodyReport<'a> {
    let (course, body) = (ran.course, motion.body());
    let errors = ran.curves.over_time(0, |row| row[ERROR]);
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
    let (initial, max_error) = (course.initial, course.energy_error);
    BodyReport {
        version: Version::default(),
        name: motion.name(),
        integrator: Lgvci::NAME,
        time_step: motion.time_step(),
        body: BodyRow { mass: body.mass, inertia, uniform, convex },
        steps: course.last.step,
        time: course.last.time,
        collisions: collisions(&course.impacts),
        collision_count: course.impacts.len(),
        energy: EnergyRow { initial, max_error, time, error },
        state: state(&course.last.position, &course.last.momentum),
        status: course.ending,
        perturbation: ran.perturbed.map(perturbation),
        beside: beside::rows(ran.beside),
    }
}

pub(super) fn functions(motion: &Lgvci) -> impl Iterator<Item = &Convex> {
    motion.body().shape.parts.iter().filter_map(|part| match part {
        ShapePart::Convex(convex) => Some(&**convex),
        _ => None,
    })
}

fn collisions(impacts: &[Impact]) -> Vec<CollisionRow> {
    let row = |steps: &[Impact]| {
        let row = |(within, hit): (u32, &Impact)| CollisionRow {
            state: state(&hit.position, &hit.after),
            step: hit.step,
            within,
            time: hit.time,
            impulse: hit.impulse[0],
            point: hit.contacts[0].touch.point.into(),
            speed: hit.speed,
        };
        (0..).zip(steps).map(row).collect::<Vec<_>>()
    };
    impacts.chunk_by(|a, b| a.step == b.step).flat_map(row).collect()
}

fn state(position: &[f64], momentum: &[f64]) -> StateRow {
    let BodyState { position, attitude, momentum, angular_momentum } =
        BodyState::of(position, momentum);
    StateRow { position, attitude, momentum, angular_momentum }
}

fn perturbation<'a>((how, spread): (&Perturbation, &'a CopySpread)) -> PerturbationRow<'a> {
    let row = |row: &SpreadRow| {
        let SpreadRow { step, time, copies, least: min, median, p90, largest: max, .. } = *row;
        let (height_mean, height_sd) = (row.mean_height, row.height);
        DistanceRow { step, time, copies, min, median, p90, max, height_mean, height_sd }
    };
    let ending = |(ending, count): &(MotionEnding, u64)| (ending.name().to_string(), json!(count));
    let Perturbation { angle, shift, seed, .. } = *how;
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
