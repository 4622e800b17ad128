//! The motion of a mechanism as a picture.

use super::Simulated;
use super::beside::Beside;
use super::curves::Curves;
use crate::plot::{Axis, BRANCH_COLOURS, Mark, NAMED_BRANCHES, Panel, Picture, Series};
use carom_mechanics::motion::{InclusionMotion, Midpoint};

/// Coordinates that have a curve.
const CURVES: usize = 6;
/// Least value of xi, for its logarithm.
const SMALLEST: f64 = 1e-16;
/// The colours of energies.
const INK: usize = 6;
const GREY: usize = 7;

/// Coordinates and energies over time, and the first coordinate against its momentum. Trees and
/// overlaid motions have a panel for each coordinate and for the energy, and a colour for each
/// branch. Overlaid motions show xi as well, as in \[SM14\] Fig. 8.
pub(super) fn draw(picture: &mut Picture, motion: &Midpoint, ran: &Simulated<'_>) {
    let (shown, curves, beside) = (Shown::of(motion), ran.curves, ran.beside);
    match curves.branches.len() {
        0 | 1 => one_motion(picture, &shown, curves),
        count => {
            tree(picture, &shown, curves, beside);
            if count > NAMED_BRANCHES {
                picture.note += &format!("; {count} branches");
            }
        }
    }
    if motion.integrator() == InclusionMotion::NAME {
        let axes = [Axis::new("s", "s + N s"), Axis::new("time", "s")];
        picture.panels.push(from_zero("Time along s", axes));
        let (arc, panel) = (shown.energies + 2, picture.panels.len() - 1);
        let times = curves.of(arc, |point| point[0]);
        picture.series.extend(times.into_iter().enumerate().map(|(i, points)| {
            let label = if i == 0 { "time" } else { "" };
            Series::in_panel(panel, label, INK, Mark::Line, points)
        }));
        rates(picture, motion, arc, curves);
    }
}

/// The rates of time and of normal impulses along s, each the mean over a step; \[HP23\] Sec. 4.3.
fn rates(picture: &mut Picture, motion: &Midpoint, arc: usize, curves: &Curves) {
    let [points] = &curves.branches[..] else { return };
    let panel = picture.panels.len();
    let axes = [Axis::new("s", "s + N s"), Axis::new("part of s", "")];
    picture.panels.push(from_zero("Rates along s", axes));
    let mut add = |label: &str, colour: usize, at: usize| {
        let rate = |pair: &[Vec<f64>]| {
            let [from, to] = [pair[0][arc], pair[1][arc]];
            let rate = (pair[1][at] - pair[0][at]) / (to - from);
            [[from, rate], [to, rate]]
        };
        let steps = points.windows(2).filter(|pair| pair[1][arc] > pair[0][arc]).flat_map(rate);
        picture.series.push(Series::in_panel(panel, label, colour, Mark::Line, steps.collect()));
    };
    add("", INK, 0);
    let last = points.last().map_or(&[][..], |point| &point[arc + 1..]);
    let pushed = (0..).zip(motion.site_names()).zip(last).filter(|(_, normal)| **normal > 0.0);
    for (colour, ((at, name), _)) in pushed.take(CURVES).enumerate() {
        add(&format!("impulse of {name}"), colour, arc + 1 + at);
    }
}

/// A panel whose second axis shows 0.
fn from_zero(title: &str, [x, y]: [Axis; 2]) -> Panel {
    Panel::new(title, [x, Axis { origin: true, ..y }])
}

struct Shown {
    /// Coordinates with a unit: column, name and unit.
    coordinates: Vec<(usize, String, String)>,
    /// In a plane, the column of the momentum of the first coordinate.
    momentum: Option<usize>,
    /// The column of the kinetic energy; the potential energy follows.
    energies: usize,
}

impl Shown {
    fn of(motion: &Midpoint) -> Self {
        let mechanism = motion.mechanism();
        let (names, units) = (mechanism.position_names(), mechanism.position_units());
        let (positions, n) = (names.len(), mechanism.size());
        let columns = (1..).zip(names).zip(units).map(|((at, name), unit)| (at, name, unit));
        Shown {
            coordinates: columns.filter(|(.., unit)| !unit.is_empty()).take(CURVES).collect(),
            momentum: (positions == n && n > 0).then_some(1 + positions),
            energies: 1 + positions + n,
        }
    }

    fn total(&self) -> impl Fn(&[f64]) -> f64 {
        let at = self.energies;
        move |point| point[at] + point[at + 1]
    }
}

/// The curves of one motion: coordinates with one unit share a panel.
fn one_motion(picture: &mut Picture, shown: &Shown, curves: &Curves) {
    let time = || Axis::new("time", "s");
    let mut add = |label: &str, colour: usize, panel: usize, points: Vec<Vec<[f64; 2]>>| {
        let points = points.into_iter().flatten().collect();
        picture.series.push(Series::in_panel(panel, label, colour, Mark::Line, points));
    };
    let mut kinds: Vec<&String> = Vec::new();
    for (i, (at, name, unit)) in shown.coordinates.iter().enumerate() {
        let panel = kinds.iter().position(|kind| *kind == unit).unwrap_or(kinds.len());
        kinds.extend(Some(unit).filter(|_| panel == kinds.len()));
        add(name, i, panel, curves.of(0, |point| point[*at]));
    }
    let energy = kinds.len();
    add("total energy", INK, energy, curves.of(0, shown.total()));
    add("kinetic energy", GREY, energy, curves.of(0, |point| point[shown.energies]));
    let phase = shown.momentum.zip(shown.coordinates.first());
    if let Some((momentum, (at, name, _))) = phase {
        let label = format!("{name} and its momentum");
        add(&label, 0, energy + 1, curves.of(*at, |point| point[momentum]));
    }
    let configuration =
        |unit: &&String| from_zero("Configuration", [time(), Axis::new("coordinates", unit)]);
    picture.panels.extend(kinds.iter().map(configuration));
    picture.panels.push(from_zero("Energy", [time(), Axis::new("energy", "J")]));
    if let Some((_, (_, name, unit))) = phase {
        let momentum = if unit == "rad" { "N m s" } else { "N s" };
        let axes = [Axis::new(name, unit), Axis::new("its momentum", momentum)];
        picture.panels.push(from_zero("Phase plot", axes));
    }
}

/// The curves of a tree: small panels, in which branches can be followed.
fn tree(picture: &mut Picture, shown: &Shown, curves: &Curves, beside: &[Beside]) {
    let time = || Axis::new("time", "s");
    let panel = |(_, name, unit): &(usize, String, String)| {
        Panel::new(name.as_str(), [time(), Axis::new(name, unit)])
    };
    picture.panels.extend(shown.coordinates.iter().map(panel));
    picture.panels.push(from_zero("Energy", [time(), Axis::new("total energy", "J")]));
    let of = |(at, ..): &(usize, String, String)| curves.of(0, |point| point[*at]);
    let mut quantities: Vec<Vec<Vec<[f64; 2]>>> = shown.coordinates.iter().map(of).collect();
    quantities.push(curves.of(0, shown.total()));
    if !beside.is_empty() {
        let xi = Axis::new("log10 xi", "");
        picture.panels.push(Panel::new("How far the momenta are apart", [time(), xi]));
        let of =
            |one: &Beside| one.apart.iter().map(|[t, xi]| [*t, xi.max(SMALLEST).log10()]).collect();
        quantities.push(std::iter::once(Vec::new()).chain(beside.iter().map(of)).collect());
    }
    for branch in 0..curves.branches.len() {
        let other = branch.checked_sub(1).and_then(|i| beside.get(i));
        let label = match (other, beside) {
            (Some(other), _) => other.what.clone(),
            (None, [_, ..]) => "the motion".to_string(),
            _ if curves.branches.len() <= NAMED_BRANCHES => format!("branch {branch}"),
            _ => String::new(),
        };
        let even = (branch / BRANCH_COLOURS).is_multiple_of(2);
        let mark = if even { Mark::Line } else { Mark::Dashes };
        let points = quantities.iter().map(|branches| branches[branch].clone()).collect();
        picture.series.push(Series { label, colour: branch % BRANCH_COLOURS, mark, points });
    }
}
