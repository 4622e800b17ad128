//! Pictures of a set of outcomes, of laws compared with it, and of a parameter sweep.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use super::course::{DrawnCourse, courses};
pub use super::hodograph::{bundle, hodograph};

use super::RunRecord;
use super::compare::short_distance;
use super::outline::outline;
use super::plot::{Axis, BRANCH_COLOURS, Mark, Panel, Picture, Series};
use super::record;
use super::scenery;
use super::scope::{Scope, View};
use carom_analysis::bounds::{BoundKind, uncovered};
use carom_analysis::compare::{Compared, Comparison};
use carom_analysis::place::Verdict;
use carom_analysis::sampled_set::SampledSet;
use carom_analysis::{ExactSet, OutcomePolytope};
use carom_core::error::{Error, Result};
use carom_core::outcome::Mode;
use carom_core::outcome::polytope::Polytope;
use carom_core::problem::ContactProblem;
use carom_core::text::{count, grouped, kept, percent};
use carom_core::{Limits, Stop};
use carom_engine::run::Run;
use carom_law::Law;
use carom_scene::Scenery;

/// Most points drawn of a set, for the size of the file; fewest per combination of contact modes.
const DRAWN: usize = 4000;
const DRAWN_AT_LEAST: usize = 200;
/// Combinations of contact modes with a colour of their own.
const MODES: usize = 6;

/// The marks of laws in order; then the colours of the first laws.
const LAWS: [Mark; 10] = [
    Mark::Diamond,
    Mark::Triangle,
    Mark::Square,
    Mark::Cross,
    Mark::Ring,
    Mark::Wedge,
    Mark::Plus,
    Mark::House,
    Mark::Hourglass,
    Mark::Bow,
];
const LAW_COLOURS: [usize; 7] = [2, 4, 5, 6, 0, 1, 7];
/// Palette indices: samples without modes, overlaid samples, exact set, ink.
const CLOUD: usize = 3;
const BESIDE: usize = 1;
const BEHIND: usize = 7;
const INK: usize = 6;
/// Most outcomes of a law whose course is drawn as a line.
const LINES: usize = 24;

/// User options for a picture; the default chooses the axes automatically.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Axes of panels, as `A,B`: names of coordinates, or names of contacts with the suffix
    /// `.normal` or `.tangent`.
    pub axes: Vec<String>,
    /// Names of panels to draw, in order; empty: all.
    pub panels: Vec<String>,
    /// The title.
    pub title: Option<String>,
    /// Bodies and walls of the scene; the first panel shows them, unless axes are requested.
    pub scenery: Option<Scenery>,
    /// Paths of samples, velocity by velocity (n).
    pub paths: Vec<Vec<Vec<f64>>>,
    /// Whether to draw the velocities during the impact, up to the outcomes.
    pub on_the_way: bool,
    /// Paths of samples, shaded where no exact set is known, velocity by velocity (n).
    pub traces: Vec<Vec<Vec<f64>>>,
    /// Label and velocities (n) of a second set that is overlaid on the samples.
    pub beside: Option<(String, Vec<Vec<f64>>)>,
    /// The kind of a bound that no outcome exceeds.
    pub bound: Option<BoundKind>,
    /// The flag that ends the search for a bound.
    pub stop: Stop,
}

impl Wanted {
    /// Inserts the panel of the scene first, unless axes are requested, and keeps the chosen
    /// panels.
    fn staged(&self, problem: &ContactProblem, mut picture: Picture) -> Result<Picture> {
        let Some(scenery) = self.scenery.as_ref().filter(|_| self.axes.is_empty()) else {
            return picture.chosen(&self.panels);
        };
        let (panel, series) = scenery::panel(scenery, problem);
        picture.panels.insert(0, panel);
        picture.series.iter_mut().for_each(|series| series.points.insert(0, Vec::new()));
        picture.series.extend(series);
        picture.chosen(&self.panels)
    }

    fn title(&self, otherwise: String) -> String {
        self.title.clone().unwrap_or(otherwise)
    }
}

/// A sampled set overlaid with the outcomes of laws.
///
/// # Errors
/// Axes that the problem does not have.
pub fn comparison(
    problem: &ContactProblem,
    record: &RunRecord,
    comparison: &Comparison,
    wanted: &Wanted,
) -> Result<Picture> {
    let samples = &comparison.samples;
    let accepted: Vec<&[f64]> =
        comparison.accepted.iter().map(|&i| samples.row(&samples.velocity, i)).collect();
    let scope = Scope::new(problem);
    let views = scope.views(&accepted, &wanted.axes)?;
    let about = scope.about(&views, &wanted.axes, &wanted.panels);
    let corners = corners(&views, &scope, &accepted);
    let drawn: Vec<&[f64]> =
        some(0..accepted.len(), DRAWN, &corners).map(|i| accepted[i]).collect();
    let label = format!("samples of the set, {} drawn", grouped(drawn.len() as u64));
    let exact = comparison.exact.as_ref();
    let mut series = shade(exact, wanted, &views, &scope);
    series.extend(exact.iter().flat_map(|exact| areas(exact, "exact set", &views, &scope)));
    series.push(hull(&views, &scope, &accepted));
    series.extend(paths(&wanted.paths, &views, &scope));
    let cloud = series.len();
    let (colour, mark, points) = (CLOUD, Mark::Cloud(0), scope.points(&views, &drawn));
    series.push(Series { label, colour, mark, points });
    if let Some((label, velocities)) = &wanted.beside {
        let all: Vec<&[f64]> = velocities.iter().map(|v| &v[..]).collect();
        let points = scope.points(&views, &all[..all.len().min(DRAWN)]);
        let (label, colour) = (label.clone(), BESIDE);
        series.push(Series { label, colour, mark: Mark::Cloud(1), points });
    }
    let mut names: Vec<String> = comparison.outcomes.iter().map(shown_as).collect();
    names.dedup();
    for (i, law) in names.iter().enumerate() {
        let of_law: Vec<_> =
            comparison.outcomes.iter().filter(|compared| shown_as(compared) == *law).collect();
        let of =
            |verdict| of_law.iter().filter(|compared| compared.place.verdict == verdict).count();
        let counts = [Verdict::Inside, Verdict::Outside, Verdict::NotResolved].map(of);
        let far = of_law.iter().fold(0.0_f64, |far, compared| far.max(compared.place.distance));
        let velocities: Vec<&[f64]> =
            of_law.iter().map(|compared| &compared.outcome.velocity[..]).collect();
        let (mark, colour) = (LAWS[i % LAWS.len()], LAW_COLOURS[i % LAW_COLOURS.len()]);
        let lines = of_law.iter().take(if wanted.on_the_way { LINES } else { 0 });
        for course in lines.map(|compared| compared.outcome.course(problem)) {
            let course: Vec<&[f64]> = course.iter().map(Vec::as_slice).collect();
            let points = scope.points(&views, &course);
            series.push(Series { label: String::new(), colour, mark: Mark::Line, points });
        }
        let label = format!("{law}: {}", verdicts(counts, far));
        series.push(Series { label, colour, mark, points: scope.points(&views, &velocities) });
    }
    let title = format!("{}: the set of outcomes, and what laws pick", problem.name());
    let title = wanted.title(title);
    let mut panels = panels(views);
    for (p, panel) in panels.iter_mut().enumerate() {
        let marks = &series[cloud + 1..];
        panel.view = clamped(&series[cloud].points[p], marks, p).filter(|_| !wanted.on_the_way);
    }
    let summary = &comparison.run.summary;
    let note = record.note(&kept(summary.accepted, summary.samples)) + &about;
    wanted.staged(problem, Picture { title, panels, series, note })
}

/// The legend of an overlaid set with `samples` samples; `record` is its record as JSON.
pub fn beside(record: &Value, samples: usize) -> String {
    let drawn = grouped(samples.min(DRAWN) as u64);
    format!("samples of {}, {drawn} drawn", record::law(record))
}

/// Counts of outcomes inside, outside and not resolved, zeros omitted. With outcomes not inside,
/// adds `far`, the largest distance from the samples.
fn verdicts([inside, outside, open]: [usize; 3], far: f64) -> String {
    let words = [(inside, "inside"), (outside, "outside"), (open, "not resolved")];
    let words = words.iter().filter(|(count, _)| *count > 0);
    let mut text = words.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>();
    if outside + open > 0 {
        text.push(format!("up to {} |v-| away", short_distance(far)));
    }
    text.join(", ")
}

/// Indices of the samples that are corners of the convex hull in any panel.
fn corners(views: &[View], scope: &Scope<'_>, velocities: &[&[f64]]) -> BTreeSet<usize> {
    let bits = |point: [f64; 2]| point.map(f64::to_bits);
    let mut corners = BTreeSet::new();
    for points in scope.points(views, velocities) {
        let mut missing: BTreeSet<[u64; 2]> =
            outline(points.clone()).into_iter().map(bits).collect();
        corners.extend((0..points.len()).filter(|&i| missing.remove(&bits(points[i]))));
    }
    corners
}

/// The first `count` samples, and all samples at hull corners.
fn some(
    samples: impl Iterator<Item = usize>,
    count: usize,
    corners: &BTreeSet<usize>,
) -> impl Iterator<Item = usize> {
    let is_drawn = move |(place, i): &(usize, usize)| *place < count || corners.contains(i);
    samples.enumerate().filter(is_drawn).map(|(_, i)| i)
}

/// Axis limits around a set with a margin, where distant marks would shrink it.
fn clamped(set: &[[f64; 2]], marks: &[Series], panel: usize) -> Option<[[f64; 2]; 2]> {
    let mut view = extent(set.iter())?;
    let all = extent(set.iter().chain(marks.iter().flat_map(|series| &series.points[panel])))?;
    for i in 0..2 {
        let (size, whole) = (view[1][i] - view[0][i], all[1][i] - all[0][i]);
        let far = size > 0.02 * whole && whole > 4.0 * size;
        let room = if far { 0.6 * size } else { f64::INFINITY };
        view[0][i] = all[0][i].max(view[0][i] - room);
        view[1][i] = all[1][i].min(view[1][i] + room);
    }
    Some(view)
}

fn extent<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Option<[[f64; 2]; 2]> {
    points.fold(None, |extent, &[x, y]| match extent {
        None => Some([[x, y], [x, y]]),
        Some([[a, b], [c, d]]) => Some([[x.min(a), y.min(b)], [x.max(c), y.max(d)]]),
    })
}

/// The series name of an outcome: the name of its law; plastic outcomes form their own series.
fn shown_as(compared: &Compared) -> String {
    match compared.which.starts_with("plastic") {
        true => format!("{}, plastic", compared.law),
        false => compared.law.to_string(),
    }
}

/// A sampled set, coloured by contact modes, over the exact set of Routh's law if known; `record`
/// is the record of the run as JSON.
///
/// # Errors
/// No samples; axes that the problem does not have.
pub fn set(
    set: &SampledSet,
    exact: Option<&ExactSet>,
    record: &Value,
    wanted: &Wanted,
) -> Result<Picture> {
    let problem = set.problem();
    if set.is_empty() {
        let what = "the set is empty: it has no accepted sample that could be drawn";
        return Err(Error::empty(what));
    }
    let all: Vec<&[f64]> = (0..set.len()).map(|at| set.velocity(at)).collect();
    let scope = Scope::new(problem);
    let views = scope.views(&all, &wanted.axes)?;
    let about = scope.about(&views, &wanted.axes, &wanted.panels);
    let corners = corners(&views, &scope, &all);
    let mut by_mode: BTreeMap<Vec<Mode>, Vec<usize>> = BTreeMap::new();
    // Contact velocities of forecasts do not define modes.
    let forecasts = record::forecasts(record);
    for at in 0..all.len() {
        let modes = if forecasts { Vec::new() } else { set.modes_of(at) };
        by_mode.entry(modes).or_default().push(at);
    }
    let mut by_mode: Vec<_> = by_mode.into_iter().collect();
    by_mode.sort_by_key(|(_, these)| std::cmp::Reverse(these.len()));
    let of_law = Run::recorded(record).is_some_and(|run| matches!(run.law, Law::Routh(_)));
    let behind = if of_law { "exact set" } else { "exact set of routh, without uncertainty" };
    let mut series = shade(exact.filter(|_| of_law), wanted, &views, &scope);
    series.extend(exact.iter().flat_map(|exact| areas(exact, behind, &views, &scope)));
    series.push(hull(&views, &scope, &all));
    series.extend(paths(&wanted.paths, &views, &scope));
    if let Some(kind) = wanted.bound {
        let run = Run::recorded(record).filter(|_| !forecasts);
        if let Some(why) = run.and_then(|run| uncovered(kind, problem, &run.law)) {
            return Err(why);
        }
        let (points, found, proved) =
            scope.bounds(&views, kind, &Limits::until(wanted.stop.clone()))?;
        let proved = if proved { "proved bound" } else { "bound, not proved" };
        let label = format!("{proved} ({})", found.name());
        series.push(Series { label, colour: INK, mark: Mark::Bound, points });
    }
    let tangents = problem.tangents_per_contact();
    let (named, rest) = by_mode.split_at(by_mode.len().min(MODES));
    let mut drawn = 0;
    let mut cloud = |label: String, number: usize, these: &[usize]| {
        let share = (these.len() * DRAWN).div_ceil(all.len()).max(DRAWN_AT_LEAST);
        let shown: Vec<&[f64]> =
            some(these.iter().copied(), share, &corners).map(|i| all[i]).collect();
        drawn += shown.len();
        let label = format!("{label}: {}", percent(these.len() as u64, all.len() as u64));
        let points = scope.points(&views, &shown);
        Series { label, colour: number, mark: Mark::Cloud(number), points }
    };
    // Combinations without a colour lie behind the others.
    if !rest.is_empty() {
        let these: Vec<usize> = rest.iter().flat_map(|(_, these)| these).copied().collect();
        series.push(cloud(count(rest.len(), "more combination"), BEHIND, &these));
    }
    // Shares decide the order, modes the colour, so colours do not depend on the number of samples.
    let mut kinds: Vec<&Vec<Mode>> = named.iter().map(|(modes, _)| modes).collect();
    kinds.sort_unstable();
    for (modes, these) in named {
        let names: Vec<&str> = modes.iter().map(|mode| mode.name(tangents)).collect();
        let label = if forecasts { "forecasts".to_string() } else { names.join(", ") };
        let colour = kinds.iter().position(|kind| *kind == modes).unwrap_or(0);
        series.push(cloud(label, colour, these));
    }
    let what = if forecasts { "forecasts" } else { "outcomes by what the contacts do" };
    let title = wanted.title(format!("{}: {what}{}", problem.name(), contacts(problem)));
    let mut samples = kept(set.len() as u64, set.drawn());
    if drawn < set.len() {
        samples += &format!(", {} of them drawn", grouped(drawn as u64));
    }
    let note = record::note(record, &samples) + &about;
    wanted.staged(problem, Picture { title, panels: panels(views), series, note })
}

fn contacts(problem: &ContactProblem) -> String {
    let contacts = problem.contacts().join(", ");
    if problem.contact_count() <= 5 { format!(" ({contacts})") } else { String::new() }
}

fn panels(views: Vec<View>) -> Vec<Panel> {
    views.into_iter().map(|view| view.panel).collect()
}

fn hull(views: &[View], scope: &Scope<'_>, velocities: &[&[f64]]) -> Series {
    let points = scope.points(views, velocities).into_iter().map(outline).collect();
    Series { label: "hull of the samples".to_string(), colour: INK, mark: Mark::Outline, points }
}

/// The velocities of samples from before the impact to the outcome.
fn paths(paths: &[Vec<Vec<f64>>], views: &[View], scope: &Scope<'_>) -> Vec<Series> {
    let label = format!("{} of samples", count(paths.len(), "path"));
    let one = |(i, path): (usize, &Vec<Vec<f64>>)| {
        let velocities: Vec<&[f64]> = path.iter().map(Vec::as_slice).collect();
        let label = if i == 0 { label.clone() } else { String::new() };
        Series { label, colour: BEHIND, mark: Mark::Path, points: scope.points(views, &velocities) }
    };
    paths.iter().enumerate().map(one).collect()
}

/// The velocities that impacts pass through, behind all other series, if requested.
fn shade(
    exact: Option<&ExactSet>,
    wanted: &Wanted,
    views: &[View],
    scope: &Scope<'_>,
) -> Vec<Series> {
    let exact = exact.filter(|_| wanted.on_the_way);
    let passed: Vec<(Mark, Vec<Vec<[f64; 2]>>)> = match exact {
        Some(exact) => {
            let polygons = |polytope| (Mark::Shade, polygons(polytope, views, scope));
            exact.passed().iter().map(polygons).collect()
        }
        None => {
            let line = |path: &Vec<Vec<f64>>| {
                scope.points(views, &path.iter().map(Vec::as_slice).collect::<Vec<_>>())
            };
            wanted.traces.iter().map(|path| (Mark::Trace, line(path))).collect()
        }
    };
    let label = match exact {
        Some(exact) if exact.is_complete() && exact.work()[1] == 0 && exact.is_tight() => {
            "velocities on the way, all of them".to_string()
        }
        Some(_) => "velocities on the way".to_string(),
        None => format!("velocities on the way of {}", count(passed.len(), "sample")),
    };
    let one = |(i, (mark, points))| {
        let label = if i == 0 { label.clone() } else { String::new() };
        Series { label, colour: BEHIND, mark, points }
    };
    passed.into_iter().enumerate().map(one).collect()
}

fn areas(set: &ExactSet, name: &str, views: &[View], scope: &Scope<'_>) -> Vec<Series> {
    let (name, loose) = match set.is_tight() {
        true => (name.to_string(), ""),
        false => (name.replace("exact set", "enclosure"), ", not all of it outcomes"),
    };
    let label = format!("{name}, {}{loose}", count(set.polytopes().len(), "polytope"));
    let mut polytopes: Vec<&OutcomePolytope> = set.polytopes().iter().collect();
    polytopes.sort_by_key(|polytope| std::cmp::Reverse(polytope.shape.dimension));
    let one = |(i, polytope): (usize, &&OutcomePolytope)| Series {
        label: if i == 0 { label.clone() } else { String::new() },
        ..polytope_area(polytope, BEHIND, views, scope)
    };
    polytopes.iter().enumerate().map(one).collect()
}

fn polytope_area(of: &OutcomePolytope, colour: usize, views: &[View], scope: &Scope<'_>) -> Series {
    let points = polygons(&of.shape, views, scope);
    Series { label: String::new(), colour, mark: Mark::Area, points }
}

fn polygons(polytope: &Polytope, views: &[View], scope: &Scope<'_>) -> Vec<Vec<[f64; 2]>> {
    let vertices: Vec<&[f64]> = polytope.vertices.iter().map(Vec::as_slice).collect();
    scope.points(views, &vertices).into_iter().map(outline).collect()
}

/// An exact set, coloured by contact modes.
///
/// # Errors
/// Axes that the problem does not have.
pub fn exact_set(
    problem: &ContactProblem,
    record: &RunRecord,
    set: &ExactSet,
    wanted: &Wanted,
) -> Result<Picture> {
    let scope = Scope::new(problem);
    let views = scope.views(&set.vertices().collect::<Vec<_>>(), &wanted.axes)?;
    let about = scope.about(&views, &wanted.axes, &wanted.panels);
    let tangents = problem.tangents_per_contact();
    let mut kinds: Vec<&[Mode]> =
        set.polytopes().iter().map(|polytope| &polytope.contacts[..]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut polytopes: Vec<&OutcomePolytope> = set.polytopes().iter().collect();
    polytopes
        .sort_by_key(|polytope| (polytope.contacts.clone(), usize::MAX - polytope.shape.dimension));
    let mut series: Vec<Series> = Vec::new();
    for polytope in polytopes {
        let kind = kinds.iter().position(|kind| *kind == polytope.contacts).unwrap_or(0);
        let names: Vec<&str> = polytope.contacts.iter().map(|mode| mode.name(tangents)).collect();
        let mut label = names.join(", ");
        if series.iter().any(|series| series.label == label) {
            label.clear();
        }
        let of = polytope_area(polytope, kind % BEHIND, &views, &scope);
        series.push(Series { label, ..of });
    }
    let all = match (set.is_tight(), set.is_complete()) {
        (true, true) => "all outcomes",
        (true, false) => "outcomes",
        (false, true) => "an enclosure of all outcomes",
        (false, false) => "an enclosure, not proved, of outcomes",
    };
    let (name, contacts) = (problem.name(), contacts(problem));
    let title = wanted.title(format!("{name}: {all} by what the contacts do{contacts}"));
    let polytopes = count(set.polytopes().len(), "polytope");
    let name = if set.is_tight() { "the exact set" } else { "an enclosure" };
    let dimension = set.dimension();
    let note = record.note(&format!("{name}, {polytopes} of dimension up to {dimension}")) + &about;
    wanted.staged(problem, Picture { title, panels: panels(views), series, note })
}

/// The share of the energy that is lost with some coefficients of restitution, over the values of a
/// parameter. Source: \[SM14\] Fig. 2(b).
pub fn losses(name: &str, parameter: &str, losses: &[(f64, Vec<[f64; 2]>)]) -> Picture {
    let share = Axis { origin: true, scale: 1.0, ..Axis::new("1 - E+ / E-", "") };
    let series = losses.iter().enumerate().map(|(i, (restitution, points))| {
        let label = format!("coefficient of restitution {restitution}");
        Series::in_panel(0, &label, i % BRANCH_COLOURS, Mark::Line, points.clone())
    });
    let panel = "Share of the kinetic energy that the propagative law loses";
    Picture {
        title: format!("{name}: energy lost"),
        panels: vec![Panel::new(panel, [Axis::new(parameter, ""), share])],
        series: series.collect(),
        note: format!("carom {}", env!("CARGO_PKG_VERSION")),
    }
}

/// The effect of the order of reflections, over the values of a parameter.
pub fn sweep(name: &str, parameter: &str, indeterminacy: &[[f64; 2]]) -> Picture {
    let axes = [parameter, "xi = largest |p_a - p_b| / |p-|"].map(|name| Axis::new(name, ""));
    let label = "largest distance of two outcomes of admissible sequences, over |p-|";
    Picture {
        title: format!("{name}: how much the order of reflections matters"),
        panels: vec![Panel::new("Indeterminacy of the propagative law", axes)],
        series: vec![Series::in_panel(0, label, 0, Mark::Line, indeterminacy.to_vec())],
        note: format!("carom {}", env!("CARGO_PKG_VERSION")),
    }
}
