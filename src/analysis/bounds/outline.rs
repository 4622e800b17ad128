//! Outer approximation of the outcomes by proved half-spaces; maximum of a cost over it by branch
//! and bound.
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

/// Number of proofs beyond the coordinate bounds, for slow and for quick kinds of bounds.
const PROOFS: [usize; 2] = [8, 32];
/// Maximum number of box splits in all, and before the next proof.
const SPLITS: usize = 20_000;
const SPLITS_OF_PROOF: usize = 256;
/// Relative gap between the bound and a value in the outline at which the search ends.
const PRECISION: f64 = 1e-5;
/// Weight with which directions are turned towards a coordinate.
const TURN: f64 = 0.5;
/// Minimum depth, relative to the energy bound, by which a new half-space cuts off its point.
const DEEP: f64 = 1e-4;

/// Half-space `c.v <= most` proved to contain all outcomes.
#[derive(Clone, Debug)]
struct Cut {
    /// `c` (n), scaled to an energy bound of `|c|_{M^-1} |v-|_M = 1`.
    direction: Vec<f64>,
    most: f64,
}

/// Outer approximation of the velocities after an impact.
pub struct Outline<'a> {
    problem: &'a ContactProblem,
    kind: BoundKind,
    limits: &'a Limits,
    names: &'a [usize],
    /// Range of each coordinate (n); 0 for coordinates outside `names`.
    pub ranges: Vec<Interval>,
    cuts: Vec<Cut>,
    proofs: usize,
    /// Whether all half-spaces are proved.
    pub certified: bool,
}

impl<'a> Outline<'a> {
    /// Bounding box from proofs of a kind for some coordinates.
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

    /// Upper bound on the cost over the outline, at most `known`; and whether it rests on ranges of
    /// single coordinates alone, or on a truncated search.
    ///
    /// Boxes that may hold the maximum are split. Half-spaces shrink each box. On a box the cost is
    /// bounded by intervals, and by its [`Tangent`], whose maximum within the half-spaces is
    /// bounded by Lagrange multipliers. If the search stalls, a new half-space cuts off the
    /// midpoint of the highest box.
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

    /// Bisects a box across its longest side, and shrinks the halves by the half-spaces.
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

    /// Box shrunk by the half-spaces, with an upper bound on the cost; `None` if it is empty.
    fn judged(&self, cost: &Cost, mut place: Vec<Interval>) -> Option<Part<Vec<Interval>>> {
        self.cuts.iter().try_for_each(|cut| self.shrink(&mut place, cut))?;
        let tangent = Tangent::new(cost, &place);
        let first = tangent.as_ref().map_or(f64::INFINITY, |tangent| self.highest(tangent));
        let most = cost.range(&place).high.min(first);
        let value = tangent.filter(|tangent| self.holds(&tangent.middle));
        let value = value.and_then(|tangent| cost.of(&tangent.middle).ok());
        Some(Part { place, most, value: value.unwrap_or(f64::NEG_INFINITY) })
    }

    /// Whether a velocity (n) lies in the half-spaces, up to `PRECISION`.
    fn holds(&self, v: &[f64]) -> bool {
        self.cuts.iter().all(|cut| dot(&cut.direction, v) <= cut.most + PRECISION)
    }

    /// Shrinks a box (n) to the part within a half-space; `None` if it is empty.
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

    /// Upper bound on a tangent over its box within the half-spaces, rounded up: for all
    /// multipliers `l >= 0` of the half-spaces and `m` the midpoint
    ///
    /// ```text
    /// s.(v - m) <= sum_j l_j (most_j - c_j.m) + sum_i |s_i - sum_j l_j c_ji| radius_i
    /// ```
    ///
    /// A greedy search adds multipliers one by one, each chosen to minimise the bound.
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

    /// Seeks a half-space that cuts off the midpoint of the highest box. Directions are the
    /// gradient of the cost, sums of the normals of the nearest half-spaces, and the gradient
    /// turned towards each coordinate. All proved half-spaces are kept. `false`: none cuts it off.
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

    /// Direction divided by its energy bound; `None` if the energy bound is not positive and
    /// finite.
    fn scaled(&self, c: Vec<f64>) -> Option<Vec<f64>> {
        let size = energy(self.problem, &c);
        let scaled = c.into_iter().map(|c| c / size).collect();
        (size.is_finite() && size > f64::MIN_POSITIVE).then_some(scaled)
    }

    /// Normal of the half-space with the nearest boundary, sum of the nearest two normals, and
    /// further sums up to the number of coordinates.
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

/// `c.v` without a bound on its rounding.
fn dot(c: &[f64], v: &[f64]) -> f64 {
    c.iter().zip(v).map(|(c, v)| c * v).sum()
}
