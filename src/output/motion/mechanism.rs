//! Reports of the motion of a mechanism.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::model::Site;
use crate::motion::midpoint::{Change, Course, Impact, Midpoint, Moment};
use crate::output::plot::{Axis, Mark, Panel, Picture, Series};
use crate::output::text::{count, grouped, line, printable, short};

/// Impacts that the text lists.
const LISTED: usize = 20;
/// Points of a curve, about.
const DRAWN: u64 = 4000;
/// Coordinates that have a curve.
const CURVES: usize = 6;

/// The names of the columns of a state: time, configuration, momentum, energies.
pub fn columns(motion: &Midpoint) -> Vec<String> {
    let names = motion.mechanism().model.coordinate_names();
    let momenta = names.iter().map(|name| format!("momentum.{name}"));
    let energies = ["kinetic", "potential"].map(str::to_string);
    let columns =
        std::iter::once("time".to_string()).chain(names.iter().cloned()).chain(momenta).chain(energies);
    columns.map(|name| name.replace([',', '"', ' '], "_")).collect()
}

/// The numbers of these columns.
pub fn numbers(moment: &Moment<'_>) -> Vec<f64> {
    let state = [&moment.state.q, &moment.state.p].into_iter().flat_map(|x| x.iter().copied());
    std::iter::once(moment.time)
        .chain(state)
        .chain([moment.energy.kinetic, moment.energy.potential])
        .collect()
}

/// The report as JSON, `schema_version` 1.
pub fn json(motion: &Midpoint, course: &Course) -> Value {
    let model = &motion.mechanism().model;
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": motion.name(),
        "integrator": Midpoint::NAME,
        "law": motion.law().name(),
        "seed": motion.seed(),
        "coordinates": model.coordinate_names(),
        "time_step": motion.time_step(),
        "steps": course.steps,
        "time": course.time,
        "collisions": course.impacts.iter().map(impact).collect::<Vec<_>>(),
        "collision_count": course.impacts.len(),
        "sustained": course.changes.iter().map(|change| json!({
            "time": change.time, "contacts": names(motion, change),
        })).collect::<Vec<_>>(),
        "energy": { "initial": course.initial.total(), "max_error": course.energy_error },
        "state": { "position": course.state.q.as_slice(), "momentum": course.state.p.as_slice() },
        "status": course.ending.name(),
    })
}

/// An impact.
pub(super) fn impact(impact: &Impact) -> Value {
    json!({
        "step": impact.step,
        "time": impact.time,
        "contacts": impact.names,
        "position": impact.position,
        "momentum_before": impact.before,
        "momentum": impact.after,
        "impulse": impact.impulse,
    })
}

/// What is in sustained contact, by name; as often as there are corners.
fn names(motion: &Midpoint, change: &Change) -> Vec<String> {
    let model = &motion.mechanism().model;
    let name =
        |site: &Site| format!("{}-{}", model.surface_name(site.first), model.bodies()[site.second].name);
    change.sustained.iter().map(name).collect()
}

/// The report as text.
pub fn text(motion: &Midpoint, course: &Course, steps: u64) -> String {
    let mut text = String::new();
    let model = &motion.mechanism().model;
    let bodies = count(model.bodies().len(), "body").replace("bodys", "bodies");
    let coordinates = count(model.coordinate_count(), "coordinate");
    let what = format!("{}: {}, {bodies}, {coordinates}", printable(motion.name()), Midpoint::NAME);
    line(&mut text, "motion", &what);
    line(&mut text, "law", motion.law().name());
    let taken = match course.steps == steps {
        true => grouped(steps),
        false => format!("{} of {}", grouped(course.steps), grouped(steps)),
    };
    let each = format!("{taken}, {} s each: {} s", short(motion.time_step()), short(course.time));
    line(&mut text, "steps", &each);
    line(&mut text, "status", &format!("{}: {}", course.ending.name(), course.ending.meaning()));
    let energy = format!(
        "{} J at first; off by at most {} J",
        short(course.initial.total()),
        short(course.energy_error)
    );
    line(&mut text, "energy", &energy);
    line(&mut text, "impacts", &grouped(course.impacts.len() as u64));
    let mut last = Vec::new();
    for change in &course.changes {
        let mut names = names(motion, change);
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
        let contacts = printable(&impact.names.join(", ")).to_string();
        let _ = writeln!(text, "{:>8}{:>14.6}{total:>16.6}  {contacts}", impact.step, impact.time);
    }
    if course.impacts.len() > LISTED {
        let more = grouped((course.impacts.len() - LISTED) as u64);
        let _ = writeln!(text, "  and {more} more; --json has them all");
    }
    text
}

/// What a picture shows of a motion: some of its states.
#[derive(Clone, Debug)]
pub struct Curves {
    stride: u64,
    points: Vec<Vec<f64>>,
}

impl Curves {
    /// For a motion of so many steps.
    pub fn new(steps: u64) -> Self {
        Curves { stride: steps.div_ceil(DRAWN).max(1), points: Vec::new() }
    }

    /// Takes a state, or leaves it out.
    pub fn look(&mut self, moment: &Moment<'_>) {
        if moment.step.is_multiple_of(self.stride) {
            self.points.push(numbers(moment));
        }
    }
}

/// Coordinates and energies over time, and the first coordinate against its momentum.
pub fn picture(motion: &Midpoint, course: &Course, curves: &Curves) -> Picture {
    let names = motion.mechanism().model.coordinate_names();
    let n = names.len();
    let panel = |title: &str, x: Axis, y: Axis| Panel::new(title, [x, Axis { origin: true, ..y }]);
    let time = || Axis::new("time", "s");
    let first = names.first().map_or("", String::as_str);
    let panels = vec![
        panel("Configuration", time(), Axis::new("coordinates", "m, rad")),
        panel("Energy", time(), Axis::new("energy", "J")),
        panel("Phase plot", Axis::new(first, ""), Axis::new("its momentum", "")),
    ];
    let curve = |x: usize, of: &dyn Fn(&[f64]) -> f64| -> Vec<[f64; 2]> {
        curves.points.iter().map(|point| [point[x], of(point)]).collect()
    };
    let in_panel = |panel: usize, points: Vec<[f64; 2]>| {
        let mut all = vec![Vec::new(); panel];
        all.push(points);
        all
    };
    let series = |label: &str, colour: usize, points: Vec<Vec<[f64; 2]>>| Series {
        label: label.to_string(),
        colour,
        mark: Mark::Line,
        points,
    };
    let mut all: Vec<Series> = names
        .iter()
        .take(CURVES)
        .enumerate()
        .map(|(i, name)| series(name, i, in_panel(0, curve(0, &|point| point[1 + i]))))
        .collect();
    all.push(series("total energy", 6, in_panel(1, curve(0, &|point| point[1 + 2 * n] + point[2 + 2 * n]))));
    all.push(series("kinetic energy", 7, in_panel(1, curve(0, &|point| point[1 + 2 * n]))));
    if n > 0 {
        all.push(series(
            &format!("{first} and its momentum"),
            0,
            in_panel(2, curve(1, &|point| point[1 + n])),
        ));
    }
    let impacts = count(course.impacts.len(), "impact");
    Picture {
        title: format!("{}: {impacts} in {} s", motion.name(), short(course.time)),
        panels,
        series: all,
        note: format!(
            "{}, law {}, time step {} s, status {}; carom {}",
            Midpoint::NAME,
            motion.law().name(),
            short(motion.time_step()),
            course.ending.name(),
            env!("CARGO_PKG_VERSION")
        ),
    }
}
