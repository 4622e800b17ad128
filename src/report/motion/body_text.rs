//! The report of the motion of a rigid body as text.

use std::fmt::Write;

use super::body::functions;
use super::curves::height;
use super::{Simulated, beside};
use crate::table::{rest, steps};
use carom_core::text::{count, grouped, line, printable, short};
use carom_mechanics::motion::MotionEnding;
use carom_mechanics::motion::lgvci::Lgvci;
use carom_mechanics::motion::lgvci::shape::DIRECTIONS;

/// Collisions that the text lists.
const LISTED: usize = 20;
/// Times of the spread that the text lists.
const TIMES: usize = 11;

pub(super) fn text(motion: &Lgvci, ran: &Simulated<'_>) -> String {
    let course = ran.course;
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
    steps(&mut text, ran);
    let (initial, off) = (course.initial, course.energy_error);
    let part = match initial {
        0.0 => String::new(),
        _ => format!(", {} of it", short(off / initial.abs())),
    };
    let [first, most] = [initial, off].map(short);
    let energy = format!("{first} J at first; never off by more than {most} J{part}");
    line(&mut text, "energy", &energy);
    line(&mut text, "collisions", &grouped(course.impacts.len() as u64));
    beside::text(&mut text, ran.beside);
    if !course.impacts.is_empty() {
        let head = ["time, s", "impulse, N s", "closing, m/s", "height, m"];
        let head = head.map(|word| format!("{word:>14}")).concat();
        let _ = writeln!(text, "\n{:>8} {head}", "step");
    }
    for hit in course.impacts.iter().take(LISTED) {
        let height = height(body, &hit.position);
        let cells = [hit.time, hit.impulse[0], hit.speed, height].map(|x| format!("{x:>14.6}"));
        let _ = writeln!(text, "{:>8} {}", hit.step, cells.concat());
    }
    rest(&mut text, course.impacts.len(), LISTED);
    if let Some((how, spread)) = ran.perturbed {
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
