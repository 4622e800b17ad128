//! Expressions of numbers.

use super::operation::{Operation, Value};

impl Value for f64 {
    fn number(x: f64) -> f64 {
        x
    }

    fn apply(operation: Operation, a: f64, b: f64) -> Result<f64, String> {
        use Operation::*;
        if operation == Quotient && b == 0.0 {
            return Err("division by zero".to_string());
        }
        let value = match operation {
            Negate => -a,
            Sum => a + b,
            Difference => a - b,
            Product => a * b,
            Quotient => a / b,
            Power => a.powf(b),
            Sqrt => a.sqrt(),
            Abs => a.abs(),
            Sin => a.sin(),
            Cos => a.cos(),
            Tan => a.tan(),
            Asin => a.asin(),
            Acos => a.acos(),
            Atan => a.atan(),
            Atan2 => a.atan2(b),
            Min => a.min(b),
            Max => a.max(b),
        };
        if value.is_finite() {
            return Ok(value);
        }
        let what = match operation {
            Negate => format!("-{a}"),
            Sum | Difference => "this sum".to_string(),
            Product => "this product".to_string(),
            Quotient => "this quotient".to_string(),
            Power => format!("{a} ^ {b}"),
            Atan2 | Min | Max => format!("{operation:?} of {a} and {b}").to_lowercase(),
            _ => format!("{operation:?} of {a}").to_lowercase(),
        };
        Err(format!("{what} has no finite value"))
    }
}
