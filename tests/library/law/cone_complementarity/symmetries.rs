//! What the numbers of contacts and the directions of tangents are, changes nothing.

use super::*;

/// Problems with one known solution, their numbers, and its velocity.
fn unique() -> impl Iterator<Item = (usize, ContactProblem, Vec<f64>)> {
    let problems = fixed_problems(ordinary(8, 12, 0.6)).filter(ContactProblem::approaches);
    let with = |(number, problem): (usize, ContactProblem)| {
        let mut found = velocities(&problem);
        (found.len() == 1).then(|| (number, problem, found.remove(0)))
    };
    problems.enumerate().filter_map(with).take(cases(15, 300))
}

#[test]
fn the_order_of_contacts_changes_nothing() {
    for (number, plain, expected) in unique() {
        let (m, mut draws) = (plain.contact_count(), Draws::of(7, number));
        let mut order: Vec<usize> = (0..m).collect();
        (1..m).rev().for_each(|i| order.swap(i, draws.below(i + 1)));
        let spec = plain.spec().clone();
        let shuffled = problem(ProblemSpec {
            normal: order.iter().map(|&i| spec.normal[i].clone()).collect(),
            tangent: order.iter().flat_map(|&i| spec.tangent[2 * i..2 * i + 2].to_vec()).collect(),
            friction: spec.friction.as_ref().map(|mu| order.iter().map(|&i| mu[i]).collect()),
            ..spec
        });
        let set = ConeComplementarity::default().resolve(&shuffled).unwrap();
        assert!(distance(&plain, &set.outcomes[0].velocity, &expected) < 1e-8);
        let modes =
            ConeComplementarity::default().resolve(&plain).unwrap().outcomes.remove(0).modes;
        let reordered: Vec<_> = order.iter().map(|&i| modes[i]).collect();
        assert_eq!(set.outcomes[0].modes, reordered);
    }
}

#[test]
fn the_directions_of_tangents_change_nothing() {
    for (number, plain, expected) in unique() {
        let (m, mut draws) = (plain.contact_count(), Draws::of(8, number));
        let turns: Vec<(f64, f64)> = (0..m).map(|_| draws.uniform(0.0, 6.0).sin_cos()).collect();
        let spec = plain.spec().clone();
        let turn = |i: usize| {
            let ((sin, cos), [s, t]) = (turns[i], [&spec.tangent[2 * i], &spec.tangent[2 * i + 1]]);
            let mix =
                |a: f64, b: f64| s.iter().zip(t).map(|(s, t)| a * s + b * t).collect::<Vec<f64>>();
            [mix(cos, sin), mix(-sin, cos)]
        };
        let turned =
            problem(ProblemSpec { tangent: (0..m).flat_map(turn).collect(), ..spec.clone() });
        let found = ConeComplementarity::default().resolve(&turned).unwrap().outcomes.remove(0);
        assert!(distance(&plain, &found.velocity, &expected) < 1e-8);
        // Turned back, the impulse is one of the first problem.
        let mut impulse = found.impulse.clone();
        for (i, (sin, cos)) in turns.iter().enumerate() {
            let [a, b] = [found.impulse[m + 2 * i], found.impulse[m + 2 * i + 1]];
            (impulse[m + 2 * i], impulse[m + 2 * i + 1]) = (cos * a - sin * b, sin * a + cos * b);
        }
        let (contacts, _) = super::oracle::after(&plain, &impulse, &found.velocity);
        assert!(contacts.iter().all(|contact| contact.residual() < 2e-10));
    }
}
