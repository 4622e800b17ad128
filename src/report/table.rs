//! Common parts of several text reports.

use std::fmt::Write;

use super::motion::Simulated;
use super::warnings::biased;
use carom_core::outcome::Summary;
use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, kept, line, number, short};
use carom_mechanics::motion::Course;

/// Lines on the number of samples in a set, and on the bias from missing samples.
pub(super) fn set_lines(text: &mut String, summary: &Summary) {
    line(text, "set", &kept(summary.accepted, summary.samples));
    if let Some(biased) = biased(summary.terminated(), summary.samples) {
        line(text, "biased", &biased);
    }
}

/// Lines on the number of completed steps of a motion, and on its ending.
pub(super) fn steps(text: &mut String, ran: &Simulated<'_>) {
    let Course { last, ending, .. } = ran.course;
    let taken = match last.step == ran.steps {
        true => grouped(last.step),
        false => format!("{} of {}", grouped(last.step), grouped(ran.steps)),
    };
    let [each, time] = [ran.motion.time_step(), last.time].map(short);
    line(text, "steps", &format!("{taken}, {each} s each: {time} s"));
    line(text, "status", &format!("{}: {}", ending.name(), ending.meaning()));
}

/// A table of velocities, one column per name, with a remark in the heading.
pub(super) fn velocities<S: AsRef<str>>(
    text: &mut String,
    problem: &ContactProblem,
    columns: &[(S, &[f64])],
    remark: &str,
) {
    let names = problem.coordinates();
    let width = names.iter().map(|name| name.chars().count() + 2).max().unwrap_or(0).max(21);
    let all = columns.iter().flat_map(|(_, column)| column.iter());
    let largest = all.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    text.push('\n');
    let mut row = |head: &str, cells: &mut dyn Iterator<Item = String>, end: &str| {
        let cells: String = cells.map(|cell| format!(" {cell:>13}")).collect();
        let _ = writeln!(text, "{head:<width$}{cells}{end}");
    };
    let heads = &mut columns.iter().map(|(head, _)| head.as_ref().to_string());
    row("velocity, SI units", heads, remark);
    for (i, name) in names.iter().enumerate() {
        let cells = &mut columns.iter().map(|(_, column)| number(column[i], largest));
        row(&format!("  {name}"), cells, "");
    }
}

/// States how many rows the text omits, if it lists fewer than all.
pub(super) fn rest(text: &mut String, rows: usize, listed: usize) {
    if rows > listed {
        let more = grouped((rows - listed) as u64);
        let _ = writeln!(text, "  and {more} more; --json has them all");
    }
}
