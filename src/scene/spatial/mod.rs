//! Scene files in space, with `dimensions = 3`. [`super`] documents their keys;
//! [`tangents`](carom_mechanics::model::spatial::tangents) defines the tangents of contacts.

mod bodies;
mod shapes;
pub(super) mod vectors;

pub(super) use bodies::JOINT;
use bodies::body;
use vectors::{unit, vector};

use super::fields::{Item, Table};
use super::heading::{self, Heading, relocate};
use super::schema::keys;
use super::tables;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_mechanics::model::Motion;
use carom_mechanics::model::spatial::{Body, HalfSpace, Spatial};

/// A scene whose contacts are not yet determined.
pub(super) struct Setting<'a> {
    pub heading: Heading<'a>,
    pub model: Spatial,
    pub motion: Motion,
    pub tolerance: f64,
}

/// Reads the bodies, the walls and the state of a scene file.
pub(super) fn setting<'a>(root: &Item<'a>) -> Result<Setting<'a>> {
    let scene = heading::scene(root)?;
    let walls = scene
        .tables("walls", &keys::<tables::Wall>(&[]))?
        .iter()
        .map(wall)
        .collect::<Result<Vec<_>>>()?;
    let mut bodies: Vec<Body> = Vec::new();
    let mut motion = Motion::default();
    for table in heading::bodies(&scene, &["angle_from"])? {
        let body = body(&table, &bodies, &mut motion)?;
        bodies.push(body);
    }
    let mut model = Spatial::new(bodies, walls).map_err(|error| relocate(root, error))?;
    let walls: Vec<&str> = model.walls().iter().map(|wall| &*wall.name).collect();
    let bodies: Vec<&str> = model.bodies().iter().map(|body| &*body.name).collect();
    let (heading, excluded) =
        Heading::new(scene, &walls, &bodies, &keys::<tables::Contact>(&["tangent"]))?;
    for (surface, body) in excluded {
        model.exclude(surface, body);
    }
    Ok(Setting { tolerance: heading.tolerance, heading, model, motion })
}

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
