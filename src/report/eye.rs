//! The view of a scene in space: from far away, a little from above and from the side.

use carom_mechanics::model::spatial::Vector;

/// Angle by which the eye is turned about the vertical, then its angle above the horizon, in rad.
const TURNED: f64 = 0.45;
const ABOVE: f64 = 0.35;

/// The position of a place in the picture, in m: across and up.
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
