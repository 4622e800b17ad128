//! How much farther samples reach where a part of them is spent on a search.

use carom::scene;
use carom_core::outcome::{PointSet, Samples};
use carom_core::problem::ContactProblem;
use carom_engine::{Device, Engine, Plan, Precision, Search, SearchGoal};
use nalgebra::DVector;
use support::draws::Draws;

// The benchmark uses a part of the tests' support.
#[allow(dead_code)]
#[path = "../tests/support"]
mod support {
    pub mod draws;
}

/// Directions, others than those of the search.
const DIRECTIONS: usize = 64;
const SEEDS: u64 = 3;
const SHARES: [f64; 4] = [0.0, 0.25, 0.5, 0.9];

fn main() {
    // Without `--bench` it is run as a test.
    let measures = std::env::args().any(|argument| argument == "--bench");
    println!(
        "scene, samples, share of the search: largest and mean deficit of support in {DIRECTIONS} directions (medians of {SEEDS} seeds)"
    );
    let scenes = [("disk-stack", 100_000), ("quadruped-trot", 20_000), ("compass-gait", 4096)];
    for (name, samples) in scenes {
        let problem = scene::load(name).unwrap();
        let samples = if measures { samples } else { 200 };
        let mut draws = Draws::new(77);
        let n = problem.coordinate_count();
        let normal = |draws: &mut Draws| (0..12).map(|_| draws.uniform(-0.5, 0.5)).sum::<f64>();
        let directions: Vec<DVector<f64>> = (0..DIRECTIONS)
            .map(|_| DVector::from_fn(n, |_, _| normal(&mut draws)).normalize())
            .collect();
        let reach = |share, seed, samples| reach(&problem, &directions, share, seed, samples);
        // The reference: everything that any run reaches, larger ones among them.
        let seeds = |share| (0..SEEDS).map(|seed| reach(share, seed, samples)).collect();
        let runs: Vec<Vec<Vec<f64>>> = SHARES.into_iter().map(seeds).collect();
        let large = [0.0, 0.5, 0.9].map(|share| reach(share, 1000, 10 * samples));
        let all = || runs.iter().flatten().chain(&large);
        let most = |d: usize| all().map(|run| run[d]).fold(f64::NEG_INFINITY, f64::max);
        let most: Vec<f64> = (0..DIRECTIONS).map(most).collect();
        for (share, runs) in SHARES.iter().zip(&runs) {
            let deficits = |run: &Vec<f64>| {
                most.iter().zip(run).map(|(most, x)| most - x).collect::<Vec<f64>>()
            };
            let median = |of: &dyn Fn(Vec<f64>) -> f64| {
                let mut all: Vec<f64> = runs.iter().map(|run| of(deficits(run))).collect();
                all.sort_by(f64::total_cmp);
                all[all.len() / 2]
            };
            let largest = median(&|deficits| deficits.into_iter().fold(0.0, f64::max));
            let mean = median(&|deficits| deficits.iter().sum::<f64>() / DIRECTIONS as f64);
            println!("{name}, {samples}, {share}: {largest:.4}, {mean:.4}");
        }
    }
}

/// How far samples reach in each direction, in the kinetic metric over `|v-|_M`.
fn reach(
    problem: &ContactProblem,
    directions: &[DVector<f64>],
    share: f64,
    seed: u64,
    samples: u64,
) -> Vec<f64> {
    let (device, precision) = (Device::Cpu, Some(Precision::F64));
    let plan = Plan { samples, seed, device, precision, ..Plan::default() };
    let engine = Engine::open_for(problem, &plan).unwrap();
    let most = plan.law.prepare::<f64>(problem).unwrap().most_residual::<f64>();
    let metric = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
    let mut reach = vec![f64::NEG_INFINITY; directions.len()];
    let mut see = |samples: &Samples| {
        for i in samples.accepted(most) {
            let point = metric.point(samples.row(&samples.velocity, i));
            for (reach, direction) in reach.iter_mut().zip(directions) {
                *reach = reach.max(direction.dot(&point));
            }
        }
        Ok(())
    };
    let search = Search { share, goal: SearchGoal::Far(Vec::new()) };
    match share {
        0.0 => engine.sample(problem, &plan, &mut see).unwrap(),
        _ => engine.explore(problem, &plan, &search, &mut see).unwrap(),
    };
    reach
}
