//! Robots on flat feet: many contacts, phase by phase, against substeps and against a dumb
//! integrator with the same draws.

use super::*;
use crate::support::golden::feet;
use crate::support::integrator::{Fault, Integrator};

/// A robot of `tests/golden/feet`, or a scene, with the same restitution at all contacts.
fn robot(name: &str, e: f64) -> ContactProblem {
    let feet = ["g1", "talos", "alexander", "dm-humanoid"].contains(&name).then(|| feet(name));
    bouncing(&feet.unwrap_or_else(|| load(name)), e)
}

/// Five bodies, coupled by their inertia: no contact can replace others, so forces are unique.
fn coupled() -> ContactProblem {
    let n = 15;
    let entry = |k: usize| (k as f64 * 2.399_963).sin();
    let mass = |i: usize, j: usize| {
        let rows: f64 = (0..4).map(|k| entry(k * n + i) * entry(k * n + j)).sum();
        0.4 * rows + if i == j { 1.0 } else { 0.0 }
    };
    let unit = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let velocity = |j: usize| match j.is_multiple_of(3) {
        true => -0.6 - 0.3 * entry(j),
        false => entry(3 * j + 1),
    };
    problem(ProblemSpec {
        mass: (0..n).map(|i| (0..n).map(|j| mass(i, j)).collect()).collect(),
        normal: (0..5).map(|i| unit(3 * i)).collect(),
        tangent: (0..5).flat_map(|i| [unit(3 * i + 1), unit(3 * i + 2)]).collect(),
        friction: Some(vec![0.2, 0.8, 0.3, 0.5, 0.6]),
        velocity: (0..n).map(velocity).collect(),
        ..ProblemSpec::default()
    })
}

/// Boxes upon each other, four contacts between two of them: the highest falls, all slide and turn.
fn stack(boxes: usize) -> ContactProblem {
    let (n, [a, b, h]) = (6 * boxes, [0.1, 0.07, 0.05]);
    let turn = |x: f64, y: f64| (x * x + y * y) / 3.0;
    let inertia = [1.0, 1.0, 1.0, turn(b, h), turn(a, h), turn(a, b)];
    // The velocity of a point of a box along z, x and y.
    let row = |[x, y, z]: [f64; 3], axis: usize| match axis {
        0 => [0.0, 0.0, 1.0, y, -x, 0.0],
        1 => [1.0, 0.0, 0.0, 0.0, z, -y],
        _ => [0.0, 1.0, 0.0, -z, 0.0, x],
    };
    let contacts = (0..4 * boxes).map(|i| (i / 4, [[a, b], [a, -b], [-a, -b], [-a, b]][i % 4]));
    let rows = |axis: usize| {
        contacts.clone().map(move |(k, [x, y])| {
            let mut line = vec![0.0; n];
            line[6 * k..6 * k + 6].copy_from_slice(&row([x, y, -h], axis));
            if k > 0 {
                let below = row([x, y, h], axis).map(|x| -x);
                line[6 * k - 6..6 * k].copy_from_slice(&below);
            }
            line
        })
    };
    let velocity = |j: usize| match j % 6 {
        2 => -0.3 - (j / 6) as f64,
        _ => 0.4 * (j as f64 * 2.399_963).sin(),
    };
    problem(ProblemSpec {
        mass: (0..n)
            .map(|i| (0..n).map(|j| if i == j { inertia[i % 6] } else { 0.0 }).collect())
            .collect(),
        normal: rows(0).collect(),
        tangent: rows(1).zip(rows(2)).flat_map(|(x, y)| [x, y]).collect(),
        friction: Some(vec![0.6; 4 * boxes]),
        velocity: (0..n).map(velocity).collect(),
        ..ProblemSpec::default()
    })
}

/// Sorted distances, over `max|u-|`, between samples phase by phase and the ends of the integrator
/// with tiny implicit steps.
fn distances(problem: &ContactProblem, count: u64, steps: u32, fault: Fault) -> Vec<f64> {
    let h = problem.natural_step().unwrap();
    let law = Law::Routh(Routh { step: Some(h), accuracy: Some(1e-5), ..uniform() });
    let process = law.prepare::<f64>(problem).unwrap();
    let space = process.space();
    let integrator = Integrator::new(problem, h, steps, fault);
    let (start, size) = (problem.contact_velocity(), problem.contact_velocity().amax());
    let mut work = process.workspace();
    let mut all: Vec<f64> = (0..count)
        .map(|i| {
            let stream = Stream::new(3, i);
            assert_eq!(process.sample(&stream, &mut work).status, Status::Terminated);
            let along = |j, _| space.scaling.impulse_along(work.total(), j);
            let total = nalgebra::DVector::from_fn(start.len(), along);
            let end = start + problem.delassus() * total;
            integrator.end(&stream, &[]).map_or(f64::INFINITY, |other| (other - end).amax() / size)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

#[test]
fn five_contacts_against_tiny_implicit_steps() {
    for e in [0.0, 0.6] {
        let problem = bouncing(&coupled(), e);
        let at = |steps, fault| distances(&problem, 40, steps, fault);
        let [coarse, fine] = [100, 1600].map(|steps| at(steps, Fault::None));
        println!("{e}: {coarse:?} {fine:?}");
        assert!(fine[20] <= 0.1 * coarse[20] && fine[36] <= 1e-3, "{e}: {fine:?}");
        let wrong = at(100, Fault::Friction);
        assert!(wrong[4] > 0.1, "{e}: {wrong:?}");
        let wrong = at(100, Fault::Restitution);
        assert!(e == 0.0 || wrong[20] > 0.03, "{e}: {wrong:?}");
    }
}

/// Redundant corners make the integrator's sweeps slow: some of its samples do not end.
#[test]
fn flat_feet_against_tiny_implicit_steps() {
    for name in ["talos", "humanoid"] {
        let fine = distances(&robot(name, 0.0), 20, 400, Fault::None);
        println!("{name}: {fine:?}");
        assert!(fine[10] <= 5e-4 && fine[14] <= 1e-3, "{name}: {fine:?}");
    }
}

/// Samples of the default accuracy and of substeps with a hundredth of it, which phases refuse.
#[test]
fn phases_agree_with_substeps() {
    for (name, e) in [("talos", 0.0), ("talos", 0.5), ("humanoid", 0.4), ("g1", 0.0)] {
        let problem = robot(name, e);
        let at = |accuracy| sampled(&problem, Routh { accuracy, ..Routh::default() }, F64, 60);
        let [phased, finer] = [None, Some(1e-6)].map(at);
        let (k, speed) = (problem.delassus().nrows(), problem.contact_velocity().amax());
        let all = [&phased, &finer].map(|samples| samples.contact_velocity.chunks(k));
        let [a, b] = all;
        let both = a.zip(b).zip(&finer.status).filter(|(_, status)| **status == Status::Terminated);
        let mut apart: Vec<f64> = both
            .map(|((a, b), _)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
            .collect();
        apart.sort_by(f64::total_cmp);
        println!("{name}: {} of 60, {:?}, of {speed}", apart.len(), &apart[apart.len() - 4..]);
        assert!(apart.len() >= 30 && phased.steps != finer.steps, "{name}: {}", apart.len());
        assert!(apart[apart.len() * 95 / 100] <= 1e-3 * speed, "{name}: {apart:?}");
    }
}

/// Every sample ends, and nearly all are accepted; in substeps 94 % of `g1` and 28 % of
/// `dm-humanoid`.
#[test]
fn every_sample_of_a_robot_ends() {
    let robots = ["g1", "talos", "alexander", "dm-humanoid", "hand-on-box"];
    let robots = robots.into_iter().flat_map(|name| [0.0, 0.5].map(|e| (name, robot(name, e))));
    let stacks = [2, 3].map(|boxes| ("stack", bouncing(&stack(boxes), 0.5)));
    for (name, problem) in robots.chain(stacks) {
        let samples = sampled(&problem, Routh::default(), F64, 200);
        let ended = samples.status.iter().filter(|status| **status == Status::Terminated).count();
        let accepted = samples.residual.iter().filter(|residual| **residual <= 1e-3).count();
        println!("{name}: {ended} ended, {accepted} accepted");
        let least = if ["g1", "talos", "alexander"].contains(&name) { 200 } else { 198 };
        assert!(ended == 200 && accepted >= least, "{name}: {ended} ended, {accepted} accepted");
    }
}
