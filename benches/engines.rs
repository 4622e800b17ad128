//! Samples per second of every engine on every built-in scene: the CPU with one thread and with
//! all, and the GPU where there is an adapter. A software adapter counts; its name is printed.

use std::time::Duration;

use carom::scene;
use carom::scene::BUILTIN;
use carom_core::problem::ContactProblem;
use carom_engine::check::Verifier;
use carom_engine::{Device, Engine, Plan, StepSolver, cpu, planner};
use carom_law::{Law, Routh};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// Samples of one iteration, with up to three contacts and above.
const SAMPLES: [u64; 2] = [16_384, 4096];

fn engines(criterion: &mut Criterion) {
    let all = Engine::open(&Device::Cpu).unwrap();
    let gpu = Engine::open(&Device::Gpu);
    match &gpu {
        Ok(engine) => println!("gpu: {}, {}", engine.info().name, engine.info().backend),
        Err(error) => println!("gpu left out: {error}"),
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for scene in BUILTIN {
        let problem = scene::load(scene.name).unwrap();
        if problem.tangents_per_contact() > 1 {
            continue; // not on a GPU
        }
        let samples = SAMPLES[usize::from(problem.contact_count() > 3)];
        let plan = Plan { samples, seed: 1, chunk: Some(samples), ..Plan::default() };
        let mut group = criterion.benchmark_group(format!("engines/{}", scene.name));
        group.throughput(Throughput::Elements(samples)).sampling_mode(SamplingMode::Flat);
        for (name, solver) in
            [("cpu-one-thread-f64", None), ("scalar-one-thread-f64", Some(StepSolver::Scalar))]
        {
            group.bench_function(name, |bencher| {
                let bound = Law::default().prepare::<f64>(&problem).unwrap();
                let verifier = Verifier::new::<f64>(&problem, &bound, plan.seed, true);
                let tables = planner::choose::<f64>(&bound, solver).unwrap().tables;
                let context = cpu::RunContext {
                    problem: &problem,
                    reference: &bound,
                    verifier: &verifier,
                    plan: &plan,
                    keep: false,
                };
                let run = || context.blocks(&bound, tables.as_ref(), 0, samples);
                one.install(|| bencher.iter(run));
            });
        }
        group.bench_function("cpu-f64", |bencher| bencher.iter(|| run(&all, &problem, &plan)));
        if let Ok(gpu) = &gpu {
            group.bench_function("gpu-f32", |bencher| bencher.iter(|| run(gpu, &problem, &plan)));
        }
        group.finish();
    }
}

/// The number of accepted samples of a run.
fn run(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> u64 {
    engine.summarize(problem, plan, |_| ()).unwrap().summary.accepted
}

/// The table of contact modes, with samples that are read back but not checked in f64, and with
/// statistics alone.
fn table(criterion: &mut Criterion) {
    use carom_engine::gpu::{Gpu, Kernel, Reduction};
    use carom_shaders::StatisticsSpec;

    let Ok(Some(gpu)) = Gpu::open(&Device::Gpu) else { return };
    const COUNT: u64 = 1 << 17;
    for name in ["rocking-block", "box-and-wall"] {
        let problem = scene::load(name).unwrap();
        let bound = Law::from(Routh::steps()).prepare::<f32>(&problem).unwrap();
        let mut group = criterion.benchmark_group(format!("table/{name}"));
        group.throughput(Throughput::Elements(COUNT)).sampling_mode(SamplingMode::Flat);
        let mut kernel = Kernel::new(&gpu, &bound, 1).unwrap();
        group.bench_function("samples", |bencher| {
            bencher.iter(|| kernel.dispatch::<f32>(0, COUNT, || false).unwrap().endings.len());
        });
        let spec = StatisticsSpec::new(&problem);
        let kernel = Kernel::new(&gpu, &bound, 1).unwrap();
        let mut reduction = Reduction::new(kernel, &bound, &spec).unwrap();
        group.throughput(Throughput::Elements(4 * COUNT));
        group.bench_function("statistics", |bencher| {
            bencher.iter(|| reduction.run(0, 4 * COUNT, || false).unwrap().accepted);
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = engines, table
}
criterion_main!(benches);
