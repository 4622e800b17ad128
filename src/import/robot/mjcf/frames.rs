use super::compiler::Compiler;
use super::defaults::Given;
use crate::robot::xml::Attribute;
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Pose, Vector};

/// The attributes of an orientation.
pub(super) const ORIENTATION: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl Compiler {
    pub fn pose(&self, given: &Given<'_>) -> Result<Pose> {
        Ok(Pose { origin: given.vector("pos")?, attitude: self.attitude(given)? })
    }

    /// The orientation from one of `quat`, `axisangle`, `xyaxes`, `zaxis` and `euler`.
    pub fn attitude(&self, given: &Given<'_>) -> Result<Attitude> {
        let kinds: Vec<&Attribute> =
            ORIENTATION.iter().filter_map(|name| given.get(name)).collect();
        match kinds.as_slice() {
            [] => Ok(Attitude::identity()),
            [one] => self.turn(one),
            [first, second, ..] => {
                Err(first.error(format!("the orientation is given by `{}` too", second.name)))
            }
        }
    }

    fn turn(&self, attribute: &Attribute) -> Result<Attitude> {
        let degenerate = || attribute.error("this gives no orientation");
        let unit = |v: Vector| v.try_normalize(1e-14).ok_or_else(degenerate);
        match attribute.name.as_str() {
            "quat" => quaternion(attribute),
            "axisangle" => {
                let [x, y, z, angle] = attribute.array()?;
                Ok(Attitude::from_scaled_axis(unit(Vector::new(x, y, z))? * self.angle(angle)))
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = attribute.array()?;
                let x = unit(Vector::new(a, b, c))?;
                let y = Vector::new(d, e, f);
                let y = unit(y - x * x.dot(&y))?;
                let axes = nalgebra::Rotation3::from_basis_unchecked(&[x, y, x.cross(&y)]);
                Ok(Attitude::from_rotation_matrix(&axes))
            }
            "zaxis" => Ok(onto(unit(attribute.vector()?)?)),
            _ => {
                let angles: [f64; 3] = attribute.array()?;
                let turn = |(letter, angle): (char, f64)| {
                    let axis = match letter.to_ascii_lowercase() {
                        'x' => Vector::x(),
                        'y' => Vector::y(),
                        _ => Vector::z(),
                    };
                    (
                        letter.is_ascii_lowercase(),
                        Attitude::from_scaled_axis(axis * self.angle(angle)),
                    )
                };
                // Lower-case letters are intrinsic rotations, capitals extrinsic ones.
                Ok(self.euler.into_iter().zip(angles).map(turn).fold(
                    Attitude::identity(),
                    |so_far, (along, next)| if along { so_far * next } else { next * so_far },
                ))
            }
        }
    }

    /// An angle in rad.
    pub fn angle(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }
}

/// An attitude from `w x y z`, of any length > 0.
pub(super) fn quaternion(attribute: &Attribute) -> Result<Attitude> {
    unit(attribute.array()?).ok_or_else(|| attribute.error("a quaternion has a length > 0"))
}

/// An attitude from `w x y z`.
pub(super) fn unit([w, x, y, z]: [f64; 4]) -> Option<Attitude> {
    let quaternion = nalgebra::Quaternion::new(w, x, y, z);
    (quaternion.norm() > 1e-14).then(|| Attitude::from_quaternion(quaternion))
}

/// The smallest rotation from z to a unit vector; for -z, half a turn about x.
pub(super) fn onto(z: Vector) -> Attitude {
    Attitude::rotation_between(&Vector::z(), &z)
        .unwrap_or_else(|| Attitude::from_scaled_axis(Vector::x() * std::f64::consts::PI))
}
