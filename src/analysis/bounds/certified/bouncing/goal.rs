//! What a function is sought for: a direction, the velocity before the impact, and the impulses.

use nalgebra::{DMatrix, DVector};

use crate::bounds::certified::cells::Pushes;
use crate::bounds::certified::domain::{beside, span};
use crate::bounds::certified::fan::Fan;
use crate::bounds::whitened::Whitened;

/// A direction and the domain of motions, in coordinates of what impulses can change. In them the
/// kinetic metric is Euclidean, and `|v-| = 1`.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The coordinates: an orthonormal basis (n,r) in those of [`Whitened`].
    pub basis: DMatrix<f64>,
    /// `C^-1 J_k' / S_k` (r,d).
    pub columns: DMatrix<f64>,
    /// The velocity before the impact.
    pub before: DVector<f64>,
    /// The direction, of about unit length with what impulses cannot change.
    pub direction: DVector<f64>,
    /// The ray of the velocity before the impact, and how far along it the velocity is.
    pub start: (usize, f64),
}

/// Singular values below which directions count as those that impulses do not change.
const CHANGED: f64 = 1e-6;

impl Goal {
    /// The goal of a direction (n) in the coordinates of `space`, of about unit length. The fan
    /// gets the ray of the velocity before the impact.
    pub fn new(
        space: &Whitened,
        cells: &Pushes,
        direction: &DVector<f64>,
        fan: &mut Fan,
    ) -> Option<Self> {
        let basis = span(cells.columns.clone(), CHANGED)?;
        Some(Goal {
            columns: basis.tr_mul(&cells.columns),
            before: basis.tr_mul(&space.before),
            direction: basis.tr_mul(direction),
            start: (fan.split_at(&cells.start), cells.start.lp_norm(1)),
            basis,
        })
    }

    /// The part of a vector that impulses do not change, in the coordinates of `space`.
    pub fn fixed(&self, of: &DVector<f64>) -> DVector<f64> {
        beside(&self.basis, of)
    }
}
