//! The bodies of a scene in space: joints with their state, masses and rotations.

use super::shapes::shape;
use super::vectors::{rotation, unit, vector};
use crate::bodies::{angle, number, seat, solid};
use crate::fields::{Item, Table};
use carom_core::error::Result;
use carom_mechanics::model::Motion;
use carom_mechanics::model::spatial::{Attitude, Body, Joint, Matrix, Shape};

pub(crate) const JOINT: &[&str] =
    &["floating", "translating", "revolute", "prismatic", "spherical", "fixed"];

/// Reads a body; appends its coordinates and their rates to `motion`.
pub(super) fn body(table: &Table<'_>, earlier: &[Body], motion: &mut Motion) -> Result<Body> {
    let names: Vec<&str> = earlier.iter().map(|body| &*body.name).collect();
    let (name, parent, kind) = seat(table, &names, JOINT, &JOINT[1..])?;
    let joint = state(table, kind, motion)?;
    let offset = match kind {
        "floating" | "spherical" => Attitude::identity(),
        _ => rotation(table)?,
    };
    let (mass, shapes, inertia, center_of_mass) = solid(
        table,
        shape,
        (inertia, |shape: &Shape, mass| shape.gyration() * mass),
        (Item::spatial_vector, Shape::centroid),
    )?;
    Ok(Body {
        name,
        parent,
        anchor: vector(table, "anchor")?,
        offset,
        joint,
        armature: number(table, "armature")?,
        mass,
        inertia,
        center_of_mass,
        shapes,
    })
}

/// An inertia tensor: one number, the diagonal, or three rows.
fn inertia(item: &Item<'_>) -> Result<Matrix> {
    let Ok(list) = item.list() else { return Ok(Matrix::identity() * item.number()?) };
    if list.first().is_none_or(|first| first.list().is_err()) {
        return Ok(Matrix::from_diagonal(&item.spatial_vector()?));
    }
    match list.iter().map(Item::spatial_vector).collect::<Result<Vec<_>>>()?.as_slice() {
        [x, y, z] => Ok(Matrix::from_columns(&[*x, *y, *z]).transpose()),
        rows => {
            Err(item.error(format!("expected three rows of three numbers, found {}", rows.len())))
        }
    }
}

/// Reads a joint of this kind; appends its coordinates and their rates to `motion`.
fn state(table: &Table<'_>, kind: &str, motion: &mut Motion) -> Result<Joint> {
    let (moves, turns, slides) = (
        matches!(kind, "floating" | "translating"),
        matches!(kind, "floating" | "spherical"),
        kind == "prismatic",
    );
    let reason = |what: &str| format!("a {kind} joint has no {what}");
    if !moves {
        table.refuse(&["position", "velocity"], &reason("position or velocity"))?;
    }
    if !turns && kind != "revolute" {
        table.refuse(&["angular_velocity"], &reason("angular velocity"))?;
    }
    if kind != "revolute" {
        let hint = "a rotation is `rotation`, `rotation_deg` or `quaternion`";
        table
            .refuse(&["angle", "angle_deg"], &reason("angle"))
            .map_err(|error| error.hint(hint))?;
    }
    if !slides {
        table.refuse(&["displacement", "speed"], &reason("displacement or speed"))?;
    }
    if !slides && kind != "revolute" {
        table.refuse(&["axis"], &reason("axis"))?;
    }
    let axis = || {
        let item =
            table.require("axis", "the direction [x, y, z] of the joint in the parent's frame")?;
        unit(&item, "an axis")
    };
    let mut add = |position: &[f64], velocity: &[f64]| {
        motion.position.extend(position);
        motion.velocity.extend(velocity);
    };
    if moves {
        add(vector(table, "position")?.as_slice(), vector(table, "velocity")?.as_slice());
    }
    if turns {
        let turn = rotation(table)?;
        add(&[turn.w, turn.i, turn.j, turn.k], vector(table, "angular_velocity")?.as_slice());
    }
    Ok(match kind {
        "translating" => Joint::Translating,
        "revolute" => {
            add(&[angle(table)?], &[number(table, "angular_velocity")?]);
            Joint::Revolute { axis: axis()? }
        }
        "prismatic" => {
            add(&[number(table, "displacement")?], &[number(table, "speed")?]);
            Joint::Prismatic { axis: axis()? }
        }
        "spherical" => Joint::Spherical,
        "fixed" => Joint::Fixed,
        _ => Joint::Floating,
    })
}
