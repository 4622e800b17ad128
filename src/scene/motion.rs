//! Motion files: moving bodies, and an integrator. `docs/files.md` lists their keys.

use super::fields::{Item, Table};
use super::mechanism;
use super::schema::keys;
use super::spatial::vectors::{ROTATION, rotation, vector};
use super::tables::{Ellipsoid, Plane, Rigid, RigidShape, State};
use super::tree::Value;
use carom_core::error::Result;
use carom_mechanics::motion::lgvci::shape::{BodyShape, Convex, Form, Image, ShapePart};
use carom_mechanics::motion::lgvci::{BodyState, Mat3, Vec3};
use carom_mechanics::motion::{GRAVITY, Lgvci, LgvciSpec, Simulation};

/// The kinds of shapes, as keys of a table; a shape has exactly one kind.
const KINDS: &str = "ellipsoid box polyhedron intersection implicit support";

pub(super) fn read(root: &Item<'_>, default_name: &str) -> Result<Simulation> {
    if root.descend("integrator").word(Simulation::INTEGRATORS)? != Lgvci::NAME {
        return mechanism::read(root, default_name);
    }
    let table = root.table(&keys::<Rigid>(&[]))?;
    if let Some(description) = table.get("description") {
        description.text()?;
    }
    let plane = table.get("plane").map(|item| item.table(&keys::<Plane>(&[]))).transpose()?;
    let of_plane = |key| plane.as_ref().and_then(|plane| plane.get(key));
    let shapes =
        table.require("shapes", "a list of what can touch, such as [{ ellipsoid = [2, 3, 4] }]")?;
    let parts = shapes.list()?.iter().map(part).collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(shapes.error("a body has at least one shape"));
    }
    let state =
        table.require("state", "where the body is at first: `position`, `momentum`, ...")?;
    let spec = LgvciSpec {
        name: table.get("name").map_or(Ok(default_name), |item| item.text())?.to_string(),
        mass: table.require("mass", "the mass in kg")?.number()?,
        gravity: gravity(table.get("gravity"))?,
        time_step: table.require("time_step", "the time step in s")?.number()?,
        inertia: table.get("inertia").map(|item| tensor(&item)).transpose()?,
        normal: of_plane("normal").map_or(Ok([0.0, 0.0, 1.0]), |item| three(&item))?,
        offset: of_plane("offset").map_or(Ok(0.0), |item| item.number())?,
        shape: BodyShape { parts },
        state: at_first(&state.table(&keys::<State>(&[]))?)?,
        steps: table.get("steps").map(|item| item.count().map(u64::from)).transpose()?,
        max_collisions: table.get("max_collisions").map(|item| item.count()).transpose()?,
    };
    Lgvci::new(spec).map(|motion| Simulation::Lgvci(Box::new(motion))).map_err(|error| {
        let path = error.at.clone().unwrap_or_default();
        root.descend(&path).locate(error)
    })
}

/// The gravitational acceleration: a number downwards, or a vector.
fn gravity(item: Option<Item<'_>>) -> Result<Vec3> {
    match item {
        None => Ok([0.0, 0.0, -GRAVITY]),
        Some(item) => match item.node.value {
            Value::List(_) => three(&item),
            Value::Number(_) => Ok([0.0, 0.0, -item.number()?]),
            _ => Err(item.expected("a number, or a vector [x, y, z]")),
        },
    }
}

fn three(item: &Item<'_>) -> Result<Vec3> {
    Ok(item.spatial_vector()?.into())
}

fn square(item: &Item<'_>) -> Result<Mat3> {
    let rows = item.list()?.iter().map(three).collect::<Result<Vec<_>>>()?;
    match rows[..] {
        [x, y, z] => Ok([x, y, z]),
        _ => Err(item.error(format!("expected three rows, found {}", rows.len()))),
    }
}

/// An inertia tensor: rows, a diagonal, or a multiple of the unit matrix.
fn tensor(item: &Item<'_>) -> Result<Mat3> {
    let diagonal = |[a, b, c]: Vec3| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
    match &item.node.value {
        Value::Number(_) => item.number().map(|x| diagonal([x; 3])),
        Value::List(list) if list.iter().any(|node| matches!(node.value, Value::List(_))) => {
            square(item)
        }
        Value::List(_) => three(item).map(diagonal),
        _ => Err(item.expected("three rows, three numbers or one number")),
    }
}

/// The rotation of a table, as a matrix.
fn turned(table: &Table<'_>) -> Result<Mat3> {
    let turn = rotation(table)?.to_rotation_matrix();
    Ok([0, 1, 2].map(|i| [0, 1, 2].map(|j| turn[(i, j)])))
}

fn part(item: &Item<'_>) -> Result<ShapePart> {
    let table = item.table(&keys::<RigidShape>(&[]))?;
    let (kind, value) = table.kind(KINDS)?;
    if matches!(kind, "polyhedron" | "intersection") {
        let what = |word: &str| format!("a polyhedron and an intersection have no {word}");
        table.refuse(ROTATION, &what("rotation"))?;
        table.refuse(&["center"], &what("center"))?;
    }
    if !matches!(kind, "box" | "polyhedron") {
        table.refuse(&["rounding"], "only a box and a polyhedron have a rounding")?;
    }
    let rounding = table.get("rounding").map_or(Ok(0.0), |item| item.number())?;
    let made = match kind {
        "ellipsoid" => {
            ShapePart::ellipsoid(vector(&table, "center")?.into(), three(&value)?, &turned(&table)?)
        }
        "box" => ShapePart::cuboid(
            vector(&table, "center")?.into(),
            three(&value)?,
            &turned(&table)?,
            rounding,
        ),
        "polyhedron" => {
            let corners = value.list()?.iter().map(three).collect::<Result<Vec<_>>>()?;
            ShapePart::polyhedron(corners, rounding)
        }
        "implicit" | "support" => {
            let form = if kind == "implicit" { Form::Implicit } else { Form::Support };
            let (center, function) =
                (vector(&table, "center")?.into(), value.formula(&["x", "y", "z"])?);
            Convex::new(form, function, center, &turned(&table)?)
                .map(|convex| ShapePart::Convex(Box::new(convex)))
        }
        _ => {
            let images = value.list()?.iter().map(image).collect::<Result<Vec<_>>>()?;
            ShapePart::intersection(images)
        }
    };
    made.map_err(|error| match error.at.as_deref() {
        Some("rounding") => item.descend("rounding").locate(error),
        _ => value.locate(error),
    })
}

fn image(item: &Item<'_>) -> Result<Image> {
    let table = item.table(&keys::<Ellipsoid>(&[]))?;
    let axes = table.require("ellipsoid", "its half axes [a, b, c]")?;
    let (center, lengths, attitude) =
        (vector(&table, "center")?.into(), three(&axes)?, turned(&table)?);
    ShapePart::ellipsoid(center, lengths, &attitude).map_err(|error| axes.locate(error))?;
    Ok(Image::new(center, lengths, &attitude))
}

fn at_first(table: &Table<'_>) -> Result<BodyState> {
    let attitude = match table.get("attitude") {
        Some(item) => {
            table.refuse(ROTATION, "`attitude` is given too")?;
            square(&item)?
        }
        None => turned(table)?,
    };
    Ok(BodyState {
        position: three(&table.require("position", "where the mass centre is, [x, y, z] in m")?)?,
        attitude,
        momentum: vector(table, "momentum")?.into(),
        angular_momentum: vector(table, "angular_momentum")?.into(),
    })
}
