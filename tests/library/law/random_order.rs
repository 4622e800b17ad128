//! Randomised orderings against the laws that list every outcome.

use super::*;
use carom_law::About;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn sample(problem: &ContactProblem, law: Law, precision: Precision, samples: u64) -> Samples {
    let plan = planned(law, samples, 1, precision);
    on_cpu(problem, &plan)
}

fn propagative(problem: &ContactProblem, precision: Precision, samples: u64) -> Samples {
    sample(problem, Law::Propagative(Propagative::default()), precision, samples)
}

fn sequential(problem: &ContactProblem, precision: Precision, samples: u64) -> Samples {
    sample(problem, Law::Sequential(Sequential::default()), precision, samples)
}

/// The outcomes of all admissible sequences.
fn admissible(problem: &ContactProblem) -> Vec<Vec<f64>> {
    let law = Propagative { sequences: Some(Kind::Admissible), ..Propagative::default() };
    let resolved = law.resolve(problem).unwrap();
    resolved
        .outcomes
        .into_iter()
        .filter(|o| o.details.kind == Kind::Admissible)
        .map(|o| o.velocity)
        .collect()
}

fn size(problem: &ContactProblem) -> f64 {
    problem.velocity().amax()
}

#[test]
fn every_ordering_of_the_cradle_has_the_one_outcome() {
    let cradle = load("newtons-cradle");
    for precision in [F64, F32] {
        let samples = propagative(&cradle, precision, 2000);
        for i in 0..samples.len() {
            assert_eq!(samples.status[i], Status::Terminated);
            assert!(apart(samples.row(&samples.velocity, i), &[0.0, 0.0, 1.0]) <= 1e-6);
        }
    }
}

#[test]
fn a_prepared_sampler_draws_the_same_orders() {
    for (name, law) in [
        ("rocking-block", Law::Sequential(Sequential::default())),
        ("billiard-break", Law::Propagative(Propagative::default())),
    ] {
        let problem = load(name);
        let expected = sample(&problem, law.clone(), F64, 500);
        let plan = Plan { law, seed: 1, ..Plan::default() };
        let mut sampler = Prepared::<f64>::new(&problem, &plan).unwrap();
        assert_eq!(sampler.sample(0, 500).velocity, expected.velocity, "{name}");
    }
}

#[test]
fn sampled_orderings_are_admissible_sequences_and_all_of_them_occur() {
    let billiards = load("billiard-break");
    for r in [1.0, 0.6, 0.0] {
        let problem = bouncing(&billiards, r);
        let listed = admissible(&problem);
        let samples = propagative(&problem, F64, 4000);
        let mut counts = vec![0; listed.len()];
        for i in 0..samples.len() {
            let v = samples.row(&samples.velocity, i);
            let k = listed.iter().position(|other| apart(v, other) <= 1e-9);
            counts[k.expect("a listed outcome")] += 1;
        }
        if r == 1.0 {
            // The two disks are violated at first, with equal chances; three standard deviations.
            assert_eq!(counts.len(), 2);
            assert!((counts[0] - 2000_i32).abs() < 95, "{counts:?}");
        }
    }
}

#[test]
fn one_contact_is_the_simultaneous_law() {
    let problem = problem(rough(&[2.0; 2], [[0.1, 1.0]], [[1.0, -0.1]], [0.3], [1.0, -1.0]));
    let expected = AnitescuPotra::default().resolve(&problem).unwrap().outcomes.remove(0);
    let samples = sequential(&problem, F64, 3);
    for i in 0..3 {
        assert_eq!(samples.steps[i], 1);
        assert!(apart(samples.row(&samples.velocity, i), &expected.velocity) <= 1e-12);
    }
}

#[test]
fn a_wedge_that_nothing_ends_reaches_the_limit() {
    let spec = smooth(&[1.0], [[1.0], [-1.0]], [-1.0]);
    let samples = propagative(&problem(spec), F64, 10);
    assert!(samples.status.iter().all(|status| *status == Status::StepLimit));
    assert!(samples.steps.iter().all(|steps| *steps == 1000));
}

#[test]
fn what_a_law_cannot_honour_is_refused() {
    let block = load("rocking-block");
    let bouncing = bouncing(&block, 0.5);
    let uneven = problem(ProblemSpec { restitution: Some(vec![0.5, 0.4]), ..block.spec().clone() });
    assert!(Law::Sequential(Sequential::default()).prepare::<f64>(&bouncing).is_err());
    assert!(Law::Propagative(Propagative::default()).prepare::<f64>(&bouncing).is_ok());
    assert!(Law::Propagative(Propagative::default()).prepare::<f64>(&uneven).is_err());
    let none = Law::Propagative(Propagative { max_steps: Some(0), ..Propagative::default() });
    assert!(none.prepare::<f64>(&block).is_err());
}

proptest! {
    #![proptest_config(random_cases(200))]

    /// Reflections keep the energy, change the momentum along the normals only, and end feasible.
    #[test]
    fn reflections_are_sound(spec in frictionless(4, true)) {
        let problem = problem(spec);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let m = problem.contact_count();
        let normals: DMatrix<f64> = problem.jacobian().rows(0, m).transpose();
        for (precision, close) in [(F64, 1e-9), (F32, 1e-4)] {
            let samples = propagative(&problem, precision, 20);
            for i in (0..samples.len()).filter(|&i| samples.status[i] == Status::Terminated) {
                let v = vector(samples.row(&samples.velocity, i));
                let accepted = samples.residual[i] <= if precision == F64 { 1e-6 } else { 1e-5 };
                prop_assert!(accepted, "residual {}", samples.residual[i]);
                let energy = problem.kinetic_energy(v.as_slice());
                // Each reflection rounds a few times.
                let epsilon = if precision == F64 { f64::EPSILON } else { f32::EPSILON.into() };
                let rounding = 8.0 * epsilon * f64::from(samples.steps[i]);
                prop_assert!((energy - before).abs() <= rounding.max(1e-5) * before, "{before} -> {energy}");
                let change = problem.mass() * (&v - problem.velocity());
                let impulse = vector(&samples.row(&samples.impulse, i)[..m]);
                let rest = &change - &normals * &impulse;
                let scale = problem.mass().amax() * size(&problem).max(v.amax());
                prop_assert!(rest.amax() <= close * scale, "{} {scale}", rest.amax());
            }
        }
    }

    /// Impacts push, keep to their cones, add no energy, and agree in both precisions.
    #[test]
    fn impacts_are_sound(spec in small(4, 1e5, true)) {
        let problem = problem(spec);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let m = problem.contact_count();
        for (precision, close) in [(F64, 1e-9), (F32, 1e-4)] {
            let samples = sequential(&problem, precision, 20);
            for i in (0..samples.len()).filter(|&i| samples.status[i] == Status::Terminated) {
                let accepted = samples.residual[i] <= if precision == F64 { 1e-6 } else { 1e-5 };
                prop_assert!(accepted, "residual {}", samples.residual[i]);
                let impulse = samples.row(&samples.impulse, i);
                let largest = impulse.iter().fold(0.0_f64, |size, l| size.max(l.abs()));
                for c in 0..m {
                    let bound = problem.friction()[c] * impulse[c];
                    prop_assert!(impulse[c] >= -close * largest);
                    prop_assert!(impulse[m + c].abs() <= bound * (1.0 + close) + close * largest);
                }
                let energy = problem.kinetic_energy(samples.row(&samples.velocity, i));
                prop_assert!(energy <= before * (1.0 + 1e-5), "{before} -> {energy}");
            }
        }
    }
}

#[test]
fn a_seed_gives_the_same_orders_on_any_number_of_threads() {
    let disks = load("disk-stack");
    let all = sequential(&disks, F64, 3000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(all, pool.install(|| sequential(&disks, F64, 3000)));
    let mut lengths: BTreeMap<u32, u32> = BTreeMap::new();
    all.steps.iter().for_each(|steps| *lengths.entry(*steps).or_default() += 1);
    assert!(lengths.len() > 3, "{lengths:?}");
}

#[test]
fn sampled_orders_spread_as_far_as_the_listed_ones() {
    let disks = load("disk-stack");
    let law = Propagative { sequences: Some(Kind::Admissible), ..Propagative::default() };
    let About::Propagative(uniqueness) = FiniteLaw::Propagative(law).resolve(&disks).unwrap().about
    else {
        panic!()
    };
    let sampled = uniqueness.sampled.unwrap();
    let known = uniqueness.indeterminacy;
    assert!((sampled - known).abs() <= 1e-9, "{sampled} {known}");
    let cradle = load("newtons-cradle");
    let about = FiniteLaw::Propagative(Propagative::default()).resolve(&cradle).unwrap().about;
    assert!(matches!(about, About::Propagative(uniqueness) if uniqueness.sampled.is_none()));
}
