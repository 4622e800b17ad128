//! The promises of theorems, beside an independent implementation and beside what samples do.

use super::*;
use crate::support::golden::example;
use carom_analysis::guarantee::guarantee;

#[test]
fn net_force_and_steps_are_those_of_an_independent_implementation() {
    let (examples, known) = (golden("halm_posa_examples"), golden("halm_posa_theory"));
    for (name, theory) in known.as_object().unwrap() {
        let found = guarantee(&example(&examples[name]));
        let number = |key: &str| theory[key].as_f64().unwrap();
        // A friction of 1e5 costs the solver digits.
        let close = |a: f64, b: f64| (a - b).abs() <= 5e-6 * b;
        let force = number("eps_mass_metric");
        assert!(close(found.force, force), "{name}: {found:?}");
        assert!(found.force <= found.force_at_most * (1.0 + 1e-9), "{name}: {found:?}");
        assert!(close(found.force_at_most, force), "{name}: {found:?} {force}");
        assert!(close(found.force_by_coordinates, number("eps_LP_rinf")), "{name}: {found:?}");
        assert!(close(found.steps, number("N0_expected_steps_bound_2v")), "{name}: {found:?}");
        assert_eq!(found.pointed, theory["pointed"].as_bool().unwrap());
        for (failure, steps) in theory["steps_for_tail_prob"].as_object().unwrap() {
            let found = found.steps_for(failure.parse().unwrap());
            assert_eq!(found, steps.as_u64(), "{name}: {failure}");
        }
    }
}

/// No random impulse pushes less than the net force; no sample takes more steps than promised.
#[test]
fn nothing_breaks_the_promises() {
    let mut draws = Draws::new(3);
    for problem in fixed_problems(planar(4)).take(60) {
        let (m, found) = (problem.contact_count(), guarantee(&problem));
        let inverse = problem.mass().clone().cholesky().unwrap().inverse();
        for _ in 0..50 {
            let mut impulse = nalgebra::DVector::from_fn(problem.jacobian().nrows(), |_, _| {
                draws.uniform(0.0, 1.0)
            });
            let total: f64 = impulse.rows(0, m).sum();
            for i in m..impulse.len() {
                impulse[i] = problem.friction()[i - m] * impulse[i - m] * draws.uniform(-1.0, 1.0);
            }
            let push = problem.jacobian().transpose() * impulse / total;
            let force = push.dot(&(&inverse * &push)).sqrt();
            assert!(force >= found.force * (1.0 - 1e-6), "{found:?}");
        }
    }
    for (name, problem) in loaded(["rocking-block", "box-and-wall", "disk-stack"]) {
        let promised = guarantee(&problem).steps_for(1e-9).unwrap();
        let law = Routh { max_steps: Some(10_000), ..Routh::steps() };
        let plan = planned(law, 1000, 0, F64);
        let most = *on_cpu(&problem, &plan).steps.iter().max().unwrap();
        assert!(u64::from(most) <= promised, "{name}: {most} of {promised}");
    }
}

#[test]
fn uniqueness_is_decided_for_two_contacts() {
    let unique = |name: &str| guarantee(&load(name)).unique;
    let found = ["rocking-block", "compass-gait", "disk-stack"].map(unique);
    assert_eq!(found, [Some(true), Some(false), None]);
}

/// Two walls whose normals are opposite: their impulses cancel.
#[test]
fn nothing_is_promised_between_two_walls() {
    let found = guarantee(&problem(smooth(&[2.0], [[1.0], [-1.0]], [1.0])));
    assert!(!found.pointed, "{found:?}");
    assert!(found.steps == f64::INFINITY && found.steps_for(0.5).is_none(), "{found:?}");
}

/// A random impulse in the friction cones, with some contacts left out.
fn impulse(problem: &ContactProblem, draws: &mut Draws) -> DVector<f64> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let mut impulse = DVector::zeros((1 + d) * m);
    for i in 0..m {
        impulse[i] = draws.uniform(-0.5, 1.0).max(0.0);
        let mut tangents = DVector::from_vec(draws.numbers(d));
        let most = problem.friction()[i] * impulse[i];
        tangents *= most * draws.uniform(0.0, 1.0).sqrt() / tangents.norm().max(1e-300);
        impulse.rows_mut(m + d * i, d).copy_from(&tangents);
    }
    impulse
}

/// The change of the velocity by an impulse, and the multiple of it with which energy is back where
/// it was; 0 where the impulse adds energy at once.
fn kick(problem: &ContactProblem, v: &DVector<f64>, impulse: &DVector<f64>) -> (DVector<f64>, f64) {
    let change = problem.response() * impulse;
    let square = change.dot(&(problem.mass() * &change));
    let most = if square > 0.0 { -2.0 * v.dot(&(problem.mass() * &change)) / square } else { 0.0 };
    (change, most.max(0.0))
}

/// Theorem 3 by brute force: no sample and no impulse that keeps the energy has a larger sum.
#[test]
fn no_impact_lasts_longer_than_the_bound() {
    let mut draws = Draws::new(5);
    let problems = fixed_problems(planar(4)).take(40).chain(fixed_problems(spatial(3)).take(15));
    let mut sampled = 0;
    for problem in problems {
        let (m, found) = (problem.contact_count(), guarantee(&problem));
        assert!(found.duration <= found.duration_per_speed * found.speed * (1.0 + 1e-12));
        let plan = planned(Law::default(), 50, 0, F64);
        let samples = on_cpu(&problem, &plan);
        for i in 0..samples.len() {
            let sum: f64 = samples.row(&samples.impulse, i)[..m].iter().sum();
            // An integrated sample may gain energy up to its tolerance of 1e-4.
            assert!(sum <= found.duration * (1.0 + 1e-3), "{sum} of {found:?}");
            sampled += usize::from(sum > 0.0);
        }
        for _ in 0..200 {
            let impulse = impulse(&problem, &mut draws);
            let (_, most) = kick(&problem, problem.velocity(), &impulse);
            let sum = most * impulse.rows(0, m).sum();
            assert!(sum <= found.duration * (1.0 + 1e-9), "{sum} of {found:?}");
        }
    }
    assert!(sampled > 500, "{sampled}");
}

/// One planar contact: the longest impulse in its cone that adds no energy is the bound.
#[test]
fn the_bound_of_one_contact_is_the_longest_impulse() {
    let mut tried = 0;
    for problem in fixed_problems(small(1, 1.5, false)).take(60) {
        let mu = problem.friction()[0];
        let of = |k: usize| {
            let impulse = DVector::from_vec(vec![1.0, mu * (k as f64 / 500.0 - 1.0)]);
            kick(&problem, problem.velocity(), &impulse).1
        };
        let longest = (0..=1000).map(of).fold(0.0, f64::max);
        let found = guarantee(&problem).duration;
        // The grid misses the best direction by 1e-3 of the cone, where the sum is flat.
        if longest > 0.0 && found.is_finite() {
            let near = found / longest - 1.0;
            assert!((-1e-9..1e-3).contains(&near), "{longest}, {found}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// A ball of 2 kg at 3 m/s: `e = 1 / sqrt(2)`, so `2 / e = 2 sqrt(2)`, `|v-|_M = 3 sqrt(2)`, and
/// the elastic impact has the bound as its impulse, 12 N s. Of two such balls the bounds add up.
#[test]
fn the_duration_of_a_ball_is_that_of_its_elastic_impact() {
    let ball = |count: usize| {
        let row = |k: usize, x: f64| (0..count).map(|i| if i == k { x } else { 0.0 }).collect();
        let problem = ContactProblem::new(ProblemSpec {
            mass: (0..count).map(|k| row(k, 2.0)).collect(),
            normal: (0..count).map(|k| row(k, 1.0)).collect(),
            velocity: vec![-3.0; count],
            ..ProblemSpec::default()
        });
        guarantee(&problem.unwrap())
    };
    let one = ball(1);
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-8;
    assert!(close(one.duration, 12.0) && one.duration >= 12.0, "{one:?}");
    assert!(close(one.duration_per_speed, 8.0_f64.sqrt()), "{one:?}");
    assert!(close(ball(2).duration, 24.0), "{:?}", ball(2));
    // Theorem 5: time passes at the rate 1 / (1 + m g) on the floor that carries the ball, and the
    // bound allows for one that is thrown back.
    assert!(close(one.time_rate(9.81 * 2.0_f64.sqrt()), 1.0 / (1.0 + 4.0 * 9.81)));
}

/// Theorem 5 by brute force: impulses that add no energy and forces take turns.
#[test]
fn time_advances_as_fast_as_the_theorem_says() {
    let (mut draws, mut says) = (Draws::new(6), 0);
    for problem in fixed_problems(small(3, 1.0, false)).take(60) {
        let (m, found) = (problem.contact_count(), guarantee(&problem));
        if !found.pointed {
            assert_eq!(found.time_rate(1.0), 0.0);
            continue;
        }
        let length = |v: &DVector<f64>| v.dot(&(problem.mass() * v)).sqrt();
        let (mut v, mut time, mut s) = (problem.velocity().clone(), 0.0, 0.0);
        let most = found.speed * draws.uniform(0.1, 3.0);
        for _ in 0..100 {
            for _ in 0..10 {
                let impulse = impulse(&problem, &mut draws);
                let (change, longest) = kick(&problem, &v, &impulse);
                let part = longest * draws.uniform(0.0, 1.0);
                v += change * part;
                s += part * impulse.rows(0, m).sum();
            }
            let lasts = draws.uniform(0.0, 0.3);
            let push = DVector::from_vec(draws.numbers(v.len()));
            v += &push * (most * lasts / length(&push));
            (time, s) = (time + lasts, s + lasts);
            let least = (s - found.duration_per_speed * found.speed) * found.time_rate(most);
            assert!(time >= least * (1.0 - 1e-9), "{time} of {least}, {found:?}");
            says += usize::from(least > 0.1 * time);
        }
    }
    assert!(says > 500, "{says}");
}
