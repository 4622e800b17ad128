//! A motion as a picture: height, gap, energies and their error over time.

use super::beside::Beside;
use super::report::Perturbed;
use super::trace::Trace;
use crate::plot::{Axis, BRANCH_COLOURS, Mark, Panel, Picture, Series};
use carom_core::text::{count, short};
use carom_mechanics::motion::lgvci::{BodyCourse, Lgvci, SpreadRow};

/// Least value of a distance, for its logarithm.
const SMALLEST: f64 = 1e-16;
/// Most collisions whose times are drawn.
const MARKED: usize = 40;
/// The colours of the motion among others, and of the times of collisions.
const INK: usize = 6;
const GREY: usize = 7;

/// Height and gap, energies and the error of their sum, and with copies or motions beside it how
/// they part, over time. Source: \[TL24\] Figs. 5 to 8.
pub fn picture(
    motion: &Lgvci,
    course: &BodyCourse,
    trace: &Trace,
    perturbed: Option<&Perturbed<'_>>,
    beside: &[Beside],
) -> Picture {
    let panel = |title: &str, name: &str, unit: &str| {
        Panel::new(title, [Axis::new("time", "s"), Axis { origin: true, ..Axis::new(name, unit) }])
    };
    let mut panels = vec![
        panel("Above the plane", "distance from the plane", "m"),
        panel("Energy", "energy", "J"),
        panel("Error of the energy", "|E - E(0)|", "J"),
    ];
    let errors: Vec<[f64; 2]> = trace.errors().iter().map(|[t, e]| [*t, e.abs()]).collect();
    let highest = errors.iter().fold(0.0, |most: f64, [_, e]| most.max(*e));
    let mut series = Vec::new();
    if beside.is_empty() {
        series.extend([
            Series::in_panel(0, "mass centre", 0, Mark::Line, trace.heights()),
            Series::in_panel(0, "nearest point", 1, Mark::Line, trace.curve(2)),
        ]);
    }
    series.extend([
        Series::in_panel(1, "total energy", INK, Mark::Line, trace.curve(3)),
        Series::in_panel(1, "translational and potential energy", 2, Mark::Line, trace.curve(4)),
        Series::in_panel(1, "rotational energy", 4, Mark::Dashes, trace.curve(5)),
    ]);
    let marked = if course.collisions.len() <= MARKED { &course.collisions[..] } else { &[] };
    series.extend(marked.iter().enumerate().map(|(i, hit)| {
        let label = if i == 0 { "times of collisions" } else { "" };
        let line = vec![[hit.time, 0.0], [hit.time, highest]];
        Series::in_panel(2, label, GREY, Mark::Dashes, line)
    }));
    series.push(Series::in_panel(2, "error of the total energy", 5, Mark::Line, errors));
    let logarithms =
        |points: Vec<[f64; 2]>| points.iter().map(|[t, x]| [*t, x.max(SMALLEST).log10()]).collect();
    let last = panels.len();
    let mut part = |title: &str| {
        let measure = Axis::new("log10 (|x - y| + |R - Q|)", "");
        panels.push(Panel::new(title, [Axis::new("time", "s"), measure]));
    };
    if !beside.is_empty() {
        part("How the motions part");
    }
    for (i, Beside { what, apart, heights, .. }) in beside.iter().enumerate() {
        let (colour, heights) = (i % BRANCH_COLOURS, heights.clone());
        let points = [vec![heights], vec![Vec::new(); last - 1], vec![logarithms(apart.clone())]];
        let (label, points) = (what.clone(), points.concat());
        series.push(Series { label, colour, mark: Mark::Line, points });
    }
    if !beside.is_empty() {
        let label = "mass centre of the motion";
        series.push(Series::in_panel(0, label, INK, Mark::Dashes, trace.heights()));
    }
    if let Some(Perturbed { how, spread }) = perturbed {
        part("How copies part");
        let copies = count(spread.copies as usize, "copy").replace("copys", "copies");
        let label = format!("{copies} {}:", how.words());
        let part = |label: &str, colour, mark, of: &dyn Fn(&SpreadRow) -> f64| {
            let points = spread.rows.iter().map(|row| [row.time, of(row)]).collect();
            Series::in_panel(last, label, colour, mark, logarithms(points))
        };
        series.extend([
            part(&format!("{label} median"), 0, Mark::Line, &|row| row.median),
            part("the nearest and the farthest", 3, Mark::Dashes, &|row| row.largest),
            part("", 3, Mark::Dashes, &|row| row.least),
        ]);
    }
    Picture { title: title(motion, course), panels, series, note: note(motion, course) }
}

/// A summary of a motion in a few words.
pub fn title(motion: &Lgvci, course: &BodyCourse) -> String {
    let collisions = count(course.collisions.len(), "collision");
    format!("{}: {collisions} in {} s", motion.name(), short(course.time))
}

/// The way the motion was computed.
pub fn note(motion: &Lgvci, course: &BodyCourse) -> String {
    let (integrator, step) = (Lgvci::NAME, short(motion.time_step()));
    let (status, version) = (course.ending.name(), env!("CARGO_PKG_VERSION"));
    format!("{integrator}, time step {step} s, status {status}; carom {version}")
}
