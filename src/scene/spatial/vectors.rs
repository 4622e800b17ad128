//! Vectors, directions and rotations of a scene in space.

use crate::fields::{Item, Table};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Vector};

/// The keys that give a rotation.
pub(crate) const ROTATION: &[&str] = &["rotation", "rotation_deg", "quaternion"];

/// The vector of a key, zero by default.
pub(crate) fn vector(table: &Table<'_>, key: &str) -> Result<Vector> {
    table.get(key).map_or(Ok(Vector::zeros()), |item| item.spatial_vector())
}

/// A unit vector.
pub(crate) fn unit(item: &Item<'_>, what: &str) -> Result<Vector> {
    let vector = item.spatial_vector()?;
    let size = vector.amax();
    if size > 0.0 {
        return Ok((vector / size).normalize());
    }
    Err(item.error(format!("{what} has a length > 0")))
}

/// The rotation of a table, the identity by default.
pub(crate) fn rotation(table: &Table<'_>) -> Result<Attitude> {
    let given: Vec<_> =
        ROTATION.iter().filter_map(|key| table.get(key).map(|item| (*key, item))).collect();
    match given.as_slice() {
        [] => Ok(Attitude::identity()),
        [("rotation", item)] => Ok(Attitude::from_scaled_axis(item.spatial_vector()?)),
        [("rotation_deg", item)] => {
            Ok(Attitude::from_scaled_axis(item.spatial_vector()?.map(f64::to_radians)))
        }
        [(_, item)] => {
            match item.numbers()?.as_slice() {
                [w, x, y, z] => {
                    let size = [w, x, y, z].iter().fold(0.0, |size: f64, x| size.max(x.abs()));
                    if size == 0.0 {
                        return Err(item.error("a quaternion has a length > 0"));
                    }
                    let scaled = nalgebra::Quaternion::new(w / size, x / size, y / size, z / size);
                    Ok(Attitude::from_quaternion(scaled))
                }
                numbers => Err(item
                    .error(format!("expected four numbers [w, x, y, z], found {}", numbers.len()))),
            }
        }
        [(first, _), (second, item), ..] => {
            Err(item.error(format!("`{first}` and `{second}` are both given")))
        }
    }
}
