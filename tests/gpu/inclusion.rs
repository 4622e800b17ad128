//! The inclusion on a GPU against the CPU's, sample by sample.

use super::*;
use carom_core::problem::Uncertainty;
use carom_law::Workspace;

use super::support::feet::spatial;

in_both! {
    inclusion_scenes,
    inclusion_in_a_plane,
    inclusion_random_problems,
    options_of_the_inclusion,
    many_inclusions_in_one_kernel,
}

/// The problem with noise, and with uncertain friction and restitution.
pub fn uncertain(problem: &ContactProblem, noise: f64) -> ContactProblem {
    let (friction, restitution) = (vec![[0.2, 0.9]], vec![[0.1, 0.6]]);
    let uncertainty = Uncertainty { noise, friction, restitution, ..Uncertainty::default() };
    changed(problem, |spec| spec.uncertainty = uncertainty)
}

fn law(hypothesis: Hypothesis, sampler: Sampler) -> Law {
    let process = Some(RouthProcess::Inclusion);
    let (hypothesis, sampler) = (Some(hypothesis), Some(sampler));
    Law::Routh(Routh { process, hypothesis, sampler, ..Routh::default() })
}

/// By how much dimensionless velocities may differ where those before the impact differ in their
/// last bits.
const ROUGH: f64 = 1e-2;

/// By how much they may differ where a step is accepted here and not there: the accuracy.
const SHIFT: f64 = 1e-4;

/// By how much they may differ where contacts rest, so that both take other steps: each has an
/// error of its own, of up to twice the accuracy on random problems.
pub const OTHERWISE: f64 = 3e-4;

/// The largest entry of `W (a - b)`: redundant contacts make impulses ambiguous, not velocities.
fn moved<R: Compiled>(bound: &Process<R>, a: &[R], b: &[R]) -> f64 {
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()).collect();
    let row = |row: &[R]| row.iter().zip(&apart).map(|(w, x)| w.to_f64() * x).sum::<f64>().abs();
    bound.space().step.w.chunks(a.len()).map(row).fold(0.0, f64::max)
}

/// Whether they do: in f32 drivers add up noise in another order, and impacts amplify that.
fn rough<R: Compiled>(bound: &Process<R>) -> bool {
    let Process::Inclusion(inclusion) = bound else { return false };
    R::EPSILON > f64::EPSILON && !inclusion.numbers.noise.is_empty()
}

/// Few samples differ: none but where `rough`, and then one in twenty. Where contacts are not
/// redundant, most have the same substeps and impulses as well. Else rounding decides which
/// contacts push; whether a step is accepted it may decide anywhere, above all in single precision.
fn assert_same<R: Compiled>(count: &Count, problem: &ContactProblem, what: &str) {
    let unique = problem.jacobian().nrows() <= problem.coordinate_count();
    if unique && problem.uncertainty().is_none() {
        let most = count.samples / if R::EPSILON > f64::EPSILON { 3 } else { 5 };
        assert!(count.shifted <= most, "{what}: {} are shifted", count.shifted);
    }
    let noisy = R::EPSILON > f64::EPSILON && problem.uncertainty().noise > 0.0;
    if noisy {
        println!("{what}: {} of {} differ", count.different, count.samples);
        assert!(count.different <= count.samples / 20, "{what}: {} differ", count.different);
    } else {
        assert_few(count.different, count.samples, what);
    }
}

/// What became of the samples of a kernel.
#[derive(Clone, Copy, Default)]
struct Count {
    samples: usize,
    substeps: u64,
    /// Left unsolved, for the CPU to compute, although its process in the same precision solves
    /// them.
    left: usize,
    /// With residuals that are too large, so that they are computed again.
    poor: usize,
    /// With another number of substeps, residual or impulse than on the CPU, but the same velocity
    /// up to the accuracy, although no contact rested in a plain step; else the CPU takes other
    /// steps.
    shifted: usize,
    /// With another status or velocity than on the CPU.
    different: usize,
}

/// Compares a kernel's samples with those of the CPU in the same precision.
fn compare<R: Compiled>(raw: &Raw<R>, bound: &Process<R>, seed: u64) -> Count {
    let (k, mut work) = (bound.space().step.width(), bound.workspace());
    let mut count = Count { samples: raw.endings.len(), ..Count::default() };
    let most = bound.most_residual::<R>();
    for (i, found) in raw.endings.iter().enumerate() {
        let ending = bound.sample(&Stream::new(seed, i as u64), &mut work);
        let impulse = &raw.impulses[i * k..(i + 1) * k];
        let residuals = [found.residual, ending.residual].map(Real::to_f64);
        count.substeps += u64::from(ending.steps);
        // A residual is a small difference of large numbers.
        let exact = (found.status, found.steps) == (ending.status, ending.steps)
            && agree(impulse, work.total())
            && (residuals[0] - residuals[1]).abs() <= 1e-3 * residuals[1] + 16.0 * R::EPSILON;
        let Workspace::Inclusion(inclusion) = &work else { panic!("no inclusion") };
        let rested = inclusion.lanes[0].state.rested;
        let apart = match rough::<R>(bound) {
            true => ROUGH,
            false if rested => OTHERWISE,
            false => SHIFT,
        };
        // A sample that runs out of operations is left where it is, after other steps elsewhere.
        let ends = found.status != Status::Budget || !rested;
        let same = exact
            || found.status == ending.status
                && (!ends || moved(bound, impulse, work.total()) <= apart);
        if found.status == Status::Unsolved && ending.status != Status::Unsolved {
            count.left += 1;
        } else if residuals.iter().any(|residual| *residual > most) && (same || rough::<R>(bound)) {
            count.poor += 1;
        } else if same {
            count.shifted += usize::from(!exact && !rested);
        } else {
            let moved = moved(bound, impulse, work.total());
            println!("sample {i}: {found:?}, on the CPU {ending:?}: {moved:e}");
            count.different += 1;
        }
    }
    count
}

/// Samples a problem with both hypotheses and by all samplers.
fn check<R: Compiled>(problem: &ContactProblem, samples: u64, what: &str) -> Count {
    let mut all = Count::default();
    let hypotheses = [Hypothesis::Stronge, Hypothesis::Poisson];
    for (hypothesis, sampler) in hypotheses.into_iter().zip(samplers()) {
        let bound = law(hypothesis, sampler).prepare::<R>(problem).unwrap();
        let (raw, [first, then]) = timed::<R>(&bound, samples);
        let Count { samples, substeps, left, poor, shifted, different } = compare(&raw, &bound, 3);
        let what = format!("{what}, {sampler}, {}", R::NAME);
        let found = format!("{left} left to the CPU, {poor} poor, {shifted} shifted");
        let times = format!("{first:.2} s, {then:.2} s");
        println!("{what}: {substeps} substeps, {found}, {different} of {samples} differ; {times}");
        all.samples += samples;
        all.substeps += substeps;
        all.left += left;
        all.poor += poor;
        all.shifted += shifted;
        all.different += different;
    }
    all
}

/// Samples a problem, few of which differ.
fn same<R: Compiled>(problem: &ContactProblem, samples: u64, what: &str) {
    assert_same::<R>(&check::<R>(problem, samples, what), problem, what);
}

pub fn inclusion_scenes<R: Compiled>() {
    for name in ["cube-on-edge", "cube-on-face", "quadruped-trot"] {
        let problem = load(name);
        for (problem, kind) in [
            (bouncing(&problem, 0.0), "e = 0"),
            (bouncing(&problem, 0.5), "e = 0.5"),
            (uncertain(&problem, 0.05), "uncertain"),
        ] {
            same::<R>(&problem, cases(100, 1000), &format!("{name}, {kind}"));
        }
    }
}

/// Blocks on light feet are longer by a factor, which the kernel gets with the problem. In single
/// precision its rounding is as large as the mass of the foot.
#[test]
pub fn light_feet() {
    if !bench().double {
        return;
    }
    let problem = spatial();
    let bound = Law::default().prepare::<f64>(&problem).unwrap();
    assert!(bound.rates().unwrap().reach >= 16.0);
    same::<f64>(&problem, cases(100, 1000), "a light foot");
}

pub fn inclusion_in_a_plane<R: Compiled>() {
    // Kernels take drivers seconds to build, one for each number of contacts.
    let mut built = std::collections::HashSet::new();
    for name in scene::BUILTIN.iter().map(|scene| scene.name) {
        let problem = load(name);
        if problem.tangents_per_contact() > 1 || problem.contact_count() > MOST_ON_GPU {
            continue;
        }
        let noisy = cases(["rocking-block", "disk-stack"].contains(&name), true);
        if !(built.insert(problem.contact_count()) || noisy) {
            continue;
        }
        let uncertain = noisy.then(|| (uncertain(&problem, 0.05), "uncertain"));
        for (problem, kind) in uncertain.into_iter().chain([(bouncing(&problem, 0.5), "e = 0.5")]) {
            same::<R>(&problem, cases(100, 1000), &format!("{name}, {kind}"));
        }
    }
}

pub fn inclusion_random_problems<R: Compiled>() {
    // Kernels take drivers seconds to build.
    for m in cases(vec![2, 6], (1..=8).collect()) {
        let mut rng = Draws::of(70, m);
        for i in 0..cases(3, 20) {
            let problem = random_problem(&mut rng, m, 2);
            let problem = if i % 2 == 0 { problem } else { bouncing(&problem, 0.5) };
            same::<R>(&problem, cases(50, 500), &format!("random problem {i} of {m} contacts"));
        }
    }
}

/// A hand that closes on a box: sixteen contacts, the most there are. A software driver takes most
/// of the time to build the kernel.
#[test]
pub fn sixteen_contacts() {
    bench();
    let problem = load("hand-on-box");
    assert_eq!(problem.contact_count(), MOST_ON_GPU);
    let count = check::<f32>(&problem, cases(30, 1000), "hand-on-box");
    // The CPU takes other steps while contacts rest, and some hundred substeps amplify that.
    assert!(60 * count.different <= count.samples, "{} differ", count.different);
    assert!(2 * count.left < count.samples, "{} left to the CPU", count.left);
}

/// An accuracy, blocks of a length that is prescribed, and a limit on substeps, which some samples
/// reach.
pub fn options_of_the_inclusion<R: Compiled>() {
    let problem = bouncing(&load("cube-on-edge"), 0.5);
    let plain = Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() };
    for law in [
        Routh { accuracy: Some(1e-2), ..plain.clone() },
        Routh { accuracy: Some(1e-6), ..plain.clone() },
        Routh { step: Some(0.05), ..plain.clone() },
        Routh { max_steps: Some(20), ..plain },
    ] {
        let bound = Law::from(law.clone()).prepare::<R>(&problem).unwrap();
        let raw = Kernel::new(gpu(), &bound, 3).unwrap().dispatch::<R>(0, 100, || false).unwrap();
        let what =
            format!("accuracy {:?}, step {:?}, limit {:?}", law.accuracy, law.step, law.max_steps);
        let count = compare(&raw, &bound, 3);
        assert_same::<R>(&count, &problem, &what);
        let limited = raw.endings.iter().filter(|end| end.status == Status::StepLimit).count();
        assert_eq!(limited > 0, law.max_steps.is_some(), "{what}: {limited} reach the limit");
        // 1e-6 is more than single precision reaches.
        assert!(count.left + count.poor == 0 || R::EPSILON > f64::EPSILON, "{what}");
    }
}

/// Problems of one shape, with and without noise and ranges, in one kernel.
pub fn many_inclusions_in_one_kernel<R: Compiled>() {
    let mut rng = Draws::of(71, 2);
    let (a, b) = (random_problem(&mut rng, 2, 2), random_problem(&mut rng, 2, 2));
    let problems = [uncertain(&a, 0.05), bouncing(&a, 0.4), b];
    let law = law(Hypothesis::Stronge, Sampler::Uniform);
    let bounds = problems.each_ref().map(|problem| law.prepare::<R>(problem).unwrap());
    let mut kernel = Kernel::of_many(gpu(), &bounds.each_ref(), &[5; 3], 40).unwrap();
    let raw = kernel.dispatch::<R>(0, 120, || false).unwrap();
    let k = bounds[0].space().step.width();
    for (p, bound) in bounds.iter().enumerate() {
        let count = compare(&part(&raw, p, 40, k), bound, 5);
        assert_same::<R>(&count, &problems[p], &format!("problem {p} of several, {}", R::NAME));
    }
}

/// A batch on the GPU has the samples of one on the CPU, among them those that its kernel leaves to
/// the CPU.
#[test]
pub fn batches_of_inclusions() {
    let stack = load("disk-stack");
    let law = law(Hypothesis::Stronge, Sampler::Uniform);
    assert_batches(
        &[bouncing(&stack, 0.5), uncertain(&stack, 0.05)],
        law,
        "batches of the inclusion",
    );
}

/// Whole runs, in both precisions: their samples are within the law's accuracy of those of the CPU.
#[test]
pub fn runs_of_the_inclusion() {
    bench();
    let problem = uncertain(&load("quadruped-trot"), 0.05);
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    let plan =
        |precision| Plan { law: Law::default(), ..plan(Solution::Random, precision, 300, 3) };
    let exact = samples(&cpu, &problem, &plan(Precision::F64));
    let precisions = [Precision::F64, Precision::F32];
    for precision in &precisions[usize::from(!bench().double)..] {
        let found = samples(&gpu, &problem, &plan(*precision));
        // Noise moves the velocity before the impact in single precision, and impacts amplify that.
        let accuracy = SHIFT * problem.velocity().amax();
        let most = if *precision == Precision::F64 { accuracy } else { 1e-2 };
        let different =
            |i: &usize| exact.status[*i] != found.status[*i] || apart(&exact, &found, *i) > most;
        let count = (0..300).filter(different).count();
        let repaired = found.repaired.iter().filter(|repaired| **repaired).count();
        println!("{precision:?}: {count} of 300 differ, {repaired} repaired");
        assert!(count <= 3, "{precision:?}: {count} of 300 differ");
    }
}

#[test]
pub fn more_contacts_of_the_inclusion_stay_on_the_cpu() {
    let problem = random_problem(&mut Draws::of(72, 5), MOST_ON_GPU + 1, 2);
    assert_on_the_cpu(&problem, "the inclusion of more than sixteen contacts runs on the CPU");
}
