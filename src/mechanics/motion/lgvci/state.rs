use nalgebra::Matrix3;

use super::algebra::{Mat3, Vec3};

/// Position, attitude and momenta of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Position of the mass centre in the world, in m.
    pub position: Vec3,
    /// Rotation R from the body's frame to the world; row by row.
    pub attitude: Mat3,
    /// Linear momentum in the world, in N s.
    pub momentum: Vec3,
    /// Angular momentum about the mass centre, in the frame of the body, in N m s.
    pub angular_momentum: Vec3,
}

impl BodyState {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let BodyState { position, attitude, momentum, angular_momentum } = self;
        let vectors = [position, momentum, angular_momentum].into_iter().chain(attitude);
        vectors.flatten().all(|x| x.is_finite())
    }

    /// Distance of two states: `|x - y| + |R - Q|_2`, dimensions mixed as published.
    ///
    /// The difference of two rotations has the 2-norm `2 sin(angle / 2)`, its Frobenius norm over
    /// `sqrt(2)`. Source: \[TL24\] Sec. 7.4.
    pub fn distance(&self, other: &BodyState) -> f64 {
        let squares = |a: &[f64; 3], b: &[f64; 3]| {
            a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (*a - *b) * (*a - *b))
        };
        let moved = squares(&self.position, &other.position).sqrt();
        let rows = self.attitude.iter().zip(&other.attitude);
        let turned = rows.fold(0.0, |sum, (a, b)| sum + squares(a, b));
        moved + (turned * 0.5).sqrt()
    }
}

impl BodyState {
    /// The state with a position and momenta as a [`Moment`](crate::motion::Moment) has them.
    pub fn of(position: &[f64], momentum: &[f64]) -> Self {
        let three = |x: &[f64]| [x[0], x[1], x[2]];
        BodyState {
            position: three(position),
            attitude: [3, 6, 9].map(|at| three(&position[at..])),
            momentum: three(momentum),
            angular_momentum: three(&momentum[3..]),
        }
    }

    /// Position and attitude, momentum and angular momentum, as lists.
    pub(super) fn lists(&self) -> (Vec<f64>, Vec<f64>) {
        let attitude = self.attitude.as_flattened();
        ([&self.position[..], attitude].concat(), [self.momentum, self.angular_momentum].concat())
    }
}

/// The rows of a matrix.
pub fn rows(m: &Matrix3<f64>) -> Mat3 {
    [0, 1, 2].map(|i| [m[(i, 0)], m[(i, 1)], m[(i, 2)]])
}

/// The matrix with these rows.
pub fn matrix(rows: &Mat3) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| rows[i][j])
}
