//! One impact at a spatial contact: pictures of its sliding velocity and of its impulse.

use super::eye;
use super::plot::{Axis, Mark, Panel, Picture, PlaceName, Series};
use carom_core::problem::ContactProblem;
use carom_core::text::{count, short};
use carom_law::ContactCourse;
use carom_law::finite::darboux_keller::InvariantDirection;
use carom_mechanics::model::spatial::Vector;

/// The colours of the axes and of the plane of compression.
const AXES: usize = 7;
const PLANE: usize = 3;
const INK: usize = 6;

/// The hodograph with the invariant directions, as \[JW16\] Figs. 4, 7 and 10, and the impulse
/// curve in space with the plane of compression and the line of sticking, as Fig. 5.
pub fn hodograph(problem: &ContactProblem, course: &ContactCourse) -> Picture {
    let mut series = directions(course, extent([course]));
    let label = format!("from contact to parting, {} points", course.curve.len());
    let curve = course.curve.iter().map(|&impulse| seen(impulse)).collect();
    series.push(both(label, INK, Mark::Line, course.hodograph.clone(), curve));
    let start = course.hodograph.iter().take(1).copied().collect();
    series.push(both("before the impact".to_string(), 0, Mark::Ring, start, vec![[0.0; 2]]));
    for event in &course.events {
        let (mark, colour) = match event.kind.letter() {
            's' => (Mark::Cross, 5),
            'r' => (Mark::Square, 1),
            _ => (Mark::Diamond, 4),
        };
        let what = event.kind.name().replace("-", " ");
        let label = format!("{what} at {} N s", short(event.impulse[0]));
        let velocity = vec![[event.velocity[1], event.velocity[2]]];
        series.push(both(label, colour, mark, velocity, vec![seen(event.impulse)]));
    }
    let (scaffold, names) = space(problem, course);
    series.splice(0..0, scaffold);
    let axes = ["across", "up, seen from above"].map(|name| Axis::new(name, "N s"));
    let impulse = Panel::new("Impulse during the impact, in space", axes);
    let impulse = Panel { equal: true, names, ..impulse };
    Picture {
        title: format!("{}: hodograph of the impact", problem.name()),
        panels: vec![sliding(), impulse.called(&["impulse"])],
        series,
        note: note(course),
    }
}

/// Hodographs over the values of a parameter, as \[JW16\] Figs. 6 and 8, with the invariant
/// directions if all have the same ones.
pub fn bundle(name: &str, parameter: &str, courses: &[(f64, ContactCourse)]) -> Picture {
    let size = extent(courses.iter().map(|(_, course)| course));
    let first = courses.first().map(|(_, course)| course);
    let same = first.filter(|a| courses.iter().all(|(_, b)| a.invariant == b.invariant));
    let mut series = same.map_or(Vec::new(), |course| directions(course, size));
    let ends = [courses.first(), courses.last()].map(|at| at.map_or(0.0, |(value, _)| *value));
    let [low, high] = ends.map(short);
    let label = format!("{}, {parameter}: {low} to {high}", count(courses.len(), "hodograph"));
    for (i, (_, course)) in courses.iter().enumerate() {
        let label = if i == 0 { label.clone() } else { String::new() };
        series.push(both(label, 0, Mark::Line, course.hodograph.clone(), Vec::new()));
    }
    let ends = |of: fn(&[[f64; 2]]) -> Option<&[f64; 2]>| {
        courses.iter().filter_map(|(_, course)| of(&course.hodograph).copied()).collect()
    };
    let (first_at, last_at) = (ends(<[_]>::first), ends(<[_]>::last));
    series.push(both("before the impact".to_string(), INK, Mark::Ring, first_at, Vec::new()));
    series.push(both("after the impact".to_string(), 1, Mark::Square, last_at, Vec::new()));
    let place = |(value, course): &(f64, ContactCourse)| {
        let [x, y] = *course.hodograph.first()?;
        let length = x.hypot(y).max(f64::MIN_POSITIVE);
        Some(PlaceName { at: [x, y], towards: [x / length, y / length], name: short(*value) })
    };
    Picture {
        title: format!("{name}: hodographs over {parameter}"),
        panels: vec![Panel { names: courses.iter().filter_map(place).collect(), ..sliding() }],
        series,
        note: first.map_or(String::new(), note),
    }
}

fn sliding() -> Panel {
    let names = ["along the first tangent", "along the second tangent"];
    let axes = names.map(|name| Axis::new(name, "m/s"));
    let panel = Panel::new("Sliding velocity during the impact", axes).called(&["hodograph"]);
    Panel { equal: true, ..panel }
}

/// A series with points in two panels: velocities and impulses.
fn both(
    label: String,
    colour: usize,
    mark: Mark,
    velocities: Vec<[f64; 2]>,
    impulses: Vec<[f64; 2]>,
) -> Series {
    Series { label, colour, mark, points: vec![velocities, impulses] }
}

fn extent<'a>(courses: impl IntoIterator<Item = &'a ContactCourse>) -> f64 {
    let all = courses.into_iter().flat_map(|course| &course.hodograph);
    all.map(|g| g[0].hypot(g[1])).fold(0.0, f64::max)
}

/// The invariant directions, drawn up to a speed.
fn directions(course: &ContactCourse, size: f64) -> Vec<Series> {
    let one = |invariant: &InvariantDirection| {
        let stable = if invariant.stable() { "stable" } else { "unstable" };
        let degrees = short(invariant.angle.to_degrees());
        let label = format!("{} direction, {degrees} degrees, {stable}", invariant.kind());
        let colour = if invariant.centrifugal() { 2 } else { 3 };
        let mark = if invariant.stable() { Mark::Line } else { Mark::Dashes };
        let tip = invariant.direction.map(|x| x * size);
        both(label, colour, mark, vec![[0.0; 2], tip], Vec::new())
    };
    course.invariant.iter().flatten().map(one).collect()
}

/// The position of an impulse `(n, t1, t2)` in its panel: the normal points up, t2 to the right.
fn seen([n, x, y]: [f64; 3]) -> [f64; 2] {
    eye::seen(Vector::new(y, -x, n))
}

/// The axes of the impulse, the plane of compression `u_n + W_n L = 0` over the box of the curve,
/// and the line of sticking `u_t + W_t L = 0` if friction can hold the contact; the names of the
/// axes.
fn space(problem: &ContactProblem, course: &ContactCourse) -> (Vec<Series>, Vec<PlaceName>) {
    let (w, u) = (problem.delassus(), problem.contact_velocity());
    let range = |k: usize| {
        let all = course.curve.iter().map(|impulse| impulse[k]);
        all.fold([0.0_f64; 2], |[low, high], x| [low.min(x), high.max(x)])
    };
    let [n, x, y] = [0, 1, 2].map(range);
    let length = 0.3 * n.into_iter().chain(x).chain(y).map(f64::abs).fold(0.0, f64::max);
    let (mut series, mut names) = (Vec::new(), Vec::new());
    for (k, name) in ["n", "t1", "t2"].into_iter().enumerate() {
        let tip: [f64; 3] = std::array::from_fn(|i| if i == k { length } else { 0.0 });
        let at = seen(tip);
        let size = at[0].hypot(at[1]).max(f64::MIN_POSITIVE);
        let axis = vec![[0.0; 2], at];
        series.push(both(String::new(), AXES, Mark::Line, Vec::new(), axis));
        names.push(PlaceName { at, towards: at.map(|a| a / size), name: name.to_string() });
    }
    let room = 0.3 * length;
    let wide = |[low, high]: [f64; 2]| [low - room, high + room];
    let ([left, right], [near, far]) = (wide(x), wide(y));
    let level = |x: f64, y: f64| [-(u[0] + w[(0, 1)] * x + w[(0, 2)] * y) / w[(0, 0)], x, y];
    let corners = [level(left, near), level(right, near), level(right, far), level(left, far)];
    let label = "plane of compression".to_string();
    series.push(both(label, PLANE, Mark::Area, Vec::new(), corners.map(seen).to_vec()));
    let block = w.view((1, 1), (2, 2)).into_owned();
    if course.needed <= course.friction
        && let Some(inverse) = block.try_inverse()
    {
        let stuck = |load: f64| {
            let held = -&inverse * (u.rows(1, 2) + w.view((1, 0), (2, 1)) * load);
            seen([load, held[0], held[1]])
        };
        let line = n.map(stuck).to_vec();
        series.push(both("line of sticking".to_string(), 4, Mark::Dashes, Vec::new(), line));
    }
    (series, names)
}

fn note(course: &ContactCourse) -> String {
    let holds = if course.margin > 0.0 { "holds" } else { "fails" };
    let [friction, restitution] = [course.friction, course.restitution].map(short);
    let (of, version) = (course.hypothesis.name(), env!("CARGO_PKG_VERSION"));
    format!(
        "friction {friction}, restitution {restitution} ({of}), condition (18) {holds}; carom {version}"
    )
}
