//! The inclusion on a GPU against the CPU's: circular cones, restitution, uncertain numbers.

use super::*;

in_both! {
    integrated_kernels,
    many_inclusions_in_one_kernel,
}

/// A pile of m contacts with restitution, and with uncertain friction and noise where they are asked for.
fn bouncing(m: usize, spatial: bool, uncertain: bool) -> ContactProblem {
    let mut rng = Draws::of(40, m);
    let problem = if spatial { pile(&mut rng, m) } else { column(&mut rng, m) };
    let restitution = Some((0..m).map(|i| 0.3 + 0.05 * i as f64).collect());
    let uncertainty = if uncertain {
        Uncertainty { noise: 0.05, friction: vec![[0.2, 0.9]], ..Uncertainty::default() }
    } else {
        Uncertainty::default()
    };
    ContactProblem::new(ProblemSpec { restitution, uncertainty, ..problem.spec().clone() }).unwrap()
}

/// How many of the first samples of a kernel differ from those of the CPU in the same precision, in status, number of
/// blocks or impulse; and how many blocks there are.
fn different<R: Real>(raw: &Raw<R>, bound: &Process<R>, seed: u64) -> (usize, u64) {
    let (k, mut work, mut blocks) = (bound.space().step.width(), bound.workspace(), 0);
    let differ = |i: &usize| {
        let ending = bound.sample(&Stream::new(seed, *i as u64), &mut work);
        let found = &raw.endings[*i];
        blocks += u64::from(ending.steps);
        (found.status, found.steps) != (ending.status, ending.steps)
            || !agree(&[found.residual], &[ending.residual])
            || !agree(&raw.impulses[i * k..(i + 1) * k], work.total())
    };
    let count = (0..raw.endings.len()).filter(differ).count();
    (count, blocks)
}

/// The samples of the CPU in the same precision.
pub fn integrated_kernels<R: Real>() {
    let laws = [(Hypothesis::Stronge, Sampler::Uniform), (Hypothesis::Poisson, Sampler::Coverage)];
    for (m, spatial, count) in [(1, true, 128), (2, false, 128), (3, true, 64), (4, true, 64), (8, true, 16)]
    {
        // Not with noise at eight contacts: in f32 the last bits differ then, and a hundred blocks and more amplify that.
        let problem = bouncing(m, spatial, (2..8).contains(&m));
        for (hypothesis, sampler) in laws {
            let process = Some(RouthProcess::Inclusion);
            let law = Routh { process, hypothesis, sampler, ..Routh::default() };
            let bound = Law::from(law.clone()).prepare::<R>(&problem).unwrap();
            let mut kernel = Kernel::new(gpu(), &bound, 3).unwrap();
            let start = Instant::now();
            kernel.dispatch::<R>(0, 1, || false).unwrap();
            let first = start.elapsed().as_secs_f64();
            let raw = kernel.dispatch::<R>(0, count, || false).unwrap();
            let all = start.elapsed().as_secs_f64() - first;
            let (differ, blocks) = different(&raw, &bound, 3);
            let what = format!("{m} contacts, {}, {}", sampler.name(), R::NAME);
            println!("{what}: one sample {first:.2} s, then {count} with {blocks} blocks {all:.2} s");
            assert!(blocks >= 2 * count, "{what}: {blocks} blocks");
            assert_few(differ, count as usize, &what);
        }
    }
}

/// Problems of one shape, with and without noise and ranges, in one kernel.
pub fn many_inclusions_in_one_kernel<R: Real>() {
    let problems = [true, false, true].map(|uncertain| bouncing(2, true, uncertain));
    let law = Routh::default();
    let bounds = problems.each_ref().map(|problem| Law::from(law.clone()).prepare::<R>(problem).unwrap());
    let mut kernel = Kernel::of_many(gpu(), &bounds.each_ref(), 5, 40).unwrap();
    let raw = kernel.dispatch::<R>(0, 120, || false).unwrap();
    let k = bounds[0].space().step.width();
    for (p, bound) in bounds.iter().enumerate() {
        let endings = raw.endings[40 * p..40 * (p + 1)].to_vec();
        let impulses = raw.impulses[40 * p * k..40 * (p + 1) * k].to_vec();
        let (differ, blocks) = different(&Raw { endings, impulses }, bound, 5);
        assert!(blocks >= 80, "problem {p}: {blocks} blocks");
        assert_few(differ, 40, &format!("problem {p} of several, {}", R::NAME));
    }
}

/// A batch on the GPU has the samples of one on the CPU; problems that need other kernels are refused.
#[test]
pub fn batches_of_inclusions() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let plan = Plan { law: Law::default(), ..plan(Solution::Random, Precision::F64, 50, 3) };
    let problems = [true, false].map(|uncertain| bouncing(2, true, uncertain));
    if bench().double {
        let (mut here, mut there) = (Batch::<f64>::new(&plan), engine.batch::<f64>(&plan));
        let (a, b) = (here.sample(&problems).unwrap(), there.sample(&problems).unwrap());
        for (a, b) in a.iter().zip(b) {
            let few = (0..50).filter(|&i| a.status[i] != b.status[i] || apart(a, b, i) > 1e-9).count();
            assert_few(few, 50, "batches of inclusions");
        }
    }
    let spec = ProblemSpec { restitution: None, ..column(&mut Draws::of(40, 2), 2).spec().clone() };
    let mixed = [bouncing(2, false, false), ContactProblem::new(spec).unwrap()];
    let error = engine.batch::<f32>(&plan).sample(&mixed).map(drop).unwrap_err();
    assert!(
        error.to_string().contains("2 planar contacts for the process `steps`, where the first problem has"),
        "{error}"
    );
}
