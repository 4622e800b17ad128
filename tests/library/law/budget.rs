//! Samples whose work is used up.

use super::effort::random;
use super::*;
use carom_core::budget::Budget;
use carom_law::Ending;
use carom_law::routh::events::process::Events;
use carom_law::routh::steps::Steps;
use std::time::{Duration, Instant};

/// Checks that a sample ends as before where its budget suffices, and with [`Status::Budget`] where
/// it does not. `sample` computes a sample with a budget, or with the default one, in memory that
/// has been used before or not, and returns its end, its impulse and the work that it took.
fn check(sample: impl Fn(&Stream, Option<u64>) -> (Ending<f64>, Vec<f64>, u64)) {
    for number in 0..20 {
        let stream = Stream::new(1, number);
        let (ending, total, used) = sample(&stream, None);
        assert_eq!(ending.status, Status::Terminated, "{number}");
        assert!(used > 0 && used < Budget::WORK / 10, "{number}: {used}");
        assert_eq!(sample(&stream, Some(used + 1)), (ending, total, used), "{number}");
        for less in [used / 2, 1] {
            let (cut, total, _) = sample(&stream, Some(less));
            assert_eq!(cut.status, Status::Budget, "{number}: {less} of {used}");
            assert!(cut.steps <= ending.steps && total.iter().all(|l| l.is_finite()), "{number}");
        }
    }
}

#[test]
fn samples_of_events_end_with_their_budget() {
    let exact = Events::<f64>::new(&Routh::default(), &random(6, 6, 0.5)).unwrap();
    let used = std::cell::RefCell::new(exact.workspace());
    check(|stream, budget| {
        let (mut used, mut fresh) = (used.borrow_mut(), exact.workspace());
        // Maps that earlier samples left do not change the count.
        let work = if budget.is_some() { &mut fresh } else { &mut *used };
        let budget = budget.map_or(Budget::of(1), Budget::new);
        work.segment.budget = budget;
        let ending = exact.sample(stream, work);
        (ending, work.total.clone(), budget.left() - work.segment.budget.left())
    });
}

#[test]
fn samples_of_steps_end_with_their_budget() {
    let steps = Steps::<f64>::new(&Routh::steps(), &random(6, 6, 0.5)).unwrap();
    check(|stream, budget| {
        let mut work = steps.workspace();
        let budget = budget.map_or(Budget::of(1), Budget::new);
        work.budget = budget;
        let ending = steps.sample(stream, &mut work);
        (ending, work.total.clone(), budget.left() - work.budget.left())
    });
}

#[test]
fn three_contacts_need_no_budget() {
    let exact = Events::<f64>::new(&Routh::default(), &random(3, 3, 0.5)).unwrap();
    let (mut work, mut poor) = (exact.workspace(), exact.workspace());
    poor.segment.budget = Budget::new(1);
    for number in 0..20 {
        let stream = Stream::new(1, number);
        assert_eq!(exact.sample(&stream, &mut work), exact.sample(&stream, &mut poor));
        assert_eq!(work.total, poor.total);
    }
}

#[test]
fn a_budget_grows_with_the_unknowns_and_the_limit_on_steps() {
    assert_eq!(Budget::of(5).left(), Budget::WORK);
    assert_eq!(Budget::of(100).left(), Budget::WORK);
    assert_eq!(Budget::of(300).left(), 9 * Budget::WORK);
    assert_eq!(Budget::of(5).with_limit(10, 1000).left(), Budget::WORK);
    assert_eq!(Budget::of(5).with_limit(3000, 1000).left(), 3 * Budget::WORK);
}

/// Forces depend on the caps of contacts at their caps alone: the others cost nothing.
#[test]
fn many_contacts_take_little_time() {
    let exact = Events::<f64>::new(&Routh::default(), &random(120, 3, 0.0)).unwrap();
    let mut work = exact.workspace();
    let begun = Instant::now();
    for number in 0..8 {
        let ending = exact.sample(&Stream::new(1, number), &mut work);
        assert_eq!(ending.status, Status::Terminated, "{number}");
    }
    let took = begun.elapsed();
    // A debug build on a busy machine.
    assert!(took < Duration::from_secs(5), "{took:?}");
}
