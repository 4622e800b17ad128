//! Histograms of outcomes for a terminal: a line for each coordinate.

use std::fmt::Write;

use carom_analysis::sampled_set::SampledSet;
use carom_core::text::{count, grouped, printable, short, three_digits};

/// Most coordinates with a histogram; columns of a histogram.
const LINES: usize = 8;
const COLUMNS: usize = 40;
/// Bars from low to high; an empty column is a space.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Histograms of the coordinates with the largest variation in the kinetic metric, each from its
/// least to its greatest value.
pub fn text(set: &SampledSet) -> String {
    let (problem, [low, high]) = (set.problem(), set.extents());
    let varies = |i: usize| problem.mass()[(i, i)].sqrt() * (high[i] - low[i]);
    let mut varying: Vec<usize> =
        (0..problem.coordinate_count()).filter(|i| varies(*i) > 0.0).collect();
    varying.sort_by(|a, b| varies(*b).total_cmp(&varies(*a)));
    let more = varying.len().saturating_sub(LINES);
    varying.truncate(LINES);
    varying.sort_unstable();
    let mut text = String::new();
    if varying.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\nrates after the impact, {} samples", grouped(set.len() as u64));
    let width = |i: &usize| problem.coordinates()[*i].chars().count();
    let wide = varying.iter().map(width).max().unwrap_or(0);
    for i in varying {
        let values = (0..set.len()).map(|at| set.velocity(at)[i]);
        let (low, high, unit) = (low[i], high[i], problem.unit(i).unwrap_or(""));
        let name = printable(&problem.coordinates()[i]);
        let largest = low.abs().max(high.abs());
        let ends = [low, high].map(|x| if x.abs() < 1e-9 * largest { 0.0 } else { x });
        let [least, most] = ends.map(|x| short(three_digits(x)));
        let bars = bars(values, low, high);
        let _ = writeln!(text, "  {name:<wide$} {least:>9} {bars} {most} {unit}");
    }
    if more > 0 {
        let vary = if more == 1 { "varies" } else { "vary" };
        let _ = writeln!(text, "  and {} that {vary} less", count(more, "more coordinate"));
    }
    text
}

/// The bars of numbers from `low` to `high`; a column with at least one number has a bar.
fn bars(values: impl Iterator<Item = f64>, low: f64, high: f64) -> String {
    let mut counts = [0_usize; COLUMNS];
    for x in values {
        let place = COLUMNS as f64 * ((x - low) / (high - low));
        counts[(place as usize).min(COLUMNS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    counts.iter().map(|count| BARS[(count * (BARS.len() - 1)).div_ceil(most)]).collect()
}
