use std::cmp::Reverse;

use crate::routh::steps::Steps;
use carom_core::lcp::ModeMap;
use carom_core::lcp::table::key_weight;
use carom_core::{ModeTable, Real, Stream};

/// Number of samples for the order of the region conditions; limit of their steps, per sample.
const ORDERING: u64 = 128;
const ENOUGH: u64 = 8;

/// The explicit solution of a step problem, in the form of the vector kernel.
#[derive(Clone, Debug)]
pub struct Map<R> {
    /// The critical regions with their affine maps.
    pub table: ModeTable<R>,
    /// The key of each region's solution, linear in `x = (u, c)` (3m each), see [`Solutions`].
    ///
    /// [`Solutions`]: carom_core::lcp::table::Solutions
    pub keys: Vec<R>,
    /// Largest difference of the keys of equal solutions, which differ by rounding only.
    pub same: R,
    /// Smallest difference of the keys of distinct solutions.
    pub close: R,
}

impl<R: Real> Map<R> {
    /// The explicit solution of the steps of `reference`, where one exists.
    pub fn new(reference: &Steps<f64>) -> Option<Map<R>> {
        let step = &reference.space.step;
        let k = 2 * step.contacts;
        let regions = ordered(reference, reference.maps.as_ref()?.to_vec());
        let weights: Vec<f64> = (0..k).map(|i| key_weight::<f64>(i) * step.sigma[i]).collect();
        // The key is the sum of weight_i u+_i, with u+ = u + W L.
        let key = |map: &ModeMap, j: usize| -> R {
            let of_impulse = |i: usize| (0..k).map(|r| weights[r] * step.w[r * k + i]).sum::<f64>();
            let direct = if j < k { weights[j] } else { 0.0 };
            R::from_f64(direct + (0..k).map(|i| of_impulse(i) * map.impulse[(i, j)]).sum::<f64>())
        };
        let total: f64 = (0..k).map(key_weight::<f64>).sum();
        let caps: Vec<f64> = reference.rates.largest_caps().collect();
        Some(Map {
            table: ModeTable::new(&regions, &caps),
            keys: (regions.iter())
                .flat_map(|map| (0..k + k / 2).map(move |j| key(map, j)))
                .collect(),
            same: R::from_f64(R::AMBIGUOUS.to_f64().min(1e4 * R::EPSILON) * total),
            close: R::from_f64(R::DISTINCT * total),
        })
    }
}

/// The regions, with conditions sorted by the number of steps they exclude, in samples with a
/// separate seed.
fn ordered(steps: &Steps<f64>, mut regions: Vec<ModeMap>) -> Vec<ModeMap> {
    let mut points: Vec<Vec<f64>> = Vec::new();
    let mut work = steps.workspace();
    for i in 0..ORDERING {
        if points.len() as u64 > ENOUGH * ORDERING {
            break;
        }
        let stream = Stream::new(u64::MAX, i);
        steps.sample_observed(&stream, &mut work, |_, x, _| points.push(x.to_vec()));
    }
    for region in &mut regions {
        let mut left: Vec<(Vec<f64>, Vec<bool>)> = Vec::new();
        for row in region.conditions.row_iter() {
            let row: Vec<f64> = row.iter().copied().collect();
            let value = |x: &Vec<f64>| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            let fails = points.iter().map(|x| value(x) < 0.0).collect();
            left.push((row, fails));
        }
        let mut alive = vec![true; points.len()];
        for place in 0..left.len() {
            let ruled_out = |fails: &[bool]| {
                fails.iter().zip(&alive).filter(|(fails, alive)| **fails && **alive).count()
            };
            let best = (place..left.len())
                .max_by_key(|&r| (ruled_out(&left[r].1), Reverse(r)))
                .unwrap_or(place);
            left.swap(place, best);
            for (alive, fails) in alive.iter_mut().zip(&left[place].1) {
                *alive &= !fails;
            }
            for (j, x) in left[place].0.iter().enumerate() {
                region.conditions[(place, j)] = *x;
            }
        }
    }
    regions
}
