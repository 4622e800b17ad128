//! The path of one sample: as JSON for scripts, as text and as a picture for people.

use std::fmt::Write;

use super::plot::{Axis, Mark, Panel, Picture, Series};
use super::{RunRecord, table};
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_core::text::{grouped, line, number, short};
use carom_engine::Replay;
use carom_engine::replay::{ReplayPoint, ReplayStep};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Line segments of the energy curve: approximate total, and most per step.
const CURVED: usize = 4000;
const PIECES: usize = 32;
/// Steps that the text lists.
const LISTED: usize = 60;
/// Fraction of the friction bound below which a contact sticks.
const ON_CONE: f64 = 1.0 - 1e-6;
/// Fraction of the largest contact velocity above which a contact slips.
const SLIPS: f64 = 1e-5;

/// The path as `carom replay --json` prints it, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom replay --json` prints")]
pub struct Path<'a> {
    /// The number of the sample.
    sample: u64,
    status: Status,
    steps: u32,
    residual: f64,
    repaired: bool,
    /// v+ (n).
    velocity: &'a [f64],
    /// N s ((1+d) m), normals first.
    impulse: &'a [f64],
    before: &'a ReplayPoint,
    path_impulse: Vec<f64>,
    path: Vec<Step<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Step<'a> {
    #[serde(flatten)]
    after: &'a ReplayPoint,
    /// Caps (m) over the largest of the step.
    rates: Vec<f64>,
    /// The normal impulse that each contact was allowed (m), N s.
    caps: &'a [f64],
    contacts: Vec<Doing>,
    /// N s ((1+d) m), normals first.
    impulse: &'a [f64],
}

/// What a contact does in a step.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Doing {
    /// Without impulse.
    Open,
    /// Within the friction cone.
    Stick,
    /// On the friction cone.
    Slide,
}

/// The path as JSON, `schema_version` 1.
pub fn json(problem: &ContactProblem, record: &RunRecord, number: u64, replay: &Replay) -> Value {
    let samples = &replay.samples;
    let mut path = Vec::new();
    for (before, step) in with_before(replay) {
        let most = step.caps.iter().copied().fold(0.0, f64::max);
        path.push(Step {
            after: &step.after,
            rates: step.caps.iter().map(|cap| if most > 0.0 { cap / most } else { 0.0 }).collect(),
            caps: &step.caps,
            contacts: states(problem, record, before, step),
            impulse: &step.impulse,
        });
    }
    record.with(Path {
        sample: number,
        status: samples.status[0],
        steps: samples.steps[0],
        residual: samples.residual[0],
        repaired: samples.repaired[0],
        velocity: &samples.velocity,
        impulse: &samples.impulse,
        before: &replay.before,
        path_impulse: of_path(replay),
        path,
    })
}

/// Each step with its initial state.
fn with_before(replay: &Replay) -> impl Iterator<Item = (&ReplayPoint, &ReplayStep)> {
    let before = std::iter::once(&replay.before).chain(replay.steps.iter().map(|step| &step.after));
    before.zip(&replay.steps)
}

fn of_path(replay: &Replay) -> Vec<f64> {
    let mut sum = vec![0.0; replay.samples.impulse.len()];
    for step in &replay.steps {
        for (sum, l) in sum.iter_mut().zip(&step.impulse) {
            *sum += l;
        }
    }
    sum
}

/// The contact states in a step that starts at `before`. Friction that turns averages to a value
/// within the cone, so in the inclusion a contact slides if it slips before or after a substep.
/// With uncertain friction, a contact slides if it slips after the step.
fn states(
    problem: &ContactProblem,
    record: &RunRecord,
    before: &ReplayPoint,
    step: &ReplayStep,
) -> Vec<Doing> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let turns = record.integrates_cones();
    let largest = step.impulse.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let [before, after] = [before, &step.after].map(|place| &place.contact_velocity[..]);
    let all = before.iter().chain(after).chain(problem.contact_velocity());
    let fastest = all.fold(0.0, |most: f64, x| most.max(x.abs()));
    let slips = |u: &[f64], i: usize| {
        u[m + d * i..m + d * (i + 1)].iter().any(|u| u.abs() > SLIPS * fastest)
    };
    let moves = |i: usize| {
        if slips(after, i) || turns && slips(before, i) { Doing::Slide } else { Doing::Stick }
    };
    let state = |i: usize| {
        let (normal, tangent) = (step.impulse[i], &step.impulse[m + d * i..m + d * (i + 1)]);
        let friction = tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        match () {
            () if normal.abs() <= 1e-12 * largest => Doing::Open,
            () if d == 0 => Doing::Slide,
            // The drawn friction of a sample is not recorded; the velocity is.
            () if turns || !problem.uncertainty().friction.is_empty() => moves(i),
            () if friction < ON_CONE * problem.friction()[i] * normal => Doing::Stick,
            () => Doing::Slide,
        }
    };
    (0..m).map(state).collect()
}

/// The path as text.
pub fn text(problem: &ContactProblem, record: &RunRecord, sample: u64, replay: &Replay) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let samples = &replay.samples;
    let (status, residual) = (samples.status[0].name(), short(samples.residual[0]));
    line(&mut text, "sample", &format!("{}, {status}, residual {residual}", grouped(sample)));
    let size = samples.impulse.iter().fold(0.0, |size: f64, l| size.max(l.abs()));
    if of_path(replay).iter().zip(&samples.impulse).any(|(a, b)| (a - b).abs() > 1e-3 * size) {
        let why = "contacts that hold each other share friction in more than one way; here another than in the sample";
        line(&mut text, "impulses", why);
    }
    let m = problem.contact_count();
    let energy = replay.before.kinetic_energy;
    let contacts = problem.contacts().join(", ");
    let _ =
        writeln!(text, "\ncontacts ({contacts}): L open, S stick, ~ slide; normal impulses in N s");
    let wide = m.max(8);
    let _ = writeln!(text, "{:>6}  {:<wide$}  {:>12}  normal impulses", "step", "", "energy, J");
    let _ = writeln!(text, "{:>6}  {:<wide$}  {:>12}", "", "", number(energy, energy));
    for (k, (before, step)) in with_before(replay).enumerate().take(LISTED) {
        let letters: String =
            states(problem, record, before, step).iter().map(|state| letter(*state)).collect();
        let normal = step.impulse[..m].iter().map(|x| format!("{:>11}", short(*x)));
        let normal = normal.collect::<Vec<_>>().join(" ");
        let after = number(step.after.kinetic_energy, energy);
        let _ = writeln!(text, "{:>6}  {letters:<wide$}  {after:>12}  {normal}", k + 1);
    }
    if replay.steps.len() > LISTED {
        let _ = writeln!(text, "  and {} more; --json has them all", replay.steps.len() - LISTED);
    }
    let columns = [("before", &replay.before.velocity[..]), ("after", &samples.velocity)];
    table::velocities(&mut text, problem, &columns, "");
    text
}

fn letter(state: Doing) -> char {
    match state {
        Doing::Open => 'L',
        Doing::Stick => 'S',
        Doing::Slide => '~',
    }
}

/// Kinetic energy over the accumulated normal impulse. `E = v' M v / 2`, and the velocity is linear
/// in the impulse of a step, so each step is an arc of a parabola.
fn energies(problem: &ContactProblem, impulse: &[f64], places: &[&ReplayPoint]) -> Vec<[f64; 2]> {
    let pieces = (CURVED / places.len()).clamp(1, PIECES);
    let mut energies = vec![[0.0, places[0].kinetic_energy]];
    for (x, ends) in impulse.windows(2).zip(places.windows(2)) {
        for k in 1..=pieces {
            let s = k as f64 / pieces as f64;
            let [v, w] = [0, 1].map(|end| &ends[end].velocity);
            let v: Vec<f64> = v.iter().zip(w).map(|(v, w)| v + s * (w - v)).collect();
            energies.push([x[0] + s * (x[1] - x[0]), problem.kinetic_energy(&v)]);
        }
    }
    energies
}

/// Contact velocities and energy over the accumulated normal impulse.
pub fn picture(
    problem: &ContactProblem,
    record: &RunRecord,
    sample: u64,
    replay: &Replay,
) -> Picture {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let mut impulse = vec![0.0];
    for step in &replay.steps {
        impulse.push(impulse[impulse.len() - 1] + step.impulse[..m].iter().sum::<f64>());
    }
    let after = replay.steps.iter().map(|step| &step.after);
    let places: Vec<&ReplayPoint> = std::iter::once(&replay.before).chain(after).collect();
    let curve = |value: &dyn Fn(&ReplayPoint) -> f64| -> Vec<[f64; 2]> {
        impulse.iter().zip(&places).map(|(x, place)| [*x, value(place)]).collect()
    };
    let fastest = replay.before.contact_velocity.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
    let panel = |name: &str, title: &str, axis: &str, unit: &str| {
        let scale = if unit == "m/s" { fastest } else { replay.before.kinetic_energy };
        let axis = Axis { scale, ..Axis::new(axis, unit) };
        let so_far = Axis::new("sum of normal impulses", "N s");
        Panel::new(title, [so_far, axis]).called(&[name])
    };
    let title = "Normal velocities of the contacts";
    let mut panels = vec![panel("normal", title, "normal velocity", "m/s")];
    if d > 0 {
        let axis = if d == 1 { "tangential velocity" } else { "speed along the contact" };
        panels.push(panel("tangential", "Tangential velocities", axis, "m/s"));
    }
    panels.push(panel("energy", "Kinetic energy", "kinetic energy", "J"));
    let mut series: Vec<Series> = (0..m)
        .map(|i| {
            let tangent =
                |place: &ReplayPoint| match &place.contact_velocity[m + d * i..m + d * (i + 1)] {
                    [t] => *t,
                    t => t.iter().map(|t| t * t).sum::<f64>().sqrt(),
                };
            let mut points = vec![curve(&|place| place.contact_velocity[i])];
            if d > 0 {
                points.push(curve(&tangent));
            }
            // Alternating marks keep two contacts with equal curves visible.
            let mark = if i % 2 == 0 { Mark::Line } else { Mark::Dashes };
            Series { label: problem.contacts()[i].clone(), colour: i, mark, points }
        })
        .collect();
    let energy = energies(problem, &impulse, &places);
    let at = panels.len() - 1;
    series.push(Series::in_panel(at, "kinetic energy", 6, Mark::Line, energy));
    Picture {
        title: format!("{}: how sample {} comes about", problem.name(), grouped(sample)),
        panels,
        series,
        note: record.note("one sample"),
    }
}
