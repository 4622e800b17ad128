//! What proofs leave of the velocities after an impact, and the largest cost there.
//!
//! Source: of the search, R. E. Moore, R. B. Kearfott, M. J. Cloud: Introduction to Interval
//! Analysis. SIAM 2009; of the half-spaces, J. E. Kelley: The cutting-plane method for solving
//! convex programs. J. SIAM 8 (1960), 703-712.

use super::branch::{Part, Parts};
use super::cost::{Cost, Tangent, unit};
use super::rounding::{Sum, up};
use super::{BoundKind, Limits, energy, is_cheap};
use carom_core::error::Result;
use carom_core::expression::Interval;
use carom_core::problem::ContactProblem;

/// Proofs besides those of coordinates, where each takes up to a second, or milliseconds.
const PROOFS: [usize; 2] = [8, 32];
/// Number of boxes that are split, and of those before the next proof.
const SPLITS: usize = 20_000;
const SPLITS_OF_PROOF: usize = 256;
/// The search ends where the bound is as near to a value in the outline, over the largest value.
const PRECISION: f64 = 1e-5;
/// How far directions are turned towards a coordinate.
const TURN: f64 = 0.5;
/// By how much of what energy allows a half-space is to cut off the place that asked for it.
const DEEP: f64 = 1e-4;

/// A half-space `c.v <= most` that is proved to hold all outcomes.
#[derive(Clone, Debug)]
struct Cut {
    /// `c` (n), of which energy allows `|c|_{M^-1} |v-|_M = 1`.
    direction: Vec<f64>,
    most: f64,
}

/// Half-spaces that hold all velocities after an impact.
pub struct Outline<'a> {
    problem: &'a ContactProblem,
    kind: BoundKind,
    limits: &'a Limits,
    names: &'a [usize],
    /// Between which numbers each coordinate (n) lies; those without a name are 0.
    pub ranges: Vec<Interval>,
    cuts: Vec<Cut>,
    proofs: usize,
    /// Whether all of it is proved.
    pub certified: bool,
}

impl<'a> Outline<'a> {
    /// The box of the bounds of some coordinates, by proofs of a kind.
    pub fn new(
        problem: &'a ContactProblem,
        names: &'a [usize],
        kind: BoundKind,
        limits: &'a Limits,
    ) -> Result<Self> {
        let n = problem.coordinate_count();
        let proofs = PROOFS[usize::from(is_cheap(kind, problem))];
        let (ranges, cuts) = (vec![Interval::point(0.0); n], Vec::new());
        let mut outline =
            Outline { problem, kind, limits, names, ranges, cuts, proofs, certified: true };
        for &i in names {
            let mut most = |sign: f64| -> Result<f64> {
                let c = unit(n, i, sign);
                let bound = super::bound_until(problem, &c, kind, limits)?;
                outline.certified &= bound.certified;
                let scale = 1.0 / energy(problem, &c);
                if scale > 0.0 && scale.is_finite() && bound.value.is_finite() {
                    let most = up(bound.value * scale);
                    outline.cuts.push(Cut { direction: unit(n, i, sign * scale), most });
                }
                Ok(bound.value)
            };
            let (high, low) = (most(1.0)?, most(-1.0)?);
            outline.ranges[i] = Interval { low: -low, high };
        }
        Ok(outline)
    }

    /// A number that the cost does not exceed in the outline, below a `known` one, and whether
    /// it follows from ranges of single coordinates, or from a search that was cut short.
    ///
    /// The box is split where its parts may hold the largest value. Each part shrinks to what the
    /// half-spaces leave of it; the cost is bounded there by intervals, and by its [`Tangent`],
    /// whose largest value within the half-spaces weights of these bound. Where the largest value
    /// is sought in vain, a new half-space cuts the place off.
    pub fn most(&mut self, cost: &Cost, known: f64) -> Result<(f64, bool)> {
        let width = |i: usize| self.ranges[i].high - self.ranges[i].low;
        if !self.names.iter().all(|&i| width(i).is_finite()) {
            return Ok((known, true));
        }
        let (sides, mut most) = (self.cuts.len(), known);
        loop {
            let last = self.proofs == 0;
            let mut parts = Parts::new(self.judged(cost, self.ranges.clone()));
            let times = if last { SPLITS } else { SPLITS_OF_PROOF };
            parts.refine(times, PRECISION, |place| self.split(cost, place));
            most = most.min(parts.most());
            if last {
                let by_ranges = self.cuts.len() == sides && self.names.len() > 1;
                return Ok((most, by_ranges || !parts.is_close(PRECISION)));
            }
            if !self.cut(cost, &parts)? {
                self.proofs = 0;
            }
        }
    }

    /// What is left of the halves of a box across its longest side.
    fn split(&self, cost: &Cost, place: Vec<Interval>) -> Vec<Part<Vec<Interval>>> {
        let width = |i: usize| {
            let all = self.ranges[i].high - self.ranges[i].low;
            (place[i].high - place[i].low) / all.max(f64::MIN_POSITIVE)
        };
        let widest = self.names.iter().max_by(|a, b| width(**a).total_cmp(&width(**b)));
        let Some(&i) = widest else { return self.judged(cost, place).into_iter().collect() };
        let (Interval { low, high }, middle) = (place[i], place[i].middle());
        let half = |range: Interval| {
            let mut place = place.clone();
            place[i] = range;
            self.judged(cost, place)
        };
        let halves = [Interval { low, high: middle }, Interval { low: middle, high }];
        halves.into_iter().filter_map(half).collect()
    }

    /// What the half-spaces leave of a box, if anything, with a bound of the cost there.
    fn judged(&self, cost: &Cost, mut place: Vec<Interval>) -> Option<Part<Vec<Interval>>> {
        self.cuts.iter().try_for_each(|cut| self.shrink(&mut place, cut))?;
        let tangent = Tangent::new(cost, &place);
        let first = tangent.as_ref().map_or(f64::INFINITY, |tangent| self.highest(tangent));
        let most = cost.range(&place).high.min(first);
        let value = tangent.filter(|tangent| self.holds(&tangent.middle));
        let value = value.and_then(|tangent| cost.of(&tangent.middle).ok());
        Some(Part { place, most, value: value.unwrap_or(f64::NEG_INFINITY) })
    }

    /// Whether a velocity (n) lies in the half-spaces, nearly.
    fn holds(&self, v: &[f64]) -> bool {
        self.cuts.iter().all(|cut| dot(&cut.direction, v) <= cut.most + PRECISION)
    }

    /// Takes from a box (n) what lies outside of a half-space; `None` where all of it does.
    ///
    /// `c_i v_i <= most - sum of the least c_k v_k of the other coordinates k`.
    fn shrink(&self, ranges: &mut [Interval], cut: &Cut) -> Option<()> {
        let c = &cut.direction;
        for &i in self.names.iter().filter(|&&i| c[i] != 0.0) {
            let mut rest = Sum::default().and(cut.most);
            for &k in self.names.iter().filter(|&&k| k != i) {
                rest.add(-(c[k] * ranges[k].low).min(c[k] * ranges[k].high));
            }
            let range = &mut ranges[i];
            match c[i] > 0.0 {
                true => range.high = range.high.min(up(rest.most() / c[i])),
                false => range.low = range.low.max(-up(rest.most() / -c[i])),
            }
            if range.low > range.high {
                return None;
            }
        }
        Some(())
    }

    /// A number that a tangent does not exceed in its box and the half-spaces, rounded up: for all
    /// weights `l >= 0` of the half-spaces and `m` the middle
    ///
    /// ```text
    /// s.(v - m) <= sum_j l_j (most_j - c_j.m) + sum_i |s_i - sum_j l_j c_ji| radius_i
    /// ```
    ///
    /// One weight after the other is chosen that makes this smallest.
    fn highest(&self, tangent: &Tangent) -> f64 {
        let Tangent { middle, radius, at, slope } = tangent;
        let (mut rest, mut weights) = (slope.clone(), Vec::new());
        let spread = |rest: &[f64], c: &[f64], weight: f64| -> f64 {
            self.names.iter().map(|&i| (rest[i] - weight * c[i]).abs() * radius[i]).sum()
        };
        let room: Vec<f64> =
            self.cuts.iter().map(|cut| cut.most - dot(&cut.direction, middle)).collect();
        for _ in self.names {
            let mut best = (spread(&rest, &rest, 0.0) * (1.0 - 1e-9), None);
            for (at, (Cut { direction: c, .. }, room)) in self.cuts.iter().zip(&room).enumerate() {
                for &i in self.names {
                    let weight = rest[i] / c[i];
                    if weight > 0.0 && weight.is_finite() {
                        let value = weight * room + spread(&rest, c, weight);
                        if value < best.0 {
                            best = (value, Some((at, weight)));
                        }
                    }
                }
            }
            let Some((at, weight)) = best.1 else { break };
            let c = &self.cuts[at].direction;
            self.names.iter().for_each(|&i| rest[i] -= weight * c[i]);
            weights.push((&self.cuts[at], weight));
        }
        let mut sum = Sum::default().and(*at);
        for (cut, weight) in &weights {
            sum.add(weight * cut.most);
            self.names.iter().for_each(|&i| sum.add(-weight * cut.direction[i] * middle[i]));
        }
        for &i in self.names {
            let mut left = Sum::default().and(slope[i]);
            weights.iter().for_each(|(cut, weight)| left.add(-weight * cut.direction[i]));
            sum.add(left.most_absolute() * radius[i]);
        }
        sum.most()
    }

    /// Seeks a half-space that cuts off the middle of the part with the largest bound: along the
    /// slope of the cost, between the half-spaces that it is nearest to, and along the slope
    /// turned towards each coordinate. All that are proved are kept. `false`: none cuts it off.
    fn cut(&mut self, cost: &Cost, parts: &Parts<Vec<Interval>>) -> Result<bool> {
        let Some(place) = parts.highest() else { return Ok(false) };
        let point: Vec<f64> = place.iter().map(|range| range.middle()).collect();
        let at: Vec<Interval> = point.iter().map(|x| Interval::point(*x)).collect();
        let nearest = self.corners(&point);
        let slope = Tangent::new(cost, &at).and_then(|tangent| self.scaled(tangent.slope));
        let Some(along) = slope.or_else(|| nearest.first().cloned()) else { return Ok(false) };
        let sides = self.cuts.iter().take(2 * self.names.len());
        let turned = sides.map(|side| sum(&along, &side.direction, TURN));
        let seconds = nearest.into_iter().skip(1);
        let all: Vec<_> = std::iter::once(along.clone()).chain(seconds).chain(turned).collect();
        for c in all {
            let Some(direction) = self.scaled(c).filter(|_| self.proofs > 0) else { continue };
            self.proofs -= 1;
            let bound = super::bound_until(self.problem, &direction, self.kind, self.limits)?;
            if bound.certified {
                let beyond = dot(&direction, &point) - bound.value;
                self.cuts.push(Cut { direction, most: bound.value });
                if beyond > DEEP {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A direction over what energy allows along it; `None` where that is no number above 0.
    fn scaled(&self, c: Vec<f64>) -> Option<Vec<f64>> {
        let size = energy(self.problem, &c);
        let scaled = c.into_iter().map(|c| c / size).collect();
        (size.is_finite() && size > f64::MIN_POSITIVE).then_some(scaled)
    }

    /// The direction of the half-space whose boundary is nearest to a point, the sum of the nearest
    /// two, and so on to as many as there are coordinates.
    fn corners(&self, point: &[f64]) -> Vec<Vec<f64>> {
        let room = |cut: &Cut| cut.most - dot(&cut.direction, point);
        let mut nearest: Vec<&Cut> = self.cuts.iter().collect();
        nearest.sort_by(|a, b| room(a).total_cmp(&room(b)));
        let mut sums: Vec<Vec<f64>> = Vec::new();
        for cut in nearest.iter().take(self.names.len()) {
            let before = sums.last().cloned().unwrap_or(vec![0.0; point.len()]);
            sums.push(sum(&before, &cut.direction, 1.0));
        }
        sums
    }
}

fn sum(a: &[f64], b: &[f64], s: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + s * b).collect()
}

/// `c.v`, without a bound of its rounding.
fn dot(c: &[f64], v: &[f64]) -> f64 {
    c.iter().zip(v).map(|(c, v)| c * v).sum()
}
