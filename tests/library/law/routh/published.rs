//! Every planar example of [HP23] against independent oracles, on every engine; in both precisions
//! on the CPU. Origin of the numbers: `tests/golden/README.md`.

use super::*;
use crate::support::compare::{gpu, steps};
use crate::support::golden;
use carom_core::outcome::modes::Mode;
use carom_engine::Finished;
use std::sync::OnceLock;

const SAMPLES: u64 = 20_000;

/// Every engine, in its precisions. `tests/gpu` compares samples of a GPU in double precision with
/// those of the CPU, one by one.
fn engines() -> Vec<(&'static Engine, Precision)> {
    static CPU: OnceLock<Engine> = OnceLock::new();
    let cpu = CPU.get_or_init(cpu);
    let both = [F64, F32];
    let on_gpu = if cfg!(feature = "gpu") { &both[cases(1, 0)..] } else { &[] };
    let on_gpu = on_gpu.iter().map(|precision| (gpu(), *precision));
    both.into_iter().map(|precision| (cpu, precision)).chain(on_gpu).collect()
}

fn run(
    engine: &Engine,
    precision: Precision,
    problem: &ContactProblem,
    solution: Solution,
    count: u64,
) -> (Finished, Samples) {
    let plan = Plan {
        law: Law::Routh(Routh { solution, ..Routh::steps() }),
        samples: count,
        precision: Some(precision),
        ..steps()
    };
    engine.collect(problem, &plan).unwrap()
}

/// What rounding to single precision may move a statistic or a sample by, relative to `max|u-|`.
fn rounding(precision: Precision) -> f64 {
    match precision {
        F32 => 2e-6,
        F64 => 0.0,
    }
}

#[test]
fn statistics_of_every_example_lie_in_the_oracles_ranges() {
    let (examples, expected) = (golden("halm_posa_examples"), golden("halm_posa_expected"));
    for (name, example) in examples.as_object().unwrap() {
        let problem = golden::example(example);
        let tolerance = &expected[name]["tolerance"];
        let speed = problem.contact_velocity().amax();
        let energy = problem.kinetic_energy(problem.velocity().as_slice());
        for (engine, precision) in engines() {
            let label = format!("{name} on {} in {}", engine.info().kind, precision.name());
            let slack = rounding(precision) * speed;
            let (run, samples) = run(engine, precision, &problem, Solution::Random, SAMPLES);
            let summary = &run.summary;
            let inside = |what: &str, x: f64, low: f64, high: f64, slack: f64| {
                assert!(x >= low - slack, "{label}: {what} = {x}, not in [{low}, {high}]");
                assert!(x <= high + slack, "{label}: {what} = {x}, not in [{low}, {high}]");
            };
            let range = numbers(&tolerance["mean_LCP_range_at_20000_samples"]);
            inside("mean steps", summary.steps_mean().unwrap(), range[0], range[1], 0.0);
            let range = numbers(&tolerance["mean_KE_range_at_20000_samples"]);
            let (_, _, mean) = summary.kinetic_energy.get(0).unwrap();
            inside("mean energy", mean, range[0], range[1], rounding(precision) * energy);
            let (mean_u, outer) = (
                rows(&tolerance["mean_u_range_at_20000_samples"]),
                rows(&tolerance["u_outer_box"]),
            );
            // The compass gait's ranges of mean u end exactly (1e-9) at the oracle's own mean over
            // 50 000 samples with a uniform choice of solutions: there the noise of 20 000 samples
            // is not in them.
            let sampling = expected[name].get("random_uniform_std").map(numbers);
            let m = problem.contact_count();
            for i in 0..2 * m {
                let spread =
                    if i < m { &summary.normal_velocity } else { &summary.tangent_velocity };
                let (low, high, mean) = spread.get(i % m).unwrap();
                let noise =
                    sampling.as_ref().map_or(0.0, |std| 5.0 * std[i] / (SAMPLES as f64).sqrt());
                inside(&format!("mean u[{i}]"), mean, mean_u[0][i], mean_u[1][i], slack + noise);
                inside(&format!("least u[{i}]"), low, outer[0][i], outer[1][i], slack);
                inside(&format!("largest u[{i}]"), high, outer[0][i], outer[1][i], slack);
            }
            let (_, most, _) = summary.kinetic_energy.get(0).unwrap();
            inside("largest energy", most, 0.0, energy * (1.0 + 1e-6), 0.0);
            assert_eq!(summary.accepted, summary.terminated(), "{label}");
            if let Some(bounds) = tolerance["support_lower_bound_at_10000_samples"].as_array() {
                for (direction, bound) in
                    rows(&expected[name]["support_directions"]).iter().zip(bounds)
                {
                    let support = (0..10_000)
                        .map(|i| {
                            let u = samples.row(&samples.contact_velocity, i);
                            direction.iter().zip(u).map(|(d, u)| d * u).sum::<f64>()
                        })
                        .fold(f64::NEG_INFINITY, f64::max);
                    let bound = bound.as_f64().unwrap();
                    let least = bound - slack - 1e-12;
                    assert!(support >= least, "{label}: support {support} below {bound}");
                }
            }
        }
    }
}

#[test]
fn rocking_block_samples_meet_the_closed_form() {
    let problem = golden::example(&golden("halm_posa_examples")["rocking_block"]);
    let most =
        golden("halm_posa_expected")["rocking_block"]["closed_form"]["s_max"].as_f64().unwrap();
    let v0 = problem.velocity().amax();
    assert!((most - 0.21 * v0).abs() < 1e-15);
    for (engine, precision) in engines() {
        for solution in [Solution::Random, Solution::Lemke] {
            let count = cases(5000, SAMPLES);
            let (_, samples) = run(engine, precision, &problem, solution, count);
            for i in 0..samples.len() {
                let u = samples.row(&samples.contact_velocity, i);
                let (s, rest) = (u[0].max(u[1]), u[0].min(u[1]));
                let off = (s - most).max(0.0).max(rest.abs()).max(u[2].abs()).max(u[3].abs());
                assert!(off <= 1e-6, "sample {i} in {}: u+ = {u:?}", precision.name());
            }
        }
    }
}

#[test]
fn compass_gait_needs_the_random_solution_choice() {
    let problem = golden::example(&golden("halm_posa_examples")["compass_gait"]);
    for (engine, precision) in engines() {
        // One sample has a step more or less: the standard error of the mean is below 0.01.
        let count = cases(25_000, 100_000);
        let (run_random, _) = run(engine, precision, &problem, Solution::Random, count);
        let mean = run_random.summary.steps_mean().unwrap();
        assert!((mean - 2.24).abs() <= 0.03, "mean steps {mean}");
        let modes: Vec<Vec<Mode>> =
            run_random.summary.modes.by_frequency().into_iter().map(|(modes, _)| modes).collect();
        for wanted in [Mode::Lift, Mode::Stick, Mode::SlideBack] {
            let met = modes.iter().flatten().any(|&mode| mode == wanted);
            assert!(met, "no {wanted:?} in {modes:?}");
        }
        let count = cases(5000, SAMPLES);
        let (_, samples) = run(engine, precision, &problem, Solution::Lemke, count);
        let point = [0.0, 0.099555, 0.0, 0.198020];
        for i in 0..samples.len() {
            if samples.status[i] != carom_core::status::Status::Terminated {
                continue;
            }
            let u = samples.row(&samples.contact_velocity, i);
            let off = u.iter().zip(point).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 2e-6, "sample {i} in {}: u+ = {u:?}", precision.name());
        }
    }
}
