//! Reports of the motion of a mechanism.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;
use std::fmt::Write;
use std::ops::Range;

use super::beside::{self, Beside, BesideRow};
use super::futures::FuturesReport;
use crate::Version;
use crate::plot::{Axis, BRANCH_COLOURS, Mark, NAMED_BRANCHES, Panel, Picture, Series};
use crate::table::{rest, taken};
use carom_core::error::Result;
use carom_core::text::{count, grouped, line, printable, short};
use carom_mechanics::model::{Site, Surface};
use carom_mechanics::motion::mechanism::Model;
use carom_mechanics::motion::midpoint::{
    Accumulation, Augmented, Change, Impact, MechanismCourse, MechanismMoment, Midpoint, Standing,
    Turn,
};
use carom_mechanics::motion::watch::Passing;
use carom_mechanics::motion::{InclusionMotion, MotionEnding};
use nalgebra::DVector;
use schemars::JsonSchema;
use serde::Serialize;

/// Impacts that the text lists.
const LISTED: usize = 20;
/// Limits of infinitely many impacts that it lists.
const LIMITS: usize = 5;
/// Points of a curve, about.
const DRAWN: u64 = 4000;
/// Coordinates that have a curve.
const CURVES: usize = 6;
/// Least value of xi, for its logarithm.
const SMALLEST: f64 = 1e-16;
/// The colours of energies.
const INK: usize = 6;
const GREY: usize = 7;

/// The sites of a motion by the time-augmented inclusion with their names, in order.
fn sites(motion: &Midpoint) -> Vec<(Site, String)> {
    let places =
        motion.mechanism().places(&motion.start().q, |_, _| true, f64::INFINITY).into_iter();
    let touches: BTreeMap<Site, _> = places.map(|((site, _), contact)| (site, contact)).collect();
    let (sites, contacts): (Vec<Site>, Vec<_>) = touches.into_iter().unzip();
    sites.into_iter().zip(motion.mechanism().contact_names(&contacts)).collect()
}

/// The names of the columns of a state: time, configuration, momentum, energies; of the
/// time-augmented inclusion s and the normal impulse of each site so far.
pub fn columns(motion: &Midpoint) -> Vec<String> {
    let names = motion.mechanism().position_names();
    let momenta = motion.mechanism().names().into_iter().map(|name| format!("momentum.{name}"));
    let mut columns: Vec<String> = std::iter::once("time".to_string()).chain(names).collect();
    columns.extend(momenta.chain(["kinetic", "potential"].map(str::to_string)));
    if motion.integrator() == InclusionMotion::NAME {
        columns.push("s".to_string());
        columns.extend(sites(motion).into_iter().map(|(_, name)| format!("impulse.{name}")));
    }
    columns.into_iter().map(|name| name.replace([',', '"', ' '], "_")).collect()
}

/// The numbers of these columns.
pub fn numbers(moment: &MechanismMoment<'_>) -> Vec<f64> {
    let state = [&moment.state.q, &moment.state.p].into_iter().flat_map(|x| x.iter().copied());
    std::iter::once(moment.time)
        .chain(state)
        .chain([moment.energy.kinetic, moment.energy.potential])
        .chain(moment.arc)
        .chain(moment.state.normal.values().copied())
        .collect()
}

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
    pub futures: Option<FuturesReport<'a>>,
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

/// The report of a motion, still without futures.
pub fn report<'a>(
    motion: &'a Midpoint,
    course: &'a MechanismCourse,
    beside: &'a [Beside],
) -> MechanismReport<'a> {
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
    let (initial, last) = (course.initial.total(), course.last.total());
    let (position, momentum) = (course.state.q.as_slice(), course.state.p.as_slice());
    MechanismReport {
        version: Version::default(),
        name: motion.name(),
        integrator: motion.integrator(),
        law: motion.law().name(),
        seed: motion.seed(),
        coordinates: motion.mechanism().names(),
        time_step: motion.time_step(),
        steps: course.steps,
        time: course.time,
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
        beside: beside::rows(beside),
        augmented: course.augmented.as_ref().map(augmented),
        futures: None,
    }
}

/// The sites that pushed: their names, their normal impulses in N s, and the shares of these in s.
fn shares(motion: &Midpoint, course: &MechanismCourse) -> Vec<(String, f64, f64)> {
    let arc = course.augmented.as_ref().map_or(f64::NAN, |augmented| augmented.arc);
    let of = |(site, name): (Site, String)| {
        let normal = *course.state.normal.get(&site)?;
        (normal > 0.0).then_some((name, normal, normal / arc))
    };
    sites(motion).into_iter().filter_map(of).collect()
}

pub(super) fn passing<'a>(motion: &'a Midpoint, passing: &Passing) -> PassingRow<'a> {
    let Passing { time, times, speed, thickness, time_step, .. } = *passing;
    PassingRow { bodies: names_of(motion, passing), time, times, speed, thickness, time_step }
}

fn names_of<'a>(motion: &'a Midpoint, passing: &Passing) -> [&'a str; 2] {
    passing.bodies.map(|body| motion.mechanism().surface_name(Surface::Body(body)))
}

/// The place of a motion within a step, in words.
pub fn place(standing: &Standing) -> String {
    let (time, step) = (short(standing.time), grouped(standing.step));
    let impacts = count(standing.impacts as usize, "impact");
    let sites = count(standing.sustained.len(), "site");
    format!("at {time} s, in step {step}, after {impacts}, with {sites} in sustained contact")
}

fn warnings(motion: &Midpoint, course: &MechanismCourse) -> Vec<String> {
    let turn = |turn: Turn| {
        let body = motion.mechanism().surface_name(Surface::Body(turn.body));
        let most = motion.time_step() * PI / turn.angle;
        let [angle, time, most] = [turn.angle, turn.time, most].map(short);
        format!(
            "`{body}` turns by up to {angle} rad in a step, first at {time} s; take a time_step of at most {most} s"
        )
    };
    let passed = course.passed.iter().map(|one| warning(motion, one));
    let unfitted = motion.law().unfitted(&course.impacts);
    passed.chain(course.turn.map(turn)).chain(unfitted).collect()
}

pub(super) fn warning(motion: &Midpoint, passing: &Passing) -> String {
    let [first, second] = names_of(motion, passing);
    let more = match passing.times {
        1 => String::new(),
        times => format!(" (and {} times later)", grouped(times - 1)),
    };
    let help = match passing.time_step {
        Some(step) => format!("take a time_step of at most {} s", short(step)),
        None => {
            "they have no thickness together, so that no time step is small enough: give one of them some"
                .to_string()
        }
    };
    let [time, speed] = [passing.time, passing.speed].map(short);
    format!(
        "`{first}` and `{second}` may have passed through each other unseen at {time} s{more}, at up to {speed} m/s; {help}"
    )
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
fn names(motion: &Midpoint, sites: &BTreeSet<Site>) -> Vec<String> {
    let surface = |surface| motion.mechanism().surface_name(surface);
    let name =
        |site: &Site| format!("{}-{}", surface(site.first), surface(Surface::Body(site.second)));
    sites.iter().map(name).collect()
}

/// The report as text.
pub fn text(motion: &Midpoint, course: &MechanismCourse, steps: u64, beside: &[Beside]) -> String {
    let mut text = String::new();
    let bodies = count(motion.mechanism().body_count(), "body").replace("bodys", "bodies");
    let coordinates = count(motion.mechanism().size(), "coordinate");
    let (name, integrator) = (printable(motion.name()), motion.integrator());
    line(&mut text, "motion", &format!("{name}: {integrator}, {bodies}, {coordinates}"));
    line(&mut text, "law", motion.law().name());
    if let Some(model) = motion.law().model() {
        let what = "outcomes of its law at each impact, without its forecasts";
        line(&mut text, "model", &format!("{}: {what}", printable(model)));
    }
    line(&mut text, "steps", &taken(course.steps, steps, motion.time_step(), course.time));
    line(&mut text, "status", &format!("{}: {}", course.ending.name(), course.ending.meaning()));
    if let Some(standing) = &course.standing {
        line(&mut text, "stopped", &place(standing));
    }
    let energies = [course.initial.total(), course.last.total(), course.energy_error];
    let [first, last, most] = energies.map(short);
    let energy = format!(
        "{first} J at first, {last} J at the end; it differs from the first by at most {most} J"
    );
    line(&mut text, "energy", &energy);
    line(&mut text, "impacts", &grouped(course.impacts.len() as u64));
    beside::text(&mut text, beside);
    warnings(motion, course).iter().for_each(|one| line(&mut text, "warning", &printable(one)));
    if let Some(augmented) = &course.augmented {
        for limit in augmented.accumulations.iter().take(LIMITS) {
            let rest = match limit.ratio {
                1.0 => "rounding hides the others".to_string(),
                ratio => format!("intervals shrink by the factor {}", short(ratio)),
            };
            let ([time, arc], impacts) =
                ([limit.time, limit.arc].map(digits), grouped(limit.impacts));
            let ends = format!(
                "infinitely many impacts accumulate at {time} s, s = {arc}: {impacts} were computed, {rest}"
            );
            line(&mut text, "zeno", &ends);
        }
        if augmented.accumulations.len() > LIMITS {
            let more = grouped((augmented.accumulations.len() - LIMITS) as u64);
            line(&mut text, "", &format!("and {more} more; --json has them all"));
        }
        let is = "at the end, the sum of time (s) and all normal impulses (N s)";
        line(&mut text, "s", &format!("{} {is}", digits(augmented.arc)));
        for (contact, impulse, share) in shares(motion, course) {
            let (impulse, percent) = (digits(impulse), short(100.0 * share));
            let part = format!("{contact}: {impulse} N s, {percent} % of s");
            line(&mut text, "impulse", &printable(&part));
        }
    }
    let mut last = Vec::new();
    for change in &course.changes {
        let mut names = names(motion, &change.sustained);
        names.dedup();
        if names == last {
            continue;
        }
        last.clone_from(&names);
        let what = match names.is_empty() {
            true => "nothing is in sustained contact any more".to_string(),
            false => format!("{} in sustained contact", printable(&names.join(", "))),
        };
        line(&mut text, "contact", &format!("from {} s on: {what}", short(change.time)));
    }
    if !course.impacts.is_empty() {
        let _ = writeln!(text, "\n{:>8}{:>14}{:>16}  contacts", "step", "time, s", "impulse, N s");
    }
    for impact in course.impacts.iter().take(LISTED) {
        let normals = &impact.impulse[..impact.contacts.len().min(impact.impulse.len())];
        let total: f64 = normals.iter().sum();
        let how = if impact.collision { "" } else { " (without collision)" };
        let contacts = format!("{}{how}", printable(&impact.names.join(", ")));
        let _ = writeln!(text, "{:>8}{:>14.6}{total:>16.6}  {contacts}", impact.step, impact.time);
    }
    rest(&mut text, course.impacts.len(), LISTED);
    text
}

/// A number with nine digits.
fn digits(x: f64) -> String {
    format!("{x:.prec$}", prec = 8 - (x.abs().max(1.0).log10() as usize).min(8))
}

/// The curves of a motion and its branches, or of motions beside one another: some of its states.
#[derive(Clone, Debug)]
pub struct Curves {
    stride: u64,
    branches: Vec<Vec<Vec<f64>>>,
}

impl Curves {
    /// The curves of a motion of `steps` steps, still without states.
    pub fn new(steps: u64) -> Self {
        Curves { stride: steps.div_ceil(DRAWN).max(1), branches: Vec::new() }
    }

    /// Takes a state of a branch, or leaves it out; the first one is taken.
    pub fn look(&mut self, branch: usize, moment: &MechanismMoment<'_>) {
        self.branches.resize(self.branches.len().max(branch + 1), Vec::new());
        let points = &mut self.branches[branch];
        if points.is_empty() || moment.step.is_multiple_of(self.stride) {
            points.push(numbers(moment));
        }
    }

    /// Time in s, and [xi](Midpoint::indeterminacy) of a branch beside the first one, as long as
    /// both go on.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn apart(&self, motion: &Midpoint, branch: usize) -> Result<Vec<[f64; 2]>> {
        let (mechanism, first) =
            (motion.mechanism(), 1 + motion.mechanism().position_names().len());
        let part = |point: &[f64], of: Range<usize>| DVector::from_column_slice(&point[of]);
        let momentum = |point: &[f64]| part(point, first..first + mechanism.size());
        let both = self.branches[0].iter().zip(&self.branches[branch]);
        let row = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let q = part(a, 1..first);
            Ok([a[0], motion.indeterminacy(&q, &momentum(a), &momentum(b))?])
        };
        both.filter(|(a, b)| a[0] == b[0]).map(row).collect()
    }

    /// A curve for each branch: two numbers of its states.
    fn of(&self, x: usize, y: impl Fn(&[f64]) -> f64) -> Vec<Vec<[f64; 2]>> {
        let curve =
            |points: &Vec<Vec<f64>>| points.iter().map(|point| [point[x], y(point)]).collect();
        self.branches.iter().map(curve).collect()
    }
}

/// Coordinates and energies over time, and the first coordinate against its momentum; of a tree, or
/// of motions beside one another, each coordinate and the energy in a panel of its own, each branch
/// in a colour of its own. Motions beside the first have xi as well, as in \[SM14\] Fig. 8.
pub fn picture(
    motion: &Midpoint,
    title: String,
    note: String,
    curves: &Curves,
    beside: &[Beside],
) -> Picture {
    let shown = Shown::of(motion);
    let mut picture = Picture { title, panels: Vec::new(), series: Vec::new(), note };
    match curves.branches.len() {
        0 | 1 => one_motion(&mut picture, &shown, curves),
        count => {
            tree(&mut picture, &shown, curves, beside);
            if count > NAMED_BRANCHES {
                picture.note += &format!("; {count} branches");
            }
        }
    }
    if motion.integrator() == InclusionMotion::NAME {
        let axes = [Axis::new("s", "s + N s"), Axis::new("time", "s")];
        picture.panels.push(from_zero("Time along s", axes));
        let (arc, panel) = (shown.energies + 2, picture.panels.len() - 1);
        let times = curves.of(arc, |point| point[0]);
        picture.series.extend(times.into_iter().enumerate().map(|(i, points)| {
            let label = if i == 0 { "time" } else { "" };
            Series::in_panel(panel, label, INK, Mark::Line, points)
        }));
        rates(&mut picture, motion, arc, curves);
    }
    picture
}

/// The rates of time and of normal impulses along s, each the mean over a step; \[HP23\] Sec. 4.3.
fn rates(picture: &mut Picture, motion: &Midpoint, arc: usize, curves: &Curves) {
    let [points] = &curves.branches[..] else { return };
    let panel = picture.panels.len();
    let axes = [Axis::new("s", "s + N s"), Axis::new("part of s", "")];
    picture.panels.push(from_zero("Rates along s", axes));
    let mut add = |label: &str, colour: usize, at: usize| {
        let rate = |pair: &[Vec<f64>]| {
            let [from, to] = [pair[0][arc], pair[1][arc]];
            let rate = (pair[1][at] - pair[0][at]) / (to - from);
            [[from, rate], [to, rate]]
        };
        let steps = points.windows(2).filter(|pair| pair[1][arc] > pair[0][arc]).flat_map(rate);
        picture.series.push(Series::in_panel(panel, label, colour, Mark::Line, steps.collect()));
    };
    add("", INK, 0);
    let last = points.last().map_or(&[][..], |point| &point[arc + 1..]);
    let pushed = (0..).zip(sites(motion)).zip(last).filter(|(_, normal)| **normal > 0.0);
    for (colour, ((at, (_, name)), _)) in pushed.take(CURVES).enumerate() {
        add(&format!("impulse of {name}"), colour, arc + 1 + at);
    }
}

/// A panel whose second axis shows 0.
fn from_zero(title: &str, [x, y]: [Axis; 2]) -> Panel {
    Panel::new(title, [x, Axis { origin: true, ..y }])
}

struct Shown {
    /// Coordinates with a unit: column, name and unit.
    coordinates: Vec<(usize, String, String)>,
    /// The column of the momentum of the first of them, in a plane.
    momentum: Option<usize>,
    /// The column of the kinetic energy, which that of the potential energy follows.
    energies: usize,
}

impl Shown {
    fn of(motion: &Midpoint) -> Self {
        let mechanism = motion.mechanism();
        let (names, units) = (mechanism.position_names(), mechanism.position_units());
        let (positions, n) = (names.len(), mechanism.size());
        let columns = (1..).zip(names).zip(units).map(|((at, name), unit)| (at, name, unit));
        Shown {
            coordinates: columns.filter(|(.., unit)| !unit.is_empty()).take(CURVES).collect(),
            momentum: (positions == n && n > 0).then_some(1 + positions),
            energies: 1 + positions + n,
        }
    }

    fn total(&self) -> impl Fn(&[f64]) -> f64 {
        let at = self.energies;
        move |point| point[at] + point[at + 1]
    }
}

/// The curves of one motion: coordinates with one unit share a panel.
fn one_motion(picture: &mut Picture, shown: &Shown, curves: &Curves) {
    let time = || Axis::new("time", "s");
    let mut add = |label: &str, colour: usize, panel: usize, points: Vec<Vec<[f64; 2]>>| {
        let points = points.into_iter().flatten().collect();
        picture.series.push(Series::in_panel(panel, label, colour, Mark::Line, points));
    };
    let mut kinds: Vec<&String> = Vec::new();
    for (i, (at, name, unit)) in shown.coordinates.iter().enumerate() {
        let panel = kinds.iter().position(|kind| *kind == unit).unwrap_or(kinds.len());
        kinds.extend(Some(unit).filter(|_| panel == kinds.len()));
        add(name, i, panel, curves.of(0, |point| point[*at]));
    }
    let energy = kinds.len();
    add("total energy", INK, energy, curves.of(0, shown.total()));
    add("kinetic energy", GREY, energy, curves.of(0, |point| point[shown.energies]));
    let phase = shown.momentum.zip(shown.coordinates.first());
    if let Some((momentum, (at, name, _))) = phase {
        let label = format!("{name} and its momentum");
        add(&label, 0, energy + 1, curves.of(*at, |point| point[momentum]));
    }
    let configuration =
        |unit: &&String| from_zero("Configuration", [time(), Axis::new("coordinates", unit)]);
    picture.panels.extend(kinds.iter().map(configuration));
    picture.panels.push(from_zero("Energy", [time(), Axis::new("energy", "J")]));
    if let Some((_, (_, name, unit))) = phase {
        let momentum = if unit == "rad" { "N m s" } else { "N s" };
        let axes = [Axis::new(name, unit), Axis::new("its momentum", momentum)];
        picture.panels.push(from_zero("Phase plot", axes));
    }
}

/// The curves of a tree: small panels, in which branches can be followed.
fn tree(picture: &mut Picture, shown: &Shown, curves: &Curves, beside: &[Beside]) {
    let time = || Axis::new("time", "s");
    let panel = |(_, name, unit): &(usize, String, String)| {
        Panel::new(name.as_str(), [time(), Axis::new(name, unit)])
    };
    picture.panels.extend(shown.coordinates.iter().map(panel));
    picture.panels.push(from_zero("Energy", [time(), Axis::new("total energy", "J")]));
    let of = |(at, ..): &(usize, String, String)| curves.of(0, |point| point[*at]);
    let mut quantities: Vec<Vec<Vec<[f64; 2]>>> = shown.coordinates.iter().map(of).collect();
    quantities.push(curves.of(0, shown.total()));
    if !beside.is_empty() {
        let xi = Axis::new("log10 xi", "");
        picture.panels.push(Panel::new("How far the momenta are apart", [time(), xi]));
        let of =
            |one: &Beside| one.apart.iter().map(|[t, xi]| [*t, xi.max(SMALLEST).log10()]).collect();
        quantities.push(std::iter::once(Vec::new()).chain(beside.iter().map(of)).collect());
    }
    for branch in 0..curves.branches.len() {
        let other = branch.checked_sub(1).and_then(|i| beside.get(i));
        let label = match (other, beside) {
            (Some(other), _) => other.what.clone(),
            (None, [_, ..]) => "the motion".to_string(),
            _ if curves.branches.len() <= NAMED_BRANCHES => format!("branch {branch}"),
            _ => String::new(),
        };
        let even = (branch / BRANCH_COLOURS).is_multiple_of(2);
        let mark = if even { Mark::Line } else { Mark::Dashes };
        let points = quantities.iter().map(|branches| branches[branch].clone()).collect();
        picture.series.push(Series { label, colour: branch % BRANCH_COLOURS, mark, points });
    }
}

/// A summary of a motion in a few words.
pub fn title(motion: &Midpoint, course: &MechanismCourse) -> String {
    let (impacts, time) = (count(course.impacts.len(), "impact"), short(course.time));
    format!("{}: {impacts} in {time} s", motion.name())
}

/// The way the motion was computed, and its ending.
pub fn note(motion: &Midpoint, ending: &str) -> String {
    let (integrator, law) = (motion.integrator(), motion.law().name());
    let (step, version) = (short(motion.time_step()), env!("CARGO_PKG_VERSION"));
    format!("{integrator}, law {law}, time step {step} s, {ending}; carom {version}")
}
