//! Polynomials over a step; velocities are cubics between its ends.

use carom_core::{Number, Real};

/// Limit of evaluations per root.
pub const EVALUATIONS: usize = 30;

/// A polynomial of fourth degree over a step of unit length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve<X>(pub(super) [X; 5]);

impl<X: Number> Curve<X> {
    #[inline(always)]
    pub(super) fn at(&self, x: X) -> X {
        let Curve([a, b, c, d, e]) = *self;
        a + x * (b + x * (c + x * (d + x * e)))
    }

    /// The integral of a cubic.
    #[inline(always)]
    pub(super) fn integral(&self) -> Self {
        let Curve([a, b, c, d, _]) = *self;
        let [half, third, quarter] = a.numbers([0.5, 1.0 / 3.0, 0.25]);
        Curve([a.number(0.0), a, half * b, third * c, quarter * d])
    }

    #[inline(always)]
    pub(super) fn scaled(&self, by: X) -> Self {
        let Curve([a, b, c, d, e]) = *self;
        Curve([by * a, by * b, by * c, by * d, by * e])
    }

    #[inline(always)]
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for i in 0..sum.0.len() {
            sum.0[i] = sum.0[i] + other.0[i];
        }
        sum
    }

    /// A root in `[0, 1]` by false position, in the lanes of `open`, where the end values have
    /// opposite signs.
    ///
    /// Source: M. Dowell, P. Jarratt: A modified regula falsi method for computing the root of an
    /// equation. BIT 11 (1971) 168-174.
    #[inline(always)]
    pub(super) fn root(&self, mut open: X::Mask) -> X {
        let from = self.0[0];
        let [zero, half, one] = from.numbers([0.0, 0.5, 1.0]);
        let ([mut a, mut b], [mut at_a, mut at_b]) = ([zero, one], [from, self.at(one)]);
        let small = from.number(X::Scalar::EPSILON) * (at_a.magnitude() + at_b.magnitude());
        let mut x = b;
        for _ in 0..EVALUATIONS {
            x = X::pick(open, (a * at_b - b * at_a) / (at_b - at_a), x);
            let at_x = self.at(x);
            open = open & !at_x.magnitude().up_to(small);
            if !X::any(open) {
                break;
            }
            let (up, beyond) = (zero.below(at_x), zero.below(at_b));
            let same = up & beyond | !up & !beyond;
            (a, at_a) = (X::pick(same, a, b), X::pick(same, at_a * half, at_b));
            (b, at_b) = (x, at_x);
        }
        x
    }
}
