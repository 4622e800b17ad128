//! The bodies of a scene in space: joints with their state, masses and rotations.

use super::shapes::shape;
use super::vectors::{rotation, unit, vector};
use crate::bodies::{angle, number};
use crate::fields::{Item, Table};
use crate::heading::parent;
use carom_core::error::Result;
use carom_mechanics::model::Motion;
use carom_mechanics::model::spatial::{Attitude, Body, Joint, Matrix, Vector};

/// The keys of a body.
pub(super) const BODY: &[&str] = &[
    "name",
    "parent",
    "joint",
    "anchor",
    "axis",
    "position",
    "rotation",
    "rotation_deg",
    "quaternion",
    "angle",
    "angle_deg",
    "displacement",
    "velocity",
    "angular_velocity",
    "speed",
    "armature",
    "mass",
    "center_of_mass",
    "inertia",
    "shapes",
];
const JOINT: &[&str] = &["floating", "translating", "revolute", "prismatic", "spherical", "fixed"];

/// Reads one body, and appends its coordinates and their rates to the motion.
pub(super) fn body(table: &Table<'_>, earlier: &[Body], motion: &mut Motion) -> Result<Body> {
    let name = table.require("name", "what the body is called")?.text()?.to_string();
    let earlier: Vec<&str> = earlier.iter().map(|body| &*body.name).collect();
    let parent = parent(table, &earlier)?;
    let kind = match table.get("joint") {
        Some(item) => match item.word(JOINT)? {
            "floating" if parent.is_some() => {
                let hint = "leave `parent` out, or choose another joint";
                return Err(item.error("a floating body has no parent").hint(hint));
            }
            kind => kind,
        },
        None if parent.is_none() => "floating",
        None => {
            return Err(table.missing("joint").hint(format!(
                "a body with a parent has one of the joints {}",
                JOINT[1..].join(", ")
            )));
        }
    };
    let joint = state(table, kind, motion)?;
    let offset = match kind {
        "floating" | "spherical" => Attitude::identity(),
        _ => rotation(table)?,
    };
    let mass =
        table.require("mass", "the mass in kg; 0 for a body that only carries others")?.number()?;
    let shapes = match table.get("shapes") {
        None => Vec::new(),
        Some(item) => item.list()?.iter().map(shape).collect::<Result<Vec<_>>>()?,
    };
    let (center, given) = (table.get("center_of_mass"), table.get("inertia"));
    let only = if let [shape] = shapes.as_slice() { Some(shape) } else { None };
    let inertia = match (given, only) {
        (Some(item), _) => inertia(&item)?,
        (None, Some(shape)) if center.is_none() => shape.gyration() * mass,
        (None, _) if mass == 0.0 => Matrix::zeros(),
        _ => {
            let hint = "it follows from the shape only where there is one shape and no `center_of_mass`; \
                        `inertia = 0` makes a point mass";
            return Err(table.missing("inertia").hint(hint));
        }
    };
    let center_of_mass = match (center, only) {
        (Some(item), _) => item.spatial_vector()?,
        (None, Some(shape)) => shape.centroid(),
        (None, None) if shapes.is_empty() => Vector::zeros(),
        _ => {
            return Err(table
                .missing("center_of_mass")
                .hint("a body of several shapes states its own"));
        }
    };
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

/// Reads the joint of this kind, and appends its coordinates and their rates to the motion.
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
