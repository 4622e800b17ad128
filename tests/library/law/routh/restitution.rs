//! Friction cones of facets with restitution and with uncertain numbers.

use super::facets::{check, one_contact};
use super::*;
use carom_engine::Batch;
use proptest::prelude::*;

fn frictionless(problem: &ContactProblem) -> ContactProblem {
    let friction = Some(vec![0.0; problem.contact_count()]);
    ContactProblem::new(ProblemSpec { friction, ..problem.spec().clone() }).unwrap()
}

/// One contact without friction: `u+_n = -e u-_n`, whatever the step, by both hypotheses.
#[test]
fn one_contact_without_friction_reverses_its_velocity() {
    let mut draws = Draws::new(5);
    for case in 0..40 {
        let e = [0.0, 0.3, 0.7, 1.0][case % 4];
        let problem = bouncing(&frictionless(&one_contact(&mut draws)), e);
        let before = problem.contact_velocity()[0];
        for hypothesis in [Hypothesis::Stronge, Hypothesis::Poisson] {
            for (parts, precision, slack) in
                [(1.0, F64, 1e-10), (37.0, F64, 1e-10), (7.0, F32, 2e-5)]
            {
                let step = Some(problem.natural_step().unwrap() / parts);
                let samples = sampled(
                    &problem,
                    Routh { hypothesis: Some(hypothesis), step, ..faceted(8) },
                    precision,
                    20,
                );
                for i in 0..samples.len() {
                    let after = samples.row(&samples.contact_velocity, i)[0];
                    assert_eq!(samples.status[i], Status::Terminated);
                    let size = problem.contact_velocity().amax();
                    let known = -e * before;
                    assert!((after - known).abs() <= slack * size, "e = {e}: {after}, not {known}");
                }
            }
        }
    }
}

/// The mean outcome of one contact differs by an error of first order in the step.
#[test]
fn the_error_of_a_step_is_of_first_order() {
    let mut draws = Draws::new(3);
    let problems: Vec<ContactProblem> = (0..6).map(|_| one_contact(&mut draws)).collect();
    for e in [0.0, 0.5] {
        let mut errors = [0.0; 3];
        for problem in &problems {
            let problem = bouncing(problem, e);
            let mean = |parts: f64, count: usize| {
                let step = Some(problem.natural_step().unwrap() / parts);
                let law = Routh { step, max_steps: Some(100_000), ..faceted(8) };
                let samples = sampled(&problem, law, F64, count as u64);
                let rows = (0..count).map(|i| vector(samples.row(&samples.velocity, i)));
                rows.sum::<DVector<f64>>() / count as f64
            };
            let limit = mean(2048.0, 10);
            for (error, parts) in errors.iter_mut().zip([4.0, 16.0, 64.0]) {
                *error += (mean(parts, 120) - &limit).amax() / problem.velocity().amax() / 6.0;
            }
        }
        let order = (errors[0] / errors[2]).log2() / 4.0;
        assert!((0.8..1.3).contains(&order), "{errors:?}");
    }
}

/// Elastic frictionless contacts keep the energy; between walls they may bounce for ever.
#[test]
fn elastic_contacts_without_friction_keep_the_energy() {
    let (mut all, mut ended) = (0, 0);
    for problem in fixed_problems(spatial(4)).take(60) {
        let problem = bouncing(&frictionless(&problem), 1.0);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let samples = sampled(&problem, faceted(4), F64, 8);
        for i in (0..samples.len()).filter(|&i| samples.status[i] == Status::Terminated) {
            let after = samples.kinetic_energy[i];
            ended += 1;
            assert!((after / before - 1.0).abs() <= 1e-6, "energy {before} -> {after}");
        }
        all += samples.len();
    }
    assert!(ended as f64 >= 0.9 * all as f64, "{ended} of {all}");
}

proptest! {
    #![proptest_config(random_cases(40))]

    #[test]
    fn random_problems_bounce_without_gaining_energy(
        spec in spatial(6),
        e in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0],
        k in 0..4usize,
    ) {
        let problem = bouncing(&ContactProblem::new(spec).unwrap(), e);
        let facets = [4, 6, 8, 12][k];
        check(&problem, facets, &sampled(&problem, faceted(facets), F64, 2), 1e-6, 1e-6);
        check(&problem, facets, &sampled(&problem, faceted(facets), F32, 2), 1e-5, 1e-4);
    }

    #[test]
    fn random_problems_draw_their_numbers(
        spec in spatial(6),
        low in 0.0..1.0f64,
        k in 0..4usize,
        sampler in prop_oneof![Just(Sampler::Uniform), Just(Sampler::Coverage)],
        persist in prop_oneof![Just(None), Just(Some(3))],
    ) {
        let mu = spec.friction.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
        let friction = vec![[low * mu, mu]];
        let uncertainty = Uncertainty { friction, restitution: vec![[low, 1.0]], ..Uncertainty::default() };
        let spec = ProblemSpec { friction: Some(vec![mu; spec.normal.len()]), uncertainty, ..spec };
        let problem = ContactProblem::new(spec).unwrap();
        let facets = [4, 6, 8, 12][k];
        let law = || Routh { sampler: Some(sampler), persist, ..faceted(facets) };
        check(&problem, facets, &sampled(&problem, law(), F64, 2), 1e-6, 1e-6);
        check(&problem, facets, &sampled(&problem, law(), F32, 2), 1e-5, 1e-4);
    }
}

/// What becomes of samples of random problems.
#[test]
fn random_problems_end_or_say_so() {
    for hypothesis in [Hypothesis::Stronge, Hypothesis::Poisson] {
        // For each restitution: samples, accepted, at the step limit.
        let mut counts = [[0; 3]; 4];
        for (case, problem) in fixed_problems(spatial(6)).take(120).enumerate() {
            let problem = bouncing(&problem, [0.0, 0.5, 0.9, 1.0][case / 3 % 4]);
            let law = Routh { hypothesis: Some(hypothesis), ..faceted([4, 8, 16][case % 3]) };
            let samples = sampled(&problem, law, F64, 4);
            for (status, residual) in samples.status.iter().zip(&samples.residual) {
                let count = &mut counts[case / 3 % 4];
                count[0] += 1;
                count[1] += usize::from(*status == Status::Terminated && *residual <= 1e-6);
                count[2] += usize::from(*status == Status::StepLimit);
            }
        }
        println!("{hypothesis:?}: samples, accepted, at the step limit: {counts:?}");
        for [all, accepted, limited] in counts {
            assert!(accepted as f64 >= 0.95 * all as f64, "{counts:?}");
            assert!(accepted + limited == all, "{counts:?}");
        }
    }
}

/// No restitution is no restitution: the same bits, whether it is drawn or known.
#[test]
fn without_restitution_samples_are_what_they_were() {
    for problem in fixed_problems(spatial(4)).take(30) {
        let zero = Uncertainty { restitution: vec![[0.0, 0.0]], ..Uncertainty::default() };
        let drawn = ProblemSpec { uncertainty: zero, ..problem.spec().clone() };
        for precision in [F64, F32] {
            let known = sampled(&problem, faceted(6), precision, 8);
            for other in [bouncing(&problem, 0.0), ContactProblem::new(drawn.clone()).unwrap()] {
                let other = sampled(&other, faceted(6), precision, 8);
                assert_eq!((&known.velocity, &known.impulse), (&other.velocity, &other.impulse));
                assert_eq!((&known.steps, &known.residual), (&other.steps, &other.residual));
            }
        }
    }
}

/// Each sample is the law at the numbers that it draws, which are those of the inclusion.
#[test]
fn ranges_are_filled_and_the_law_is_that_of_the_drawn_numbers() {
    let problem = load("icosahedron-tetrahedron");
    let step = Some(problem.natural_step().unwrap() / 500.0);
    let law = Routh { step, max_steps: Some(100_000), ..faceted(32) };
    for (i, far) in beside_drawn_numbers(&problem, law, 12).into_iter().enumerate() {
        let apart = far / problem.velocity().amax();
        assert!(apart <= 0.01, "sample {i}: {apart}");
    }
}

/// Nothing approaches, so the noise alone is left, and it is that of the inclusion.
#[test]
fn noise_is_that_of_the_inclusion() {
    let problem = changed(&load("cube-on-face"), |spec| {
        spec.velocity.iter_mut().for_each(|v| *v = -*v);
        spec.uncertainty = Uncertainty { noise: 0.01, ..Uncertainty::default() };
    });
    let [facets, circle] = [faceted(8), uniform()].map(|law| sampled(&problem, law, F64, 200));
    assert!(facets.steps.iter().all(|steps| *steps == 0) && facets.velocity == circle.velocity);
    assert!(facets.velocity.iter().any(|v| *v != facets.velocity[0]));
}

/// The mean distance of two contacts' samples to the circular set, and back, by facets.
#[test]
fn two_contacts_approach_the_circular_cone() {
    let problem = bouncing(&load("cube-on-edge"), 0.5);
    let step = Some(problem.natural_step().unwrap() / 20.0);
    let law = |facets| Routh { facets, step, max_steps: Some(20_000), ..uniform() };
    let mean = |from: &[f64], to: &[f64]| {
        let set = PointSet::new(problem.mass(), problem.velocity(), to).unwrap();
        let rows: Vec<&[f64]> = from.chunks(problem.coordinate_count()).take(500).collect();
        rows.iter().map(|v| set.distance(v).0).sum::<f64>() / rows.len() as f64
    };
    let circle = ends(&sampled(&problem, law(None), F64, 2000));
    let mut apart = Vec::new();
    for facets in [4, 8, 16, 32] {
        let samples = ends(&sampled(&problem, law(Some(facets)), F64, 1000));
        apart.push([mean(&samples, &circle), mean(&circle, &samples)]);
        println!(
            "K = {facets}: distances to the circular cone's set and back {:.4?}",
            apart.last()
        );
    }
    let falls = |side: usize| apart.windows(2).all(|pair| pair[1][side] < pair[0][side]);
    assert!(falls(0) && falls(1) && apart[3].iter().all(|d| *d < 0.003), "{apart:?}");
}

/// Problems that differ in what is uncertain alone do not share what a batch has prepared.
#[test]
fn batches_tell_ranges_apart() {
    let plan = Plan { law: Law::Routh(faceted(8)), samples: 20, ..Plan::default() };
    let problems = [[0.1, 0.2], [0.3, 0.9]].map(|range| {
        let uncertainty = Uncertainty { restitution: vec![range], ..Uncertainty::default() };
        problem(ProblemSpec { uncertainty, ..load("cube-on-edge").spec().clone() })
    });
    let mut batch = Batch::<f64>::new(&plan);
    for (problem, samples) in problems.iter().zip(batch.sample(&problems).unwrap()) {
        assert_eq!(samples.velocity, sampled(problem, faceted(8), F64, 20).velocity);
    }
}
