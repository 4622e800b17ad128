//! Reports of a motion.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::beside::{self, Beside, column};
use super::trace::Trace;
use carom_core::text::{count, grouped, line, printable, short};
use carom_mechanics::motion::lgvci::shape::{Convex, DIRECTIONS, ShapePart};
use carom_mechanics::motion::lgvci::{
    BodyCourse, BodyState, Collision, CopySpread, Lgvci, Perturbation,
};

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

/// The report as JSON, `schema_version` 1; attitudes as rows, angular momenta in the frame of the
/// body, the rest in the world.
pub fn json(
    motion: &Lgvci,
    course: &BodyCourse,
    trace: &Trace,
    perturbed: Option<&Perturbed<'_>>,
    beside: &[Beside],
) -> Value {
    let errors = trace.errors();
    let uniform = motion.uniform().map(|uniform| {
        let center: [f64; 3] = uniform.center.into();
        json!({ "center": center, "volume": uniform.volume, "closed_form": uniform.closed })
    });
    let body = motion.body();
    let convex = functions(motion).map(|convex| match convex.is_proved() {
        true => json!("proved"),
        false => json!(DIRECTIONS),
    });
    let mut report = json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": motion.name(),
        "integrator": Lgvci::NAME,
        "time_step": motion.time_step(),
        "body": { "mass": body.mass, "inertia": body.inertia, "uniform": uniform, "convex": convex.collect::<Vec<_>>() },
        "steps": course.steps,
        "time": course.time,
        "collisions": course.collisions.iter().map(collision).collect::<Vec<_>>(),
        "collision_count": course.collisions.len(),
        "energy": {
            "initial": course.initial.total(), "max_error": course.energy_error,
            "time": column(&errors, 0), "error": column(&errors, 1),
        },
        "state": state(&course.state),
        "status": course.ending.name(),
    });
    if let Some(Perturbed { how, spread }) = perturbed {
        report["perturbation"] = perturbation(how, spread);
    }
    if !beside.is_empty() {
        report["beside"] = beside.iter().map(Beside::json).collect();
    }
    report
}

/// The parts of a body that functions describe.
fn functions(motion: &Lgvci) -> impl Iterator<Item = &Convex> {
    motion.body().shape.parts.iter().filter_map(|part| match part {
        ShapePart::Convex(convex) => Some(&**convex),
        _ => None,
    })
}

fn collision(hit: &Collision) -> Value {
    let mut row = state(&hit.state);
    let more = json!({
        "step": hit.step, "within": hit.within, "time": hit.time, "impulse": hit.impulse, "point": hit.point, "speed": hit.speed,
    });
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}

fn state(state: &BodyState<f64>) -> Value {
    json!({
        "position": state.position,
        "attitude": state.attitude,
        "momentum": state.momentum,
        "angular_momentum": state.angular_momentum,
    })
}

fn perturbation(how: &Perturbation, spread: &CopySpread) -> Value {
    let rows: Vec<Value> = (spread.rows.iter())
        .map(|row| {
            json!({
                "step": row.step, "time": row.time, "copies": row.copies, "min": row.least, "median": row.median, "p90": row.p90,
                "max": row.largest,
                "height_mean": row.mean_height, "height_sd": row.height,
            })
        })
        .collect();
    let endings: Map<String, Value> = spread
        .endings
        .iter()
        .map(|(ending, count)| (ending.name().to_string(), json!(count)))
        .collect();
    json!({
        "copies": spread.copies,
        "angle": how.angle,
        "shift": how.shift,
        "seed": how.seed,
        "device": spread.device,
        "precision": "f64",
        "warnings": [],
        "steps": spread.steps,
        "seconds": spread.seconds,
        "steps_per_second": spread.steps as f64 / spread.seconds,
        "distance": rows,
        "status": endings,
        "collisions_mean": spread.collisions,
        "energy_max_error": spread.energy_error,
    })
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
    let parts = count(body.shape.parts.len(), "part");
    line(
        &mut text,
        "motion",
        &format!("{}: {}, a body of {parts}", printable(motion.name()), Lgvci::NAME),
    );
    for convex in functions(motion) {
        let known = match convex.is_proved() {
            true => "that the rules of composition prove to be convex".to_string(),
            false => {
                format!("that was found to be convex in {} directions", grouped(DIRECTIONS as u64))
            }
        };
        line(&mut text, "function", &format!("a part {known}"));
    }
    let diagonal: Vec<String> = (0..3).map(|i| short(body.inertia[i][i])).collect();
    line(
        &mut text,
        "body",
        &format!("{} kg, inertia {} kg m^2 on the diagonal", short(body.mass), diagonal.join(", ")),
    );
    if let Some(uniform) = motion.uniform() {
        let center: Vec<String> = uniform.center.iter().map(|x| short(*x)).collect();
        let from = if uniform.closed { "in closed form" } else { "by quadrature" };
        let moved = format!(
            "of uniform density {from}: volume {} m^3, mass centre at {} of the file's frame",
            short(uniform.volume),
            center.join(", ")
        );
        line(&mut text, "", &moved);
    }
    let taken = match course.steps == steps {
        true => grouped(steps),
        false => format!("{} of {}", grouped(course.steps), grouped(steps)),
    };
    line(
        &mut text,
        "steps",
        &format!("{taken}, {} s each: {} s", short(motion.time_step()), short(course.time)),
    );
    line(&mut text, "status", &format!("{}: {}", course.ending.name(), course.ending.meaning()));
    let initial = course.initial.total();
    let part = if initial == 0.0 {
        String::new()
    } else {
        format!(", {} of it", short(course.energy_error / initial.abs()))
    };
    line(
        &mut text,
        "energy",
        &format!(
            "{} J at first; never off by more than {} J{part}",
            short(initial),
            short(course.energy_error)
        ),
    );
    line(&mut text, "collisions", &grouped(course.collisions.len() as u64));
    beside::text(&mut text, beside);
    if !course.collisions.is_empty() {
        let head = ["time, s", "impulse, N s", "closing, m/s", "height, m"];
        let _ =
            writeln!(text, "\n{:>8} {}", "step", head.map(|word| format!("{word:>14}")).concat());
    }
    for hit in course.collisions.iter().take(LISTED) {
        let height: f64 =
            body.normal.iter().zip(hit.state.position).map(|(n, x)| n * x).sum::<f64>()
                + body.offset;
        let cells = [hit.time, hit.impulse, hit.speed, height].map(|x| format!("{x:>14.6}"));
        let _ = writeln!(text, "{:>8} {}", hit.step, cells.concat());
    }
    if course.collisions.len() > LISTED {
        let _ = writeln!(
            text,
            "  and {} more; --json has them all",
            grouped((course.collisions.len() - LISTED) as u64)
        );
    }
    if let Some(Perturbed { how, spread }) = perturbed {
        let _ = writeln!(text);
        line(
            &mut text,
            "copies",
            &format!(
                "{}, each {} in a direction of its own, seed {}",
                grouped(spread.copies),
                how.words(),
                how.seed
            ),
        );
        let device = &spread.device;
        let at = format!(
            "on {} ({}; {}), f64: {} steps/s",
            printable(&device.name),
            device.backend,
            device.reason(),
            short(spread.steps as f64 / spread.seconds)
        );
        line(&mut text, "", &at);
        let endings: Vec<String> = spread
            .endings
            .iter()
            .map(|(ending, count)| format!("{} {}", grouped(*count), ending.name()))
            .collect();
        line(
            &mut text,
            "",
            &format!(
                "{}; {} collisions each; energy off by at most {} J",
                endings.join(", "),
                short(spread.collisions),
                short(spread.energy_error)
            ),
        );
        let _ = writeln!(
            text,
            "\n{:>12}{:>14}{:>14}{:>14}   |x - y| + |R - Q|",
            "time, s", "median", "p90", "max"
        );
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
