use super::vectors::{ROTATION, rotation, vector};
use crate::fields::Item;
use crate::schema::keys;
use crate::tables;
use carom_core::error::Result;
use carom_mechanics::model::spatial::Shape;

/// The kinds of shapes, as keys of a table; a shape has exactly one kind.
const KINDS: &str = "point rod sphere capsule box polyhedron";
/// Keys of shapes that only planar scenes have.
const PLANAR: &[&str] = &["polygon", "disk", "angle", "angle_deg"];

pub(super) fn shape(item: &Item<'_>) -> Result<Shape> {
    let table = item.table(&keys::<tables::Shape>(PLANAR))?;
    let (kind, value) = table.kind(KINDS)?;
    if kind != "box" {
        table.refuse(ROTATION, "only a box has a rotation")?;
    }
    if !matches!(kind, "box" | "sphere") {
        table.refuse(&["center"], "only a box and a sphere have a center")?;
    }
    if kind != "capsule" {
        table.refuse(
            &["radius"],
            "only a capsule has a radius of its own; a sphere is `{ sphere = radius }`",
        )?;
    }
    let center = vector(&table, "center")?;
    let vectors = || value.list()?.iter().map(Item::spatial_vector).collect::<Result<Vec<_>>>();
    let ends = || match vectors()?.as_slice() {
        [from, to] => Ok((*from, *to)),
        ends => Err(value.error(format!("a {kind} has 2 ends, found {}", ends.len()))),
    };
    let made = match kind {
        "point" => Shape::point(value.spatial_vector()?),
        "sphere" => Shape::sphere(center, value.number()?),
        "box" => Shape::cuboid(value.spatial_vector()?, center, rotation(&table)?),
        "rod" => ends().and_then(|(from, to)| Shape::rod(from, to)),
        "capsule" => {
            let radius = table.require("radius", "the radius of the capsule in m")?.number()?;
            ends().and_then(|(from, to)| Shape::capsule(from, to, radius))
        }
        _ => Shape::polyhedron(vectors()?),
    };
    made.map_err(|error| value.locate(error))
}
