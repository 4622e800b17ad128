use std::f64::consts::PI;

use super::links::{Form, Notes};
use super::xml::Place;
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::{Pose, Shape, Vector, heights, quickhull};

/// The most corners.
const MOST: usize = 128;
/// Points nearer to a face than this fraction of the hull's size count as points of the face.
pub(super) const FLAT: f64 = 1e-6;

pub(super) fn flat() -> Error {
    Error::input("the points of the mesh lie in one plane")
}

/// The convex hull of the points of a mesh. Errors and notes name the file and the `owner`;
/// `place`: the element that names the mesh.
pub(super) fn hull(
    points: &[Vector],
    place: &Place,
    (mesh, owner): (&str, &str),
    notes: &mut Notes,
) -> Result<Form> {
    let corners = corners(points).and_then(|(corners, beyond)| {
        Shape::polyhedron(corners.clone())?;
        Ok((corners, beyond))
    });
    let (corners, beyond) = corners.map_err(|error| {
        place.locate(Error { what: format!("the mesh {mesh} of {owner}: {}", error.what), ..error })
    })?;
    let size = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
    if beyond > FLAT * size {
        notes.say(format!(
            "the hull of the mesh of {owner} has only {} corners; points of it lie up to {:.2} mm outside",
            corners.len(),
            1e3 * beyond
        ));
    }
    Ok(Form::Polyhedron(corners))
}

/// At most 128 corners of the convex hull of points, and the largest distance of a point from the
/// reduced hull.
fn corners(points: &[Vector]) -> Result<(Vec<Vector>, f64)> {
    let first = quickhull(points, MOST, FLAT).ok_or_else(flat)?;
    let mut kept: Vec<Vector> = first.corners.iter().map(|&i| points[i]).collect();
    // A corner of an earlier hull may lie within a face of the final hull.
    while kept.len() > 4 {
        let size = kept.iter().map(|p| (p - kept[0]).norm()).fold(0.0, f64::max);
        let Some(rest) = quickhull(&kept, MOST, 0.0) else { break };
        let heights = heights(&kept, &rest.triangles);
        let lowest = heights.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        match lowest {
            Some((i, height)) if *height <= FLAT * size => kept.remove(i),
            _ => break,
        };
    }
    Ok((kept, first.beyond))
}

/// Sides of the prism that approximates a cylinder.
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
