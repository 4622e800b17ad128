//! Intervals over tosses.

use super::*;
use carom::study::bootstrap::{difference, mean, quantile, tosses};
use carom::study::normal::deviates;

fn numbers(seed: u64) -> Vec<f64> {
    (0..300).flat_map(|i| deviates(1, seed, i)).map(|x| 2.0 + 0.5 * x).collect()
}

#[test]
fn the_interval_of_a_mean_is_two_standard_errors() {
    let (values, each): (_, Vec<usize>) = (numbers(1), (0..300).collect());
    let found = mean(&values, &each, 0);
    let average = values.iter().sum::<f64>() / 300.0;
    let square = values.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 300.0;
    let error = 1.96 * (square / 300.0).sqrt();
    assert!((found.mean - average).abs() < 1e-12);
    for (end, expected) in [(found.low, average - error), (found.high, average + error)] {
        assert!((end - expected).abs() < 0.2 * error, "{end} {expected}");
    }
}

/// Events of one toss that are all alike tell no more than one of them.
#[test]
fn tosses_are_drawn_and_not_events() {
    let (values, each): (_, Vec<usize>) = (numbers(2), (0..300).collect());
    let thrice = |of: &[f64]| of.iter().flat_map(|x| [*x; 3]).collect::<Vec<_>>();
    let of_three: Vec<usize> = (0..900).map(|i| i / 3).collect();
    let (one, three) = (mean(&values, &each, 0), mean(&thrice(&values), &of_three, 0));
    for (a, b) in [(one.mean, three.mean), (one.low, three.low), (one.high, three.high)] {
        assert!((a - b).abs() < 1e-12);
    }
    let alone = mean(&thrice(&values), &(0..900).collect::<Vec<_>>(), 0);
    assert!(alone.high - alone.low < 0.7 * (one.high - one.low));
}

/// The difference of two scores that share what is hard about an event is known better than each.
#[test]
fn differences_are_paired() {
    let (values, each): (_, Vec<usize>) = (numbers(3), (0..300).collect());
    let worse: Vec<f64> = values.iter().zip(numbers(4)).map(|(x, e)| x + 0.01 * e).collect();
    let found = difference(&values, &worse, &each, 0);
    assert!(found.high < -0.015 && found.low > -0.025, "{found:?}");
    let infinite = mean(&[1.0, f64::INFINITY], &[0, 1], 0);
    assert!(infinite.mean == f64::INFINITY && infinite.low.is_nan());
}

#[test]
fn events_without_a_toss_have_their_own() {
    let of = |toss: Option<i32>| match toss {
        Some(toss) => event(block(), &[0.0; 3], json!({ "toss": toss })),
        None => event(block(), &[0.0; 3], json!({})),
    };
    let text = file(&[Some(7), None, Some(2), Some(7), None].map(of));
    let events = Document::new("events.json", text, Format::Json).unwrap().events().unwrap();
    assert_eq!(tosses(&events), [0, 1, 2, 0, 3]);
}

#[test]
fn quantiles_lie_between() {
    assert_eq!(quantile(&[3.0], 0.9), 3.0);
    assert_eq!(quantile(&[1.0, 2.0], 0.5), 1.5);
    assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 0.9), 9.0);
    assert_eq!(quantile(&[1.0, f64::INFINITY, f64::INFINITY], 0.9), f64::INFINITY);
}
