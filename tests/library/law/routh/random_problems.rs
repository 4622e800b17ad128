//! Random problems: whatever they are, the law ends, adds no energy and hands out no NaN.

use super::*;
use proptest::prelude::*;

fn choosing(solution: Solution) -> Routh {
    Routh { solution, ..Routh::default() }
}

/// What must hold of every sample that is handed out.
fn check(problem: &ContactProblem, samples: &Samples, bound: f64, slack: f64) {
    let m = problem.contact_count();
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    for i in 0..samples.len() {
        let (v, u, l) = (
            samples.row(&samples.velocity, i),
            samples.row(&samples.contact_velocity, i),
            samples.row(&samples.impulse, i),
        );
        assert!(v.iter().chain(u).chain(l).all(|x| x.is_finite()), "sample {i} is not finite");
        assert!(samples.residual[i].is_finite() && samples.kinetic_energy[i].is_finite());
        if samples.status[i] == Status::Terminated && samples.residual[i] <= bound {
            let energy = samples.kinetic_energy[i];
            assert!(energy <= before * (1.0 + slack), "sample {i}: energy {before} -> {energy}");
            let size = l.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            for c in 0..m {
                let bound = problem.friction()[c] * l[c];
                assert!(l[c] >= 0.0, "sample {i}: cone");
                assert!(l[m + c].abs() <= bound * (1.0 + 1e-6) + slack * size, "sample {i}: cone");
            }
        }
    }
}

proptest! {
    #![proptest_config(random_cases(cases(50, 150)))]

    #[test]
    fn random_problems_end_without_gaining_energy(spec in planar(6)) {
        let problem = problem(spec);
        for solution in [Solution::Random, Solution::Lemke] {
            check(&problem, &sampled(&problem, choosing(solution), F64, 64), 1e-6, 1e-6);
            check(&problem, &sampled(&problem, choosing(solution), F32, 64), 1e-5, 1e-4);
        }
    }
}

#[test]
fn nearly_every_terminated_sample_is_accepted() {
    // Friction of 1e5 can wedge a body; then 1000 steps need not be enough, as for any law.
    let problems = fixed_problems(planar(6)).take(cases(150, 600));
    nearly_all_are_accepted(
        problems.map(|problem| sampled(&problem, choosing(Solution::Random), F64, 64)),
    );
}

#[test]
fn nothing_approaching_takes_no_step() {
    let (normal, tangent) = ([[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]);
    let spec = rough(&[1.0; 2], normal, tangent, [0.5, 0.5], [3.0, 0.0]);
    for velocity in [vec![3.0, 0.0], vec![-1.0, 2.0], vec![0.0, 0.0]] {
        let problem = problem(ProblemSpec { velocity: velocity.clone(), ..spec.clone() });
        let samples = sampled(&problem, choosing(Solution::Random), F64, 10);
        assert!(samples.steps.iter().all(|&steps| steps == 0));
        assert!(samples.status.iter().all(|&status| status == Status::Terminated));
        for i in 0..10 {
            assert_eq!(samples.row(&samples.velocity, i), velocity);
        }
    }
}

#[test]
fn a_frictionless_contact_stops_its_own_approach() {
    // One contact: v+ is the projection onto the contact, whatever the rates.
    let problem = given(r#"{ "mass": [[2]], "normal": [[1]], "velocity": [-3] }"#);
    let samples = sampled(&problem, choosing(Solution::Random), F64, 100);
    for i in 0..100 {
        assert!(samples.row(&samples.velocity, i)[0].abs() < 1e-12);
        assert!((samples.row(&samples.impulse, i)[0] - 6.0).abs() < 1e-12);
    }
}

/// A spinning block, its lengths scaled so that contact velocities stay what they are.
fn block_in_units_of(length: f64) -> ContactProblem {
    let normal = [[0.0, 1.0, -0.5 * length], [0.0, 1.0, 0.5 * length]];
    let tangent = [[1.0, 0.0, length], [1.0, 0.0, length]];
    let (mass, velocity) = ([1.0, 1.0, 0.4167 * length * length], [0.0, -0.44, 0.3 / length]);
    problem(rough(&mass, normal, tangent, [1.0, 1.0], velocity))
}

#[test]
fn outcomes_do_not_depend_on_units() {
    for precision in [F64, F32] {
        let reference =
            sampled(&block_in_units_of(1.0), choosing(Solution::Random), precision, 2000);
        for length in [1e-6, 1e-3, 1e3, 1e6] {
            let samples =
                sampled(&block_in_units_of(length), choosing(Solution::Random), precision, 2000);
            let apart = (0..samples.len())
                .filter(|&i| {
                    let (a, b) = (
                        reference.row(&reference.contact_velocity, i),
                        samples.row(&samples.contact_velocity, i),
                    );
                    a.iter().zip(b).any(|(a, b)| (a - b).abs() > 5e-6)
                })
                .count();
            let name = precision.name();
            assert!(apart <= 2, "{apart} of 2000 samples differ at length {length} in {name}");
        }
    }
}
