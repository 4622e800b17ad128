//! The shapes of a URDF link.

use std::path::{Path, PathBuf};

use crate::robot::hull::{cylinder, hull};
use crate::robot::links::{Form, Geom, Notes, Surface};
use crate::robot::mesh::Mesh;
use crate::robot::xml::{Attribute, Element};
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::{Attitude, Pose, Vector};

pub(super) fn collision(
    element: &Element,
    link: &str,
    file: &Path,
    surface: Surface,
    notes: &mut Notes,
) -> Result<Geom> {
    let missing = || element.error("there is no <geometry>");
    let geometry = element.one("geometry")?.ok_or_else(missing)?;
    let [shape] = geometry.children.as_slice() else {
        return Err(
            geometry.error(format!("expected one shape, found {}", geometry.children.len()))
        );
    };
    let frame = origin(element)?;
    let radius = || positive(shape.require("radius")?);
    let half = || Ok(0.5 * positive(shape.require("length")?)?);
    let form = match shape.name.as_str() {
        "sphere" => Form::Sphere { center: frame.origin, radius: radius()? },
        "capsule" => {
            let half = Vector::z() * half()?;
            Form::Capsule { from: frame.point(-half), to: frame.point(half), radius: radius()? }
        }
        "cylinder" => cylinder(radius()?, half()?, &frame, link, notes),
        "box" => {
            let size = shape.require("size")?;
            let sides = size.vector()?;
            if sides.min() <= 0.0 {
                return Err(size.error("the sides of a box are > 0"));
            }
            Form::Box { sides, center: frame.origin, attitude: frame.attitude }
        }
        "mesh" => {
            let scale = shape.get("scale").map_or(Ok(Vector::repeat(1.0)), Attribute::vector)?;
            let name = shape.require("filename")?;
            let path = find(&name.value, file).ok_or_else(|| {
                name.place
                    .error(format!("there is no mesh `{}`", name.value))
                    .hint("package://NAME/PATH is looked for as NAME/PATH in the folders above the URDF file")
            })?;
            let mesh =
                Mesh::read(&path).map_err(|error| name.place.locate(of_link(error, link)))?;
            let mesh = mesh.moved(|p| frame.point(p.component_mul(&scale)));
            let mesh_name = format!("`{}`", name.value);
            hull(&mesh.points, &name.place, (&mesh_name, link), notes)?
        }
        other => {
            return Err(shape
                .error(format!("the shape <{other}> is not supported"))
                .hint("box, capsule, cylinder, mesh, sphere"));
        }
    };
    Ok(Geom { form, surface, named: false })
}

fn of_link(error: Error, link: &str) -> Error {
    Error { what: format!("{} ({link})", error.what), ..error }
}

pub(super) fn origin(element: &Element) -> Result<Pose> {
    let Some(origin) = element.one("origin")? else { return Ok(Pose::world()) };
    let vector = |name: &str| origin.get(name).map_or(Ok(Vector::zeros()), |a| a.vector());
    let angles = vector("rpy")?;
    Ok(Pose {
        origin: vector("xyz")?,
        attitude: Attitude::from_euler_angles(angles.x, angles.y, angles.z),
    })
}

fn positive(attribute: &Attribute) -> Result<f64> {
    match attribute.number()? {
        x if x > 0.0 => Ok(x),
        x => Err(attribute.error(format!("expected a number > 0, found {x}"))),
    }
}

/// The path of a mesh, by the name in the file.
fn find(name: &str, file: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(file).ok()?.parent()?.to_path_buf();
    let inside = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"));
    let found = match inside {
        Some(inside) => {
            folder.ancestors().map(|above| above.join(inside)).find(|path| path.is_file())?
        }
        None => folder.join(name.strip_prefix("file://").unwrap_or(name)),
    };
    found.is_file().then_some(found)
}
