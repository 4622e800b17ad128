//! Random problems, judged by the law's conditions.

use super::oracle::after;
use super::*;
use proptest::prelude::*;
use std::time::Instant;

/// How many of the problems are solved; what is not says so.
fn solved(name: &str, specs: impl Strategy<Value = ProblemSpec>, count: usize) -> usize {
    let (mut solved, mut several, mut steps, mut outcomes, mut seconds) = (0, 0, 0, 0, 0.0);
    let mut worst: f64 = 0.0;
    for problem in fixed_problems(specs).filter(ContactProblem::approaches).take(count) {
        let clock = Instant::now();
        let set = ConeComplementarity::default().resolve(&problem).unwrap();
        seconds += clock.elapsed().as_secs_f64();
        let first = ConeComplementarity::default().first(&problem).unwrap();
        assert_eq!(first.outcomes.len(), 1);
        assert_eq!(first.outcomes[0].velocity, set.outcomes[0].velocity, "{name}: the first");
        let mut all = true;
        for outcome in &set.outcomes {
            let (contacts, drift) = after(&problem, &outcome.impulse, &outcome.velocity);
            let residual = contacts.iter().map(|contact| contact.residual()).fold(0.0, f64::max);
            let (one_by_one, within) =
                (contacts.iter().map(|contact| contact.worst()).fold(0.0, f64::max), 1.5);
            if outcome.status == Status::Terminated {
                assert!(residual <= within * 1e-10, "{residual:e} {one_by_one:e}");
                assert!(one_by_one <= 10.0 * 1e-10, "{residual:e} {one_by_one:e}");
                assert!(drift <= 1e-9, "{name}: drift {drift:e}");
                worst = worst.max(residual);
            } else {
                assert!(outcome.residual > 1e-10);
                assert!(set.outcomes.len() == 1 && !set.warnings.is_empty());
                all = false;
            }
            steps += outcome.details.iterations;
            assert_eq!(outcome.details.several, set.outcomes.len() > 1);
            assert!(!outcome.details.complete || problem.tangents_per_contact() < 2);
        }
        outcomes += set.outcomes.len();
        several += usize::from(set.outcomes.len() > 1);
        solved += usize::from(all);
    }
    println!(
        "{name}: {solved} of {count} solved, {several} in several ways, residual at most {worst:.1e}, {:.1} Newton steps a \
         solution, {:.0} ms a problem",
        steps as f64 / outcomes as f64,
        1e3 * seconds / count as f64
    );
    solved
}

#[test]
fn problems_with_up_to_20_contacts_are_solved() {
    let count = cases(4, 400);
    // Twelve coordinates make W singular from five contacts on.
    assert_eq!(solved("12 coordinates", ordinary(20, 12, 1.5), count), count);
    assert_eq!(solved("60 coordinates", ordinary(20, 60, 1.5), count), count);
    let redundant = Problems {
        contacts: 20,
        coordinates: 3,
        tangents: 2,
        friction: (0.1..1.5f64).boxed(),
        decades: [1e-9; 3],
    };
    assert_eq!(solved("3 coordinates", redundant.strategy(), count), count);
}

#[test]
fn friction_and_units_may_be_of_any_size() {
    let count = cases(12, 600);
    assert!(solved("spatial, any friction, any units", spatial(20), count) * 100 >= 99 * count);
    assert!(solved("planar, any friction, any units", planar(12), count) * 100 >= 99 * count);
}
