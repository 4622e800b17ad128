//! The report of the motion of a mechanism.

use std::collections::BTreeSet;

use super::Simulated;
use super::beside::{self, BesideRow};
use super::futures::FuturesReport;
use super::mechanism_text::warnings;
use crate::Version;
use carom_mechanics::model::{Site, Surface};
use carom_mechanics::motion::mechanism::Model;
use carom_mechanics::motion::watch::Passing;
use carom_mechanics::motion::{
    Accumulation, Augmented, Change, Course, Impact, InclusionMotion, Midpoint, MotionEnding,
    Standing,
};
use schemars::JsonSchema;
use serde::Serialize;

/// What `carom simulate --json` prints of a mechanism.
#[derive(Serialize, JsonSchema)]
pub struct MechanismReport<'a> {
    #[serde(flatten)]
    version: Version,
    name: &'a str,
    #[schemars(extend("enum" = [Midpoint::NAME, InclusionMotion::NAME]))]
    integrator: &'static str,
    /// The law of impacts.
    law: &'static str,
    seed: u64,
    coordinates: Vec<String>,
    /// s
    time_step: f64,
    /// Completed steps.
    steps: u64,
    /// The time of these, s.
    time: f64,
    collisions: Vec<ImpactRow<'a>>,
    collision_count: usize,
    /// The sites in sustained contact from a time on.
    sustained: Vec<ChangeRow>,
    energy: EnergyRow,
    state: StateRow<'a>,
    passed: Vec<PassingRow<'a>>,
    /// What a reader must know.
    warnings: Vec<String>,
    status: MotionEnding,
    /// Where the motion ended, if within a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<StandingRow>,
    /// The model file, where the law is from one; impacts are outcomes of its law.
    #[serde(flatten)]
    model: Option<ModelRow<'a>>,
    /// In space: names of the entries of a configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<Vec<String>>,
    /// With --beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Vec<BesideRow<'a>>>,
    #[serde(flatten)]
    augmented: Option<AugmentedRow<'a>>,
    /// With --branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    futures: Option<FuturesReport<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Change")]
struct ChangeRow {
    /// s
    time: f64,
    contacts: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Energies")]
struct EnergyRow {
    /// J
    initial: f64,
    /// J; after the last step.
    #[serde(rename = "final")]
    last: f64,
    /// J; the largest difference from the first.
    max_error: f64,
}

/// Configuration and discrete momentum after the last completed step.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MechanismState")]
struct StateRow<'a> {
    position: &'a [f64],
    momentum: &'a [f64],
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Stopped")]
struct StandingRow {
    /// From 0 on.
    step: u64,
    /// s
    time: f64,
    /// Impacts since the motion began.
    collision_count: u64,
    /// The sites in sustained contact.
    contacts: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ModelRow<'a> {
    /// The model file, where the law is from one.
    model: &'a str,
    /// With `model`: impacts are outcomes of its law.
    #[schemars(extend("const" = false))]
    forecasts: bool,
}

#[derive(Serialize, JsonSchema)]
struct AugmentedRow<'a> {
    /// Time in s and all normal impulses in N s, added up.
    s: f64,
    /// The normal impulses of the sites that pushed.
    impulses: Vec<PushRow>,
    /// Ends of infinitely many impacts.
    zeno: &'a [Accumulation],
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Push")]
struct PushRow {
    contact: String,
    /// N s
    normal: f64,
    /// Over s.
    share: f64,
}

/// Bodies that may have passed through each other unseen.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Passing")]
pub(super) struct PassingRow<'a> {
    bodies: [&'a str; 2],
    /// s; the first time.
    time: f64,
    /// How often.
    #[schemars(range(min = 1))]
    times: u64,
    /// How fast their points move against each other at most, m/s.
    speed: f64,
    /// The smallest width of both together, m.
    thickness: f64,
    /// A time step with which they cannot, s; null where no step is small enough.
    time_step: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Impact")]
pub(super) struct ImpactRow<'a> {
    /// The step in which it falls, from 0.
    step: u64,
    /// s
    time: f64,
    contacts: &'a [String],
    /// The configuration (n).
    position: &'a [f64],
    /// Before it (n).
    momentum_before: &'a [f64],
    /// After it (n).
    momentum: &'a [f64],
    /// N s, normals first, then tangents.
    impulse: &'a [f64],
    /// inclusion: s after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<f64>,
    /// inclusion: whether a gap closed; else it is an impact without collision.
    #[serde(skip_serializing_if = "Option::is_none")]
    collision: Option<bool>,
}

/// The report of a motion.
pub(super) fn report<'a>(motion: &'a Midpoint, ran: &Simulated<'a>) -> MechanismReport<'a> {
    let course = ran.course;
    let change = |change: &Change| ChangeRow {
        time: change.time,
        contacts: names(motion, &change.sustained),
    };
    let push = |(contact, normal, share)| PushRow { contact, normal, share };
    let stopped = |Standing { step, time, impacts, sustained }: &Standing| {
        let (contacts, collision_count) = (names(motion, sustained), *impacts);
        StandingRow { step: *step, time: *time, collision_count, contacts }
    };
    let augmented = |augmented: &'a Augmented| AugmentedRow {
        s: augmented.arc,
        impulses: shares(motion, course).into_iter().map(push).collect(),
        zeno: &augmented.accumulations,
    };
    let (initial, last) = (course.initial, course.last.energy);
    let (position, momentum) = (&course.last.position, &course.last.momentum);
    MechanismReport {
        version: Version::default(),
        name: motion.name(),
        integrator: motion.integrator(),
        law: motion.law().name(),
        seed: motion.seed(),
        coordinates: motion.mechanism().names(),
        time_step: motion.time_step(),
        steps: course.last.step,
        time: course.last.time,
        collisions: course.impacts.iter().map(impact).collect(),
        collision_count: course.impacts.len(),
        sustained: course.changes.iter().map(change).collect(),
        energy: EnergyRow { initial, last, max_error: course.energy_error },
        state: StateRow { position, momentum },
        passed: course.passed.iter().map(|one| passing(motion, one)).collect(),
        warnings: warnings(motion, course),
        status: course.ending,
        stopped: course.standing.as_ref().map(stopped),
        model: motion.law().model().map(|model| ModelRow { model, forecasts: false }),
        positions: match &motion.mechanism().model {
            Model::Spatial(model) => Some(model.position_names()),
            _ => None,
        },
        beside: beside::rows(ran.beside),
        augmented: course.augmented.as_ref().map(augmented),
        futures: ran.futures.map(|(futures, tree)| super::futures::report(motion, futures, tree)),
    }
}

/// Sites with normal impulse: name, normal impulse in N s, and its share of the arc length s.
pub(super) fn shares(motion: &Midpoint, course: &Course) -> Vec<(String, f64, f64)> {
    let arc = course.augmented.as_ref().map_or(f64::NAN, |augmented| augmented.arc);
    // Two energies and s come first.
    let pushed = motion.site_names().into_iter().zip(course.last.others.iter().skip(3));
    let pushed = pushed.filter(|(_, normal)| **normal > 0.0);
    pushed.map(|(name, normal)| (name, *normal, normal / arc)).collect()
}

pub(super) fn passing<'a>(motion: &'a Midpoint, passing: &Passing) -> PassingRow<'a> {
    let Passing { time, times, speed, thickness, time_step, .. } = *passing;
    PassingRow { bodies: names_of(motion, passing), time, times, speed, thickness, time_step }
}

pub(super) fn names_of<'a>(motion: &'a Midpoint, passing: &Passing) -> [&'a str; 2] {
    passing.bodies.map(|body| motion.mechanism().surface_name(Surface::Body(body)))
}

pub(super) fn impact(of: &Impact) -> ImpactRow<'_> {
    let Impact { step, time, names: contacts, position, before, after, impulse, .. } = of;
    ImpactRow {
        step: *step,
        time: *time,
        contacts,
        position,
        momentum_before: before,
        momentum: after,
        impulse,
        s: of.arc,
        collision: of.arc.map(|_| of.collision),
    }
}

/// The names of sites, one for each corner.
pub(super) fn names(motion: &Midpoint, sites: &BTreeSet<Site>) -> Vec<String> {
    let surface = |surface| motion.mechanism().surface_name(surface);
    let name =
        |site: &Site| format!("{}-{}", surface(site.first), surface(Surface::Body(site.second)));
    sites.iter().map(name).collect()
}
