//! The course of one impact at a spatial contact: as JSON, as text, as a picture of its hodograph.

use serde_json::{Value, json};

use super::plot::{Mark, Panel, Picture, Series};
use super::report::{line, short};
use crate::law::Course;
use crate::law::arc::Motion;
use crate::law::invariant::Invariant;
use crate::problem::ContactProblem;

fn motion(motion: Motion) -> &'static str {
    match motion {
        Motion::Slip => "slip",
        Motion::Stick => "stick",
        Motion::Resumed => "resumed-slip",
    }
}

fn kind(invariant: &Invariant) -> &'static str {
    if invariant.centrifugal() { "centrifugal" } else { "centripetal" }
}

fn sequence(course: &Course) -> String {
    course.events.iter().map(|event| event.kind.letter()).collect()
}

/// Adds the course to the details of its outcome.
pub fn describe(details: &mut Value, course: &Course) {
    let events = course.events.iter().map(|event| {
        json!({
            "event": event.kind.name(),
            "normal_impulse": event.impulse[0],
            "impulse": event.impulse,
            "contact_velocity": event.velocity,
        })
    });
    let phases =
        course.phases.iter().map(|&(of, [from, to])| json!({ "motion": motion(of), "from": from, "to": to }));
    let invariant = |invariant: &Invariant| {
        json!({
            "angle": invariant.angle,
            "direction": invariant.direction,
            "rate": invariant.rate,
            "slope": invariant.slope,
            "kind": kind(invariant),
            "stable": invariant.stable(),
        })
    };
    let invariant: Option<Vec<Value>> =
        course.invariant.as_ref().map(|all| all.iter().map(invariant).collect());
    let [compression, restitution, friction] = course.work;
    details["hypothesis"] = course.hypothesis.name().into();
    details["restitution"] = course.restitution.into();
    details["events"] = events.collect();
    details["event_sequence"] = sequence(course).into();
    details["phases"] = phases.collect();
    details["every_direction_invariant"] = invariant.is_none().into();
    details["invariant_directions"] = invariant.unwrap_or_default().into();
    details["friction_to_stick"] = course.needed.into();
    details["condition_18"] = json!({ "holds": course.margin > 0.0, "margin": course.margin });
    details["energy"] = json!({
        "compression": compression,
        "restitution": restitution,
        "friction": friction,
        "change": restitution - compression + friction,
    });
    details["hodograph"] = json!(course.hodograph);
    details["arcs"] = course.arcs.into();
}

/// Adds the course to the text about an outcome.
pub fn lines(text: &mut String, problem: &ContactProblem, course: &Course) {
    let e = short(course.restitution);
    line(text, "restitution", &format!("{e} ({})", course.hypothesis.name()));
    let phases: Vec<&str> = course.phases.iter().map(|&(of, _)| motion(of)).collect();
    line(
        text,
        "motion",
        &if phases.is_empty() { "nothing approaches".to_string() } else { phases.join(", ") },
    );
    for (i, event) in course.events.iter().enumerate() {
        let head = if i == 0 { "events" } else { "" };
        line(text, head, &format!("{} at {} N s", event.kind.name(), short(event.impulse[0])));
    }
    let (mu, needed) = (problem.friction()[0], course.needed);
    let able = if needed <= mu { "can" } else { "cannot" };
    line(text, "sticking", &format!("{able}: needs a friction of {}, has {}", short(needed), short(mu)));
    match &course.invariant {
        None => line(text, "invariant", "every direction"),
        Some(all) => {
            for (i, invariant) in all.iter().enumerate() {
                let head = if i == 0 { "invariant" } else { "" };
                let stable = if invariant.stable() { "stable" } else { "unstable" };
                let degrees = short(invariant.angle.to_degrees());
                line(text, head, &format!("{degrees} degrees: {}, {stable}", kind(invariant)));
            }
        }
    }
    let holds = if course.margin > 0.0 { "holds" } else { "fails" };
    line(text, "condition", &format!("(18) of [JW16] {holds}, by {} 1/kg", short(course.margin.abs())));
    let [compression, restitution, friction] = course.work.map(short);
    let work = format!("compression {compression}, restitution {restitution}, friction {friction}");
    line(text, "work, J", &work);
}

/// The hodograph with the invariant directions, as \[JW16\] Figs. 4 to 10.
pub fn hodograph(problem: &ContactProblem, course: &Course) -> Picture {
    let size = course.hodograph.iter().map(|g| g[0].hypot(g[1])).fold(0.0, f64::max);
    let line = |label: String, colour: usize, mark: Mark, points: Vec<[f64; 2]>| Series {
        label,
        colour,
        mark,
        points: vec![points],
    };
    let mut series = Vec::new();
    for invariant in course.invariant.iter().flatten() {
        let tip = invariant.direction.map(|x| x * size);
        let stable = if invariant.stable() { "stable" } else { "unstable" };
        let degrees = short(invariant.angle.to_degrees());
        let label = format!("{} direction, {degrees} degrees, {stable}", kind(invariant));
        series.push(line(
            label,
            if invariant.centrifugal() { 1 } else { 5 },
            Mark::Line,
            vec![[0.0; 2], tip],
        ));
    }
    let label = format!("sliding velocity from contact to parting, {} points", course.hodograph.len());
    series.push(line(label, 6, Mark::Line, course.hodograph.clone()));
    let start = course.hodograph.iter().take(1).copied().collect();
    series.push(line("before the impact".to_string(), 0, Mark::Ring, start));
    for event in &course.events {
        let mark = match event.kind.letter() {
            's' => Mark::Cross,
            'r' => Mark::Square,
            _ => Mark::Diamond,
        };
        let colour = [2, 3, 4][usize::from(mark == Mark::Cross) + 2 * usize::from(mark == Mark::Square)];
        let label = format!("{} at {} N s", event.kind.name(), short(event.impulse[0]));
        series.push(line(label, colour, mark, vec![[event.velocity[1], event.velocity[2]]]));
    }
    let holds = if course.margin > 0.0 { "holds" } else { "fails" };
    Picture {
        title: format!("{}: hodograph of the impact", problem.name()),
        panels: vec![Panel {
            title: "Sliding velocity during the impact".to_string(),
            axes: ["along the first tangent (m/s)".to_string(), "along the second tangent (m/s)".to_string()],
        }],
        series,
        note: format!(
            "friction {}, restitution {} ({}), condition (18) {holds}; carom {}",
            short(problem.friction()[0]),
            short(course.restitution),
            course.hypothesis.name(),
            env!("CARGO_PKG_VERSION")
        ),
    }
}
