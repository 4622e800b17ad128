use super::operation::{Operation, Value};

/// A number with its gradient and Hessian by three variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet {
    /// The number.
    pub value: f64,
    /// The first derivatives.
    pub gradient: [f64; 3],
    /// The second derivatives.
    pub hessian: [[f64; 3]; 3],
}

impl Jet {
    /// The variables at a point.
    pub fn variables(point: [f64; 3]) -> [Self; 3] {
        [0, 1, 2].map(|i| {
            let mut variable = Jet::number(point[i]);
            variable.gradient[i] = 1.0;
            variable
        })
    }

    /// `f` of this number, by the value, first and second derivative of `f`.
    fn of(self, [value, slope, bend]: [f64; 3]) -> Self {
        let Jet { gradient: g, hessian, .. } = self;
        Jet {
            value,
            gradient: g.map(|g| slope * g),
            hessian: each(|i, j| slope * hessian[i][j] + bend * g[i] * g[j]),
        }
    }

    /// `a + s b`.
    fn sum(self, s: f64, b: Self) -> Self {
        Jet {
            value: self.value + s * b.value,
            gradient: [0, 1, 2].map(|i| self.gradient[i] + s * b.gradient[i]),
            hessian: each(|i, j| self.hessian[i][j] + s * b.hessian[i][j]),
        }
    }

    fn product(self, b: Self) -> Self {
        let (x, y, f, g) = (self.value, b.value, self.gradient, b.gradient);
        Jet {
            value: x * y,
            gradient: [0, 1, 2].map(|i| x * g[i] + y * f[i]),
            hessian: each(|i, j| {
                x * b.hessian[i][j] + y * self.hessian[i][j] + f[i] * g[j] + f[j] * g[i]
            }),
        }
    }

    fn is_constant(&self) -> bool {
        *self == Jet::number(self.value)
    }
}

/// A matrix of three rows.
fn each(entry: impl Fn(usize, usize) -> f64) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)))
}

/// `c x^p`; 0 if `c` is 0.
fn term(c: f64, x: f64, p: f64) -> f64 {
    if c == 0.0 { 0.0 } else { c * x.powf(p) }
}

impl Value for Jet {
    fn number(x: f64) -> Self {
        Jet { value: x, gradient: [0.0; 3], hessian: [[0.0; 3]; 3] }
    }

    /// The result of an operation; a value that is not finite is an error, a derivative is not.
    fn apply(operation: Operation, a: Self, b: Self) -> Result<Self, String> {
        use Operation::*;
        let (x, y) = (a.value, b.value);
        let value = f64::apply(operation, x, y)?;
        let result = match operation {
            Negate => a.of([value, -1.0, 0.0]),
            Sum => a.sum(1.0, b),
            Difference => a.sum(-1.0, b),
            Product => a.product(b),
            Quotient => a.product(b.of([1.0 / y, -1.0 / (y * y), 2.0 / (y * y * y)])),
            Power if b.is_constant() => {
                a.of([value, term(y, x, y - 1.0), term(y * (y - 1.0), x, y - 2.0)])
            }
            Power => a.of([x.ln(), 1.0 / x, -1.0 / (x * x)]).product(b).of([value; 3]),
            Sqrt => a.of([value, 0.5 / value, -0.25 / (value * x)]),
            Sin => a.of([value, x.cos(), -value]),
            Cos => a.of([value, -x.sin(), -value]),
            Tan => a.of([value, 1.0 + value * value, 2.0 * value * (1.0 + value * value)]),
            Asin => {
                let s = 1.0 / (1.0 - x * x).sqrt();
                a.of([value, s, x * s * s * s])
            }
            Acos => {
                let s = 1.0 / (1.0 - x * x).sqrt();
                a.of([value, -s, -x * s * s * s])
            }
            Atan => {
                let s = 1.0 / (1.0 + x * x);
                a.of([value, s, -2.0 * x * s * s])
            }
            Abs | Min | Max | Atan2 => {
                let name = format!("{operation:?}").to_lowercase();
                return Err(format!("{name} has no second derivatives"));
            }
        };
        Ok(Jet { value, ..result })
    }
}
