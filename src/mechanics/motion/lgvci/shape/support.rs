use crate::motion::lgvci::algebra::Vec3;
use carom_core::real::Real;

/// The first point of a shape along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support<T> {
    /// The least `q . x` over the shape, in m for a unit vector `q`.
    pub value: T,
    /// The point, in the frame of the body.
    pub point: Vec3<T>,
}

impl<T: Real> Support<T> {
    /// The support with the smaller value; the first one where both are equal.
    pub fn first(self, other: Self) -> Self {
        if other.value < self.value { other } else { self }
    }
}
