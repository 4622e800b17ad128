/// An operation on one or two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `-a`
    Negate,
    /// `a + b`
    Sum,
    /// `a - b`
    Difference,
    /// `a * b`
    Product,
    /// `a / b`
    Quotient,
    /// `a ^ b`
    Power,
    /// The square root.
    Sqrt,
    /// The absolute value.
    Abs,
    /// The sine of an angle in rad.
    Sin,
    /// The cosine of an angle in rad.
    Cos,
    /// The tangent of an angle in rad.
    Tan,
    /// The arcsine, in rad.
    Asin,
    /// The arccosine, in rad.
    Acos,
    /// The arctangent, in rad.
    Atan,
    /// The angle of the point (b, a), in rad.
    Atan2,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Operation {
    /// The function with this name.
    pub fn named(name: &str) -> Option<Self> {
        use Operation::*;
        Some(match name {
            "sqrt" => Sqrt,
            "abs" => Abs,
            "sin" => Sin,
            "cos" => Cos,
            "tan" => Tan,
            "asin" => Asin,
            "acos" => Acos,
            "atan" => Atan,
            "atan2" => Atan2,
            "min" => Min,
            "max" => Max,
            _ => return None,
        })
    }

    /// The number of arguments.
    pub fn arguments(self) -> usize {
        use Operation::*;
        match self {
            Sum | Difference | Product | Quotient | Power | Atan2 | Min | Max => 2,
            _ => 1,
        }
    }
}

/// A type of values that expressions can be evaluated with.
pub trait Value: Copy {
    /// The value of a literal.
    fn number(x: f64) -> Self;

    /// The result of an operation; for one argument, `b` equals `a`. A result that is not finite is
    /// an error.
    fn apply(operation: Operation, a: Self, b: Self) -> std::result::Result<Self, String>;
}
