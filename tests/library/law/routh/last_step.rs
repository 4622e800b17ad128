//! The last step of \[HP23\] Algorithm 2, which ends samples at the step limit.

use super::*;

/// Samples of few steps, with and without a last one.
fn both(problem: &ContactProblem, most: u32, last: f64, facets: Option<u32>) -> [Samples; 2] {
    let law = Routh { max_steps: Some(most), facets, ..Routh::steps() };
    [None, Some(last)]
        .map(|last_step| sampled(problem, Routh { last_step, ..law.clone() }, F64, 300))
}

fn ended(samples: &Samples, i: usize) -> bool {
    samples.status[i] == Status::Terminated
}

/// The slowest normal velocity of a sample in m/s.
fn lowest(problem: &ContactProblem, samples: &Samples, i: usize) -> f64 {
    samples.row(&samples.contact_velocity, i)[..problem.contact_count()]
        .iter()
        .fold(f64::INFINITY, |low, u| low.min(*u))
}

/// A ball of 2 kg that falls at 1 m/s: what three steps leave, the last one takes, up to its bound.
#[test]
fn a_ball_loses_what_the_last_step_allows() {
    let problem = given(r#"{ "mass": [[2]], "normal": [[1]], "velocity": [-1], "step": 1 }"#);
    let [without, with] = both(&problem, 3, 0.5, None);
    let mut counts = [0; 3];
    for i in 0..300 {
        let before = without.row(&without.velocity, i)[0];
        let after = with.row(&with.velocity, i)[0];
        assert!((after - (before + 0.25).min(0.0)).abs() < 1e-14, "{before}: {after}");
        assert_eq!(ended(&with, i), before >= -0.25);
        assert_eq!(with.steps[i] == 4, !ended(&without, i));
        counts[usize::from(ended(&without, i)) + usize::from(ended(&with, i))] += 1;
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

/// Samples that ended before stay what they are. A last step without an effective bound is the
/// simultaneous impact, after which nothing approaches.
#[test]
fn a_last_step_changes_only_samples_at_the_limit_and_a_long_one_ends_all() {
    let spatial = Problems {
        contacts: 3,
        coordinates: 6,
        tangents: 2,
        friction: proptest::prelude::Strategy::boxed(0.1..1.0f64),
        decades: [1e-9; 3],
    };
    let plane = fixed_problems(small(3, 1.0, false)).take(20).map(|problem| (problem, None));
    let space = fixed_problems(spatial.strategy()).take(8).map(|problem| (problem, Some(8)));
    let mut forced = 0;
    for (problem, facets) in plane.chain(space) {
        let [without, with] = both(&problem, 2, 1e6, facets);
        for i in 0..300 {
            let [a, b] = [&without, &with].map(|samples| samples.row(&samples.velocity, i));
            if ended(&without, i) {
                // Vectors and the process without them sum in another order.
                assert!(apart(a, b) <= 1e-9 * problem.velocity().amax(), "{a:?}, {b:?}");
            } else if without.status[i] == Status::StepLimit {
                assert!(ended(&with, i), "{:?}", with.status[i]);
                forced += 1;
            }
        }
    }
    assert!(forced > 500, "{forced}");
}

/// Lemma 9: where contacts nearly separate, a small last step ends the impact.
#[test]
fn a_small_last_step_ends_what_has_nearly_ended() {
    let mut near = 0;
    for (name, problem) in loaded(["rocking-block", "box-and-wall"]) {
        let largest = problem.contact_velocity().amax();
        let natural = problem.natural_step().unwrap();
        for most in 1..4 {
            let [without, with] = both(&problem, most, 0.1 * natural, None);
            for i in (0..300).filter(|i| !ended(&without, *i)) {
                if lowest(&problem, &without, i) >= -0.02 * largest {
                    assert!(ended(&with, i), "{name}, sample {i}");
                    near += 1;
                }
            }
        }
    }
    assert!(near > 10, "{near}");
}
