//! The motion of a rigid body as a picture: height, gap, energies and their error over time.

use super::Simulated;
use super::beside::Beside;
use super::body::ERROR;
use super::curves::height;
use crate::plot::{Axis, BRANCH_COLOURS, Mark, Panel, Picture, Series};
use carom_core::text::count;
use carom_mechanics::motion::lgvci::{Lgvci, SpreadRow};

/// Least value of a distance, for its logarithm.
const SMALLEST: f64 = 1e-16;
/// Most collisions whose times are drawn.
const MARKED: usize = 40;
/// The column of the gap; translational, rotational and potential energy follow.
const GAP: usize = 19;
/// The colours of the motion among others, and of the times of collisions.
const INK: usize = 6;
const GREY: usize = 7;

/// Height, gap, energies and energy error over time, and the distance of copies or overlaid
/// motions. Source: \[TL24\] Figs. 5 to 8.
pub(super) fn draw(picture: &mut Picture, motion: &Lgvci, ran: &Simulated<'_>) {
    let (impacts, beside) = (&ran.course.impacts, ran.beside);
    let curve = |y: &dyn Fn(&[f64]) -> f64| ran.curves.over_time(0, y);
    let heights = || curve(&|row| height(motion.body(), &row[1..]));
    let Picture { panels, series, .. } = picture;
    let panel = |title: &str, name: &str, unit: &str| {
        Panel::new(title, [Axis::new("time", "s"), Axis { origin: true, ..Axis::new(name, unit) }])
    };
    panels.extend([
        panel("Above the plane", "distance from the plane", "m"),
        panel("Energy", "energy", "J"),
        panel("Error of the energy", "|E - E(0)|", "J"),
    ]);
    let errors = curve(&|row| row[ERROR].abs());
    let highest = errors.iter().fold(0.0, |most: f64, [_, e]| most.max(*e));
    if beside.is_empty() {
        series.extend([
            Series::in_panel(0, "mass centre", 0, Mark::Line, heights()),
            Series::in_panel(0, "nearest point", 1, Mark::Line, curve(&|row| row[GAP])),
        ]);
    }
    let [moving, turning, lying] = [GAP + 1, GAP + 2, GAP + 3];
    let total = curve(&|row| row[moving] + row[turning] + row[lying]);
    let flying = curve(&|row| row[moving] + row[lying]);
    series.extend([
        Series::in_panel(1, "total energy", INK, Mark::Line, total),
        Series::in_panel(1, "translational and potential energy", 2, Mark::Line, flying),
        Series::in_panel(1, "rotational energy", 4, Mark::Dashes, curve(&|row| row[turning])),
    ]);
    let marked = if impacts.len() <= MARKED { &impacts[..] } else { &[] };
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
        series.push(Series::in_panel(0, label, INK, Mark::Dashes, heights()));
    }
    if let Some((how, spread)) = ran.perturbed {
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
}
