//! Covers: what they certify holds, and what is wrong is refused.

use super::*;
use carom::study::cover::{Cover, Covering, cover};

const ASKED: Covering = Covering { radius: 0.02, confidence: 0.9, mass: 0.05 };

fn plan(seed: u64, samples: u64) -> Plan {
    Plan { seed, samples, device: Device::Cpu, ..Plan::default() }
}

fn covered(problem: &ContactProblem, plan: &Plan, asked: Covering) -> Cover {
    let engine = Engine::open_for(problem, plan).unwrap();
    cover(&engine, problem, plan, asked, |_| {}).unwrap()
}

/// Every point is tried of the samples that count, those before the last look. A certificate counts
/// as violated where fresh samples show more uncovered mass than it says, by more than half a per
/// cent of them.
#[test]
fn the_uncovered_mass_is_as_certified() {
    let scenes: &[&str] =
        cases(&["box-and-wall"], &["rocking-block", "box-and-wall", "compass-gait", "ramone"]);
    scenes.iter().for_each(|name| certified(name));
}

fn certified(name: &str) {
    let problem = load(name);
    let n = problem.coordinate_count();
    let points = |seed: u64, samples: u64| {
        let found = on_cpu(&problem, &plan(seed, samples));
        PointSet::new(problem.mass(), problem.velocity(), &found.velocity)
            .unwrap()
            .points()
            .to_vec()
    };
    let fresh = points(1_000_000, 4000);
    let mut violated = 0;
    let seeds: u64 = cases(60, 300);
    for seed in 0..seeds {
        let found = covered(&problem, &plan(seed, 1 << 20), ASKED);
        assert!(found.is_certified() && found.mass <= ASKED.mass);
        let frozen = points(seed, found.samples - found.fresh);
        let near = |y: &[f64]| {
            let square = |x: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            frozen.chunks(n).any(|x| square(x) <= ASKED.radius * ASKED.radius)
        };
        let outside = fresh.chunks(n).filter(|y| !near(y)).count();
        violated += u64::from(outside as f64 / 4000.0 > found.mass + 0.005);
    }
    // With confidence 0.9 a tenth may be; a quarter has a probability below 1e-3.
    assert!(4 * violated < seeds, "{name}: {violated} of {seeds}");
}

#[test]
fn a_look_has_as_many_samples_as_it_needs() {
    let problem = load("rocking-block");
    // A ball around everything: the first sample covers all others.
    let all = covered(&problem, &plan(1, 1 << 20), Covering { radius: 10.0, ..ASKED });
    // No sample is covered at the first look, all are at the second.
    assert_eq!((all.looks, all.uncovered, all.balls), (2, 0, 1));
    // 1 - 0.95^n >= 1 - 0.1 / (j (j + 1))
    assert_eq!([all.samples - all.fresh, all.fresh], [59, 80]);
    let none = covered(&problem, &plan(1, 300), Covering { radius: 1e-9, ..ASKED });
    assert!(!none.is_certified() && none.samples == 300 && none.mass > 0.5);
}

#[test]
fn wrong_numbers_are_refused() {
    let problem = load("rocking-block");
    let plan = plan(1, 100);
    let engine = Engine::open_for(&problem, &plan).unwrap();
    for (asked, at) in [
        (Covering { radius: 0.0, ..ASKED }, "until_radius"),
        (Covering { confidence: 1.0, ..ASKED }, "confidence"),
        (Covering { mass: f64::NAN, ..ASKED }, "mass"),
    ] {
        let error = cover(&engine, &problem, &plan, asked, |_| {}).unwrap_err();
        assert_eq!(error.at.as_deref(), Some(at));
    }
}
