//! Polynomials over a step, between whose ends velocities are cubics.

use crate::real::Real;

/// Most evaluations of one root.
pub const EVALUATIONS: usize = 30;

/// A polynomial of fourth degree over a step of unit length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve<R>(pub(super) [R; 5]);

impl<R: Real> Curve<R> {
    pub(super) fn at(&self, x: R) -> R {
        let Curve([a, b, c, d, e]) = *self;
        a + x * (b + x * (c + x * (d + x * e)))
    }

    /// The integral of a cubic.
    pub(super) fn integral(&self) -> Self {
        let Curve([a, b, c, d, _]) = *self;
        let [half, third, quarter] = [0.5, 1.0 / 3.0, 0.25].map(R::from_f64);
        Curve([R::ZERO, a, half * b, third * c, quarter * d])
    }

    pub(super) fn scaled(&self, by: R) -> Self {
        Curve(self.0.map(|x| by * x))
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Curve(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    /// A root in `[0, 1]`, where signs at the ends are opposite, by false position.
    ///
    /// Source: M. Dowell, P. Jarratt: A modified regula falsi method for computing the root of an
    /// equation. BIT 11 (1971) 168-174.
    pub(super) fn root(&self) -> R {
        let ([mut a, mut b], [mut at_a, mut at_b]) =
            ([R::ZERO, R::ONE], [self.0[0], self.at(R::ONE)]);
        let small = R::from_f64(R::EPSILON) * (at_a.abs() + at_b.abs());
        let mut x = b;
        for _ in 0..EVALUATIONS {
            x = (a * at_b - b * at_a) / (at_b - at_a);
            let at_x = self.at(x);
            if at_x.abs() <= small {
                break;
            }
            if (at_x > R::ZERO) == (at_b > R::ZERO) {
                at_a = at_a * R::from_f64(0.5);
            } else {
                (a, at_a) = (b, at_b);
            }
            (b, at_b) = (x, at_x);
        }
        x
    }
}
