//! Replayed paths end in the samples of runs, bit by bit, and each of their steps obeys the law.

use super::*;
use carom_engine::Replay;
use carom_law::{Propagative, Sequential};

/// Replays samples, compares them with a run, and returns how many steps there were.
fn check(problem: &ContactProblem, law: Law, precision: Precision, seed: u64) -> usize {
    let samples = 16;
    let plan = Plan { device: Device::Cpu, ..planned(law.clone(), samples, seed, precision) };
    let (run, all) = Engine::open_for(problem, &plan).unwrap().collect(problem, &plan).unwrap();
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let single = precision == F32;
    // Steps add up as the precision allows; an integrator leaves cones by its tolerance.
    let exact = if single { 2e-4 } else { 1e-11 };
    let integrated = law == Law::default() && d == 2
        || matches!(&law, Law::Routh(law) if law.process == Some(RouthProcess::Inclusion));
    let cone = if single {
        2e-4
    } else if integrated {
        2e-5
    } else {
        1e-9
    };
    let mut steps = 0;
    for i in all.accepted(run.summary.tolerance().residual) {
        let replay = Replay::new(problem, &plan, precision, i as u64).unwrap();
        let (velocity, name) = (all.row(&all.velocity, i), problem.name());
        let end = replay.steps.last().map_or(&replay.before, |step| &step.after);
        for found in [&replay.samples.velocity, &end.velocity] {
            let same = found.iter().zip(velocity).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{name}, {precision:?}, sample {i}: {found:?}, {velocity:?}");
        }
        assert_eq!(replay.samples.status[0], Status::Terminated);
        // Dumb: v changes by M^-1 J' L, and what pushes does so within its cone.
        let mut v = vector(&replay.before.velocity);
        let scale = v.amax().max(1e-300);
        let unit = replay
            .steps
            .iter()
            .flat_map(|step| &step.impulse)
            .fold(0.0, |a: f64, x| a.max(x.abs()));
        for (k, step) in replay.steps.iter().enumerate() {
            let force = problem.jacobian().tr_mul(&vector(&step.impulse));
            v += problem.mass().clone().cholesky().unwrap().solve(&force);
            let miss = (&v - vector(&step.after.velocity)).amax();
            assert!(miss <= exact * scale, "{name}, {precision:?}, sample {i}, step {k}: {miss}");
            let energy = 0.5 * v.dot(&(problem.mass() * &v));
            let off = (energy - step.after.kinetic_energy).abs();
            assert!(off <= exact * 10.0 * replay.before.kinetic_energy);
            for c in 0..m {
                let normal = step.impulse[c];
                let friction = step.impulse[m + d * c..m + d * (c + 1)]
                    .iter()
                    .map(|x| x * x)
                    .sum::<f64>()
                    .sqrt();
                assert!(normal >= -cone * unit, "{name}, {i}, {k}");
                assert!(normal <= step.caps[c] + cone * unit, "{name}, {i}, {k}");
                let most =
                    problem.friction()[c] * normal + cone * unit * (1.0 + problem.friction()[c]);
                assert!(friction <= most, "{name}, {precision:?}, {i}, {k}: {friction} {normal}");
            }
        }
        steps += replay.steps.len();
    }
    steps
}

#[test]
fn paths_end_in_the_samples() {
    let routh = |process| -> Law { Routh { process: Some(process), ..Routh::default() }.into() };
    for precision in [F64, F32] {
        for (_, problem) in loaded(["rocking-block", "compass-gait", "disk-stack"]) {
            for law in
                [routh(RouthProcess::Events), routh(RouthProcess::Inclusion), Routh::steps().into()]
            {
                assert!(check(&problem, law, precision, 5) > 16);
            }
            assert!(check(&problem, Law::Sequential(Sequential::default()), precision, 5) >= 16);
        }
        for name in ["cube-on-edge", "quadruped-trot"] {
            assert!(check(&load(name), Law::default(), precision, 6) > 16);
        }
    }
}

#[test]
fn paths_with_restitution_end_in_the_samples() {
    let problem = load("rocking-block");
    let problem =
        problem.clone().with_numbers(Some(vec![0.5; 2]), problem.uncertainty().clone()).unwrap();
    for precision in [F64, F32] {
        assert!(check(&problem, Law::default(), precision, 7) > 16);
        assert!(check(&problem, Routh::steps().into(), precision, 7) > 16);
    }
    let cradle = load("newtons-cradle");
    assert!(check(&cradle, Law::Propagative(Propagative::default()), F64, 7) > 16);
    for precision in [F64, F32] {
        assert!(check(&problem, Law::Plus(Plus::default()), precision, 7) >= 32);
    }
}
