//! Simultaneous and sequential outcomes of the planar examples of [HP23].

use super::*;
use crate::support::{golden, problems};
use carom_law::finite::sequential;
use std::collections::BTreeSet;

/// Every example with its name and what is expected of it.
fn examples() -> Vec<(String, ContactProblem, Value)> {
    let (examples, expected) = (golden("halm_posa_examples"), golden("halm_posa_finite"));
    let of = |(name, example): (&String, &Value)| {
        (name.clone(), golden::example(example), expected[name].clone())
    };
    examples.as_object().unwrap().iter().map(of).collect()
}

/// The code of the golden file.
fn code(modes: &[ContactMode]) -> String {
    modes.iter().map(|mode| char::from(b'0' + *mode as u8)).collect()
}

#[test]
fn all_simultaneous_solutions_of_every_example() {
    for (name, problem, expected) in examples() {
        let resolved = AnitescuPotra::default().resolve(&problem).unwrap();
        let expected = expected["simultaneous"].as_array().unwrap();
        assert_eq!(resolved.outcomes.len(), expected.len(), "{name}");
        assert!(resolved.complete && resolved.warnings.is_empty(), "{name}");
        let bound = 1e-8 * problem.velocity().amax();
        for expected in expected {
            let v = numbers(&expected["v_plus"]);
            let found = resolved.outcomes.iter().find(|o| apart(&o.velocity, &v) <= bound);
            let found = found.unwrap_or_else(|| panic!("{name}: no {v:?}"));
            assert!(found.residual <= 1e-12, "{name}: {}", found.residual);
            assert!((found.kinetic_energy - number(&expected["KE"])).abs() <= 1e-12, "{name}");
            assert!(found.details.isolated && found.details.complete, "{name}");
            let modes: BTreeSet<String> =
                found.details.combinations.iter().map(|modes| code(modes)).collect();
            let known = expected["modes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|m| m.as_str().unwrap().to_string());
            assert_eq!(modes, known.collect(), "{name}");
        }
    }
}

#[test]
fn sequential_impacts_from_every_contact_of_every_example() {
    for (name, problem, expected) in examples() {
        let all = Sequential::default().resolve(&problem).unwrap();
        let expected = expected["sequential"].as_array().unwrap();
        assert_eq!(all.outcomes.len(), expected.len(), "{name}");
        for expected in expected {
            let start = expected["start_contact"].as_u64().unwrap() as usize;
            let alone = Sequential { start: Some(start), ..Sequential::default() }
                .resolve(&problem)
                .unwrap();
            let [outcome] = &alone.outcomes[..] else { panic!("{name}") };
            assert_eq!(outcome.velocity, all.outcomes[start].velocity);
            let off = apart(&outcome.velocity, &numbers(&expected["v_full"]));
            assert!(off <= 1e-8, "{name} from {start}: off by {off}");
            assert_eq!(outcome.status, Status::Terminated, "{name}");
            assert!(outcome.residual <= 1e-12, "{name}: {}", outcome.residual);
            let sequential::SequentialDetails { visits, order, .. } = &outcome.details;
            assert_eq!(order[0], start);
            let known = expected["steps_to_full_termination"].as_u64();
            assert_eq!(Some(*visits as u64), known, "{name}");
            assert_eq!(outcome.impacts, outcome.sequence.len());
            if expected["terminated_in_10"] == true {
                let known = expected["n_nonzero_impacts"].as_u64();
                assert_eq!(Some(outcome.impacts as u64), known, "{name}");
            }
            let order: Vec<usize> = (0..order.len()).map(|k| (start + k) % order.len()).collect();
            let same = Sequential { order: Some(order), ..Sequential::default() }
                .resolve(&problem)
                .unwrap();
            assert_eq!(same.outcomes[0].velocity, outcome.velocity);
        }
    }
}

#[test]
fn more_than_six_contacts_are_solved_as_far_as_pivoting_finds() {
    // The compass gait, contacts repeated: the same outcomes, 4^8 combinations of modes.
    let (_, problem, expected) = examples().swap_remove(1);
    let mut spec = problem.spec().clone();
    let repeat = |rows: &Vec<Vec<f64>>| (0..8).map(|i| rows[i % 2].clone()).collect::<Vec<_>>();
    (spec.normal, spec.tangent) = (repeat(&spec.normal), repeat(&spec.tangent));
    spec.friction = spec.friction.map(|mu| (0..8).map(|i| mu[i % 2]).collect());
    let resolved = AnitescuPotra::default().resolve(&problems::problem(spec)).unwrap();
    assert!(!resolved.complete && resolved.warnings.len() == 1);
    assert!(!resolved.outcomes.is_empty());
    for outcome in &resolved.outcomes {
        assert!(!outcome.details.complete);
        let known = expected["simultaneous"].as_array().unwrap();
        let near = |known: &Value| apart(&outcome.velocity, &numbers(&known["v_plus"])) <= 1e-8;
        assert!(known.iter().any(near), "{outcome:?}");
        assert!(outcome.residual <= 1e-9);
    }
    let all = expected["simultaneous"].as_array().unwrap().len();
    println!("{} of {all} outcomes", resolved.outcomes.len());
}

#[test]
fn nothing_approaching_changes_nothing() {
    for (_, problem, _) in examples() {
        let mut spec = problem.spec().clone();
        spec.velocity.fill(0.0);
        let problem = problems::problem(spec);
        for law in [
            FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
            FiniteLaw::Sequential(Sequential::default()),
            FiniteLaw::Propagative(Propagative::default()),
        ] {
            let resolved = law.resolve(&problem).unwrap();
            assert_eq!(resolved.distinct(), 1, "{}", law.name());
            for outcome in &resolved.outcomes {
                let mut all = outcome.velocity.iter().chain(&outcome.impulse);
                assert!(all.all(|&x| x == 0.0), "{}", law.name());
                assert_eq!((outcome.impacts, outcome.status), (0, Status::Terminated));
            }
        }
    }
}
