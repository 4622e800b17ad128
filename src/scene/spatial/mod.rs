//! Scene files in space.
//!
//! A scene that says `dimensions = 3` describes bodies in space. It has the keys of a planar scene,
//! see [`super`], with vectors `[x, y, z]` and these differences. Unknown keys are errors;
//! parameters and expressions are the same.
//!
//! | rotation, one of | |
//! |---|---|
//! | `rotation = [x, y, z]`, `rotation_deg` | rotation vector: about this axis, by its length, in rad or deg |
//! | `quaternion = [w, x, y, z]` | of any length > 0 |
//!
//! | `[contact]` | |
//! |---|---|
//! | `tolerance`, `names`, `at_rest` | as in a planar scene; the tangents are those of [`tangents`](crate::model::spatial::tangents) |
//!
//! | `[[bodies]]` | default | |
//! |---|---|---|
//! | `name`, `mass`, `parent`, `anchor`, `shapes` | | as in a planar scene |
//! | `joint` | `"floating"`, required with `parent` | `"floating"` (without a parent), `"translating"`, `"revolute"`, `"prismatic"`, `"spherical"` or `"fixed"` |
//! | `axis` | required | revolute, prismatic: direction in the parent's frame |
//! | `position` | `[0, 0, 0]` | floating, translating: of the body's frame, relative to the anchor, along the parent's axes |
//! | `velocity` | `[0, 0, 0]` | floating: of the body's own mass centre; translating: of its frame, along the parent's axes |
//! | a rotation | none | floating, spherical: the attitude relative to the parent; else a constant, before the joint moves |
//! | `angle` or `angle_deg` | 0 | revolute: about the axis |
//! | `angular_velocity` | `[0, 0, 0]` or 0 | floating: along the world's axes; spherical: relative to the parent, along its axes; revolute: about the axis |
//! | `displacement`, `speed` | 0 | prismatic: m, m/s |
//! | `armature` | 0 | revolute, prismatic, spherical: what a rotor that turns with the joint adds to the diagonal of the mass matrix, in kg m^2 or kg |
//! | `center_of_mass`, `inertia` | of the one shape, at uniform density | `inertia` about the centre of mass along the body's axes: three rows, the three on the diagonal, or one number for a multiple of the unit matrix |
//!
//! | entry of `shapes` | |
//! |---|---|
//! | `{ point = [x, y, z] }` | a foot |
//! | `{ rod = [[x, y, z], [x, y, z]] }` | without thickness |
//! | `{ sphere = radius, center = [0, 0, 0] }` | |
//! | `{ capsule = [[x, y, z], [x, y, z]], radius = r }` | what lies within `r` of the line between the two points |
//! | `{ box = [x, y, z], center = [0, 0, 0] }` | its sides, not half of them; a rotation turns it about its centre |
//! | `{ polyhedron = [[x, y, z], ...] }` | the corners of a convex body, 4 to 128 in any order |

mod bodies;
mod shapes;
pub(super) mod vectors;

use bodies::{BODY, body};
use vectors::{unit, vector};

use super::fields::{Item, Table};
use super::heading::{self, Heading, relocate};
use crate::error::Result;
use crate::model::Motion;
use crate::model::spatial::{Body, HalfSpace, Spatial};
use crate::problem::ContactProblem;

const CONTACT: &[&str] = &["tolerance", "names", "at_rest"];
const WALL: &[&str] = &["name", "point", "normal"];

/// A scene whose contacts are not yet determined.
pub(super) struct Setting<'a> {
    heading: Heading<'a>,
    pub model: Spatial,
    pub motion: Motion,
    pub tolerance: f64,
}

/// Reads the bodies, the walls and the state of a scene file.
pub(super) fn setting<'a>(root: &Item<'a>) -> Result<Setting<'a>> {
    let scene = heading::scene(root)?;
    let walls = scene.tables("walls", WALL)?.iter().map(wall).collect::<Result<Vec<_>>>()?;
    let mut bodies: Vec<Body> = Vec::new();
    let mut motion = Motion::default();
    for table in heading::bodies(&scene, BODY)? {
        let body = body(&table, &bodies, &mut motion)?;
        bodies.push(body);
    }
    let mut model = Spatial::new(bodies, walls).map_err(|error| relocate(root, error))?;
    let walls: Vec<&str> = model.walls().iter().map(|wall| &*wall.name).collect();
    let bodies: Vec<&str> = model.bodies().iter().map(|body| &*body.name).collect();
    let (heading, excluded) = Heading::new(scene, &walls, &bodies, CONTACT)?;
    for (surface, body) in excluded {
        model.exclude(surface, body);
    }
    Ok(Setting { tolerance: heading.tolerance, heading, model, motion })
}

/// The contact problem of a scene file.
pub(super) fn read(root: &Item<'_>, default_name: &str) -> Result<ContactProblem> {
    let Setting { heading, model, mut motion, tolerance } = setting(root)?;
    let poses = model.poses(&motion.position);
    let contacts = model.contacts(&poses, tolerance).map_err(|error| relocate(root, error))?;
    let names = heading.names(model.contact_names(&contacts))?;
    if let Some((i, item)) = heading.at_rest(&names)? {
        model
            .bring_to_rest(&poses, &contacts[i], &mut motion.velocity)
            .map_err(|error| item.locate(error))?;
    }
    let pairs: Vec<_> = contacts.iter().map(|contact| (contact.first, contact.second)).collect();
    let spec = model.impact(&motion, &contacts, heading.friction(&pairs)?);
    heading.problem(root, spec, names, &pairs, default_name)
}

fn wall(table: &Table<'_>) -> Result<HalfSpace> {
    let name = table.require("name", "what the wall is called")?.text()?.to_string();
    let item = table.require("normal", "the direction [x, y, z] out of the wall")?;
    let normal = unit(&item, "a normal")?;
    Ok(HalfSpace { name, point: vector(table, "point")?, normal })
}
