use crate::motion::lgvci::algebra::{
    Mat3, Vec3, add, apply, apply_transposed, dot, inverse, norm, scaled, sub,
};

/// The first point of a shape along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The least `q . x` over the shape, in m for a unit vector `q`.
    pub value: f64,
    /// The point, in the frame of the body.
    pub point: Vec3,
}

impl Support {
    /// The support with the smaller value; the first one where both are equal.
    pub fn first(self, other: Self) -> Self {
        if other.value < self.value { other } else { self }
    }
}

/// The image of the unit ball, or of the cube `[-1, 1]^3`, under `z -> c + H z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Image {
    /// c, in m.
    pub center: Vec3,
    /// H, whose columns are half axes or half sides, in m.
    pub half: Mat3,
    /// `H^-1`.
    pub inverse: Mat3,
}

impl Image {
    /// Image with half axes `lengths` along the columns of a rotation.
    pub fn new(center: Vec3, lengths: Vec3, attitude: &Mat3) -> Self {
        let half = attitude.map(|row| [0, 1, 2].map(|j| row[j] * lengths[j]));
        Image { center, half, inverse: inverse(&half) }
    }

    /// The preimage of a point: in the ball or the cube if the point is in the image.
    pub fn preimage(&self, point: Vec3) -> Vec3 {
        apply(&self.inverse, sub(point, self.center))
    }

    /// The least `q . x` of the ellipsoid: `q . c - |H' q|`, at `c - H H' q / |H' q|`.
    ///
    /// Source: \[TL24\] (7) and Sec. 6.2, for a centre and axes of any direction.
    pub fn of_ball(&self, q: Vec3) -> Support {
        let y = apply_transposed(&self.half, q);
        let size = norm(y);
        let point = sub(self.center, apply(&self.half, scaled(y, 1.0 / size)));
        Support { value: dot(q, self.center) - size, point }
    }

    /// The least `q . x` of the box: a corner; of an edge or a face that is parallel to the plane,
    /// its middle.
    pub fn of_cube(&self, q: Vec3) -> Support {
        let y = apply_transposed(&self.half, q);
        let sign = y.map(|y| match () {
            () if y > 0.0 => 1.0,
            () if y < 0.0 => -1.0,
            () => 0.0,
        });
        let value = dot(q, self.center) - (y[0].abs() + y[1].abs() + y[2].abs());
        Support { value, point: sub(self.center, apply(&self.half, sign)) }
    }

    /// The image moved by `by`.
    pub fn moved(&self, by: Vec3) -> Self {
        Image { center: add(self.center, by), ..*self }
    }
}
