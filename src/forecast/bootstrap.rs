//! Means over events with bootstrap intervals over experiments.

use std::collections::BTreeMap;

use carom_core::event::Event;
use carom_core::rng::{Purpose, Stream, stream};

/// Mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Mean over events.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Number of resamples.
pub const RESAMPLES: usize = 1000;

/// Toss number of each event, from 0. Events of one toss share its errors; an event without a toss
/// is its own toss.
pub fn tosses(events: &[Event]) -> Vec<usize> {
    let mut numbers: BTreeMap<(bool, u64), usize> = BTreeMap::new();
    let key = |(i, event): (usize, &Event)| match event.toss {
        Some(toss) => (true, toss.to_bits()),
        None => (false, i as u64),
    };
    let numbered = |key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    };
    events.iter().enumerate().map(key).map(numbered).collect()
}

/// Mean of the values of events, with the 2.5th and 97.5th percentile of the bootstrap mean. A
/// resample draws tosses with replacement; all events of a toss count as often as it is drawn.
///
/// Resample k draws toss j by number j of stream k under `seed`: resamples of the same tosses are
/// equal for all values. A mean that is not finite has no interval. Source: \[ET93\] Sec. 13.3,
/// percentile intervals.
pub fn mean(values: &[f64], tosses: &[usize], seed: u64) -> Interval {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (value, toss) in values.iter().zip(tosses) {
        let (sum, count) = sums.entry(*toss).or_default();
        (*sum, *count) = (*sum + value, *count + 1.0);
    }
    let sums: Vec<(f64, f64)> = sums.into_values().collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    if !mean.is_finite() {
        return Interval { mean, low: f64::NAN, high: f64::NAN };
    }
    let mut means: Vec<f64> = (0..RESAMPLES as u64).map(|k| resampled(&sums, seed, k)).collect();
    means.sort_unstable_by(f64::total_cmp);
    Interval { mean, low: quantile(&means, 0.025), high: quantile(&means, 0.975) }
}

/// Mean difference `a - b` of two values of the same events.
pub fn difference(a: &[f64], b: &[f64], tosses: &[usize], seed: u64) -> Interval {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    mean(&differences, tosses, seed)
}

fn resampled(sums: &[(f64, f64)], seed: u64, k: u64) -> f64 {
    let (mut total, mut events) = (0.0, 0.0);
    for toss in drawn(sums.len(), seed, k) {
        let (sum, count) = sums[toss];
        (total, events) = (total + sum, events + count);
    }
    total / events
}

/// Tosses in resample k; their number equals the number of tosses.
pub fn drawn(tosses: usize, seed: u64, k: u64) -> impl Iterator<Item = usize> {
    let (draws, number) = (Stream::new(seed, k), tosses as u32);
    (0..number.div_ceil(4)).flat_map(move |block| {
        let left = (number - 4 * block).min(4) as usize;
        let words = draws.block(RESAMPLING, Purpose::User, block).into_iter().take(left);
        words.map(move |word| stream::index(word, number) as usize)
    })
}

/// Step in the address of resampling draws.
const RESAMPLING: u32 = 2;

/// Quantile `q` of sorted numbers, by linear interpolation.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    if low == high { low } else { low + (high - low) * place.fract() }
}
