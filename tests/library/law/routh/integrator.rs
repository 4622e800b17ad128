//! The processes in blocks, sample by sample, against a dumb integrator with the same draws.

use super::*;
use crate::support::events;
use crate::support::integrator::{Fault, Integrator};
use carom_law::routh::inclusion::process::Inclusion;
use proptest::prelude::*;

/// A sample: the contact velocity at its end, and its forces, each until a time in blocks.
struct Course {
    end: DVector<f64>,
    pieces: Vec<(f64, DVector<f64>)>,
}

impl Course {
    /// The course by the event process in the plane, else by the inclusion at 1e-8.
    fn of(problem: &ContactProblem, h: f64, stream: &Stream) -> Course {
        let law = Routh { step: Some(h), ..uniform() };
        let rows = problem.delassus().nrows();
        let (mut time, mut pieces) = (0.0, Vec::new());
        if problem.tangents_per_contact() < 2 {
            let process = Events::<f64>::new(&law, problem).unwrap();
            let ending = process.sample_observed(stream, &mut process.workspace(), |allowed, l| {
                let rate = |i| f64::from(unit(stream.draw((time + 1e-9) as u32, Purpose::Rate, i)));
                let caps: f64 = (0..).zip(&process.rates.caps).map(|(i, cap)| cap * rate(i)).sum();
                let length = allowed.iter().sum::<f64>() / caps;
                time += length;
                let along = |j, _| process.space.scaling.impulse_along(l, j);
                pieces.push((time, length, DVector::from_fn(rows, along)));
            });
            assert_eq!(ending.status, Status::Terminated);
        } else {
            let law = Routh { process: Some(RouthProcess::Inclusion), accuracy: Some(1e-8), ..law };
            let process = Inclusion::<f64>::new(&law, problem).unwrap();
            let ending =
                process.sample_observed(false, stream, &mut process.workspace(), |h, _, l| {
                    time += h;
                    let along = |j, _| h * process.space.scaling.impulse_along(l, j);
                    pieces.push((time, h, DVector::from_fn(rows, along)));
                });
            assert_eq!(ending.status, Status::Terminated);
        }
        let total: DVector<f64> = pieces.iter().map(|(_, _, l)| l).sum();
        Course {
            end: problem.contact_velocity() + problem.delassus() * total,
            pieces: pieces.into_iter().map(|(until, length, l)| (until, l / length)).collect(),
        }
    }
}

/// A problem, the length of its blocks, and samples.
struct Samples {
    problem: ContactProblem,
    h: f64,
    courses: Vec<(Stream<'static>, Course)>,
}

impl Samples {
    fn new(problem: ContactProblem, count: u64) -> Self {
        let h = problem.natural_step().unwrap();
        let course = |i| (Stream::new(3, i), Course::of(&problem, h, &Stream::new(3, i)));
        Samples { courses: (0..count).map(course).collect(), problem, h }
    }

    /// Sorted distances from the ends of the integrator, over `max|u-|`, where it goes `along` the
    /// pieces of the process and where it does not.
    fn distances(&self, steps: u32, fault: Fault, along: bool) -> Vec<f64> {
        let integrator = Integrator::new(&self.problem, self.h, steps, fault);
        let size = self.problem.contact_velocity().amax();
        let apart = |(stream, course): &(Stream, Course)| {
            let pieces = if along { &course.pieces[..] } else { &[] };
            integrator
                .end(stream, pieces)
                .map_or(f64::INFINITY, |end| (end - &course.end).amax() / size)
        };
        sorted(self.courses.iter().map(apart).collect())
    }
}

fn sorted(mut all: Vec<f64>) -> Vec<f64> {
    all.sort_by(f64::total_cmp);
    all
}

/// Median, 90 % and worst.
fn quantiles(all: &[f64]) -> [f64; 3] {
    [all[all.len() / 2], all[all.len() * 9 / 10], all[all.len() - 1]]
}

fn short(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:.1e} ")).collect()
}

/// A scene, or a rod on one end, with the same coefficient of restitution at all contacts.
fn with_restitution(name: &str, e: f64) -> ContactProblem {
    let known = if name == "rod" { events::problem(&events::rod()) } else { load(name) };
    bouncing(&known, e)
}

/// Sixteen times the steps, a tenth of the distance; samples end where the integrator does.
#[test]
fn scenes_with_unique_forces() {
    let planar = ["rod", "rocking-block", "box-and-wall", "newtons-cradle", "billiard-break"];
    let spatial =
        ["pin-ball", "icosahedron-tetrahedron", "cube-on-edge", "quadruped-trot", "cube-on-face"];
    for (name, e) in planar.into_iter().chain(spatial).flat_map(|name| [(name, 0.0), (name, 0.6)]) {
        let samples = Samples::new(with_restitution(name, e), 40);
        let at = |steps, fault| quantiles(&samples.distances(steps, fault, false));
        let rows = [100, 400, 1600].map(|steps| at(steps, Fault::None));
        println!("{name}, e = {e}: {}", short(rows.as_flattened()));
        let [[coarse, ..], _, [fine, _, worst]] = rows;
        // The accuracy of the inclusion is 1e-8.
        assert!(fine <= (0.1 * coarse).max(1e-8) && worst <= 1e-3, "{name}, e = {e}: {rows:?}");
        let [friction, restitution, holding] =
            [Fault::Friction, Fault::Restitution, Fault::Holding].map(|fault| at(400, fault));
        for (what, far) in
            [("friction reversed", friction), ("e for e^2", restitution), ("not held", holding)]
        {
            println!("    {what}: {}", short(&far));
        }
        let rough = samples.problem.friction().iter().any(|mu| *mu > 0.0);
        assert!(!rough || friction[0] > 0.1, "{name}, e = {e}: {friction:?}");
        assert!(e == 0.0 || restitution[0] > 0.03, "{name}, e = {e}: {restitution:?}");
        // Where other contacts drive one in that has come to rest.
        let held = [
            ("box-and-wall", 0.0),
            ("box-and-wall", 0.6),
            ("newtons-cradle", 0.6),
            ("cube-on-face", 0.0),
        ];
        assert!(!held.contains(&(name, e)) || holding[1] > 0.02, "{name}, e = {e}: {holding:?}");
    }
}

/// Alone, the integrator often finds other forces; along the process it keeps to its forces.
#[test]
fn scenes_with_several_solutions() {
    let scenes = ["compass-gait", "ramone", "disk-stack"];
    for (name, e) in scenes.into_iter().flat_map(|name| [(name, 0.0), (name, 0.6)]) {
        let samples = Samples::new(with_restitution(name, e), 40);
        let near = quantiles(&samples.distances(1, Fault::None, true));
        assert!(near[2] <= 1e-10, "{name}, e = {e}: {near:?}");
        for fault in [Fault::Friction, Fault::Restitution, Fault::Holding] {
            let far = quantiles(&samples.distances(1, fault, true));
            println!("    {fault:?}: {}", short(&far));
            let shows = match fault {
                Fault::Restitution => e > 0.0,
                Fault::Holding => name == "disk-stack",
                _ => true,
            };
            assert!(!shows || far[0] > 0.02, "{name}, e = {e}, {fault:?}: {far:?}");
        }
    }
}

/// Whether the scaled `W` has no small eigenvalue: no contact can replace others.
fn regular(problem: &ContactProblem) -> bool {
    let w = problem.delassus();
    let scaled = w.map_with_location(|i, j, x| x / (w[(i, i)] * w[(j, j)]).sqrt());
    scaled.symmetric_eigenvalues().min() >= 0.05
}

/// Random problems of so many contacts, every other one with restitution.
fn random(m: usize, tangents: usize) -> impl Iterator<Item = ContactProblem> {
    let friction = (0.0..0.8f64).boxed();
    let specs = Problems { contacts: m, coordinates: 24, tangents, friction, decades: [1e-9; 3] }
        .strategy();
    let fits = move |problem: &ContactProblem| {
        problem.contact_count() == m && problem.approaches() && regular(problem)
    };
    fixed_problems(specs).filter(fits).enumerate().map(move |(k, regular)| {
        let e = if k % 2 == 0 { 0.0 } else { 0.3 + 0.1 * (k / 2 % 6) as f64 };
        bouncing(&regular, e)
    })
}

#[test]
fn random_problems() {
    for (tangents, m) in [1, 2].into_iter().flat_map(|tangents| [1, 2, 3].map(|m| (tangents, m))) {
        let problems = random(m, tangents).take(cases(20, 200));
        let all: Vec<Samples> = problems.map(|problem| Samples::new(problem, 3)).collect();
        let at = |steps, fault| {
            sorted(all.iter().flat_map(|one| one.distances(steps, fault, false)).collect())
        };
        let rows = [100, 400, 1600].map(|steps| quantiles(&at(steps, Fault::None)));
        println!("{m} contacts, {tangents} tangents: {}", short(rows.as_flattened()));
        // Half of the samples have no error where nothing turns or gives back.
        let [[_, coarse, _], _, [_, fine, worst]] = rows;
        assert!(fine <= 0.1 * coarse, "{m} contacts, {tangents} tangents: {rows:?}");
        assert!(worst <= 2e-3, "{m} contacts, {tangents} tangents: {rows:?}");
        let held = if m == 1 { 0.0 } else { 0.03 };
        let listed = [(Fault::Friction, 0.8), (Fault::Restitution, 0.4), (Fault::Holding, held)];
        for (fault, share) in listed {
            let far = at(400, fault);
            let seen =
                far.iter().filter(|distance| **distance > 0.02).count() as f64 / far.len() as f64;
            assert!(seen >= share, "{m} contacts, {tangents} tangents, {fault:?}: {seen}");
        }
    }
}
