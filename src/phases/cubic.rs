//! First zeros of cubics and quadratics on [0, 1].

use carom_core::Real;

/// A cubic, by its values and slopes at 0 and 1 (value, slope, value, slope).
#[derive(Clone, Copy, Debug)]
pub struct Cubic<R>(pub [R; 4]);

impl<R: Real> Cubic<R> {
    /// The value and the slope at `x`.
    pub fn at(&self, x: R) -> (R, R) {
        let [u0, s0, u1, s1] = self.0;
        let [two, three, four, six] = [2.0, 3.0, 4.0, 6.0].map(R::from_f64);
        let (x2, one) = (x * x, R::ONE);
        let x3 = x2 * x;
        let value = u0 * (two * x3 - three * x2 + one)
            + s0 * (x3 - two * x2 + x)
            + u1 * (three * x2 - two * x3)
            + s1 * (x3 - x2);
        let slope = u0 * (six * x2 - six * x)
            + s0 * (three * x2 - four * x + one)
            + u1 * (six * x - six * x2)
            + s1 * (three * x2 - two * x);
        (value, slope)
    }

    /// A zero of a cubic whose end values differ in sign; Newton's method with bisection.
    pub fn zero(&self) -> R {
        let [u0, _, u1, _] = self.0;
        let (mut low, mut high) = (R::ZERO, R::ONE);
        let mut x = u0 / (u0 - u1);
        for _ in 0..40 {
            let (v, s) = self.at(x);
            if v.abs() < R::from_f64(1e-16) {
                break;
            }
            if v > R::ZERO {
                low = x;
            } else {
                high = x;
            }
            let mut next = if s != R::ZERO { x - v / s } else { low };
            if !(next > low && next < high) {
                next = R::from_f64(0.5) * (low + high);
            }
            if (next - x).abs() < R::from_f64(1e-15) {
                return next;
            }
            x = next;
        }
        x
    }

    /// The first positive zero of a cubic that starts at 0 and rises; 1e-9 where there is none.
    pub fn falls_back(&self) -> R {
        let [_, s0, u1, s1] = self.0;
        let (two, three) = (R::from_f64(2.0), R::from_f64(3.0));
        first([s0 - two * u1 + s1, three * u1 - two * s0 - s1, s0]).unwrap_or(R::from_f64(1e-9))
    }
}

/// The first zero in [0, 1] of a quadratic, by its end values and its mean.
pub fn quadratic<R: Real>(s0: R, mean: R, s1: R) -> R {
    let [two, three, four, six] = [2.0, 3.0, 4.0, 6.0].map(R::from_f64);
    let line = Real::clamp(s0 / (s0 - s1), R::ZERO, R::ONE);
    if s0 <= R::ZERO {
        return R::ZERO;
    }
    first([three * (s0 + s1) - six * mean, six * mean - four * s0 - two * s1, s0]).unwrap_or(line)
}

/// The first zero in (0, 1] of `a x^2 + b x + c`.
fn first<R: Real>([a, b, c]: [R; 3]) -> Option<R> {
    let half = R::from_f64(0.5);
    let rest = b * b - R::from_f64(4.0) * a * c;
    if rest < R::ZERO {
        return None;
    }
    let root = if b > R::ZERO { rest.sqrt() } else { R::ZERO - rest.sqrt() };
    let q = R::ZERO - half * (b + root);
    let mut best = None;
    for x in [q / a, c / q] {
        if x > R::ZERO && x <= R::ONE && best.is_none_or(|best| x < best) {
            best = Some(x);
        }
    }
    best
}
