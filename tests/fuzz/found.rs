//! What such cases have found, by itself.

use std::sync::Arc;

use carom::cli::embedded;
use carom::scene;
use carom_core::outcome::Summary;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::status::Status;
use carom_engine::{Device, Engine, Plan, Precision};
use carom_law::{FiniteLaw, Hypothesis, Routh, RouthProcess};

fn summary(spec: &ProblemSpec, hypothesis: Hypothesis) -> Summary {
    let problem = ContactProblem::new(spec.clone()).expect("a problem");
    let law = Routh { hypothesis: Some(hypothesis), ..Routh::default() }.into();
    let plan = Plan { law, samples: 300, device: Device::Cpu, ..Plan::default() };
    let engine = Engine::open(&Device::Cpu).expect("the CPU");
    engine.summarize(&problem, &plan, |_| {}).expect("samples").summary
}

/// With Poisson's hypothesis, contacts that others hold at rest used to store an impulse, and
/// samples lost their way.
#[test]
fn contacts_that_rest_store_no_impulse() {
    for name in ["compass-gait", "disk-stack", "cube-on-face", "quadruped-trot"] {
        let mut spec = scene::load(name).expect("a scene").spec().clone();
        spec.restitution = Some(vec![0.8; spec.normal.len()]);
        let found = summary(&spec, Hypothesis::Poisson);
        let terminated = found.count(Status::Terminated);
        println!("{name}: {} accepted of {terminated} terminated", found.accepted);
        assert!(terminated >= 285 && found.accepted as f64 >= 0.97 * terminated as f64, "{name}");
    }
}

/// A ball between two walls of one direction, in light and heavy coordinates, and a third contact.
#[test]
fn opposite_walls_store_no_impulse() {
    let spec = ProblemSpec {
        mass: vec![vec![1e-4, 0.0, 0.0], vec![0.0, 4e3, 0.0], vec![0.0, 0.0, 280.0]],
        normal: vec![
            vec![2e-5, 0.0155, 5e-4],
            vec![-2e-5, -0.0155, -5e-4],
            vec![1e-5, 0.0444, -0.02],
        ],
        restitution: Some(vec![0.0, 1.0, 0.5]),
        velocity: vec![-0.086, -2.7e-5, 4.8e-5],
        ..ProblemSpec::default()
    };
    let found = summary(&spec, Hypothesis::Poisson);
    let all = found.count(Status::Terminated) == 300;
    assert!(all && found.accepted >= 290, "{} accepted", found.accepted);
}

/// Impulses of 1e45 N s and energies of 1e-60 J have no place in single precision.
#[test]
fn single_precision_refuses_what_it_cannot_hold() {
    let of = |mass: f64, velocity: f64| {
        let problem = ContactProblem::new(ProblemSpec {
            mass: vec![vec![mass]],
            normal: vec![vec![1.0]],
            velocity: vec![velocity],
            ..ProblemSpec::default()
        })
        .expect("a problem");
        let accepted = |precision| {
            let precision = Some(precision);
            let plan = Plan { samples: 10, device: Device::Cpu, precision, ..Plan::default() };
            let done = Engine::open(&Device::Cpu).expect("the CPU").collect(&problem, &plan);
            done.map(|(run, _)| run.summary.accepted).map_err(|error| error.to_string())
        };
        assert_eq!(accepted(Precision::F64), Ok(10));
        accepted(Precision::F32)
    };
    assert_eq!(of(1.0, -1.0), Ok(10));
    assert_eq!(of(1.0, 0.0), Ok(10));
    assert_eq!(of(1e6, -1e6), Ok(10));
    for (mass, velocity) in [(1e40, -1e5), (1e-20, -1e-20), (1e10, -1e-40), (1.0, -1e16)] {
        let refused = of(mass, velocity).is_err_and(|said| said.contains("single precision"));
        assert!(refused, "{mass} {velocity}");
    }
}

fn spec(text: &str) -> ProblemSpec {
    serde_json::from_str(text).expect("a problem")
}

/// The last pivot of the elimination in fractions is negative, and that in doubles positive.
#[test]
fn a_mass_matrix_that_may_be_indefinite_is_refused() {
    let error = ContactProblem::new(spec(include_str!("found/indefinite.json"))).unwrap_err();
    assert!(error.to_string().contains("not positive definite: pivot 5"), "{error}");
}

#[test]
fn what_is_at_rest_stays_at_rest() {
    let planar = ProblemSpec {
        mass: vec![vec![1e-4, 0.0], vec![0.0, 1e-4]],
        normal: vec![vec![4e-5, 0.0], vec![3e-5, 2e-5], vec![-1e-6, -4e-5]],
        tangent: vec![vec![0.0, 4e-5], vec![-2e-5, -1e-5], vec![-3e-5, -2e-5]],
        friction: Some(vec![3.0, 5e-5, 1000.0]),
        velocity: vec![0.0, 0.0],
        ..ProblemSpec::default()
    };
    let spatial = spec(include_str!("found/at_rest.json"));
    for spec in [planar, spatial] {
        let problem = ContactProblem::new(spec).expect("a problem");
        for name in FiniteLaw::NAMES {
            let resolved = FiniteLaw::named(name).expect("a law").resolve(&problem);
            for outcome in resolved.into_iter().flat_map(|resolved| resolved.outcomes) {
                assert!(outcome.velocity.iter().all(|v| *v == 0.0), "{name}");
            }
        }
    }
}

/// Five contacts of coordinates whose masses differ by 20 decades.
#[test]
fn reflections_that_still_approach_are_unsolved() {
    let problem = ContactProblem::new(spec(include_str!("found/reflections.json"))).expect("one");
    let resolved = FiniteLaw::named("propagative").expect("a law").resolve(&problem).expect("it");
    let most = problem.contact_velocity().amax();
    for outcome in &resolved.outcomes {
        let u = problem.jacobian() * nalgebra::DVector::from_column_slice(&outcome.velocity);
        let approach = u.rows(0, 5).iter().fold(0.0_f64, |worst, u| worst.max(-u));
        let ended = outcome.status == Status::Terminated;
        assert!(!ended || approach <= 1e-7 * most, "{approach:e} of {most:e}");
    }
}

/// Friction of 1e8 along two parallel tangents, by which single precision gained nine times the
/// energy; and an elastic impact, by which it gained a part in 8000.
#[test]
fn no_accepted_sample_gains_energy() {
    let inclusion = Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() };
    let facets = Routh { facets: Some(8), ..Routh::default() };
    for (name, law, seed) in [
        (include_str!("found/parallel_tangents.json"), inclusion, 0),
        (include_str!("found/elastic.json"), facets, 1_430_598_975),
    ] {
        let problem = ContactProblem::new(spec(name)).expect("a problem");
        let plan = Plan {
            law: law.into(),
            samples: 300,
            seed,
            device: Device::Cpu,
            precision: Some(Precision::F32),
            ..Plan::default()
        };
        let engine = Engine::open(&Device::Cpu).expect("the CPU");
        let (run, samples) = engine.collect(&problem, &plan).expect("samples");
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let accepted = samples.accepted(run.summary.tolerance().residual);
        assert!(!accepted.is_empty());
        for i in accepted {
            let after = samples.kinetic_energy[i];
            assert!(after <= before * (1.0 + 1e-4), "sample {i}: {before:e} -> {after:e}");
        }
    }
}

/// Pages that refer to a dictionary, which the metadata do not name any more.
#[test]
fn a_column_without_its_dictionary_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("set.parquet");
    std::fs::write(&path, include_bytes!("found/no_dictionary.parquet")).expect("a file");
    let arguments = ["query", &path.to_string_lossy(), "modes"].map(str::to_string);
    let error = embedded::call(&arguments, "", Arc::default()).expect_err("a damaged file");
    assert!(error.to_string().contains("dictionary"), "{error}");
}
