//! Sums of products with bounds on their rounding errors.

/// Sum of products, with the sum of absolute values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    value: f64,
    size: f64,
    terms: u32,
}

impl Sum {
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a f64, &'a f64)>) -> Self {
        let mut sum = Sum::default();
        pairs.into_iter().for_each(|(a, b)| sum.add(a * b));
        sum
    }

    /// Adds a product of at most three numbers.
    pub fn add(&mut self, product: f64) {
        self.value += product;
        self.size += product.abs();
        self.terms += 1;
    }

    pub fn and(mut self, product: f64) -> Self {
        self.add(product);
        self
    }

    pub fn value(&self) -> f64 {
        self.value
    }

    /// Bound on the rounding error: recursive summation of N rounded products is off by less than
    /// `(N + 2) 2^-53` times the sum of their absolute values; here doubled.
    pub fn error(&self) -> f64 {
        f64::from(self.terms + 2) * (f64::EPSILON * self.size + f64::MIN_POSITIVE)
    }

    /// Upper bound on the exact sum.
    pub fn most(&self) -> f64 {
        up(self.value + self.error())
    }

    /// Upper bound on the absolute value of the exact sum.
    pub fn most_absolute(&self) -> f64 {
        up(self.value.abs() + self.error())
    }
}

/// Upper bound on `x` after up to four rounded operations.
pub fn up(x: f64) -> f64 {
    x + 4.0 * f64::EPSILON * x.abs() + f64::MIN_POSITIVE
}
