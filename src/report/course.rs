//! Plots of the course of an impact at several contacts.

use super::plot::{Axis, Mark, Panel, Picture, Series};
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_law::finite::compliant::CompliantDetails;
use carom_law::finite::plus::{ContactPhase, PlusCourse, TangentMode};
use carom_law::{Compliant, Details, Plus};

/// Palette index of ink; number of contacts with a colour of their own.
const INK: usize = 6;
const COLOURS: usize = 6;
/// Corners of the circle of speeds at which contacts roll.
const CORNERS: usize = 48;

/// The states of an impact in order.
pub struct DrawnCourse {
    /// The law.
    law: &'static str,
    moments: Vec<DrawnMoment>,
    /// Contacts and indices of states: end of compression; transition from sliding to rolling.
    compressed: Vec<(usize, usize)>,
    rolling: Vec<(usize, usize)>,
}

struct DrawnMoment {
    /// Time in s and penetration of each contact in m; none if the law has none.
    deep: Option<(f64, Vec<f64>)>,
    velocity: Vec<f64>,
    impulse: Vec<f64>,
}

impl DrawnCourse {
    /// The course of an outcome, if its law provides one.
    pub fn of(problem: &ContactProblem, details: &Details) -> Option<Self> {
        match details {
            Details::Plus(course) => Some(Self::of_plus(problem, course)),
            Details::Compliant(details) => Some(Self::of_compliant(problem, details)),
            _ => None,
        }
    }

    fn of_plus(problem: &ContactProblem, course: &PlusCourse) -> Self {
        let mut impulse = vec![0.0; problem.contact_velocity().len()];
        let velocity = problem.contact_velocity().as_slice().to_vec();
        let mut moments = vec![DrawnMoment { deep: None, velocity, impulse: impulse.clone() }];
        let (mut compressed, mut rolling) = (Vec::new(), Vec::new());
        let changes = course.transitions();
        for (number, round) in course.rounds.iter().enumerate() {
            let begins = moments.len() - 1;
            let rolls = changes.iter().filter(|change| {
                (change.round, change.from, change.to)
                    == (number, TangentMode::Sliding, TangentMode::Rolling)
            });
            rolling.extend(rolls.map(|change| (change.contact, begins + change.interval)));
            for interval in &round.intervals {
                impulse.iter_mut().zip(&interval.impulse).for_each(|(sum, l)| *sum += l);
                let (velocity, impulse) = (interval.velocity.clone(), impulse.clone());
                moments.push(DrawnMoment { deep: None, velocity, impulse });
            }
            let (phases, given) = (&round.phases, &round.impulse);
            let ends = |i: &usize| phases[*i] == ContactPhase::Compressing && given[*i] > 0.0;
            let at = moments.len() - 1;
            compressed.extend((0..phases.len()).filter(ends).map(|i| (i, at)));
        }
        DrawnCourse { law: Plus::NAME, moments, compressed, rolling }
    }

    fn of_compliant(problem: &ContactProblem, details: &CompliantDetails) -> Self {
        let ends = |i: usize| {
            details.course.windows(2).enumerate().filter_map(move |(k, pair)| {
                let ends = pair[0].velocity[i] < 0.0 && pair[1].velocity[i] >= 0.0;
                (ends && pair[1].depth[i] > 0.0).then_some((i, k + 1))
            })
        };
        let moments = details.course.iter().map(|moment| DrawnMoment {
            deep: Some((moment.time, moment.depth.clone())),
            velocity: moment.velocity.clone(),
            impulse: moment.impulse.clone(),
        });
        DrawnCourse {
            law: Compliant::NAME,
            moments: moments.collect(),
            compressed: (0..problem.contact_count()).flat_map(ends).collect(),
            rolling: Vec::new(),
        }
    }
}

/// The quantities of a panel.
#[derive(Clone, Copy)]
enum Quantity {
    /// Normal velocity over the sum of the normal impulses.
    Normal,
    /// Tangential velocity: one tangent over the sum of the normal impulses, or both.
    Tangential,
    /// Tangential impulse along this tangent over the normal impulse.
    Friction(usize),
    /// Normal impulse over the sum of all.
    Load,
    /// Penetration over time.
    Depth,
}

/// Contact velocities, impulses and penetrations throughout an impact, as \[USD15\] Figs. 8 to 13.
/// The first law has solid lines, the others dashed ones. `roll` is the speed in m/s below which
/// contacts of the law plus roll.
///
/// # Errors
/// A name that no panel has.
pub fn courses(
    problem: &ContactProblem,
    courses: &[DrawnCourse],
    roll: Option<f64>,
    panels: &[String],
) -> Result<Picture> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let rough = d > 0 && problem.friction().iter().any(|&mu| mu > 0.0);
    let mut shown = vec![Quantity::Normal];
    if rough {
        shown.push(Quantity::Tangential);
        shown.extend((0..d).map(Quantity::Friction));
    } else {
        shown.push(Quantity::Load);
    }
    let deep = |course: &DrawnCourse| course.moments.iter().any(|moment| moment.deep.is_some());
    shown.extend(courses.iter().any(deep).then_some(Quantity::Depth));
    let mut series = Vec::new();
    if let Some(speed) = roll.filter(|_| d == 2) {
        let circle = |k| {
            let angle = std::f64::consts::TAU * k as f64 / CORNERS as f64;
            [speed * angle.cos(), speed * angle.sin()]
        };
        let circle: Vec<[f64; 2]> = (0..CORNERS).map(circle).collect();
        let label = "the speed below which contacts roll".to_string();
        series.push(Series { label, colour: 7, mark: Mark::Bound, points: vec![vec![], circle] });
    }
    for (number, course) in courses.iter().enumerate() {
        let at = |i: usize, moments: &[usize]| -> Vec<Vec<[f64; 2]>> {
            let point =
                |of: Quantity| moments.iter().filter_map(move |k| course.at(problem, of, i, *k));
            shown.iter().map(|of| point(*of).collect()).collect()
        };
        let all: Vec<usize> = (0..course.moments.len()).collect();
        for i in 0..m {
            let mark = if number == 0 { Mark::Line } else { Mark::Dashes };
            let label = format!("{}, {}", problem.contacts()[i], course.law);
            series.push(Series { label, colour: i % COLOURS, mark, points: at(i, &all) });
        }
        let last: Vec<(usize, usize)> = (0..m).map(|i| (i, all.len() - 1)).collect();
        let marks = [
            ("compression ends", [Mark::Cross, Mark::Plus][number.min(1)], &course.compressed),
            ("sliding ends", Mark::Triangle, &course.rolling),
            ("the impact ends", [Mark::Ring, Mark::Square][number.min(1)], &last),
        ];
        for (what, mark, places) in marks.into_iter().filter(|(.., places)| !places.is_empty()) {
            let mut points = vec![Vec::new(); shown.len()];
            for (i, k) in places {
                let these = at(*i, &[*k]);
                points.iter_mut().zip(these).for_each(|(all, these)| all.extend(these));
            }
            let label = format!("{what}, {}", course.law);
            series.push(Series { label, colour: INK, mark, points });
        }
    }
    let moments = || courses.iter().flat_map(|course| &course.moments);
    let largest = |all: &mut dyn Iterator<Item = &f64>| all.fold(0.0, |a: f64, x| a.max(x.abs()));
    let fast = largest(&mut moments().flat_map(|moment| &moment.velocity));
    let scales = [fast, largest(&mut moments().flat_map(|moment| &moment.impulse))];
    let laws: Vec<&str> = courses.iter().map(|course| course.law).collect();
    let picture = Picture {
        title: format!("{}: the course of the impact by {}", problem.name(), laws.join(" and ")),
        panels: shown.iter().map(|of| of.panel(d, scales)).collect(),
        series,
        note: format!("carom {}", env!("CARGO_PKG_VERSION")),
    };
    picture.chosen(panels)
}

impl DrawnCourse {
    /// The point of a contact in a panel at state `k`, if the law provides it.
    fn at(&self, problem: &ContactProblem, of: Quantity, i: usize, k: usize) -> Option<[f64; 2]> {
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let DrawnMoment { deep, velocity, impulse } = &self.moments[k];
        let total: f64 = impulse[..m].iter().sum();
        let first = m + d * i;
        Some(match of {
            Quantity::Normal => [total, velocity[i]],
            Quantity::Tangential if d == 1 => [total, velocity[first]],
            Quantity::Tangential => [velocity[first], velocity[first + 1]],
            Quantity::Friction(tangent) => [impulse[i], impulse[first + tangent]],
            Quantity::Load => [total, impulse[i]],
            Quantity::Depth => deep.as_ref().map(|(time, depth)| [*time, depth[i]])?,
        })
    }
}

impl Quantity {
    /// The empty panel, for contacts with `d` tangents; scales of velocities and of impulses.
    fn panel(self, d: usize, [fast, strong]: [f64; 2]) -> Panel {
        let speed = |name: &str| Axis { scale: fast, ..Axis::new(name, "m/s") };
        let load = |name: &str| Axis { scale: strong, ..Axis::new(name, "N s") };
        let total = || load("normal impulse of all contacts");
        let plain = |title: &str, axes, name: &str| Panel::new(title, axes).called(&[name]);
        let each = |axes| plain("Impulse of each contact", axes, "impulse");
        match self {
            Quantity::Normal => {
                plain("Normal velocity", [total(), speed("normal velocity")], "normal")
            }
            Quantity::Tangential => {
                let axes = match d {
                    1 => [total(), speed("tangential velocity")],
                    _ => ["along the first tangent", "along the second tangent"].map(speed),
                };
                Panel { equal: d > 1, ..plain("Tangential velocity", axes, "tangential") }
            }
            Quantity::Friction(tangent) => {
                let along = match (d, tangent) {
                    (1, _) => "tangential impulse",
                    (_, 0) => "impulse along the first tangent",
                    _ => "impulse along the second tangent",
                };
                each([load("normal impulse"), load(along)])
            }
            Quantity::Load => each([total(), load("normal impulse")]),
            Quantity::Depth => {
                let axes = [Axis::new("time", "s"), Axis::new("penetration", "m")];
                plain("Penetration", axes, "depth")
            }
        }
    }
}
