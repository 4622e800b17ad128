//! Parts that several texts have.

use std::fmt::Write;

use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, number};

/// A table of velocities with a column for each name, and a remark beside the names.
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

/// Says how many rows the text leaves out, where it has only so many.
pub(super) fn rest(text: &mut String, rows: usize, listed: usize) {
    if rows > listed {
        let more = grouped((rows - listed) as u64);
        let _ = writeln!(text, "  and {more} more; --json has them all");
    }
}
