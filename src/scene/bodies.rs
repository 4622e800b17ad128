//! The bodies of a planar scene file: joints with their state, masses, shapes.

use super::fields::{Item, Table};
use super::heading::parent;
use super::schema::keys;
use super::tables;
use carom_core::error::Result;
use carom_mechanics::model::{Body, Joint, Motion, Shape, Vector};

/// The keys of bodies and shapes that only a scene in space has.
pub(super) const SPATIAL: &[&str] = &[
    "rotation",
    "rotation_deg",
    "quaternion",
    "armature",
    "sphere",
    "capsule",
    "polyhedron",
    "radius",
];
const JOINT: &[&str] = &["floating", "translating", "revolute", "prismatic", "fixed"];
/// The kinds of shapes, as keys of a table; a shape has exactly one kind.
const KINDS: &str = "point rod box polygon disk";

/// The vector of a key, zero by default.
pub(super) fn vector(table: &Table<'_>, key: &str) -> Result<Vector> {
    table.get(key).map_or(Ok(Vector::zeros()), |item| item.vector())
}

/// The number of a key, zero by default.
pub(super) fn number(table: &Table<'_>, key: &str) -> Result<f64> {
    table.get(key).map_or(Ok(0.0), |item| item.number())
}

/// The angle in rad, given as `angle` or `angle_deg`.
pub(super) fn angle(table: &Table<'_>) -> Result<f64> {
    match (table.get("angle"), table.get("angle_deg")) {
        (Some(_), Some(item)) => Err(item.error("`angle` and `angle_deg` are both given")),
        (_, Some(item)) => Ok(item.number()?.to_radians()),
        _ => number(table, "angle"),
    }
}

/// Reads a body; appends its coordinates and their rates to `motion`.
pub(super) fn body(table: &Table<'_>, earlier: &[Body], motion: &mut Motion) -> Result<Body> {
    let names: Vec<&str> = earlier.iter().map(|body| &*body.name).collect();
    let (name, parent, kind) = seat(table, &names, JOINT, JOINT)?;
    let joint = state(table, kind, motion)?;
    let offset = if matches!(kind, "floating" | "revolute") { 0.0 } else { angle(table)? };
    let (mass, shapes, inertia, center_of_mass) = solid(
        table,
        shape,
        (Item::number, |shape: &Shape, mass| mass * shape.gyration_squared()),
        (Item::vector, Shape::centroid),
    )?;
    Ok(Body {
        name,
        parent,
        anchor: vector(table, "anchor")?,
        offset,
        joint,
        mass,
        inertia,
        center_of_mass,
        shapes,
    })
}

/// The name of a body, its parent, and the kind of its joint. `carried`: kinds that may have a
/// parent.
pub(super) fn seat(
    table: &Table<'_>,
    earlier: &[&str],
    joints: &[&'static str],
    carried: &[&str],
) -> Result<(String, Option<usize>, &'static str)> {
    let name = table.require("name", "what the body is called")?.text()?.to_string();
    let parent = parent(table, earlier)?;
    let kind = match table.get("joint") {
        Some(item) => match item.word(joints)? {
            kind if parent.is_some() && !carried.contains(&kind) => {
                let hint = "leave `parent` out, or choose another joint";
                return Err(item.error(format!("a {kind} body has no parent")).hint(hint));
            }
            kind => kind,
        },
        None if parent.is_none() => "floating",
        None => {
            let list = carried.join(", ");
            let hint = format!("a body with a parent has one of the joints {list}");
            return Err(table.missing("joint").hint(hint));
        }
    };
    Ok((name, parent, kind))
}

/// Mass, shapes, inertia and mass centre of a body. Without inertia or mass centre, the only shape
/// of the body and its mass define them.
pub(super) fn solid<'a, S, I: Default, V: Default>(
    table: &Table<'a>,
    shape: impl Fn(&Item<'a>) -> Result<S>,
    inertia: (impl Fn(&Item<'a>) -> Result<I>, impl Fn(&S, f64) -> I),
    centre: (impl Fn(&Item<'a>) -> Result<V>, impl Fn(&S) -> V),
) -> Result<(f64, Vec<S>, I, V)> {
    let mass =
        table.require("mass", "the mass in kg; 0 for a body that only carries others")?.number()?;
    let shapes = match table.get("shapes") {
        None => Vec::new(),
        Some(item) => item.list()?.iter().map(shape).collect::<Result<Vec<_>>>()?,
    };
    let given = (table.get("inertia"), table.get("center_of_mass"));
    let only = if let [shape] = shapes.as_slice() { Some(shape) } else { None };
    let inertia = match (given.0, only) {
        (Some(item), _) => inertia.0(&item)?,
        (None, Some(shape)) if given.1.is_none() => inertia.1(shape, mass),
        (None, _) if mass == 0.0 => I::default(),
        _ => {
            let hint = "it follows from the shape only where there is one shape and no `center_of_mass`; \
                        `inertia = 0` makes a point mass";
            return Err(table.missing("inertia").hint(hint));
        }
    };
    let centre = match (given.1, only) {
        (Some(item), _) => centre.0(&item)?,
        (None, Some(shape)) => centre.1(shape),
        (None, None) if shapes.is_empty() => V::default(),
        _ => {
            let hint = "a body of several shapes states its own";
            return Err(table.missing("center_of_mass").hint(hint));
        }
    };
    Ok((mass, shapes, inertia, centre))
}

/// Reads a joint of this kind; appends its coordinates and their rates to `motion`.
fn state(table: &Table<'_>, kind: &str, motion: &mut Motion) -> Result<Joint> {
    let (moves, turns, slides) = (
        matches!(kind, "floating" | "translating"),
        matches!(kind, "floating" | "revolute"),
        kind == "prismatic",
    );
    let reason = |what: &str| format!("a {kind} joint has no {what}");
    if !moves {
        table.refuse(&["position", "velocity"], &reason("position or velocity"))?;
    }
    if !turns {
        table.refuse(&["angular_velocity"], &reason("angular velocity"))?;
    }
    if !slides {
        table.refuse(&["axis", "displacement", "speed"], &reason("axis, displacement or speed"))?;
    }
    if kind != "revolute" {
        table
            .refuse(&["angle_from"], &reason("choice between a relative and an absolute angle"))?;
    }
    let mut add = |position: &[f64], velocity: &[f64]| {
        motion.position.extend(position);
        motion.velocity.extend(velocity);
    };
    if moves {
        add(vector(table, "position")?.as_slice(), vector(table, "velocity")?.as_slice());
    }
    if turns {
        add(&[angle(table)?], &[number(table, "angular_velocity")?]);
    }
    if slides {
        add(&[number(table, "displacement")?], &[number(table, "speed")?]);
    }
    Ok(match kind {
        "translating" => Joint::Translating,
        "revolute" => {
            let from =
                table.get("angle_from").map(|item| item.word(&["parent", "world"])).transpose()?;
            Joint::Revolute { absolute: from == Some("world") }
        }
        "prismatic" => {
            let item =
                table.require("axis", "the direction [x, y] of sliding in the parent's frame")?;
            let axis = item.vector()?;
            let length = axis.x.hypot(axis.y);
            if !(length.is_finite() && length > 0.0) {
                return Err(item.error("an axis has a length > 0 that is finite"));
            }
            Joint::Prismatic { axis: axis / length }
        }
        "fixed" => Joint::Fixed,
        _ => Joint::Floating,
    })
}

fn shape(item: &Item<'_>) -> Result<Shape> {
    let table = item.table(&keys::<tables::Shape>(SPATIAL))?;
    let (kind, value) = table.kind(KINDS)?;
    if kind != "box" {
        table.refuse(&["angle", "angle_deg"], "only a box has an angle")?;
    }
    if !matches!(kind, "box" | "disk") {
        table.refuse(&["center"], "only a box and a disk have a center")?;
    }
    let center = vector(&table, "center")?;
    let vectors = || value.list()?.iter().map(Item::vector).collect::<Result<Vec<_>>>();
    let made = match kind {
        "point" => Shape::point(value.vector()?),
        "disk" => Shape::disk(center, value.number()?),
        "box" => {
            let size = value.vector()?;
            Shape::rectangle(size.x, size.y, center, angle(&table)?)
        }
        "rod" => match vectors()?.as_slice() {
            [from, to] => Shape::rod(*from, *to),
            ends => return Err(value.error(format!("a rod has 2 ends, found {}", ends.len()))),
        },
        _ => Shape::polygon(vectors()?),
    };
    made.map_err(|error| value.locate(error))
}
