//! Samples that each have a velocity of their own, against samples that are drawn in turn.

use super::*;
use crate::support::feet::spatial;

/// A cube that lands on a face, with uncertain friction and restitution.
fn cube() -> ContactProblem {
    let corners = [[0.05, 0.05], [0.05, -0.05], [-0.05, 0.05], [-0.05, -0.05]];
    let places = corners.map(|[x, y]| [x, y, -0.05]);
    problem(ProblemSpec {
        restitution: Some(vec![0.3; 4]),
        uncertainty: "mu=0.1..0.3,e=0.1..0.6".parse().unwrap(),
        ..standing(&places, [0.4, 7e-4], 0.2, [0.4, 0.1, -1.0, 1.0, 2.0, 0.5])
    })
}

/// Numbers of samples, and a velocity for each, some of which separate all contacts.
fn starts(problem: &ContactProblem) -> (Vec<u64>, Vec<f64>) {
    let numbers: Vec<u64> = (0..37).map(|k| 5 * k + 2).collect();
    let n = problem.coordinate_count();
    let draw =
        |k: usize| f64::from(stream::unit(Stream::new(8, 1).draw(0, Purpose::User, k as u32)));
    let velocity = |k: usize| problem.velocity()[k % n] * (2.5 * draw(k) - 0.5);
    let velocities = (0..n * numbers.len()).map(velocity).collect();
    (numbers, velocities)
}

/// Samples together, and samples in turn.
fn both(problem: &ContactProblem, law: Law) -> [Vec<Samples>; 2] {
    let plan = Plan { law, seed: 3, ..Plan::default() };
    let (numbers, velocities) = starts(problem);
    let mut prepared = Prepared::<f64>::new(problem, &plan).unwrap();
    let mut together = Vec::new();
    prepared
        .sample_from(&numbers, &velocities, |k, sample| {
            assert_eq!(k, together.len());
            together.push(sample.clone());
        })
        .unwrap();
    let rows = velocities.chunks_exact(problem.coordinate_count());
    let in_turn = numbers.iter().zip(rows).map(|(&number, row)| {
        prepared.velocity(row).unwrap();
        prepared.sample(number, 1).clone()
    });
    let in_turn = in_turn.collect();
    [together, in_turn]
}

#[test]
fn lanes_with_velocities_of_their_own_are_samples_in_turn() {
    assert_in_turn(&cube());
}

/// Blocks on light feet are longer, by factors that depend on the velocity.
#[test]
fn so_are_those_of_light_feet() {
    assert_in_turn(&spatial());
}

fn assert_in_turn(problem: &ContactProblem) {
    let [together, in_turn] = both(problem, Law::Routh(Routh::default()));
    let mut moved = 0;
    for (a, b) in together.iter().zip(&in_turn) {
        assert_eq!((&a.status, a.first), (&b.status, b.first));
        let apart = a.velocity.iter().zip(&b.velocity).map(|(x, y)| (x - y).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9, "{a:?} {b:?}");
        moved += u32::from(a.impulse.iter().any(|x| *x > 0.0));
    }
    assert!(moved > 20, "{moved}");
}

#[test]
fn other_processes_take_them_in_turn() {
    let block = Law::Routh(Routh { step: Some(0.1), ..Routh::default() });
    let noisy = {
        let mut spec = cube().spec().clone();
        spec.uncertainty.noise = 0.05;
        problem(spec)
    };
    let routh = || Law::Routh(Routh::default());
    for (problem, law) in [(load("rocking-block"), routh()), (cube(), block), (noisy, routh())] {
        let [together, in_turn] = both(&problem, law);
        assert_eq!(together, in_turn);
    }
}
