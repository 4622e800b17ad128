//! Statistics reduced on the device against those of the samples that the same kernel copies back.

use super::*;
use carom_engine::gpu::reduction::repair;
use carom_shaders::kernels::statistics::serves;

in_both! {
    statistics_of_samples,
    statistics_of_the_inclusion,
    statistics_of_many_chunks,
    runs_without_samples,
}

/// A run that keeps no samples counts what one that keeps them does; extents and means agree to
/// rounding.
pub fn runs_without_samples<R: Compiled>() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let scenes = ["rocking-block", "box-and-wall", "ramone", "disk-stack"];
    let (exact, sampler) = (Some(RouthProcess::Events), Some(Sampler::Uniform));
    let runs = scenes.iter().map(|name| (*name, None));
    let runs = runs.chain(scenes[..3].iter().map(|name| (*name, exact)));
    for (name, process) in runs.chain([("cube-on-edge", None), ("cube-on-face", None)]) {
        let problem = load(name);
        let law = Law::Routh(Routh { process, sampler, ..Routh::default() });
        let plan = Plan { law, ..plan(Solution::Random, precision_of::<R>(), 3000, 5) };
        let kept = engine.sample(&problem, &plan, |_| Ok(())).unwrap().summary;
        let mut told = 0;
        let reduced = engine.summarize(&problem, &plan, |count| told += count).unwrap().summary;
        let counts = (told, reduced.samples, reduced.accepted);
        assert_eq!(counts, (3000, 3000, kept.accepted), "{name}");
        let steps = (reduced.steps_sum, reduced.steps_max);
        assert_eq!(steps, (kept.steps_sum, kept.steps_max), "{name}");
        assert_eq!(reduced.repaired, kept.repaired, "{name}");
        // At rest or nearly so: on that edge a few fall the other way.
        let apart: u64 = kept.modes.by_frequency().iter().fold(0, |sum, (modes, count)| {
            let other = reduced.modes.by_frequency().into_iter().find(|(m, _)| m == modes);
            sum + other.map_or(0, |(_, n)| n).abs_diff(*count)
        });
        assert!(apart <= 3, "{name}: {apart} of 3000 are counted in another mode");
        let scale = problem.velocity().amax();
        // An entry of v+ is a sum of seven products at most, on the device of L in the kernel's
        // precision.
        let close = 128.0 * R::EPSILON * scale;
        for i in 0..problem.coordinate_count() {
            let (a, b) = (kept.velocity.get(i).unwrap(), reduced.velocity.get(i).unwrap());
            for (a, b) in [(a.0, b.0), (a.1, b.1), (a.2, b.2)] {
                assert!((a - b).abs() <= close, "{name}: velocity {i}: {a} {b}");
            }
        }
    }
}

/// What is asked of a problem: two directions and a histogram of the second.
pub fn spec_of(problem: &ContactProblem) -> StatisticsSpec {
    let k = problem.jacobian().nrows();
    let mut spec = StatisticsSpec::new(problem).direction(&vec![1.0; k]);
    let direction: Vec<f64> = (0..k).map(|i| (1.0 + i as f64).cos()).collect();
    spec = spec.direction(&direction);
    spec.histogram = Some(Histogram { form: spec.forms.len() - 1, low: -1.0, high: 1.5 });
    spec
}

/// Counts and listed samples are the same; sums to rounding; extents the same where the adapter
/// rounds as Rust does.
pub fn assert_same<R: Compiled>(
    found: &DeviceStatistics,
    expected: &DeviceStatistics,
    problem: &ContactProblem,
    what: &str,
) {
    let (accepted, samples, flagged) = (found.accepted, found.samples, found.flagged.len());
    println!("{what} {}: {accepted} of {samples} accepted, {flagged} flagged", R::NAME);
    let exact = bench().exact;
    let allowed = if exact { 0 } else { found.samples / 50 };
    assert_eq!(found.samples, expected.samples);
    assert!(found.accepted.abs_diff(expected.accepted) <= allowed, "{what}");
    if exact {
        assert_eq!(found.flagged, expected.flagged, "{what}");
        assert_eq!(found.status, expected.status, "{what}");
        let steps = |of: &DeviceStatistics| (of.steps_sum, of.steps_max);
        assert_eq!(steps(found), steps(expected), "{what}");
        assert_eq!(found.modes, expected.modes, "{what}");
        assert_eq!(found.bins, expected.bins, "{what}");
    }
    let pairs = found.forms.iter().zip(&expected.forms);
    let pairs =
        pairs.chain([(&found.energy, &expected.energy), (&found.residual, &expected.residual)]);
    for (i, (a, b)) in pairs.enumerate() {
        // The energy is a small difference of large numbers.
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let size =
            b.min.abs().max(b.max.abs()).max(if i == found.forms.len() { before } else { 0.0 });
        if exact {
            assert_eq!((a.min, a.max), (b.min, b.max), "{what}, quantity {i}");
        }
        let total = size * found.accepted as f64;
        let sums = [a.sum, b.sum];
        assert!((a.sum - b.sum).abs() <= 1e-6 * total, "{what}, quantity {i}: {sums:?}");
    }
}

pub fn statistics_of_samples<R: Compiled>() {
    for name in ["rocking-block", "compass-gait", "box-and-wall", "disk-stack"] {
        let problem = load(name);
        let law = Routh { max_steps: Some(40), ..Routh::steps() };
        let bound = Law::from(law.clone()).prepare::<R>(&problem).unwrap();
        let spec = spec_of(&problem);
        let (first, count) =
            ((1 << 32) - 100, if problem.contact_count() > 3 { 300 } else { 5000 });
        let mut kernel = Kernel::new(gpu(), &bound, 8).unwrap();
        let raw = kernel.dispatch::<R>(first, count, || false).unwrap();
        let expected = DeviceStatistics::of(&bound, &spec, first, &raw.endings, &raw.impulses);
        let none = DeviceStatistics::of::<R>(&bound, &spec, first, &[], &[]);
        let mut reduction = Reduction::new(kernel, &bound, &spec).unwrap();
        let mut found = reduction.run(first, count, || false).unwrap();
        assert_same::<R>(&found, &expected, &problem, name);
        assert!(found.accepted > 0 && found.status[0] == found.accepted);
        assert_eq!(found.bins.iter().sum::<u64>(), found.accepted);
        assert_eq!(found.modes.iter().sum::<u64>(), found.accepted);

        // The whole statistics, once repaired, are close to those of the engine.
        let reference = Law::from(law.clone()).prepare::<f64>(&problem).unwrap();
        let plan = Plan { seed: 8, ..Plan::default() };
        if gpu().report.f64 {
            // Samples of a list, on the device and on the host; as if they were all flagged ones.
            let listed: Vec<u64> = (first..first + count).step_by(7).collect();
            let solved =
                Repairer::new(gpu(), &reference, 8).unwrap().solve(&listed, || false).unwrap();
            let mut there = DeviceStatistics { flagged: listed, ..none.clone() };
            let mut here = there.clone();
            let done = repair(&mut there, &bound, &reference, &spec, &plan, Some(&solved));
            assert_eq!(done, count.div_ceil(7));
            repair(&mut here, &bound, &reference, &spec, &plan, None);
            // The device leaves residuals in single precision.
            let [a, b] = [&there, &here].map(|of| of.residual.max);
            assert!((a - b).abs() <= 1e-6 * b, "{name}");
            there.residual = here.residual;
            assert_same::<f64>(&there, &here, &problem, name);
            let endings = &solved.endings;
            let ended = endings.iter().filter(|end| end.status == Status::Terminated).count();
            assert!(10 * ended > 9 * endings.len(), "{name}: {ended}");
        }
        repair(&mut found, &bound, &reference, &spec, &plan, None);
        assert_eq!(found.status.iter().sum::<u64>(), count);
        let (mut work, mut all) = (reference.workspace(), (Vec::new(), Vec::new()));
        for sample in first..first + count {
            all.0.push(reference.sample(&Stream::new(8, sample), &mut work));
            all.1.extend_from_slice(work.total());
        }
        let exact = DeviceStatistics::of(&reference, &spec, first, &all.0, &all.1);
        assert!(found.accepted.abs_diff(exact.accepted) <= count / 50, "{name}");
        for (a, b) in found.forms.iter().zip(&exact.forms) {
            let size = b.min.abs().max(b.max.abs()) + problem.velocity().amax();
            let mean = |e: &Extent, of: u64| e.sum / of as f64;
            let off = (a.max - b.max).abs().max((a.min - b.min).abs());
            assert!(off <= 0.02 * size, "{name}: {a:?}, {b:?}");
            let off = mean(a, found.accepted) - mean(b, exact.accepted);
            assert!(off.abs() <= 0.02 * size, "{name}: {a:?}, {b:?}");
        }
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        assert!(found.energy.max <= before * (1.0 + 1e-5));
    }
}

/// The inclusion in space and in a plane, with restitution and with uncertain friction.
pub fn statistics_of_the_inclusion<R: Compiled>() {
    for name in ["cube-on-face", "rocking-block"] {
        let problem = inclusion::uncertain(&load(name), 0.0);
        let law = Law::from(Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() });
        let bound = law.prepare::<R>(&problem).unwrap();
        assert!(serves(&bound));
        let spec = spec_of(&problem).dissipating(bound.dissipates(&problem));
        let (first, count) = ((1 << 32) - 100, 2000);
        let mut kernel = Kernel::new(gpu(), &bound, 8).unwrap();
        let raw = kernel.dispatch::<R>(first, count, || false).unwrap();
        let expected = DeviceStatistics::of(&bound, &spec, first, &raw.endings, &raw.impulses);
        let mut reduction = Reduction::new(kernel, &bound, &spec).unwrap();
        let found = reduction.run(first, count, || false).unwrap();
        assert_same::<R>(&found, &expected, &problem, name);
        assert!(2 * found.accepted > count && found.status[0] == found.accepted);
        assert_eq!(found.bins.iter().sum::<u64>(), found.accepted);
        assert_eq!(found.modes.iter().sum::<u64>(), found.accepted);
    }
}

/// Chunks follow each other while the one before is read, and join without a seam.
pub fn statistics_of_many_chunks<R: Compiled>() {
    let problem = load("rocking-block");
    let bound = Law::from(Routh::steps()).prepare::<R>(&problem).unwrap();
    let kernel = || Kernel::new(gpu(), &bound, 8).unwrap();
    let spec = spec_of(&problem);
    let mut reduction = Reduction::new(kernel(), &bound, &spec).unwrap();
    let chunk = kernel().chunk();
    let count = 2 * chunk + 777;
    let found = reduction.run(5, count, || false).unwrap();
    let (mut endings, mut impulses, mut done) = (Vec::new(), Vec::new(), 0);
    while done < count {
        let part = (count - done).min(chunk);
        let raw = kernel().dispatch::<R>(5 + done, part, || false).unwrap();
        endings.extend(raw.endings);
        impulses.extend(raw.impulses);
        done += part;
    }
    let expected = DeviceStatistics::of(&bound, &spec, 5, &endings, &impulses);
    assert_same::<R>(&found, &expected, &problem, "chunks");
    let error = reduction.run(5, 1000, || true).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert_eq!(reduction.run(5, count, || false).unwrap(), found);
}

/// Every kernel whose statistics the device reduces also takes its samples from a list.
#[test]
fn samples_of_a_list() {
    if !gpu().report.f64 {
        return;
    }
    let laws =
        [Routh::default(), Routh::steps(), Routh { solution: Solution::Lemke, ..Routh::steps() }];
    let names = ["compass-gait", "disk-stack"].into_iter();
    for (name, law) in names.flat_map(|name| laws.iter().map(move |law| (name, law))) {
        let problem = load(name);
        let reference = Law::from(law.clone()).prepare::<f64>(&problem).unwrap();
        assert!(serves(&reference));
        let listed: Vec<u64> = (0..200).map(|i| 1000 + 13 * i).collect();
        let solved = Repairer::new(gpu(), &reference, 5).unwrap().solve(&listed, || false).unwrap();
        let (k, mut work) = (reference.space().step.width(), reference.workspace());
        let different = (0..listed.len()).filter(|&i| {
            let expected = reference.sample(&Stream::new(5, listed[i]), &mut work);
            let found = &solved.impulses[k * i..k * (i + 1)];
            let pairs = found.iter().zip(work.total());
            let apart = pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            solved.endings[i].status != expected.status || apart > 1e-9
        });
        // Few of the samples that a kernel leaves to the host differ.
        let different = different.count();
        println!("{name}, {}: {different} of {} differ", reference.kind().name(), listed.len());
        assert!(different <= listed.len() / 50, "{name}: {different}");
    }
}
