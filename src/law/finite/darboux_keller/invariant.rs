use std::f64::consts::{FRAC_PI_2, PI};

use super::{StruckContact, turn};

/// An invariant direction `s` of slip: `-mu B s + d = rate s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvariantDirection {
    /// The direction's angle from the first tangent row towards the second, in [0, 2 pi).
    pub angle: f64,
    /// The unit vector `s`.
    pub direction: [f64; 2],
    /// The rate `lambda` in 1/kg: positive for a centrifugal direction, otherwise the direction is
    /// centripetal.
    pub rate: f64,
    /// The derivative `G'` of the turning rate `G` by the angle ([`StruckContact::rates`]), in
    /// 1/kg: slip nearby turns towards a stable direction, `G' < 0`.
    pub slope: f64,
}

impl InvariantDirection {
    /// Whether slip grows in this direction.
    pub fn centrifugal(&self) -> bool {
        self.rate > 0.0
    }

    /// The name in reports and `--json`.
    pub fn kind(&self) -> &'static str {
        if self.centrifugal() { "centrifugal" } else { "centripetal" }
    }

    /// Whether slip nearby turns towards this direction.
    pub fn stable(&self) -> bool {
        self.slope < 0.0
    }
}

/// Every invariant direction of a contact, by angle; `None`: every direction is invariant.
///
/// Invariant directions are the zeros of the turning rate, in the principal frame
/// `G = k cos sin + d2 cos - d1 sin` of the angle with `k = mu (b1 - b2)`. With the axes directed
/// along `d`, `G / (cos sin)` is monotone in the first and third quadrants, with one zero in each.
/// In the second it has one sign. In the fourth it is convex, with the minimum
/// `(|d1|^2/3 + |d2|^2/3)^3/2 - k` at `tan^3 = d2/d1`. This minimum is zero on an astroid of
/// `(d1, d2)`: inside the astroid there are two more zeros, on it one, outside none. Source:
/// \[JW16\] (33), Theorem 5. Deviation: the quartic's roots are bracketed by quadrant, so their
/// number is exact. Accuracy: rounding; near the astroid, where two directions meet, the square
/// root of rounding.
pub fn invariant_directions(contact: &StruckContact<f64>) -> Option<Vec<InvariantDirection>> {
    let k = contact.mu * (contact.b[0] - contact.b[1]);
    let [d1, d2] = contact.d.map(f64::abs);
    if k == 0.0 && d1 == 0.0 && d2 == 0.0 {
        return None;
    }
    let signs = contact.d.map(|d| if d < 0.0 { -1.0 } else { 1.0 });
    let turning = |t: f64| k * t.sin() * t.cos() + d2 * t.cos() - d1 * t.sin();
    // The sign of G / (cos sin) at the ends of a quadrant, where G itself may vanish.
    let sign = |d: f64, pole: f64, other: f64| if d > 0.0 { pole } else { other };
    let first =
        bracketed([0.0, FRAC_PI_2], [sign(d2, 1.0, k - d1), sign(d1, -1.0, k + d2)], turning);
    let ends = [sign(d2, 1.0, -k - d1), sign(d1, -1.0, d2 - k)];
    let third = bracketed([0.0, FRAC_PI_2], ends, |t| -turning(t + PI));
    let mut angles = vec![first, PI + third];
    let (x, y) = (d1.cbrt(), d2.cbrt());
    if (x * x + y * y).powf(1.5) <= k {
        // The fourth quadrant, counted backwards from the axis of d1.
        let least = if x == 0.0 && y == 0.0 { PI / 4.0 } else { y.atan2(x) };
        let backwards = |t: f64| turning(-t);
        angles.push(-bracketed([0.0, least], [sign(d2, 1.0, -1.0), -1.0], backwards));
        angles.push(-bracketed([least, FRAC_PI_2], [1.0, sign(d1, -1.0, 1.0)], |t| -backwards(t)));
    }
    let mut found: Vec<InvariantDirection> =
        angles.iter().map(|&t| invariant(contact, signs, t)).collect();
    found.sort_by(|a, b| a.angle.total_cmp(&b.angle));
    found.dedup_by(|a, b| a.direction == b.direction);
    Some(found)
}

fn invariant(contact: &StruckContact<f64>, signs: [f64; 2], angle: f64) -> InvariantDirection {
    let s = [signs[0] * angle.cos(), signs[1] * angle.sin()];
    let [rate, _, slope] = contact.rates(s);
    let direction = turn(contact.axis, s);
    let unit = contact.sigma * contact.inverse_mass;
    let angle = direction[1].atan2(direction[0]).rem_euclid(2.0 * PI);
    InvariantDirection { angle, direction, rate: rate * unit, slope: slope * unit }
}

/// The zero of a function that is positive before it and negative after it, by the Illinois regula
/// falsi and bisection to the last bit. If `signs`, the signs of the function at the ends, place
/// the zero outside the interval, the nearest end.
fn bracketed([mut low, mut high]: [f64; 2], signs: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
    if signs[1] >= 0.0 {
        return high;
    }
    if signs[0] <= 0.0 {
        return low;
    }
    let (mut at_low, mut at_high) = (f(low), f(high));
    for round in 0..200 {
        let secant = low + (high - low) * (at_low / (at_low - at_high));
        let middle = 0.5 * (low + high);
        let next = if round % 3 == 2 || !(secant > low && secant < high) { middle } else { secant };
        if next <= low || next >= high {
            break;
        }
        let value = f(next);
        if value > 0.0 {
            (low, at_low, at_high) = (next, value, 0.5 * at_high);
        } else if value < 0.0 {
            (high, at_high, at_low) = (next, value, 0.5 * at_low);
        } else {
            return next;
        }
    }
    if f(low).abs() <= f(high).abs() { low } else { high }
}
