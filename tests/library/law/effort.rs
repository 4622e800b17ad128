//! Laws with finitely many outcomes, when their work is used up or they are told to stop.

use super::*;
use carom_core::cones::program::minimise;
use carom_core::cones::space::ConeSpace;
use carom_law::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Random planar contacts, most of which approach.
pub fn random(contacts: usize, coordinates: usize, friction: f64) -> ContactProblem {
    let mut draws = Draws::of(94, contacts);
    let velocity: Vec<f64> =
        (0..coordinates).map(|i| if i == 0 { -2.0 } else { draws.uniform(-1.0, 1.0) }).collect();
    let mut row = |i: f64| {
        let mut row = draws.numbers(coordinates);
        row[0] += i;
        row
    };
    let normal: Vec<_> = (0..contacts).map(|_| row(1.0)).collect();
    let tangent: Vec<_> = (0..contacts).map(|_| row(0.0)).collect();
    problem(rough(&vec![1.0; coordinates], normal, tangent, vec![friction; contacts], velocity))
}

/// The laws that search or march for long.
fn laws() -> impl Iterator<Item = FiniteLaw> {
    ["anitescu-potra", "cone-complementarity", "sequential", "propagative", "plus", "compliant"]
        .into_iter()
        .map(|name| FiniteLaw::named(name).unwrap())
}

#[test]
fn a_law_whose_work_is_used_up_says_so() {
    let problem = random(20, 3, 0.5);
    for law in laws() {
        let set = law.resolve_within(&problem, &Limits::of(100.0)).unwrap();
        let said = set.warnings.iter().any(|w| w.contains("budget"));
        assert!(!set.complete && said, "{}: {:?}", law.name(), set.warnings);
        if ["plus", "compliant", "sequential"].contains(&law.name()) {
            assert!(set.outcomes.iter().any(|o| o.status == Status::Budget), "{}", law.name());
        }
    }
}

#[test]
fn effort_that_suffices_changes_nothing() {
    let problem = random(3, 3, 0.5);
    for law in laws() {
        let (all, within) = (
            law.resolve(&problem).unwrap(),
            law.resolve_within(&problem, &Limits::of(1e12)).unwrap(),
        );
        assert_eq!(all.outcomes.len(), within.outcomes.len());
        let mut pairs = all.outcomes.iter().zip(&within.outcomes);
        assert!(pairs.all(|(a, b)| a.velocity == b.velocity), "{}", law.name());
        assert!(all.warnings.iter().all(|warning| !warning.contains("budget")));
    }
}

#[test]
fn a_raised_flag_ends_a_convex_program() {
    let space = ConeSpace::new(&random(20, 20, 0.3));
    assert!(minimise(&space, &[], &Limits::default()).is_some());
    for raised in [false, true] {
        let limits = Limits::until(Arc::new(AtomicBool::new(raised)));
        assert_eq!(minimise(&space, &[], &limits).is_none(), raised);
    }
}

#[test]
fn a_raised_flag_ends_a_law_soon() {
    let problem = random(40, 20, 0.3);
    for law in laws() {
        let stop = Arc::new(AtomicBool::new(false));
        let limits = Limits::until(Arc::clone(&stop));
        let raised = std::thread::scope(|scope| {
            let handle = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
                Instant::now()
            });
            let set = law.resolve_within(&problem, &limits).unwrap();
            let ended = Instant::now();
            let raised = handle.join().unwrap();
            if ended > raised + Duration::from_millis(5) {
                assert!(set.warnings.iter().any(|w| w.contains("interrupted")), "{}", law.name());
            }
            ended.saturating_duration_since(raised)
        });
        // A debug build on a busy machine; the promise is half a second.
        assert!(raised < Duration::from_secs(5), "{}: {raised:?}", law.name());
    }
}
