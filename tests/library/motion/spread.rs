//! Copies of a motion that part.

use super::*;
use crate::support::motions::{motions, one_by_one, starts};
use carom::motion::lgvci::{Perturbation, Replica};

fn motion() -> Lgvci {
    Lgvci::new(spec(ellipsoid())).unwrap()
}

#[test]
fn copies_start_as_far_as_asked_and_part() {
    let how = Perturbation { copies: 60, angle: 1e-8, shift: 0.0, seed: 3 };
    let spread = motion().spread(1000, &how, None, None, |_| ()).unwrap();
    let first = spread.rows[0];
    // 2 sin(angle / 2); differences of rotations near 1 are rounded.
    for far in [first.least, first.median, first.largest] {
        assert!((far / 1e-8 - 1.0).abs() < 1e-5, "{far:e}");
    }
    assert_eq!((first.step, first.copies, spread.rows.len()), (0, 60, 101));
    let last = spread.rows[100];
    assert_eq!((last.step, last.time), (1000, 10.0));
    assert!(last.median > 1e-6 && last.median < 1e-3, "{last:?}");
    assert!(spread.rows.windows(2).all(|p| p[0].least <= p[0].median && p[0].p90 <= p[0].largest));
    assert!(spread.collisions >= 4.0 && spread.energy_error < 1e-10);
}

/// A copy depends on its number and the seed alone.
#[test]
fn copies_do_not_depend_on_the_run() {
    let seen = |copies: u64, seed: u64| {
        let mut states = Vec::new();
        let how = Perturbation { copies, angle: 1e-3, shift: 0.0, seed };
        let mut look = |copy: u64, reached: &[_]| {
            assert_eq!(copy, states.len() as u64);
            states.push(reached.to_vec());
            Ok(())
        };
        motion().spread(300, &how, None, Some(&mut look), |_| ()).unwrap();
        states
    };
    let (few, many) = (seen(3, 1), seen(8, 1));
    assert_eq!(few[..], many[..3]);
    assert_ne!(few, seen(3, 2));
    let alone = {
        let spec = carom::motion::LgvciSpec {
            state: motion()
                .perturbed(&Perturbation { copies: 1, angle: 1e-3, shift: 0.0, seed: 1 }, 2),
            ..spec(ellipsoid())
        };
        state_at(&ran(spec, 300).last)
    };
    assert!(alone.distance(&few[2].last().unwrap().1) < 1e-9);
}

/// Copies go as far, and end as, motions that are computed one by one.
#[test]
fn copies_are_motions_of_their_own() {
    const COPIES: u64 = 37;
    for (i, motion) in motions().iter().enumerate() {
        let mut expected = starts(motion, COPIES, 0.1);
        one_by_one(motion, &mut expected, 400);
        let how = Perturbation { copies: COPIES, angle: 0.1, shift: 0.0, seed: 7 };
        let found = motion.spread(400, &how, None, None, |_| ()).unwrap();
        let sum = |number: fn(&Replica) -> u64| expected.iter().map(number).sum::<u64>();
        assert_eq!(found.steps, sum(|copy| copy.steps), "motion {i}");
        let hits = sum(|copy| copy.collisions) as f64 / COPIES as f64;
        assert_eq!(found.collisions, hits, "motion {i}");
        let error = expected.iter().map(|copy| copy.energy_error).fold(0.0, f64::max);
        assert_eq!(found.energy_error, error, "motion {i}");
        for (ending, count) in &found.endings {
            let expected = expected.iter().filter(|copy| copy.ending == *ending).count();
            assert_eq!(*count, expected as u64, "motion {i}, {}", ending.name());
        }
        assert_eq!(found.endings.iter().map(|(_, count)| count).sum::<u64>(), COPIES);
        for row in &found.rows {
            let there = expected.iter().filter(|copy| copy.steps >= row.step).count();
            assert_eq!(row.copies, there as u64, "motion {i}, step {}", row.step);
        }
    }
}

/// The growth of the published perturbation after each collision, by the reference.
#[test]
fn a_published_perturbation_grows_as_in_the_reference() {
    let reference = golden("lgvci");
    let entry = &reference["sensitivity"]["I:dx_1e-8"];
    let plain = spec(ellipsoid());
    let mut moved = plain.clone();
    moved.state.position[2] += 1e-8;
    let states = |spec| {
        let mut states = Vec::new();
        let run = Lgvci::new(spec).unwrap().run(1000, None, |moment| {
            states.push(state_at(moment));
            Ok(())
        });
        (states, run.unwrap())
    };
    let ((a, course), (b, _)) = (states(plain), states(moved));
    assert!((a[0].distance(&b[0]) - 1e-8).abs() < 1e-14);
    for (hit, expected) in course.impacts.iter().zip(entry["after"].as_array().unwrap()) {
        let after = hit.step as usize + 2;
        let (found, expected) =
            (a[after].distance(&b[after]), number(&expected["err_two_steps_after"]));
        assert!((found / expected - 1.0).abs() < 0.02, "{found:e} {expected:e}");
    }
}

#[test]
fn impossible_perturbations_are_refused() {
    for (copies, angle) in [(0, 1e-8), (1, -1.0), (1, 4.0), (1, f64::NAN)] {
        let how = Perturbation { copies, angle, shift: 0.0, seed: 0 };
        assert!(motion().spread(10, &how, None, None, |_| ()).is_err());
    }
}
