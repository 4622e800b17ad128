//! Interval arithmetic with outward rounding, for rigorous ranges of expressions.
//!
//! Source: R. E. Moore, R. B. Kearfott, M. J. Cloud: Introduction to Interval Analysis. SIAM 2009.
//! Deviation: sine and cosine are bounded by their slope.

use super::operation::{Operation, Value};

/// All numbers from `low` to `high`, which may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// All numbers.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval of a single number.
    pub fn point(x: f64) -> Self {
        Interval { low: x, high: x }
    }

    /// The interval within `radius` of `x`.
    pub fn around(x: f64, radius: f64) -> Self {
        Interval { low: (x - radius).next_down(), high: (x + radius).next_up() }
    }

    /// The midpoint, up to rounding.
    pub fn middle(self) -> f64 {
        self.low / 2.0 + self.high / 2.0
    }

    /// The hull of correctly rounded numbers, widened by a rounding error; all numbers if one is
    /// NaN.
    fn of(values: &[f64]) -> Self {
        if values.iter().any(|x| x.is_nan()) {
            return Interval::ALL;
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval { low: least.next_down(), high: greatest.next_up() }
    }

    /// The range of an increasing function with library errors of a few units in the last place.
    fn grown(self, f: impl Fn(f64) -> f64) -> Self {
        Interval::of(&[f(self.low), f(self.high)]).spread()
    }

    /// The interval, widened for functions that are not correctly rounded.
    fn spread(self) -> Self {
        let room = |x: f64| x.abs() * 1e-15 + f64::MIN_POSITIVE;
        let Interval { low, high } = self;
        let low = if low.is_finite() { low - room(low) } else { low };
        let high = if high.is_finite() { high + room(high) } else { high };
        Interval { low, high }
    }

    fn contains(self, x: f64) -> bool {
        (self.low..=self.high).contains(&x)
    }

    fn within(self, low: f64, high: f64) -> Self {
        Interval { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    fn negative(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    fn absolute(self) -> Self {
        let high = self.low.abs().max(self.high.abs());
        let low = if self.contains(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Interval { low, high }
    }

    fn power(self, exponent: Interval) -> Self {
        let whole = exponent.low == exponent.high && exponent.low.fract() == 0.0;
        let corners = |a: Interval| {
            let [low, high] =
                [a.low, a.high].map(|x| [x.powf(exponent.low), x.powf(exponent.high)]);
            Interval::of(&[low[0], low[1], high[0], high[1]]).spread()
        };
        match exponent.low {
            n if whole && n >= 0.0 && n % 2.0 == 0.0 => {
                corners(self.absolute()).within(0.0, f64::INFINITY)
            }
            n if whole && n > 0.0 => corners(self),
            least if self.low > 0.0 || self.low == 0.0 && least >= 0.0 => corners(self),
            _ => Interval::ALL,
        }
    }
}

/// `a + b`, rounded outward unless exact.
fn sum(a: f64, b: f64, round: fn(f64) -> f64) -> f64 {
    let sum = a + b;
    if sum - a == b && sum - b == a { sum } else { round(sum) }
}

impl Value for Interval {
    fn number(x: f64) -> Self {
        Interval::point(x)
    }

    /// The range of the operation where it is defined; never an error.
    fn apply(operation: Operation, a: Self, b: Self) -> Result<Self, String> {
        use Operation::*;
        use std::f64::consts::{FRAC_PI_2, PI};
        // 0 times infinity: the factor may be arbitrarily large, but is finite.
        let times = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        let product = |b: Interval| {
            Interval::of(&[
                times(a.low, b.low),
                times(a.low, b.high),
                times(a.high, b.low),
                times(a.high, b.high),
            ])
        };
        // The absolute slope is at most 1.
        let wave = |f: fn(f64) -> f64| {
            let radius = (a.high - a.low).next_up();
            if radius < 4.0 {
                Interval::around(f(a.middle()), radius / 2.0).spread().within(-1.0, 1.0)
            } else {
                Interval { low: -1.0, high: 1.0 }
            }
        };
        Ok(match operation {
            Negate => a.negative(),
            Sum => Interval {
                low: sum(a.low, b.low, f64::next_down),
                high: sum(a.high, b.high, f64::next_up),
            },
            Difference => Interval {
                low: sum(a.low, -b.high, f64::next_down),
                high: sum(a.high, -b.low, f64::next_up),
            },
            Product if a.low >= 0.0 && b.low >= 0.0 => product(b).within(0.0, f64::INFINITY),
            Product => product(b),
            Quotient if b.contains(0.0) => Interval::ALL,
            Quotient => product(Interval::of(&[1.0 / b.low, 1.0 / b.high])),
            Power => a.power(b),
            Sqrt => a.within(0.0, f64::INFINITY).grown(f64::sqrt).within(0.0, f64::INFINITY),
            Abs => a.absolute(),
            Sin => wave(f64::sin),
            Cos => wave(f64::cos),
            Tan if a.high - a.low < FRAC_PI_2 && !wave(f64::cos).contains(0.0) => a.grown(f64::tan),
            Tan => Interval::ALL,
            Asin => a.within(-1.0, 1.0).grown(f64::asin),
            Acos => a.within(-1.0, 1.0).negative().grown(|x| (-x).acos()),
            Atan => a.grown(f64::atan),
            // On a box without the origin and the branch cut, the extremes lie at corners.
            Atan2 if a.low > 0.0 || a.high < 0.0 || b.low > 0.0 => {
                let corner = |y: f64| [y.atan2(b.low), y.atan2(b.high)];
                let [[p, q], [r, s]] = [corner(a.low), corner(a.high)];
                Interval::of(&[p, q, r, s]).spread()
            }
            Atan2 => Interval { low: -PI.next_up(), high: PI.next_up() },
            Min => Interval { low: a.low.min(b.low), high: a.high.min(b.high) },
            Max => Interval { low: a.low.max(b.low), high: a.high.max(b.high) },
        })
    }
}
