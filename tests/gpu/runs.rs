//! Whole runs against the CPU engine.

use super::*;

/// The samples of problem `p` of several, `each` of every problem, with K = `k` impulses.
pub fn part<R: Compiled>(raw: &Raw<R>, p: usize, each: usize, k: usize) -> Raw<R> {
    let of = |width: usize| each * p * width..each * (p + 1) * width;
    Raw { endings: raw.endings[of(1)].to_vec(), impulses: raw.impulses[of(k)].to_vec() }
}

/// A batch on the GPU has the samples of one on the CPU, among them some that its kernel leaves to
/// the CPU.
pub fn assert_batches(problems: &[ContactProblem], law: Law, what: &str) {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let plan = Plan { law, ..plan(Solution::Random, Precision::F64, 60, 3) };
    if !bench().double {
        return;
    }
    let (mut here, mut there) = (Batch::<f64>::new(&plan), engine.batch::<f64>(&plan));
    let (a, b) = (here.sample(problems).unwrap(), there.sample(problems).unwrap());
    for (a, b) in a.iter().zip(b) {
        let few = (0..60).filter(|&i| a.status[i] != b.status[i] || apart(a, b, i) > 1e-9).count();
        assert_few(few, 60, what);
    }
    let repaired = b.iter().any(|samples| samples.repaired.contains(&true));
    assert!(repaired, "{what}: none is left to the CPU");
}

/// A problem that no kernel takes runs on the CPU, which says why, and is refused where a GPU is
/// asked for.
pub fn assert_on_the_cpu(problem: &ContactProblem, why: &str) {
    bench();
    let plan = Plan { samples: 10, ..Plan::default() };
    let engine = Engine::open_for(problem, &plan).unwrap();
    let info = engine.info();
    assert!(info.kind == "cpu" && info.why.contains(why), "{}", info.why);
    let error = Engine::open(&Device::Gpu).unwrap().collect(problem, &plan).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Device);
    assert!(error.what.contains(&format!("{why} only")), "{error}");
}

in_both! {
    table_kernels,
    pivot_kernels,
    samples_across_the_word_boundary,
    built_in_scenes,
}

/// A column of m particles that all strike the next one below, along normals a little off the
/// vertical.
pub fn column(rng: &mut Draws, m: usize) -> ContactProblem {
    let n = 2 * m;
    let (mut normal, mut tangent) = (vec![vec![0.0; n]; m], vec![vec![0.0; n]; m]);
    let mut mass = vec![vec![0.0; n]; n];
    let mut velocity = vec![0.0; n];
    for i in 0..m {
        let (sin, cos) = rng.uniform(-0.4, 0.4).sin_cos();
        normal[i][2 * i..2 * i + 2].copy_from_slice(&[sin, cos]);
        tangent[i][2 * i..2 * i + 2].copy_from_slice(&[cos, -sin]);
        if i > 0 {
            normal[i][2 * i - 2..2 * i].copy_from_slice(&[-sin, -cos]);
            tangent[i][2 * i - 2..2 * i].copy_from_slice(&[-cos, sin]);
        }
        let kg = rng.uniform(0.5, 2.0);
        mass[2 * i][2 * i] = kg;
        mass[2 * i + 1][2 * i + 1] = kg;
        velocity[2 * i] = rng.uniform(-0.2, 0.2);
        velocity[2 * i + 1] = -1.0 - i as f64;
    }
    let friction = Some(vec![0.5; m]);
    let spec = ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() };
    ContactProblem::new(spec).unwrap()
}

pub fn precision_of<R: Compiled>() -> Precision {
    if R::EPSILON > f64::EPSILON { Precision::F32 } else { Precision::F64 }
}

pub fn plan(solution: Solution, precision: Precision, samples: u64, seed: u64) -> Plan {
    let law = Law::Routh(Routh { solution, ..Routh::steps() });
    Plan { law, samples, seed, precision: Some(precision), ..Plan::default() }
}

/// Largest difference of the velocities of sample `i`.
pub fn apart(a: &Samples, b: &Samples, i: usize) -> f64 {
    let (a, b) = (a.row(&a.velocity, i), b.row(&b.velocity, i));
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// How many samples end otherwise, after other steps, or with another velocity.
pub fn differing<R: Real>(a: &Samples, b: &Samples, problem: &ContactProblem) -> usize {
    let most = 1024.0 * R::EPSILON * problem.velocity().amax();
    let differs = |&i: &usize| {
        a.status[i] != b.status[i] || a.steps[i] != b.steps[i] || apart(a, b, i) > most
    };
    (0..a.len()).filter(differs).count()
}

/// Builds and runs the kernels of these sizes, and compares with the CPU.
pub fn kernels<R: Compiled>(sizes: impl IntoIterator<Item = usize>, solution: Solution) {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    for m in sizes {
        let what = format!("{} {} m = {m}", solution.name(), R::NAME);
        let problem = column(&mut Draws::of(10, m), m);
        let law = Law::Routh(Routh { solution, max_steps: Some(8), ..Routh::steps() });
        let plan = Plan { law, ..plan(solution, precision_of::<R>(), cases(64, 128), m as u64) };
        let start = Instant::now();
        let found = samples(&gpu, &problem, &plan);
        let first = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let few = Plan { samples: 16, ..plan.clone() };
        assert_prefix(&samples(&gpu, &problem, &few), &found, &what);
        let second = start.elapsed().as_secs_f64();
        println!("{what}: {first:.2} s with the build, 16 samples again {second:.2} s");
        let expected = samples(&cpu, &problem, &plan);
        let different = differing::<R>(&found, &expected, &problem);
        assert_few(different, found.len(), &format!("samples {what}"));
    }
}

pub fn table_kernels<R: Compiled>() {
    kernels::<R>(1..=ModeTable::<R>::MAX_CONTACTS, Solution::Random);
}

/// Lemke's method with ones up to three contacts, with random covering vectors above.
pub fn pivot_kernels<R: Compiled>() {
    let most = ModeTable::<R>::MAX_CONTACTS;
    kernels::<R>(1..=most, Solution::Lemke);
    // Kernels of some sizes take drivers long to build.
    let some = [most + 1, most + 2, MAX_CONTACTS - 4, MAX_CONTACTS];
    kernels::<R>(cases(some.to_vec(), (most + 1..=MAX_CONTACTS).collect()), Solution::Random);
}

/// The sample's number has 64 bits, the thread's 32.
pub fn samples_across_the_word_boundary<R: Compiled>() {
    let problem = load("rocking-block");
    let gpu = open();
    for solution in [Solution::Random, Solution::Lemke] {
        let law = Law::Routh(Routh { solution, ..Routh::steps() });
        let bound = law.prepare::<R>(&problem).unwrap();
        let mut kernel = Kernel::new(&gpu, &bound, (7 << 32) | 5).unwrap();
        let mut work = bound.workspace();
        for first in [0, (1 << 32) - 70, (9 << 32) - 1] {
            let raw = kernel.dispatch::<R>(first, 200, || false).unwrap();
            let differs = |&i: &usize| {
                let stream = Stream::new((7 << 32) | 5, first + i as u64);
                let (ending, found) = (bound.sample(&stream, &mut work), &raw.endings[i]);
                (found.status, found.steps) != (ending.status, ending.steps)
                    || !agree(&raw.impulses[4 * i..4 * i + 4], work.total())
            };
            let different = (0..200).filter(differs).count();
            assert_few(different, 200, &format!("samples from {first}"));
        }
    }
}

/// Matched samples of the built-in scenes: the same sample on both devices, but for a bounded share
/// of flips.
pub fn built_in_scenes<R: Compiled>() {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    for name in scene::BUILTIN.iter().map(|scene| scene.name) {
        let problem = load(name);
        if problem.tangents_per_contact() > 1 {
            continue; // not on a GPU
        }
        for solution in [Solution::Random, Solution::Lemke] {
            let few = if problem.contact_count() > FEW { 200 } else { 500 };
            let plan = plan(solution, precision_of::<R>(), cases(few, 2000), 5);
            let (a, b) = (samples(&cpu, &problem, &plan), samples(&gpu, &problem, &plan));
            let tolerance = 1024.0 * R::EPSILON * problem.velocity().amax();
            let different = (0..a.len())
                .filter(|&i| a.status[i] != b.status[i] || apart(&a, &b, i) > tolerance);
            let what = format!("{name}, {}, {}", solution.name(), R::NAME);
            assert_few(different.count(), a.len(), &what);
        }
    }
}

/// A rigid block on two uneven corners: single precision has gone wrong on it without a word.
pub fn nasty_block() -> ContactProblem {
    let (normal, tangent) =
        ([-0.5, 0.05].map(|x| [0.0, 1.0, x]), [1.0, 0.9].map(|y| [1.0, 0.0, y]));
    let spec = rough(&[1.0, 1.0, 5.0 / 12.0], normal, tangent, [0.7; 2], [0.0, -1.0, 0.0]);
    problem(ProblemSpec { name: "nasty block".to_string(), ..spec })
}

/// Whether the impulse of sample `i` is a way out, judged in f64 from the handed-out impulse alone:
/// `u+ = u + W L` approaches nowhere, the impulse lies in the friction cones, no energy is gained,
/// and `v+` belongs to it.
pub fn valid(problem: &ContactProblem, samples: &Samples, i: usize) -> bool {
    let m = problem.contact_count();
    let l = DVector::from_row_slice(samples.row(&samples.impulse, i));
    let u = problem.contact_velocity() + problem.delassus() * &l;
    let v = problem.velocity() + problem.response() * &l;
    let said = samples.row(&samples.velocity, i);
    let (speed, before) =
        (problem.velocity().amax(), problem.kinetic_energy(problem.velocity().as_slice()));
    let tolerance = 1e-5;
    (0..m).all(|j| u[j] >= -tolerance * speed)
        && (0..m).all(|j| {
            l[j] >= 0.0 && l[m + j].abs() <= problem.friction()[j] * l[j] + tolerance * l.amax()
        })
        && problem.kinetic_energy(v.as_slice()) <= before * (1.0 + tolerance)
        && v.iter().zip(said).all(|(a, b)| (a - b).abs() <= tolerance * speed)
}

#[test]
pub fn no_sample_of_the_nasty_block_is_wrong_unflagged() {
    let problem = nasty_block();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu));
    bench();
    let gpu = gpu.unwrap();
    let count = 100_000;
    for solution in [Solution::Random, Solution::Lemke] {
        let run = |engine, kind| samples(engine, &problem, &plan(solution, kind, count, 1));
        let reference = run(&cpu, Precision::F64);
        let [here, there] = [&cpu, &gpu].map(|engine| run(engine, Precision::F32));
        let mut runs = vec![("CPU f32", here), ("GPU f32", there)];
        runs.extend(bench().double.then(|| ("GPU f64", run(&gpu, Precision::F64))));
        for (name, run) in &runs {
            let bound = if *name == "GPU f64" { f64::RESIDUAL } else { f32::RESIDUAL };
            let accepted = |samples: &Samples, i: usize| {
                samples.status[i] == Status::Terminated && samples.residual[i] <= bound
            };
            let (mut refused, mut flips) = (0, Vec::new());
            for i in 0..run.len() {
                assert!(accepted(&reference, i), "CPU f64 sample {i}: {:?}", reference.status[i]);
                if !accepted(run, i) {
                    refused += 1;
                    continue;
                }
                assert!(valid(&problem, run, i), "{name} {} sample {i}", solution.name());
                if apart(run, &reference, i) > 1e-4 {
                    flips.push(i);
                }
            }
            // A flip ends elsewhere in the set, not outside it.
            let off = |&i: &usize| {
                let v = run.row(&run.velocity, i);
                let distance =
                    |w: &[f64]| v.iter().zip(w).fold(0.0, |d: f64, (v, w)| d.max((v - w).abs()));
                reference.velocity.chunks(3).map(distance).fold(f64::INFINITY, f64::min)
            };
            let farthest = flips.iter().map(off).fold(0.0, f64::max);
            let repaired = run.repaired.iter().filter(|&&x| x).count();
            let share = 100.0 * flips.len() as f64 / count as f64;
            println!("{name} {}: {} flips ({share:.4} %)", solution.name(), flips.len());
            println!("  the farthest {farthest:.1e} from the set");
            println!("  {repaired} repaired, {refused} refused, of {count}");
            assert!(flips.len() <= run.len() / 1000, "{name}: {} flips", flips.len());
            assert!(farthest <= 0.01, "{name}: a flip {farthest} away from the set");
            assert!(refused <= run.len() / 1000, "{name}: {refused} samples refused");
        }
    }
}

#[test]
pub fn neither_the_count_nor_the_chunk_changes_a_bit() {
    bench();
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let block = load("rocking-block");
    for solution in [Solution::Random, Solution::Lemke] {
        let plan = |samples, chunk| Plan { chunk, ..plan(solution, Precision::F32, samples, 3) };
        let long = samples(&gpu, &block, &plan(20_000, None));
        assert_prefix(&samples(&gpu, &block, &plan(1000, None)), &long, "1000 of 20000");
        for chunk in [1024, 5000, 50_000] {
            let run = samples(&gpu, &block, &plan(20_000, Some(chunk)));
            assert_prefix(&run, &long, &format!("chunk {chunk}"));
        }
    }
}

/// A chunk may be larger than what one dispatch holds.
#[test]
pub fn dispatches_join_without_a_seam() {
    bench();
    let engine = Engine::open(&Device::Gpu).unwrap();
    let block = load("rocking-block");
    let law = Law::from(Routh::steps());
    let count = Kernel::new(gpu(), &law.prepare::<f32>(&block).unwrap(), 4).unwrap().chunk() + 1000;
    let plan = |chunk| Plan { chunk, ..plan(Solution::Random, Precision::F32, count, 4) };
    let whole = samples(&engine, &block, &plan(Some(count)));
    assert_eq!(whole.len() as u64, count);
    assert_prefix(&samples(&engine, &block, &plan(Some(5000))), &whole, "dispatches");
}

/// The dictionaries of a pile fill the memory of software before a dispatch has its largest number
/// of samples. Hardware has more, and runs these dispatches too.
#[test]
pub fn dispatches_of_a_pile_are_shorter_and_join_as_well() {
    let limits = Limits { hardware: false, ..gpu().report.limits() };
    let m = cases(4, MAX_CONTACTS);
    let law = Law::from(Routh { max_steps: Some(2), ..Routh::steps() });
    let pile = law.prepare::<f32>(&column(&mut Draws::of(10, m), m)).unwrap();
    let inputs = Inputs::new(&pile, 4, &limits).unwrap();
    assert!(inputs.chunk < limits.chunk(), "{} samples", inputs.chunk);
    let mut kernel = Kernel::with_inputs(gpu(), &inputs).unwrap();
    let (count, most, k) = (inputs.chunk + 1000, 5000, 2 * m);
    let whole = kernel.dispatch_all::<f32>(0, count, || false).unwrap();
    assert_eq!(whole.endings.len() as u64, count);
    for first in (0..count).step_by(most) {
        let range = first as usize..(first as usize + most).min(count as usize);
        let part = kernel.dispatch::<f32>(first, range.len() as u64, || false).unwrap();
        assert_eq!(part.endings, whole.endings[range.clone()]);
        assert!(part.impulses == whole.impulses[range.start * k..range.end * k], "from {first}");
    }
}

/// A dispatch with more workgroups than one dimension holds.
#[test]
pub fn dispatches_of_several_rows() {
    // One contact has few numbers: some drivers bind no more than 128 MiB.
    let one = problem(rough(&[1.0; 2], [[1.0, 0.0]], [[0.0, 1.0]], [0.3], [-1.0, 1.0]));
    let bound = Law::from(Routh::steps()).prepare::<f32>(&one).unwrap();
    // One sample a thread, on hardware too.
    let mut gpu = open();
    gpu.set_variant(Variant { share: 1, ..gpu.variant() });
    let mut inputs = Inputs::new(&bound, 3, &gpu.report.limits()).unwrap();
    let few = (inputs.chunk as u32).min(ROW * WORKGROUP);
    inputs.uniform.threads = (2 * ROW + 4465) * WORKGROUP;
    inputs.chunk = u64::from((2 * ROW + 4465) * WORKGROUP);
    let count = inputs.chunk - 5;
    assert_eq!(inputs.kernel.groups(count as u32), [ROW, 3]);
    assert_eq!(inputs.kernel.groups(few), [few / WORKGROUP, 1]);
    let many =
        Kernel::with_inputs(&gpu, &inputs).unwrap().dispatch::<f32>(0, count, || false).unwrap();
    assert_eq!(many.endings.len() as u64, count);
    let mut one_row = Kernel::new(&gpu, &bound, 3).unwrap();
    for first in [0, u64::from(ROW * WORKGROUP) - 10, count - 20] {
        let expected = one_row.dispatch::<f32>(first, 20, || false).unwrap();
        let at = first as usize;
        assert_eq!(many.endings[at..at + 20], expected.endings);
        assert_eq!(many.impulses[2 * at..2 * (at + 20)], expected.impulses);
    }
}

/// The variant of hardware has the samples of the default one.
#[test]
pub fn the_variant_of_hardware_has_the_same_samples() {
    let (mut plain, mut gpu) = (open(), open());
    plain.set_variant(Variant::default());
    gpu.set_variant(Variant { device_repair: false, ..Variant::usual(true, true, true) });
    let inclusion = Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() };
    let events = Routh { process: Some(RouthProcess::Events), ..Routh::default() };
    for (name, law, e) in [
        ("rocking-block", Routh::steps(), 0.0),
        ("box-and-wall", events.clone(), 0.5),
        ("disk-stack", events, 0.0),
        ("ramone", inclusion.clone(), 0.5),
        ("cube-on-edge", inclusion, 0.0),
    ] {
        let problem = bouncing(&load(name), e);
        let process = Law::Routh(law).prepare::<f32>(&problem).unwrap();
        let width = process.space().step.width();
        let [expected, found] = [&plain, &gpu].map(|gpu| {
            Kernel::new(gpu, &process, 4).unwrap().dispatch::<f32>(0, 200, || false).unwrap()
        });
        let row = |raw: &Raw<f32>, i: usize| raw.impulses[width * i..width * (i + 1)].to_vec();
        let different = (0..200).filter(|&i| {
            found.endings[i] != expected.endings[i] || row(&found, i) != row(&expected, i)
        });
        assert_few(different.count(), 200, &format!("{name}, as on hardware"));
    }
}
