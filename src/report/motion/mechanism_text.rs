//! The report of the motion of a mechanism as text.

use std::f64::consts::PI;
use std::fmt::Write;

use super::mechanism::{names, names_of, shares};
use super::{Simulated, beside, futures};
use crate::table::{rest, steps};
use carom_core::text::{count, grouped, line, printable, short};
use carom_mechanics::model::Surface;
use carom_mechanics::motion::watch::Passing;
use carom_mechanics::motion::{Course, Midpoint, Standing, Turn};

/// Impacts that the text lists.
const LISTED: usize = 20;
/// Limits of infinitely many impacts that it lists.
const LIMITS: usize = 5;

/// The place of a motion within a step, in words.
pub fn place(standing: &Standing) -> String {
    let (time, step) = (short(standing.time), grouped(standing.step));
    let impacts = count(standing.impacts as usize, "impact");
    let sites = count(standing.sustained.len(), "site");
    format!("at {time} s, in step {step}, after {impacts}, with {sites} in sustained contact")
}

pub(super) fn warnings(motion: &Midpoint, course: &Course) -> Vec<String> {
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

pub(super) fn text(motion: &Midpoint, ran: &Simulated<'_>) -> String {
    let course = ran.course;
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
    steps(&mut text, ran);
    if let Some(standing) = &course.standing {
        line(&mut text, "stopped", &place(standing));
    }
    let energies = [course.initial, course.last.energy, course.energy_error];
    let [first, last, most] = energies.map(short);
    let energy = format!(
        "{first} J at first, {last} J at the end; it differs from the first by at most {most} J"
    );
    line(&mut text, "energy", &energy);
    line(&mut text, "impacts", &grouped(course.impacts.len() as u64));
    beside::text(&mut text, ran.beside);
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
    if let Some((how, tree)) = ran.futures {
        futures::text(&mut text, motion, how, tree);
    }
    text
}

/// A number with nine digits.
fn digits(x: f64) -> String {
    format!("{x:.prec$}", prec = 8 - (x.abs().max(1.0).log10() as usize).min(8))
}
