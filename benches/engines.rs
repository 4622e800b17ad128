//! Samples per second of every engine on every built-in scene: the CPU with one thread and with
//! all, and the GPU where there is an adapter. A software adapter counts; its name is printed.

use std::time::Duration;

use carom::scene;
use carom::scene::BUILTIN;
use carom_core::problem::ContactProblem;
use carom_engine::check::Verifier;
use carom_engine::{Device, Engine, Plan, StepSolver, cpu, planner};
use carom_law::Law;
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

/// The table of contact modes, plain and with cells, against the iterated mixed form: raw samples
/// of a kernel in f32, read back but not checked in f64.
fn kernels(criterion: &mut Criterion) {
    use carom_core::lcp::{ExplicitMap, ModeTable};
    use carom_core::status::Status;
    use carom_engine::gpu::{Gpu, Kernel, Reduction};
    use carom_shaders::kernels::{MIXED, TABLE};
    use carom_shaders::{Inputs, Regions, StatisticsSpec, tables};

    let Ok(Some(gpu)) = Gpu::open(&Device::Gpu) else { return };
    const COUNT: u64 = 1 << 17;
    for name in ["rocking-block", "box-and-wall"] {
        let problem = scene::load(name).unwrap();
        let bound = Law::default().prepare::<f32>(&problem).unwrap();
        let reference = Law::default().prepare::<f64>(&problem).unwrap();
        let explicit = ExplicitMap::pruned(&reference.space().step);
        let cells = tables::train(reference.steps().unwrap(), &explicit);
        let table = ModeTable::<f32>::new(&explicit.regions, &reference.rates().unwrap().caps);
        let given =
            Regions { table: &table, cells: Some(&cells), part: false, unique: explicit.unique };
        let mut group = criterion.benchmark_group(format!("kernels/{name}"));
        group.throughput(Throughput::Elements(COUNT)).sampling_mode(SamplingMode::Flat);
        let limits = gpu.report.limits();
        for (kind, inputs) in [
            ("table", Inputs::with_kernel(&bound, 1, &TABLE, &limits)),
            ("table-with-cells", Inputs::with_regions(&bound, 1, &given, &limits)),
            ("mixed", Inputs::with_kernel(&bound, 1, &MIXED, &limits)),
        ] {
            let mut kernel = Kernel::with_inputs(&gpu, &inputs.unwrap()).unwrap();
            let raw = kernel.dispatch::<f32>(0, COUNT, || false).unwrap();
            let unsolved = raw.endings.iter().filter(|end| end.status == Status::Unsolved).count();
            let share = 100.0 * unsolved as f64 / COUNT as f64;
            println!("kernels/{name}/{kind}: {share:.2} % unsolved");
            group.bench_function(kind, |bencher| {
                bencher.iter(|| kernel.dispatch::<f32>(0, COUNT, || false).unwrap().endings.len());
            });
        }
        let spec = StatisticsSpec::new(&problem);
        let inputs = Inputs::with_regions(&bound, 1, &given, &limits).unwrap();
        let kernel = Kernel::with_inputs(&gpu, &inputs).unwrap();
        let mut reduction = Reduction::new(kernel, &bound, &spec).unwrap();
        group.throughput(Throughput::Elements(4 * COUNT));
        group.bench_function("table-with-cells-statistics", |bencher| {
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
    targets = engines, kernels
}
criterion_main!(benches);
