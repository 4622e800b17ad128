//! Whole runs with friction cones of facets, against the CPU engine.

use super::*;

in_both! {
    faceted_kernels,
    shared_dictionaries,
}

/// A pile of m particles in space that all strike the next one below, along normals a little off
/// the vertical.
pub fn pile(rng: &mut Draws, m: usize) -> ContactProblem {
    let n = 3 * m;
    let mut mass = vec![vec![0.0; n]; n];
    let mut velocity = vec![0.0; n];
    let (mut normal, mut tangent) = (vec![vec![0.0; n]; m], vec![vec![0.0; n]; 2 * m]);
    for i in 0..m {
        let (a, b) = (rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4));
        let ((sa, ca), (sb, cb)) = (a.sin_cos(), b.sin_cos());
        for (row, axis) in [
            (&mut normal[i], [sa, -ca * sb, ca * cb]),
            (&mut tangent[2 * i], [ca, sa * sb, -sa * cb]),
        ] {
            place(row, i, axis);
        }
        place(&mut tangent[2 * i + 1], i, [0.0, cb, sb]);
        let kg = rng.uniform(0.5, 2.0);
        (0..3).for_each(|j| mass[3 * i + j][3 * i + j] = kg);
        velocity[3 * i] = rng.uniform(-0.5, 0.5);
        velocity[3 * i + 1] = rng.uniform(-0.5, 0.5);
        velocity[3 * i + 2] = -1.0 - i as f64;
    }
    let friction = Some(vec![0.5; m]);
    let spec = ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() };
    ContactProblem::new(spec).unwrap()
}

/// Writes what particle i has of a contact with the one below along an axis.
fn place(row: &mut [f64], i: usize, axis: [f64; 3]) {
    row[3 * i..3 * i + 3].copy_from_slice(&axis);
    if i > 0 {
        row[3 * i - 3..3 * i].copy_from_slice(&axis.map(|x| -x));
    }
}

/// The two devices compute the same samples; up to four contacts with 16 facets, steps of 76
/// unknowns.
pub fn faceted_kernels<R: Compiled>() {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    let limited = Routh { max_steps: Some(4), ..Routh::default() };
    let sizes = [(1, 4, 256), (1, 32, 128), (2, 8, 128), (3, 6, 128), (4, 8, 64), (4, 16, 64)];
    for (m, facets, count) in sizes {
        let problem = pile(&mut Draws::of(20, m), m);
        for solution in [Solution::Random, Solution::Lemke] {
            let law = Law::Routh(Routh { solution, facets: Some(facets), ..limited.clone() });
            let plan = Plan { law, ..plan(solution, precision_of::<R>(), count, m as u64) };
            let start = Instant::now();
            let found = samples(&gpu, &problem, &plan);
            let seconds = start.elapsed().as_secs_f64();
            let expected = samples(&cpu, &problem, &plan);
            let different = differing::<R>(&found, &expected, &problem);
            let what = format!("{} m = {m}, {facets} facets, {}", R::NAME, solution.name());
            let moved = found.steps.iter().filter(|&&steps| steps > 0).count();
            println!("{what}: {seconds:.2} s");
            assert!(moved == found.len(), "{what}: {moved} samples move");
            assert_few(different, found.len(), &what);
        }
    }
}

/// A thread per sample and a workgroup per sample both do what the CPU does. Double precision needs
/// twice the memory: fewer facets.
pub fn shared_dictionaries<R: Compiled>() {
    let most = if R::EPSILON > f64::EPSILON { 16 } else { 8 };
    for (m, facets) in [(1, 4), (2, 8), (4, most)] {
        let problem = pile(&mut Draws::of(22, m), m);
        for solution in [Solution::Random, Solution::Lemke] {
            let law =
                Routh { solution, max_steps: Some(2), facets: Some(facets), ..Routh::default() };
            let bound = Law::from(law.clone()).prepare::<R>(&problem).unwrap();
            let run = |kind| {
                let inputs = Inputs::with_kernel(&bound, 3, kind, &gpu().report.limits()).unwrap();
                let mut kernel = Kernel::with_inputs(gpu(), &inputs).unwrap();
                kernel.dispatch::<R>(5, 8, || false).unwrap();
                let start = Instant::now();
                let raw = kernel.dispatch::<R>(0, 64, || false).unwrap();
                (raw, start.elapsed().as_secs_f64())
            };
            let ((alone, a), (shared, b)) = (run(&kernels::PIVOT), run(&kernels::SHARED));
            let (k, mut work) = (bound.space().step.width(), bound.workspace());
            let mut different = [0; 2];
            for i in 0..64 {
                let expected = bound.sample(&Stream::new(3, i as u64), &mut work);
                for (raw, different) in [&alone, &shared].into_iter().zip(&mut different) {
                    let ending = &raw.endings[i];
                    let same = (ending.status, ending.steps) == (expected.status, expected.steps)
                        && agree(&raw.impulses[k * i..k * (i + 1)], work.total());
                    *different += usize::from(!same);
                }
            }
            let n = bound.space().step.lcp_size();
            println!("{n} unknowns, {}: {a:.3} s by threads, {b:.3} s by workgroups", R::NAME);
            let moved = alone.endings.iter().filter(|ending| ending.steps > 0).count();
            assert!(moved >= 48, "{moved} of 64 samples move");
            for (different, kernel) in different.into_iter().zip(["pivot", "shared"]) {
                let what = format!("{kernel} {} m = {m}, {facets} facets", R::NAME);
                assert_few(different, 64, &what);
            }
        }
    }
}

/// Statistics come from the samples themselves; steps that are too large for the device are
/// refused.
#[test]
pub fn summaries_and_limits_with_facets() {
    bench();
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let problem = pile(&mut Draws::of(21, 2), 2);
    let law = |facets| Law::Routh(Routh { facets: Some(facets), ..Routh::default() });
    let plan = Plan { law: law(4), ..plan(Solution::Random, Precision::F32, 200, 1) };
    let mut summary = None;
    let (run, samples) = gpu.collect(&problem, &plan).unwrap();
    let counted = gpu.summarize(&problem, &plan, |_| summary = Some(())).unwrap();
    assert_eq!(counted.summary, run.summary);
    assert_eq!(samples.row(&samples.impulse, 0).len(), 6);
    let many = pile(&mut Draws::of(21, 12), 12);
    if !open().report.is_hardware() {
        let error = gpu.collect(&many, &Plan { law: law(32), ..plan }).map(drop).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Device);
        assert!(error.to_string().contains("420 unknowns"), "{error}");
    }
}

/// What no kernel does is refused, one problem or many, and the CPU takes it where the choice is
/// free.
#[test]
fn restitution_is_refused() {
    bench();
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let still = pile(&mut Draws::of(21, 2), 2);
    let problem = bouncing(&still, 0.5);
    for facets in [Some(4), Some(8)] {
        let law = Law::Routh(Routh { facets, ..Routh::default() });
        let plan = Plan { law, ..plan(Solution::Random, Precision::F32, 10, 1) };
        let one = gpu.collect(&problem, &plan).map(drop).unwrap_err();
        let many =
            gpu.batch::<f32>(&plan).sample(std::slice::from_ref(&problem)).map(drop).unwrap_err();
        for error in [one, many] {
            assert_eq!(error.kind, ErrorKind::Device);
            assert!(error.to_string().contains("CPU"), "{error}");
        }
        let free = Engine::open_for(&problem, &Plan { device: Device::Auto, ..plan }).unwrap();
        assert_eq!(free.info().kind, "cpu");
    }
}
