//! Copies in vector lanes against copies one by one.

use carom::motion::MotionEnding;
use carom::motion::lgvci::{Lgvci, Perturbation, advance};
use carom_engine::{Device, Engine, Lane, Precision};

use crate::support::motions::{collisions, ellipsoid, motions, one_by_one, spec, starts};

/// Every number is the same, bit by bit, through collisions, and where a motion ends.
fn lanes_are_copies<T: Lane>() {
    for (i, motion) in motions().iter().enumerate() {
        let mut expected = starts::<T>(motion, 37, 0.1);
        let mut found = expected.clone();
        for until in [1, 130, 131, 400] {
            one_by_one(motion, &mut expected, until);
            advance(&motion.setting(), &mut found, until);
            for (l, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "motion {i}, copy {l}, {until} steps");
            }
        }
        let struck = expected.iter().filter(|copy| copy.collisions > 0).count();
        println!("{}, motion {i}: {struck} of 37 collide, {:?}", T::NAME, expected[0].ending);
        assert!(struck > 20 || expected[0].ending != MotionEnding::Done, "motion {i}");
    }
}

#[test]
fn lanes_are_copies_in_f64() {
    lanes_are_copies::<f64>();
}

#[test]
fn lanes_are_copies_in_f32() {
    lanes_are_copies::<f32>();
}

/// Rounding makes other copies of the chaos, but not another one: heights and collisions are
/// distributed alike.
#[test]
fn both_precisions_have_the_same_statistics() {
    const COPIES: u64 = 2000;
    let engine = Engine::open(&Device::Cpu).unwrap();
    let motion = Lgvci::new(spec(ellipsoid())).unwrap();
    let spread = |seed, precision| {
        let how = Perturbation {
            copies: COPIES,
            angle: 0.3,
            shift: 0.0,
            seed,
            precision: Some(precision),
        };
        motion.spread(1000, &how, &engine, None, None, |_| ()).unwrap()
    };
    let (double, single) = (spread(1, Precision::F64), spread(2, Precision::F32));
    assert_eq!(
        (&double.endings, double.steps),
        (&vec![(MotionEnding::Done, COPIES)], COPIES * 1000)
    );
    assert_eq!((&single.endings, single.precision), (&double.endings, Precision::F32));
    let root = (COPIES as f64).sqrt();
    for i in [30, 60, 100] {
        let [a, b] = [&double, &single].map(|spread| &spread.rows[i]);
        // Four standard errors of a difference; that of a standard deviation is at most that of the
        // mean.
        let most = 4.0 * 2.0_f64.sqrt() * a.height / root;
        println!(
            "{} s: {} +- {}, {} +- {}",
            a.time, a.mean_height, a.height, b.mean_height, b.height
        );
        assert!((a.mean_height - b.mean_height).abs() < most && (a.height - b.height).abs() < most);
        assert!(a.height > 0.1, "{a:?}");
    }
    let mut copies = starts::<f64>(&motion, COPIES, 0.3);
    advance(&motion.setting(), &mut copies, 1000);
    let [mean, deviation] = collisions(&copies);
    let most = 4.0 * 2.0_f64.sqrt() * deviation / root;
    println!("collisions {mean} +- {deviation}, {}, {}", double.collisions, single.collisions);
    assert!(
        (double.collisions - single.collisions).abs() < most
            && (double.collisions - mean).abs() < most
    );
    assert!(double.energy_error < 1e-10 && single.energy_error < 0.02, "{:e}", single.energy_error);
}

#[test]
fn single_precision_warns_of_what_it_cannot_show() {
    let how = |angle| Perturbation { copies: 1, angle, shift: 0.0, seed: 0, precision: None };
    assert!(how(1e-8).warning(Precision::F32).unwrap().contains("--precision f64"));
    assert_eq!(
        (how(1e-8).warning(Precision::F64), how(1e-5).warning(Precision::F32)),
        (None, None)
    );
}
