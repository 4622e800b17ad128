//! The event process on a GPU against the CPU's, sample by sample.

use super::*;

in_both! {
    exact_scenes,
    exact_random_problems,
    many_exact_processes_in_one_kernel,
}

/// The problem with a coefficient of restitution at every contact.
fn bouncing(problem: &ContactProblem) -> ContactProblem {
    let e = (0..problem.contact_count()).map(|i| 0.4 + 0.1 * (i % 4) as f64);
    let spec = ProblemSpec { restitution: Some(e.collect()), ..problem.spec().clone() };
    ContactProblem::new(spec).unwrap()
}

fn law(sampler: Sampler) -> Law {
    let process = Some(RouthProcess::Events);
    Law::Routh(Routh { process, sampler: Some(sampler), ..Routh::default() })
}

/// What became of the samples of a kernel.
#[derive(Clone, Copy, Default)]
struct Count {
    samples: usize,
    segments: u64,
    /// Left unsolved, for the CPU to compute, although its process in the same precision solves
    /// them.
    left: usize,
    /// With another status, number of segments, residual or impulse than on the CPU.
    different: usize,
}

/// Compares a kernel's samples with those of the CPU in the same precision.
fn compare<R: Compiled>(raw: &Raw<R>, bound: &Process<R>, seed: u64) -> Count {
    let (k, mut work) = (bound.space().step.width(), bound.workspace());
    let mut count = Count { samples: raw.endings.len(), ..Count::default() };
    for (i, found) in raw.endings.iter().enumerate() {
        let ending = bound.sample(&Stream::new(seed, i as u64), &mut work);
        // A kernel keeps residuals in f32.
        let residual = R::from_f64(f64::from(ending.residual.to_f64() as f32));
        count.segments += u64::from(ending.steps);
        if found.status == Status::Unsolved && ending.status != Status::Unsolved {
            count.left += 1;
        } else if (found.status, found.steps) != (ending.status, ending.steps)
            || !agree(&[found.residual], &[residual])
            || !agree(&raw.impulses[i * k..(i + 1) * k], work.total())
        {
            count.different += 1;
        }
    }
    count
}

/// Samples a problem by all samplers.
fn check<R: Compiled>(problem: &ContactProblem, samples: u64, what: &str) -> Count {
    let mut all = Count::default();
    for sampler in samplers() {
        let bound = law(sampler).prepare::<R>(problem).unwrap();
        let (raw, [first, then]) = timed::<R>(&bound, samples);
        let Count { samples, segments, left, different } = compare(&raw, &bound, 3);
        let what = format!("{what}, {sampler}, {}", R::NAME);
        let found = format!("{left} left to the CPU, {different} of {samples} differ");
        println!("{what}: {segments} segments, {found}; {first:.2} s, {then:.2} s");
        all.samples += samples;
        all.segments += segments;
        all.left += left;
        all.different += different;
    }
    all
}

pub fn exact_scenes<R: Compiled>() {
    for name in scene::BUILTIN.iter().map(|scene| scene.name) {
        let problem = load(name);
        if problem.tangents_per_contact() > 1 || problem.contact_count() > MOST_TABULATED {
            continue;
        }
        for problem in [problem.clone(), bouncing(&problem)] {
            let what = format!("{name}, e = {:?}", problem.restitution());
            let count = check::<R>(&problem, cases(500, 5000), &what);
            let Count { samples, segments, .. } = count;
            assert!(segments > 2 * samples as u64, "{what}: {segments} segments");
            assert_few(count.different, count.samples, &what);
        }
    }
}

pub fn exact_random_problems<R: Compiled>() {
    for m in 1..=MOST_TABULATED {
        let mut rng = Draws::of(60, m);
        for i in 0..cases(4, 20) {
            let problem = random_problem(&mut rng, m, 1);
            let problem = if i % 2 == 0 { problem } else { bouncing(&problem) };
            let what = format!("random problem {i} of {m} contacts");
            let count = check::<R>(&problem, cases(100, 1000), &what);
            assert_few(count.different, count.samples, &what);
        }
    }
}

/// Problems of one shape, some of which share their forces.
pub fn many_exact_processes_in_one_kernel<R: Compiled>() {
    let (mut rng, sampler) = (Draws::of(61, 2), Sampler::Uniform);
    let (a, b) = (random_problem(&mut rng, 2, 1), random_problem(&mut rng, 2, 1));
    let problems = [a.clone(), bouncing(&a), b];
    let bounds = problems.each_ref().map(|problem| law(sampler).prepare::<R>(problem).unwrap());
    let mut kernel = Kernel::of_many(gpu(), &bounds.each_ref(), &[5; 3], 40).unwrap();
    let raw = kernel.dispatch::<R>(0, 120, || false).unwrap();
    let k = bounds[0].space().step.width();
    for (p, bound) in bounds.iter().enumerate() {
        let count = compare(&part(&raw, p, 40, k), bound, 5);
        let what = format!("problem {p} of several, {}", R::NAME);
        assert_few(count.different + count.left, 40, &what);
    }
}

/// A batch on the GPU has the samples of one on the CPU, among them those that its kernel leaves to
/// the CPU.
#[test]
pub fn exact_batches() {
    let stack = load("disk-stack");
    let law = law(Sampler::Uniform);
    assert_batches(&[bouncing(&stack), stack], law, "batches of the event process");
}

#[test]
pub fn more_contacts_stay_on_the_cpu() {
    let m = MOST_TABULATED + 1;
    let problem = bouncing(&column(&mut Draws::of(10, m), m));
    assert_on_the_cpu(&problem, "the event process of more than five contacts runs on the CPU");
}
