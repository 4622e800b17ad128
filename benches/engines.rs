//! Samples per second of every engine on every built-in scene: the CPU with one thread and with all, and the GPU
//! where there is an adapter. A software adapter counts; its name is printed.

use std::time::Duration;

use carom::engine::finish::Finisher;
use carom::engine::{Device, Engine, Plan, StepSolver, cpu, planner};
use carom::law::Routh;
use carom::problem::ContactProblem;
use carom::scene::{self, BUILTIN};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// Samples of one iteration, with up to three contacts and above.
const SAMPLES: [u64; 2] = [16_384, 4096];

fn engines(criterion: &mut Criterion) {
    let all = Engine::open(&Device::Cpu).unwrap();
    let gpu = match Engine::open(&Device::Gpu) {
        Ok(engine) => {
            println!("gpu: {}, {}", engine.info().name, engine.info().backend);
            Some(engine)
        }
        Err(error) => {
            println!("gpu left out: {error}");
            None
        }
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for scene in BUILTIN {
        let problem = scene::load(scene.name).unwrap();
        let samples = SAMPLES[usize::from(problem.contact_count() > 3)];
        let plan = Plan { samples, seed: 1, chunk: Some(samples), ..Plan::default() };
        let mut group = criterion.benchmark_group(format!("engines/{}", scene.name));
        group.throughput(Throughput::Elements(samples)).sampling_mode(SamplingMode::Flat);
        for (name, solver) in
            [("cpu-one-thread-f64", None), ("scalar-one-thread-f64", Some(StepSolver::Scalar))]
        {
            group.bench_function(name, |bencher| {
                let bound = Routh::default().bind::<f64>(&problem).unwrap();
                let finisher = Finisher::new::<f64>(&problem, &bound, plan.seed, true);
                let map = planner::choose::<f64>(&bound, solver).unwrap().map;
                let run = || cpu::blocks(&bound, map.as_ref(), &bound, &finisher, &plan, 0, samples);
                one.install(|| bencher.iter(run));
            });
        }
        group.bench_function("cpu-f64", |bencher| bencher.iter(|| run(&all, &problem, &plan)));
        if let Some(gpu) = &gpu {
            group.bench_function("gpu-f32", |bencher| bencher.iter(|| run(gpu, &problem, &plan)));
        }
        group.finish();
    }
}

/// The number of accepted samples of a run.
fn run(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> u64 {
    engine.sample(problem, plan, |_samples| Ok(())).unwrap().summary.accepted
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = engines
}
criterion_main!(benches);
