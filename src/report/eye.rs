//! The camera of a scene in space: orthographic, from above and from the side.

use carom_mechanics::model::spatial::Vector;

/// Azimuth and elevation of the camera, in rad.
const TURNED: f64 = 0.45;
const ABOVE: f64 = 0.35;

/// The projection of a point into the picture, in m: right and up.
pub(super) fn seen(place: Vector) -> [f64; 2] {
    axes().map(|axis| axis.dot(&place))
}

/// The unit vector from the scene to the camera.
pub(super) fn towards() -> Vector {
    let [across, up] = axes();
    across.cross(&up)
}

/// The unit vectors in the world along the picture's right and up.
pub(super) fn axes() -> [Vector; 2] {
    let ((sin, cos), (down, level)) = (TURNED.sin_cos(), ABOVE.sin_cos());
    [Vector::new(cos, sin, 0.0), Vector::new(-sin * down, cos * down, level)]
}
