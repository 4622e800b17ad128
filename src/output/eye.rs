//! Where a scene in space is seen from: far away, a little from above and from the side.

use crate::model::spatial::Vector;

/// By how much the eye is turned about the vertical, and how far it is above, in rad.
const TURNED: f64 = 0.45;
const ABOVE: f64 = 0.35;

/// Where a place is in the picture, in m: across and up.
pub(super) fn seen(place: Vector) -> [f64; 2] {
    axes().map(|axis| axis.dot(&place))
}

/// The unit vector from the scene to the eye.
pub(super) fn towards() -> Vector {
    let [across, up] = axes();
    across.cross(&up)
}

/// The unit vectors in the world that the picture shows as across and up.
pub(super) fn axes() -> [Vector; 2] {
    let ((sin, cos), (down, level)) = (TURNED.sin_cos(), ABOVE.sin_cos());
    [Vector::new(cos, sin, 0.0), Vector::new(-sin * down, cos * down, level)]
}
