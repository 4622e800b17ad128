//! `<joint>` and `<freejoint>`.

use super::compiler::Compiler;
use super::defaults::Given;
use crate::robot::links::{Along, Motion, Notes, Pivot};
use crate::robot::xml::Attribute;
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Pose, Vector};

const KNOWN: &str = "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class \
                     damping frictionloss group limited margin name pos range ref solimpfriction \
                     solimplimit solreffriction solreflimit springdamper springref springyield \
                     stiffness type user";

/// A joint of a body. `body`: the body's world pose, used for free joints; `frame`: pose of the
/// enclosing frames.
pub(super) fn joint(
    given: &Given<'_>,
    compiler: &Compiler,
    body: &Pose,
    frame: &Pose,
    notes: &mut Notes,
) -> Result<Pivot> {
    let element = given.element;
    let name = element.text("name").map(str::to_string);
    let place = element.place.clone();
    if element.name == "freejoint" {
        element.check("align group name")?;
        if element.text("align") == Some("true") {
            return Err(
                element.error("`align` changes what the coordinates mean and is not supported")
            );
        }
        return Ok(Pivot {
            name,
            place,
            motion: Motion::free(*body),
            at: Vector::zeros(),
            armature: 0.0,
        });
    }
    given.check(KNOWN)?;
    for left_out in ["damping", "frictionloss", "stiffness", "springdamper"] {
        if given.has(left_out)? {
            notes.leave_out(format!("`{left_out}` of joints"));
        }
    }
    let range = range(given, compiler)?;
    if range.is_some() && given.has("margin")? {
        notes.ignore("`margin` of joints");
    }
    let along = |zero: f64, range: Option<[f64; 2]>| {
        let axis = given.get("axis").map_or(Ok(Vector::z()), Attribute::direction)?;
        Ok(Along { axis: frame.direction(axis), zero, value: zero, rate: 0.0, range })
    };
    let hinge = |zero: f64| along(zero, range.map(|range| range.map(|end| compiler.angle(end))));
    let reference = given.number("ref", 0.0)?;
    let motion = match given.get("type") {
        None => Motion::Hinge(hinge(compiler.angle(reference))?),
        Some(kind) => match kind.word(&["hinge", "slide", "ball", "free"])? {
            "slide" => Motion::Slide(along(reference, range)?),
            "ball" => {
                if range.is_some() {
                    notes.ignore("limits of ball joints");
                }
                Motion::Ball { turn: Attitude::identity(), spin: Vector::zeros() }
            }
            "free" => Motion::free(*body),
            _ => Motion::Hinge(hinge(compiler.angle(reference))?),
        },
    };
    let at = match motion {
        Motion::Free { .. } => Vector::zeros(),
        _ => frame.point(given.vector("pos")?),
    };
    let armature = match given.get("armature") {
        None => 0.0,
        Some(attribute) => match attribute.number()? {
            armature if armature >= 0.0 => armature,
            armature => {
                return Err(attribute.error(format!("an armature is >= 0, found {armature}")));
            }
        },
    };
    Ok(Pivot { name, place, motion, at, armature })
}

/// The range of a limited joint, in the units of the file.
fn range(given: &Given<'_>, compiler: &Compiler) -> Result<Option<[f64; 2]>> {
    let limited = match given.get("limited") {
        None => compiler.limits,
        Some(limited) => match limited.word(&["true", "false", "auto"])? {
            "auto" => compiler.limits,
            word => word == "true",
        },
    };
    given.get("range").filter(|_| limited).map(Attribute::array).transpose()
}
