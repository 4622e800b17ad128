//! The convex relaxation.

use super::oracle::{after, by_gradients, size};
use super::*;
use carom_law::ConvexRelaxation;
use proptest::prelude::Strategy;

/// How many problems are solved: by the conditions of the optimum.
fn solved(name: &str, specs: impl Strategy<Value = ProblemSpec>, count: usize) -> usize {
    let (mut solved, mut steps) = (0, 0);
    let clock = std::time::Instant::now();
    for problem in fixed_problems(specs).filter(ContactProblem::approaches).take(count) {
        let set = ConvexRelaxation.resolve(&problem).unwrap();
        assert!(set.outcomes.len() == 1 && set.complete);
        let outcome = &set.outcomes[0];
        let (contacts, drift) = after(&problem, &outcome.impulse, &outcome.velocity);
        steps += outcome.details.iterations;
        if outcome.status == Status::Terminated {
            let worst =
                contacts.iter().map(|contact| contact.worst_of_program()).fold(0.0, f64::max);
            assert!(worst <= 1e-9 && drift <= 1e-9, "{name}: {worst:e} {drift:e}");
            solved += 1;
        } else {
            assert!(outcome.residual > 1e-10 && !set.warnings.is_empty());
            println!("{name}: left at {:.1e}", outcome.residual);
        }
    }
    let each = 1e3 * clock.elapsed().as_secs_f64() / count as f64;
    let steps = steps as f64 / count as f64;
    println!("{name}: {solved} of {count}, {steps:.1} Newton steps, {each:.0} ms each");
    solved
}

#[test]
fn its_outcome_is_the_optimum() {
    let count = cases(40, 600);
    assert_eq!(solved("ordinary", ordinary(20, 12, 1.5), count), count);
    assert!(solved("spatial, any friction, any units", spatial(20), count) * 100 >= 97 * count);
    assert!(solved("planar, any friction, any units", planar(12), count) * 100 >= 97 * count);
}

/// A rigid body with masses and inertias over six decades, on contacts whose friction is between
/// 1e-4 and 1e4. Their rows depend on each other from three contacts on.
fn extreme(number: usize) -> ProblemSpec {
    let mut draws = Draws::of(93, number);
    let mut decades = |most: f64| 10_f64.powf(draws.uniform(-most, most));
    let m = decades(3.0);
    let masses = [m, m, m, decades(3.0), decades(3.0), decades(3.0)];
    let count = 1 + number % 6;
    let friction: Vec<f64> = (0..count).map(|_| decades(4.0)).collect();
    let (mut normal, mut tangent) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let at = Vector3::from_fn(|_, _| draws.uniform(-1.0, 1.0));
        let n = Vector3::new(draws.uniform(-0.4, 0.4), draws.uniform(-0.4, 0.4), 1.0).normalize();
        let t = n.cross(&Vector3::x()).normalize();
        let row =
            |way: Vector3<f64>| way.iter().chain(&at.cross(&way)).copied().collect::<Vec<f64>>();
        normal.push(row(n));
        tangent.extend([row(t), row(n.cross(&t))]);
    }
    let velocity = [0, 1, 2, 3, 4, 5].map(|i| if i == 2 { -3.0 } else { draws.uniform(-1.5, 1.5) });
    rough(&masses, normal, tangent, friction, velocity)
}

/// The optimum exists whatever the scales.
#[test]
fn extreme_inertias_and_friction_leave_none_unsolved() {
    for number in 0..cases(80, 600) {
        let problem = problem(extreme(number));
        let outcome = ConvexRelaxation.resolve(&problem).unwrap().outcomes.remove(0);
        assert_eq!(outcome.status, Status::Terminated, "{number}: {:e}", outcome.residual);
        let (contacts, drift) = after(&problem, &outcome.impulse, &outcome.velocity);
        let worst = contacts.iter().map(|contact| contact.worst_of_program()).fold(0.0, f64::max);
        assert!(worst <= 1e-9 && drift <= 1e-9, "{number}: {worst:e} {drift:e}");
    }
}

#[test]
fn gradients_lead_to_it() {
    for problem in
        fixed_problems(ordinary(8, 12, 1.0)).filter(ContactProblem::approaches).take(cases(15, 200))
    {
        let outcome = ConvexRelaxation.resolve(&problem).unwrap().outcomes.remove(0);
        let expected = by_gradients(&problem, 20_000);
        let found = problem.jacobian() * vector(&outcome.velocity);
        let apart = (found - expected).amax() / problem.contact_velocity().amax();
        assert!(apart < 1e-6, "{apart:e}");
    }
}

#[test]
fn what_slides_under_load_leaves() {
    let (mut lifted, mut same) = (0, 0);
    for problem in
        fixed_problems(ordinary(6, 12, 2.0)).filter(ContactProblem::approaches).take(cases(60, 600))
    {
        let set = ConvexRelaxation.resolve(&problem).unwrap();
        let outcome = &set.outcomes[0];
        let (contacts, _) = after(&problem, &outcome.impulse, &outcome.velocity);
        let unit = problem.contact_velocity().amax();
        for (contact, lift) in contacts.iter().zip(&outcome.details.lift) {
            if contact.ln > 1e-6 {
                assert!((contact.un - contact.mu * size(contact.ut)).abs() < 1e-8);
                assert!((lift / unit - contact.un).abs() < 1e-6);
            }
        }
        let moves = outcome.details.lift.iter().any(|&lift| lift > 0.0);
        assert_eq!(moves, set.warnings.iter().any(|warning| warning.contains("relaxation")));
        // Where nothing that pushes leaves, it is a solution of the law itself.
        if contacts.iter().any(|contact| contact.residual() > 5e-11) {
            lifted += 1;
            continue;
        }
        let coulomb = ConeComplementarity::default().resolve(&problem).unwrap();
        let all: Vec<_> = coulomb.outcomes.into_iter().map(|outcome| outcome.velocity).collect();
        assert!(nearest(&problem, &outcome.velocity, &all) < 1e-7);
        same += 1;
    }
    assert!(lifted > 5 && same > 5);
}

#[test]
fn without_friction_it_is_the_law_itself_and_bouncing_is_refused() {
    let block = load("rocking-block");
    let smooth = problem(ProblemSpec { friction: Some(vec![0.0; 2]), ..block.spec().clone() });
    let [a, b] = [
        ConvexRelaxation.resolve(&smooth).unwrap().outcomes.remove(0).velocity,
        ConeComplementarity::default().resolve(&smooth).unwrap().outcomes.remove(0).velocity,
    ];
    assert!(distance(&smooth, &a, &b) < 1e-9);
    let bouncing =
        problem(ProblemSpec { restitution: Some(vec![0.0, 0.5]), ..block.spec().clone() });
    let error = ConvexRelaxation.resolve(&bouncing).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("restitution[1]"));
}
