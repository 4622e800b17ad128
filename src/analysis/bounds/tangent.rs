//! A cost bounded by a linear function over a box.

use super::cost::Cost;
use super::rounding::Sum;
use carom_core::expression::{Interval, Slope};

/// A bound of a cost `f` over a box of velocities, `f(v) <= at + slope.(v - middle)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangent {
    /// The middle of the box (n).
    pub middle: Vec<f64>,
    /// How far the box reaches from its middle (n), rounded up.
    pub radius: Vec<f64>,
    /// The constant part, rounded up.
    pub at: f64,
    /// The slopes (n).
    pub slope: Vec<f64>,
}

impl Tangent {
    /// The bound over a box (n); `None` where intervals find no finite slopes.
    ///
    /// One coordinate after the other goes from the middle `m` to `v`, where its slopes are between
    /// two numbers: `f(v) <= f(m) + sum_i (s_i (v_i - m_i) + e_i r_i)` with `s_i` between them,
    /// `e_i` their distance from it, and `r_i` the radius.
    pub fn new(cost: &Cost, ranges: &[Interval]) -> Option<Self> {
        let middle: Vec<f64> = ranges.iter().map(|range| range.middle()).collect();
        let reach = |(range, middle): (&Interval, &f64)| {
            (range.high - middle).max(middle - range.low).next_up()
        };
        let radius: Vec<f64> = ranges.iter().zip(&middle).map(reach).collect();
        let mut place: Vec<Slope> =
            middle.iter().map(|x| Slope::constant(Interval::point(*x))).collect();
        let mut slope = vec![0.0; ranges.len()];
        let mut at = Sum::default().and(cost.slope(&place)?.value.high);
        for &i in cost.names() {
            place[i] = Slope::variable(ranges[i]);
            let slopes = cost.slope(&place)?.slope;
            slope[i] = slopes.middle();
            at.add((slopes.high - slope[i]).max(slope[i] - slopes.low).next_up() * radius[i]);
            place[i] = Slope::constant(ranges[i]);
        }
        Some(Tangent { middle, radius, at: at.most(), slope }).filter(|t| t.at.is_finite())
    }
}
