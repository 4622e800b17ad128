//! The hodograph of one impact at a spatial contact: a picture of its sliding velocity.

use super::plot::{Axis, Mark, Panel, Picture, Series};
use super::text::short;
use crate::law::ContactCourse;
use crate::problem::ContactProblem;

/// The hodograph with the invariant directions, as \[JW16\] Figs. 4 to 10.
pub fn hodograph(problem: &ContactProblem, course: &ContactCourse) -> Picture {
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
        let label = format!("{} direction, {degrees} degrees, {stable}", invariant.kind());
        series.push(line(
            label,
            if invariant.centrifugal() { 2 } else { 3 },
            if invariant.stable() { Mark::Line } else { Mark::Dashes },
            vec![[0.0; 2], tip],
        ));
    }
    let label =
        format!("sliding velocity from contact to parting, {} points", course.hodograph.len());
    series.push(line(label, 6, Mark::Line, course.hodograph.clone()));
    let start = course.hodograph.iter().take(1).copied().collect();
    series.push(line("before the impact".to_string(), 0, Mark::Ring, start));
    for event in &course.events {
        let mark = match event.kind.letter() {
            's' => Mark::Cross,
            'r' => Mark::Square,
            _ => Mark::Diamond,
        };
        let colour =
            [4, 5, 1][usize::from(mark == Mark::Cross) + 2 * usize::from(mark == Mark::Square)];
        let label =
            format!("{} at {} N s", event.kind.name().replace("-", " "), short(event.impulse[0]));
        series.push(line(label, colour, mark, vec![[event.velocity[1], event.velocity[2]]]));
    }
    let holds = if course.margin > 0.0 { "holds" } else { "fails" };
    Picture {
        title: format!("{}: hodograph of the impact", problem.name()),
        panels: vec![Panel {
            equal: true,
            ..Panel::new(
                "Sliding velocity during the impact",
                ["along the first tangent", "along the second tangent"]
                    .map(|name| Axis::new(name, "m/s")),
            )
        }],
        series,
        note: format!(
            "friction {}, restitution {} ({}), condition (18) {holds}; carom {}",
            short(course.friction),
            short(course.restitution),
            course.hypothesis.name(),
            env!("CARGO_PKG_VERSION")
        ),
    }
}
