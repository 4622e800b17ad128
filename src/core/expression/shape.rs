//! Convexity of expressions, by rules of composition.
//!
//! Source: M. Grant, S. Boyd, Y. Ye: Disciplined convex programming. In: Global Optimization.
//! Springer 2006, 155-210. Deviation: increasing functions of convex expressions count as
//! quasiconvex.

use super::interval::Interval;
use super::operation::{Operation, Value};

/// The curvature of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bend {
    /// A constant number.
    Constant(f64),
    /// Affine.
    Affine,
    /// Convex: between two points below the chord.
    Convex,
    /// Concave: between two points above the chord.
    Concave,
    /// Quasiconvex: between two points below the larger value.
    Quasiconvex,
    /// Not determined by the rules.
    Unknown,
}

/// The curvature of an expression, and the range of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpressionShape {
    /// The curvature of the expression.
    pub bend: Bend,
    /// The range of its values.
    pub range: Interval,
}

use Bend::*;

impl ExpressionShape {
    /// The shape of a name with values in a range.
    pub fn name(range: Interval) -> Self {
        ExpressionShape { bend: Affine, range }
    }

    /// Whether the maximum over every polytope occurs at a vertex.
    pub fn peaks_at_vertices(self) -> bool {
        !matches!(self.bend, Concave | Unknown)
    }
}

impl Bend {
    fn negative(self) -> Self {
        match self {
            Constant(x) => Constant(-x),
            Affine => Affine,
            Convex => Concave,
            Concave => Convex,
            Quasiconvex | Unknown => Unknown,
        }
    }

    fn is_convex(self) -> bool {
        matches!(self, Constant(_) | Affine | Convex)
    }

    fn is_concave(self) -> bool {
        self.negative().is_convex()
    }

    fn sum(self, other: Self) -> Self {
        match (self, other) {
            (Constant(_), bend) | (bend, Constant(_)) => bend,
            (Affine, Affine) => Affine,
            (a, b) if a.is_convex() && b.is_convex() => Convex,
            (a, b) if a.is_concave() && b.is_concave() => Concave,
            _ => Unknown,
        }
    }

    /// The curvature of the product with a number.
    fn times(self, factor: f64) -> Self {
        match (self, factor) {
            (_, 0.0) => Constant(0.0),
            (bend, factor) if factor > 0.0 => bend,
            (bend, _) => bend.negative(),
        }
    }

    /// The curvature of an increasing convex function.
    fn grown_convex(self) -> Self {
        if self.is_convex() { Convex } else { self.grown() }
    }

    /// The curvature of an increasing function.
    fn grown(self) -> Self {
        if self.is_convex() || self == Quasiconvex { Quasiconvex } else { Unknown }
    }

    /// The curvature of an increasing concave function.
    fn grown_concave(self) -> Self {
        if self.is_concave() { Concave } else { self.grown() }
    }

    /// The curvature of the maximum.
    fn larger(self, other: Self) -> Self {
        let quasi = |bend: Self| bend.is_convex() || bend == Quasiconvex;
        match (self, other) {
            (a, b) if a.is_convex() && b.is_convex() => Convex,
            (a, b) if quasi(a) && quasi(b) => Quasiconvex,
            _ => Unknown,
        }
    }
}

impl Value for ExpressionShape {
    fn number(x: f64) -> Self {
        ExpressionShape { bend: Constant(x), range: Interval::point(x) }
    }

    fn apply(operation: Operation, a: Self, b: Self) -> Result<Self, String> {
        use Operation::*;
        if let (Constant(x), Constant(y)) = (a.bend, b.bend) {
            return f64::apply(operation, x, y).map(ExpressionShape::number);
        }
        let [positive, negative] = [a.range.low >= 0.0, a.range.high <= 0.0];
        // An even function, increasing in the size of `a`.
        let of_size = |grown: fn(Bend) -> Bend| match a.bend {
            Constant(_) | Affine => grown(Convex),
            bend if positive => grown(bend),
            bend if negative => grown(bend.negative()),
            _ => Unknown,
        };
        let bend = match (operation, a.bend, b.bend) {
            (Negate, bend, _) => bend.negative(),
            (Sum, a, b) => a.sum(b),
            (Difference, a, b) => a.sum(b.negative()),
            (Product, Constant(x), bend) | (Product, bend, Constant(x)) => bend.times(x),
            (Quotient, bend, Constant(x)) if x != 0.0 => bend.times(1.0 / x),
            (Power, _, Constant(0.0)) => Constant(1.0),
            (Power, bend, Constant(1.0)) => bend,
            (Power, _, Constant(p)) if p > 1.0 && p % 2.0 == 0.0 => of_size(Bend::grown_convex),
            (Power, bend, Constant(p)) if p > 1.0 && positive => bend.grown_convex(),
            (Power, bend, Constant(p)) if (0.0..1.0).contains(&p) && positive => {
                bend.grown_concave()
            }
            (Power, bend, Constant(p)) if p < 0.0 && a.range.low > 0.0 && bend.is_concave() => {
                Convex
            }
            (Power, bend, Constant(p)) if p > 0.0 && p.fract() == 0.0 => bend.grown(),
            (Sqrt, bend, _) if positive => bend.grown_concave(),
            (Abs, ..) => of_size(|bend| bend),
            (Atan, bend, _) => bend.grown(),
            (Max, a, b) => a.larger(b),
            (Min, a, b) if a.is_concave() && b.is_concave() => Concave,
            _ => Unknown,
        };
        Ok(ExpressionShape { bend, range: Interval::apply(operation, a.range, b.range)? })
    }
}
