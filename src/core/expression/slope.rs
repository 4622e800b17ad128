//! Bounds on the slopes of expressions in one variable.
//!
//! Source: R. E. Moore, R. B. Kearfott, M. J. Cloud: Introduction to Interval Analysis. SIAM 2009.

use super::interval::Interval;
use super::operation::{Operation, Value};

/// Ranges of the values, and of slopes `s` with `f(x) - f(y) = s (x - y)` for any values `x` and
/// `y` of the variable, with all other names constant anywhere in their ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The range of values.
    pub value: Interval,
    /// The range of slopes.
    pub slope: Interval,
}

impl Slope {
    /// The variable, in a range.
    pub fn variable(range: Interval) -> Self {
        Slope { value: range, slope: Interval::point(1.0) }
    }

    /// A different name, in a range.
    pub fn constant(range: Interval) -> Self {
        Slope { value: range, slope: Interval::point(0.0) }
    }

    fn is_constant(self) -> bool {
        self.slope == Interval::point(0.0)
    }
}

/// The slope of an operation with result `value`; at least one operand varies.
fn slope(operation: Operation, a: Slope, b: Slope, value: Interval) -> Result<Interval, String> {
    use Operation::*;
    let of = Interval::apply;
    let one = Interval::point(1.0);
    let times = |x: Interval, y: Interval| of(Product, x, y);
    let negative = |x: Interval| of(Negate, x, x);
    let square = |x: Interval| of(Power, x, Interval::point(2.0));
    let [x, dx, y, dy] = [a.value, a.slope, b.value, b.slope];
    // 1 / sqrt(1 - x^2)
    let steep = || match x.low > -1.0 && x.high < 1.0 {
        true => {
            let rest = of(Difference, one, square(x)?)?;
            of(Quotient, one, of(Sqrt, rest, rest)?)
        }
        false => Ok(Interval::ALL),
    };
    Ok(match operation {
        Negate => negative(dx)?,
        Sum | Difference => of(operation, dx, dy)?,
        Product => of(Sum, times(x, dy)?, times(y, dx)?)?,
        Quotient => of(Difference, of(Quotient, dx, y)?, times(of(Quotient, value, y)?, dy)?)?,
        Power if b.is_constant() && y.low == y.high => {
            let (p, less) = (y, of(Difference, y, one)?);
            let smooth = x.low > 0.0 || p.low >= 1.0 && p.low.fract() == 0.0;
            let slope = if smooth { times(p, of(Power, x, less)?)? } else { Interval::ALL };
            times(slope, dx)?
        }
        Sqrt if x.low > 0.0 => times(of(Quotient, Interval::point(0.5), value)?, dx)?,
        Abs if x.low >= 0.0 => dx,
        Abs if x.high <= 0.0 => negative(dx)?,
        Abs => times(Interval { low: -1.0, high: 1.0 }, dx)?,
        Sin => times(of(Cos, x, x)?, dx)?,
        Cos => times(negative(of(Sin, x, x)?)?, dx)?,
        Tan => times(of(Sum, one, square(value)?)?, dx)?,
        Asin => times(steep()?, dx)?,
        Acos => times(negative(steep()?)?, dx)?,
        Atan => times(of(Quotient, one, of(Sum, one, square(x)?)?)?, dx)?,
        // Away from the jump at angles of pi.
        Atan2 if x.low > 0.0 || x.high < 0.0 || y.low > 0.0 => {
            let turn = of(Difference, times(y, dx)?, times(x, dy)?)?;
            of(Quotient, turn, of(Sum, square(x)?, square(y)?)?)?
        }
        Min if x.high <= y.low => dx,
        Min if y.high <= x.low => dy,
        Max if x.low >= y.high => dx,
        Max if y.low >= x.high => dy,
        Min | Max => Interval { low: dx.low.min(dy.low), high: dx.high.max(dy.high) },
        Power | Sqrt | Atan2 => Interval::ALL,
    })
}

impl Value for Slope {
    fn number(x: f64) -> Self {
        Slope::constant(Interval::point(x))
    }

    fn apply(operation: Operation, a: Self, b: Self) -> Result<Self, String> {
        let value = Interval::apply(operation, a.value, b.value)?;
        if a.is_constant() && b.is_constant() {
            return Ok(Slope::constant(value));
        }
        Ok(Slope { value, slope: slope(operation, a, b, value)? })
    }
}
