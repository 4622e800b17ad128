//! The promises of theorems, beside an independent implementation and beside what samples do.

use carom::internals::analysis::guarantee::guarantee;
use carom::internals::engine::{Plan, Precision};
use carom::internals::law::Routh;
use carom::internals::problem::{ContactProblem, ProblemSpec};
use carom::internals::scene;

use crate::support::compare::on_cpu;
use crate::support::draws::Draws;
use crate::support::golden::{example, golden};
use crate::support::problems::{fixed_problems, planar};

#[test]
fn net_force_and_steps_are_those_of_an_independent_implementation() {
    let (examples, known) = (golden("halm_posa_examples"), golden("halm_posa_theory"));
    for (name, theory) in known.as_object().unwrap() {
        let found = guarantee(&example(&examples[name]));
        let number = |key: &str| theory[key].as_f64().unwrap();
        // A friction of 1e5 costs the solver digits.
        let close = |a: f64, b: f64| (a - b).abs() <= 5e-6 * b;
        let force = number("eps_mass_metric");
        assert!(
            close(found.force, force) && found.force <= found.force_at_most * (1.0 + 1e-9),
            "{name}: {found:?}"
        );
        assert!(close(found.force_at_most, force), "{name}: {found:?} {force}");
        assert!(close(found.force_by_coordinates, number("eps_LP_rinf")), "{name}: {found:?}");
        assert!(close(found.steps, number("N0_expected_steps_bound_2v")), "{name}: {found:?}");
        assert_eq!(found.pointed, theory["pointed"].as_bool().unwrap());
        for (failure, steps) in theory["steps_for_tail_prob"].as_object().unwrap() {
            assert_eq!(
                found.steps_for(failure.parse().unwrap()),
                steps.as_u64(),
                "{name}: {failure}"
            );
        }
    }
}

/// No random impulse pushes less than the net force, and none of the samples takes more steps than
/// nearly all may.
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
            assert!(
                push.dot(&(&inverse * &push)).sqrt() >= found.force * (1.0 - 1e-6),
                "{found:?}"
            );
        }
    }
    for name in ["rocking-block", "box-and-wall", "disk-stack"] {
        let problem = scene::load(name).unwrap();
        let promised = guarantee(&problem).steps_for(1e-9).unwrap();
        let law = Routh { max_steps: Some(10_000), ..Routh::steps() };
        let plan = Plan {
            law: law.into(),
            samples: 1000,
            precision: Some(Precision::F64),
            ..Plan::default()
        };
        let most = *on_cpu(&problem, &plan).steps.iter().max().unwrap();
        assert!(u64::from(most) <= promised, "{name}: {most} of {promised}");
    }
}

#[test]
fn uniqueness_is_decided_for_two_contacts() {
    let unique = |name: &str| guarantee(&scene::load(name).unwrap()).unique;
    assert_eq!(
        [unique("rocking-block"), unique("compass-gait"), unique("disk-stack")],
        [Some(true), Some(false), None]
    );
}

/// Two walls whose normals are opposite: their impulses cancel.
#[test]
fn nothing_is_promised_between_two_walls() {
    let found = guarantee(
        &ContactProblem::new(ProblemSpec {
            mass: vec![vec![2.0]],
            normal: vec![vec![1.0], vec![-1.0]],
            velocity: vec![1.0],
            ..ProblemSpec::default()
        })
        .unwrap(),
    );
    assert!(
        !found.pointed && found.steps == f64::INFINITY && found.steps_for(0.5).is_none(),
        "{found:?}"
    );
}
