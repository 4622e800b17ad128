//! What a plane asks of a shape.

use crate::motion::lgvci::algebra::Vec3;
use crate::real::Real;

/// The point of a shape that comes first along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support<T> {
    /// The least `q . x` over the shape, in m for a unit vector `q`.
    pub value: T,
    /// Where it is, in the frame of the body.
    pub point: Vec3<T>,
}

impl<T: Real> Support<T> {
    /// That of the two which comes first; the first one where both are equal.
    pub fn first(self, other: Self) -> Self {
        if other.value < self.value { other } else { self }
    }
}
