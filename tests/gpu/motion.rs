//! Copies of a motion on the GPU, against the CPU's.

use super::*;
use carom::motion::MotionEnding;
use carom::motion::lgvci::shape::ShapePart;
use carom::motion::lgvci::{Lgvci, OnGpu, Perturbation, Replica, advance};
use carom_engine::Lane;
use support::motions::{collisions, ellipsoid, motions, spec, starts};

in_both! {
    steps_are_those_of_the_cpu,
    spreads_have_the_same_statistics,
}

/// The largest difference of the numbers of two states, relative to the larger of 1 and the number.
fn far<R: Real>(a: &Replica<R>, b: &Replica<R>) -> f64 {
    let both = a.state.numbers().map(R::to_f64).into_iter().zip(b.state.numbers().map(R::to_f64));
    both.fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs() / b.abs().max(1.0)))
}

/// Ten steps from a state of the CPU, for every kind of shape, with and without collisions, and to
/// where motions end. Rounding differs in the last digits even where the adapter rounds as Rust
/// does, as drivers rearrange sums.
pub fn steps_are_those_of_the_cpu<R: Lane>() {
    const COPIES: u64 = 70;
    let flies = |motion: &&Lgvci| {
        !motion.body().shape.parts.iter().any(|part| matches!(part, ShapePart::Intersection(_)))
    };
    for (i, motion) in motions().iter().filter(flies).enumerate() {
        let setting = motion.setting();
        let kernel = OnGpu::<R>::new(gpu(), &setting).unwrap();
        let mut copies = starts::<R>(motion, COPIES, 0.1);
        // Next to a quarter turn in a step its equation is nearly singular.
        let close = if motion.start().angular_momentum[1] > 100.0 { 1e5 } else { 100.0 };
        let (mut wrong, mut hits, mut bits, mut worst) = (0, 0, 0, 0.0);
        for until in (10..=350).step_by(10) {
            let mut found = copies.clone();
            kernel.advance(&mut found, until, &|| false).unwrap();
            let before: u64 = copies.iter().map(|copy| copy.collisions).sum();
            advance(&setting, &mut copies, until);
            hits += copies.iter().map(|copy| copy.collisions).sum::<u64>() - before;
            for (found, expected) in found.iter().zip(&copies) {
                let same = (found.steps, found.collisions, found.ending)
                    == (expected.steps, expected.collisions, expected.ending);
                let off = far(found, expected);
                let energy = (found.energy_error - expected.energy_error).to_f64()
                    / expected.initial.to_f64();
                let off = off.max(energy.abs());
                worst = f64::max(worst, if same { off } else { 0.0 });
                wrong += usize::from(!same || off > close * R::EPSILON);
                bits += usize::from(found.state != expected.state);
            }
        }
        let (worst, ending) = (worst / R::EPSILON, copies[0].ending);
        println!(
            "{}, motion {i}: {hits} collisions, {bits} others, by {worst:.1} eps, {ending:?}",
            R::NAME
        );
        assert_few(wrong, 35 * COPIES as usize, &format!("motion {i}"));
        assert!(hits >= COPIES || copies[0].ending != MotionEnding::Done, "motion {i}");
    }
}

/// Other copies than the CPU's, in its f64, are distributed as they are.
pub fn spreads_have_the_same_statistics<R: Lane>() {
    const COPIES: u64 = 1000;
    let motion = Lgvci::new(spec(ellipsoid())).unwrap();
    let spread = |device, seed, precision| {
        let how = Perturbation {
            copies: COPIES,
            angle: 0.3,
            shift: 0.0,
            seed,
            precision: Some(precision),
        };
        let engine = motion.open(&device).unwrap();
        motion.spread(500, &how, &engine, None, None, |_| ()).unwrap()
    };
    let expected = spread(Device::Cpu, 1, Precision::F64);
    let found = spread(Device::Gpu, 2, precision_of::<R>());
    assert_eq!((found.device.kind, found.precision), ("gpu", precision_of::<R>()));
    assert_eq!((&found.endings, found.steps), (&expected.endings, expected.steps));
    let root = (COPIES as f64).sqrt();
    for i in [60, 100] {
        let [a, b] = [&expected, &found].map(|spread| &spread.rows[i]);
        // Four standard errors of a difference.
        let most = 4.0 * 2.0_f64.sqrt() * a.height / root;
        println!(
            "{} s: {} +- {}, {} +- {}",
            a.time, a.mean_height, a.height, b.mean_height, b.height
        );
        assert!((a.mean_height - b.mean_height).abs() < most && (a.height - b.height).abs() < most);
    }
    let mut copies = starts::<f64>(&motion, COPIES, 0.3);
    advance(&motion.setting(), &mut copies, 500);
    let [_, deviation] = collisions(&copies);
    println!("collisions {}, {}, +- {deviation}", expected.collisions, found.collisions);
    assert!(
        (expected.collisions - found.collisions).abs() < 4.0 * 2.0_f64.sqrt() * deviation / root
    );
    assert!(found.energy_error < 1e5 * R::EPSILON, "{:e}", found.energy_error);
}

/// What the kernel does not know runs on the CPU, and is refused where the GPU is asked for.
#[test]
fn intersections_run_on_the_cpu() {
    let all = motions();
    let motion = all
        .iter()
        .find(|motion| matches!(motion.body().shape.parts[0], ShapePart::Intersection(_)))
        .unwrap();
    let error = motion.open(&Device::Gpu).map(|_| ()).unwrap_err();
    assert!(
        error.kind == ErrorKind::Device && error.to_string().contains("intersections"),
        "{error}"
    );
    assert_eq!(motion.open(&Device::Cpu).unwrap().info().kind, "cpu");
}
