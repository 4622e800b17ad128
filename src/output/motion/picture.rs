//! A motion as a picture: height, gap and energies over time.

use super::report::Perturbed;
use crate::motion::lgvci::{BodyCourse, BodyMoment, Lgvci};
use crate::output::plot::{Axis, Mark, Panel, Picture, Series};
use crate::output::text::{count, short};

/// Points of a curve, about.
const DRAWN: u64 = 4000;
/// Least value of a distance, for its logarithm.
const SMALLEST: f64 = 1e-16;

/// The states of a motion that a picture shows.
#[derive(Clone, Debug)]
pub struct Trace {
    stride: u64,
    /// Time; height and gap; total, translational and potential, and rotational energy.
    points: Vec<[f64; 6]>,
}

impl Trace {
    /// The trace of a motion of `steps` steps, still without states.
    pub fn new(steps: u64) -> Self {
        Trace { stride: steps.div_ceil(DRAWN).max(1), points: Vec::new() }
    }

    /// Takes a state, or leaves it out.
    pub fn look(&mut self, motion: &Lgvci, moment: &BodyMoment<'_>) {
        if moment.step.is_multiple_of(self.stride) {
            let body = motion.body();
            let height =
                body.normal.iter().zip(moment.state.position).map(|(n, x)| n * x).sum::<f64>()
                    + body.offset;
            let energy = moment.energy;
            let lifted = energy.translational + energy.potential;
            let gap = body.gap(moment.state).value;
            self.points.push([moment.time, height, gap, energy.total(), lifted, energy.rotational]);
        }
    }
}

/// Height and gap, energies, and with copies how they part, over time. Source: \[TL24\] Figs. 5, 7
/// and 8.
pub fn picture(
    motion: &Lgvci,
    course: &BodyCourse,
    trace: &Trace,
    perturbed: Option<&Perturbed<'_>>,
) -> Picture {
    let panel = |title: &str, name: &str, unit: &str| {
        Panel::new(title, [Axis::new("time", "s"), Axis { origin: true, ..Axis::new(name, unit) }])
    };
    let mut panels = vec![
        panel("Above the plane", "distance from the plane", "m"),
        panel("Energy", "energy", "J"),
    ];
    let curve = |i: usize| -> Vec<[f64; 2]> {
        trace.points.iter().map(|point| [point[0], point[i]]).collect()
    };
    let named = |label: &str, colour: usize, mark: Mark, points: Vec<Vec<[f64; 2]>>| Series {
        label: label.to_string(),
        colour,
        mark,
        points,
    };
    let mut series = vec![
        named("mass centre", 0, Mark::Line, vec![curve(1)]),
        named("nearest point", 1, Mark::Line, vec![curve(2)]),
        named("total energy", 6, Mark::Line, vec![Vec::new(), curve(3)]),
        named("translational and potential energy", 2, Mark::Line, vec![Vec::new(), curve(4)]),
        named("rotational energy", 4, Mark::Dashes, vec![Vec::new(), curve(5)]),
    ];
    if let Some(Perturbed { how, spread }) = perturbed {
        panels.push(Panel::new(
            "How copies part",
            [Axis::new("time", "s"), Axis::new("log10 (|x - y| + |R - Q|)", "")],
        ));
        let label = format!(
            "{} turned by {} rad:",
            count(spread.copies as usize, "copy").replace("copys", "copies"),
            short(how.angle)
        );
        let curve = |of: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
            (0..spread.rows.len())
                .map(|i| [spread.rows[i].time, of(i).max(SMALLEST).log10()])
                .collect()
        };
        let of_copies = |points| vec![Vec::new(), Vec::new(), points];
        series.push(named(
            &format!("{label} median"),
            0,
            Mark::Line,
            of_copies(curve(&|i| spread.rows[i].median)),
        ));
        series.push(named(
            "the nearest and the farthest",
            3,
            Mark::Dashes,
            of_copies(curve(&|i| spread.rows[i].largest)),
        ));
        series.push(named("", 3, Mark::Dashes, of_copies(curve(&|i| spread.rows[i].least))));
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
    format!(
        "{}, time step {} s, status {}; carom {}",
        Lgvci::NAME,
        short(motion.time_step()),
        course.ending.name(),
        env!("CARGO_PKG_VERSION")
    )
}
