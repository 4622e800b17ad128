//! The inclusion on a GPU against the CPU's, sample by sample.

use super::*;
use carom::internals::problem::Uncertainty;

in_both! {
    inclusion_scenes,
    inclusion_in_a_plane,
    inclusion_random_problems,
    many_inclusions_in_one_kernel,
}

/// The same problem with a coefficient of restitution at every contact.
fn bouncing(problem: &ContactProblem, e: f64) -> ContactProblem {
    let restitution = Some(vec![e; problem.contact_count()]);
    ContactProblem::new(ProblemSpec { restitution, ..problem.spec().clone() }).unwrap()
}

/// The same problem with noise and with uncertain friction and restitution.
fn uncertain(problem: &ContactProblem) -> ContactProblem {
    let uncertainty = Uncertainty {
        noise: 0.05,
        friction: vec![[0.2, 0.9]],
        restitution: vec![[0.1, 0.6]],
        ..Uncertainty::default()
    };
    ContactProblem::new(ProblemSpec { uncertainty, ..problem.spec().clone() }).unwrap()
}

/// A spatial problem with m contacts and random numbers: of a body with six coordinates, which has redundant contacts, or of more
/// coordinates. Some contacts have no friction.
fn random(rng: &mut Draws, m: usize) -> ContactProblem {
    let n = if rng.below(2) == 0 { 6 } else { 3 * m + 2 };
    let mut rows = |count: usize| -> Vec<Vec<f64>> {
        (0..count).map(|_| (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect()).collect()
    };
    let (root, normal, tangent) = (rows(n), rows(m), rows(2 * m));
    let product = |i: usize, j: usize| (0..n).map(|a| root[i][a] * root[j][a]).sum::<f64>();
    let mass = (0..n).map(|i| (0..n).map(|j| product(i, j) + f64::from(i == j)).collect()).collect();
    let friction =
        Some((0..m).map(|_| if rng.below(5) == 0 { 0.0 } else { rng.uniform(0.1, 1.2) }).collect());
    let velocity =
        (0..n).map(|j| rng.uniform(-0.3, 0.3) - normal.iter().map(|row| row[j]).sum::<f64>()).collect();
    ContactProblem::new(ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() })
        .unwrap()
}

fn law(hypothesis: Hypothesis, sampler: Sampler) -> Law {
    let process = Some(RouthProcess::Inclusion);
    Law::Routh(Routh { process, hypothesis, sampler, ..Routh::default() })
}

/// What became of the samples of a kernel.
#[derive(Clone, Copy, Default)]
struct Count {
    samples: usize,
    substeps: u64,
    /// Left unsolved, for the CPU to compute, although its process in the same precision solves them.
    left: usize,
    /// With another status, number of substeps, residual or impulse than on the CPU.
    different: usize,
}

/// Compares a kernel's samples with those of the CPU in the same precision.
fn compare<R: Real>(raw: &Raw<R>, bound: &Process<R>, seed: u64) -> Count {
    let (k, mut work) = (bound.space().step.width(), bound.workspace());
    let mut count = Count { samples: raw.endings.len(), ..Count::default() };
    for (i, found) in raw.endings.iter().enumerate() {
        let ending = bound.sample(&Stream::new(seed, i as u64), &mut work);
        // A kernel keeps residuals in f32.
        let residual = R::from_f64(f64::from(ending.residual.to_f64() as f32));
        count.substeps += u64::from(ending.steps);
        if found.status == Status::Unsolved && ending.status != Status::Unsolved {
            count.left += 1;
        } else if (found.status, found.steps) != (ending.status, ending.steps)
            || !agree(&[found.residual], &[residual])
            || !agree(&raw.impulses[i * k..(i + 1) * k], work.total())
        {
            if count.different < 3 {
                println!("sample {i}: {found:?} {ending:?}");
            }
            count.different += 1;
        }
    }
    count
}

/// Samples a problem with both hypotheses and by both samplers.
fn check<R: Real>(problem: &ContactProblem, samples: u64, what: &str) -> Count {
    let mut all = Count::default();
    for (hypothesis, sampler) in
        [(Hypothesis::Stronge, Sampler::Uniform), (Hypothesis::Poisson, Sampler::Coverage)]
    {
        let bound = law(hypothesis, sampler).prepare::<R>(problem).unwrap();
        let start = Instant::now();
        let mut kernel = Kernel::new(gpu(), &bound, 3).unwrap();
        kernel.dispatch::<R>(0, 1, || false).unwrap();
        let first = start.elapsed().as_secs_f64();
        let raw = kernel.dispatch::<R>(0, samples, || false).unwrap();
        let then = start.elapsed().as_secs_f64() - first;
        let Count { samples, substeps, left, different } = compare(&raw, &bound, 3);
        println!(
            "{what}, {}, {}: {substeps} substeps, {left} left to the CPU, {different} of {samples} differ; {first:.2} s, \
             {then:.2} s",
            sampler.name(),
            R::NAME
        );
        all.samples += samples;
        all.substeps += substeps;
        all.left += left;
        all.different += different;
    }
    all
}

pub fn inclusion_scenes<R: Real>() {
    for name in ["cube-on-edge", "cube-on-face", "quadruped-trot"] {
        let problem = scene::load(name).unwrap();
        for (problem, kind) in [
            (bouncing(&problem, 0.0), "e = 0"),
            (bouncing(&problem, 0.5), "e = 0.5"),
            (uncertain(&problem), "uncertain"),
        ] {
            let what = format!("{name}, {kind}");
            let count = check::<R>(&problem, cases(100, 1000), &what);
            assert_few(count.different, count.samples, &what);
        }
    }
}

pub fn inclusion_in_a_plane<R: Real>() {
    for name in scene::BUILTIN.iter().map(|scene| scene.name) {
        let problem = scene::load(name).unwrap();
        if problem.tangents_per_contact() > 1 || problem.contact_count() > MOST_ON_GPU[0] {
            continue;
        }
        for (problem, kind) in [(bouncing(&problem, 0.5), "e = 0.5"), (uncertain(&problem), "uncertain")] {
            let what = format!("{name}, {kind}");
            let count = check::<R>(&problem, cases(100, 1000), &what);
            assert_few(count.different, count.samples, &what);
        }
    }
}

pub fn inclusion_random_problems<R: Real>() {
    for m in 1..=MOST_ON_GPU[1] {
        let mut rng = Draws::of(70, m);
        for i in 0..cases(3, 20) {
            let problem = random(&mut rng, m);
            let problem = if i % 2 == 0 { problem } else { bouncing(&problem, 0.5) };
            let what = format!("random problem {i} of {m} contacts");
            let count = check::<R>(&problem, cases(50, 500), &what);
            assert_few(count.different, count.samples, &what);
        }
    }
}

/// Problems of one shape, with and without noise and ranges, in one kernel.
pub fn many_inclusions_in_one_kernel<R: Real>() {
    let mut rng = Draws::of(71, 2);
    let (a, b) = (random(&mut rng, 2), random(&mut rng, 2));
    let problems = [uncertain(&a), bouncing(&a, 0.4), b];
    let law = law(Hypothesis::Stronge, Sampler::Uniform);
    let bounds = problems.each_ref().map(|problem| law.prepare::<R>(problem).unwrap());
    let mut kernel = Kernel::of_many(gpu(), &bounds.each_ref(), 5, 40).unwrap();
    let raw = kernel.dispatch::<R>(0, 120, || false).unwrap();
    let k = bounds[0].space().step.width();
    for (p, bound) in bounds.iter().enumerate() {
        let endings = raw.endings[40 * p..40 * (p + 1)].to_vec();
        let impulses = raw.impulses[40 * p * k..40 * (p + 1) * k].to_vec();
        let count = compare(&Raw { endings, impulses }, bound, 5);
        assert_few(count.different, 40, &format!("problem {p} of several, {}", R::NAME));
    }
}
