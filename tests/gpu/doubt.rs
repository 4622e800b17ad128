//! The host solves samples of a GPU again: nothing is wrong on an adapter that is right.

use super::*;
use carom_core::error::Result;
use carom_engine::doubt::{DeviceSample, Doubted, Doubter, SpotChecks, together};

in_both! {
    right_samples_raise_no_alarm,
}

/// All laws and processes that have kernels.
fn laws() -> Vec<Law> {
    let routh = |process| Law::Routh(Routh { process: Some(process), ..Routh::default() });
    let processes = [RouthProcess::Steps, RouthProcess::Events, RouthProcess::Inclusion].map(routh);
    let others = Law::NAMES[1..].iter().filter_map(|name| Law::named(name));
    processes.into_iter().chain(others).collect()
}

pub fn right_samples_raise_no_alarm<R: Compiled>() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let few = ["rocking-block", "box-and-wall", "newtons-cradle", "icosahedron-tetrahedron"];
    let all = scene::BUILTIN.iter().map(|scene| scene.name).collect();
    let samples = cases(160, 20_000);
    let refused = [ErrorKind::Device, ErrorKind::Usage, ErrorKind::Input];
    let (mut doubted, mut runs) = (0, 0);
    for name in cases(few.to_vec(), all) {
        let problem = load(name);
        for law in laws() {
            let process = law.process_on(&problem);
            let what = format!("{name}, {}, {process:?}, {}", law.name(), R::NAME);
            let precision = Some(precision_of::<R>());
            let plan = Plan { law, samples, seed: 7, precision, ..Plan::default() };
            let found = match engine.summarize(&problem, &plan, |_| ()) {
                // No kernel, or a law that this problem is not for.
                Err(error) if refused.contains(&error.kind) => continue,
                run => run.unwrap_or_else(|error| panic!("{what}: {error}")).doubted.unwrap(),
            };
            println!("{what}: {found:?}");
            assert!((16..=64).contains(&found.samples), "{what}: {found:?}");
            let explained = found.largest_difference <= found.tolerance;
            assert!(found.unexplained == 0 && explained, "{what}: {found:?}");
            runs += 1;
            doubted += found.samples - found.repaired;
        }
    }
    println!("{doubted} samples of {runs} runs");
    assert!(runs > 5 && doubted > 40, "{doubted} of {runs}");
}

/// A rigid block on two corners.
fn block() -> ContactProblem {
    let (normal, tangent) = ([-0.5, 0.5].map(|x| [0.0, 1.0, x]), [[1.0, 0.0, 0.5]; 2]);
    problem(rough(&[1.0, 1.0, 1.0 / 6.0], normal, tangent, [0.6; 2], [0.3, -1.0, 0.5]))
}

/// What the host finds in samples of a block whose impulses a factor of their number multiplies:
/// in some of all that are read, and in those that a reduction selects.
fn corrupted(factor: fn(u64) -> f32) -> [Result<Doubted>; 2] {
    const SAMPLES: u64 = 3000;
    let problem = block();
    let reference = Law::from(Routh::default()).prepare::<f64>(&problem).unwrap();
    let process = Law::from(Routh::default()).prepare::<f32>(&problem).unwrap();
    let choice = SpotChecks::of(SAMPLES);
    let mut kernel = Kernel::new(gpu(), &process, 1).unwrap();
    let raw = kernel.dispatch_all::<f32>(0, SAMPLES, || false).unwrap();
    let spec = StatisticsSpec::new(&problem);
    let mut reduction = Reduction::new(kernel, &process, &spec).unwrap();
    reduction.choose(choice);
    reduction.run(0, SAMPLES, || false).unwrap();
    let read = DeviceSample::chosen(choice, 0, &raw, 0..SAMPLES);
    [read, reduction.chosen()].map(|mut rows| {
        for DeviceSample { sample, impulse, .. } in &mut rows {
            impulse.iter_mut().for_each(|x| *x *= factor(*sample));
        }
        let doubter = Doubter::new(&problem, &process, &reference, 1, "a device");
        doubter.doubt(rows)?;
        together([&doubter])
    })
}

#[test]
fn what_a_device_gets_wrong_is_found() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let plan = Plan { samples: 3000, seed: 1, precision: Some(Precision::F32), ..Plan::default() };
    let runs =
        [engine.sample(&block(), &plan, |_| Ok(())), engine.summarize(&block(), &plan, |_| ())];
    let runs = runs.map(|run| run.map(|run| run.doubted.unwrap()));
    for result in corrupted(|_| 1.0).into_iter().chain(runs) {
        let doubted = result.unwrap();
        assert!(doubted.samples >= 16 && doubted.unexplained == 0, "{doubted:?}");
        let difference = doubted.largest_difference;
        assert!(difference > 0.0 && difference < 1e-5, "{doubted:?}");
    }
    type Factor = fn(u64) -> f32;
    let all: [(Factor, &str); 3] =
        [(|_| 1.01, "all of them by 1 %"), (|_| -1.0, "their signs"), (|_| f32::NAN, "NaN")];
    for (factor, what) in all {
        for result in corrupted(factor) {
            match result {
                Err(error) => {
                    assert_eq!(error.kind, ErrorKind::Doubt, "{what}: {error}");
                    let said = error.what.contains("the host has [");
                    assert!(error.what.starts_with("sample ") && said, "{error}");
                }
                // Samples that are plainly no outcome are marked, and solved again.
                Ok(doubted) => assert_eq!(doubted.repaired, doubted.samples, "{what}: {doubted:?}"),
            }
        }
    }
    // A single sample that gains energy is marked, and solved again.
    for result in corrupted(|sample| if sample < 187 { 3.0 } else { 1.0 }) {
        let doubted = result.unwrap();
        assert_eq!((doubted.repaired, doubted.unexplained), (1, 0), "{doubted:?}");
    }
}

#[test]
fn one_sample_in_ten_thousand_is_doubted_and_at_least_sixteen() {
    let chosen = |samples: u64| SpotChecks::of(samples).within(0..samples).collect::<Vec<_>>();
    assert_eq!(chosen(5), [0, 1, 2, 3, 4]);
    for samples in [16, 17, 100, 1024, 65_536, 159_999] {
        let count = chosen(samples).len();
        assert!((16..=32).contains(&count), "{samples}: {count}");
    }
    let all = chosen(1_000_000);
    assert_eq!(all.len(), 100);
    // The choice does not depend on the chunks of a run, and no chunk has more samples than there
    // is room for.
    for chunk in [1_u64, 100, 1024, 131_072] {
        let part = |first: u64| {
            let end = (first + chunk).min(1_000_000);
            let part: Vec<u64> = SpotChecks::of(1_000_000).within(first..end).collect();
            assert!(part.len() as u64 <= SpotChecks::most(chunk));
            part
        };
        assert_eq!((0..1_000_000).step_by(chunk as usize).flat_map(part).collect::<Vec<_>>(), all);
    }
}
