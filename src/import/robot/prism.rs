use std::f64::consts::PI;

use super::links::{Form, Notes};
use carom_mechanics::model::spatial::{Pose, Vector};

/// The sides of the prism that stands for a cylinder.
const SIDES: usize = 16;

/// A prism with its corners on the rims of a cylinder along z of a frame.
pub(super) fn cylinder(
    radius: f64,
    half: f64,
    frame: &Pose,
    called: &str,
    notes: &mut Notes,
) -> Form {
    let inside = 100.0 * (1.0 - (PI / SIDES as f64).cos());
    notes.say(format!(
        "the cylinder of {called} became a prism of {SIDES} sides, whose faces lie up to {inside:.1} % of its radius inside"
    ));
    let corner = |i: usize, z: f64| {
        let (sin, cos) = (2.0 * PI * i as f64 / SIDES as f64).sin_cos();
        frame.point(Vector::new(radius * cos, radius * sin, z))
    };
    Form::Polyhedron(
        [-half, half].iter().flat_map(|&z| (0..SIDES).map(move |i| corner(i, z))).collect(),
    )
}
