//! Parameters and velocities of a plan, from its tables and from columns of files, validated
//! against scene and problem.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::plan::{Origin, Quantity};
use super::table;
use carom_core::error::Result;
use carom_core::problem::{coordinate_named, no_coordinate};
use carom_scene::fields::{Item, Table, suggestion};
use carom_scene::tree::Value;
use carom_scene::{Document, Parameter};

/// The kind of a quantity.
#[derive(Clone, Copy, PartialEq)]
pub enum Of {
    Parameter,
    Velocity,
}

/// A quantity of the plan, before validation against scene and problem.
pub struct Asked<'a> {
    pub of: Option<Of>,
    pub name: String,
    pub origin: Origin,
    pub item: Item<'a>,
}

/// The quantities of the tables `parameters` and `velocity` and of the columns of the plan's table.
pub fn asked<'a>(keys: &Table<'a>, folder: &Path) -> Result<Vec<Asked<'a>>> {
    let mut asked = Vec::new();
    for (key, of) in [("parameters", Of::Parameter), ("velocity", Of::Velocity)] {
        let Some(table) = keys.get(key) else { continue };
        collect(&table, of, "", &mut asked)?;
    }
    let Some(item) = keys.get("table") else { return Ok(asked) };
    for (name, values) in table::read(&folder.join(item.text()?))? {
        let (of, name) = match (name.strip_prefix("parameters."), name.strip_prefix("velocity.")) {
            (Some(name), _) => (Some(Of::Parameter), name.to_string()),
            (_, Some(name)) => (Some(Of::Velocity), name.to_string()),
            _ => (None, name),
        };
        let (origin, item) = (Origin::Column(Arc::new(values)), item.clone());
        asked.push(Asked { of, name, origin, item });
    }
    Ok(asked)
}

/// The entries of a table. `block.x = 1`, to TOML a nested table, is the entry `block.x`.
fn collect<'a>(table: &Item<'a>, of: Of, prefix: &str, into: &mut Vec<Asked<'a>>) -> Result<()> {
    for (key, item) in table.entries()? {
        let name = format!("{prefix}{key}");
        let origin = match item.node.value {
            Value::Table(_) => {
                collect(&item, of, &format!("{name}."), into)?;
                continue;
            }
            Value::List(_) => match item.numbers()?[..] {
                [low, high] if low <= high => Origin::Range([low, high]),
                _ => return Err(item.error("expected a range [LOW, HIGH] with LOW <= HIGH")),
            },
            Value::Number(_) => Origin::Fixed(item.number()?),
            _ => return Err(item.expected("a number or a range [LOW, HIGH]")),
        };
        into.push(Asked { of: Some(of), name, origin, item });
    }
    Ok(())
}

/// The quantities that are scene parameters, in the order of the scene, with values within their
/// bounds.
pub fn parameters(
    document: &Document,
    known: &[Parameter],
    asked: &[Asked<'_>],
) -> Result<Vec<Quantity>> {
    let mut found: BTreeMap<usize, Quantity> = BTreeMap::new();
    for Asked { of, name, origin, item } in asked {
        let Some(place) = known.iter().position(|parameter| parameter.name == *name) else {
            if *of == Some(Of::Parameter) {
                let names = known.iter().map(|parameter| parameter.name.as_str());
                let error = item.error(format!("`{}` has no parameter `{name}`", document.name()));
                return Err(match known.is_empty() {
                    true => error.hint("a scene has parameters in a table `[parameters]`"),
                    false => error.hint(suggestion(name, names)),
                });
            }
            continue;
        };
        if *of == Some(Of::Velocity) {
            continue;
        }
        let (min, max) = (known[place].min, known[place].max);
        let ends = match origin {
            Origin::Fixed(value) => std::slice::from_ref(value),
            Origin::Range(ends) => ends,
            Origin::Column(values) => values,
        };
        if let Some(row) = ends.iter().position(|value| !(min..=max).contains(value)) {
            let in_row = match origin {
                Origin::Column(_) => format!(" in row {row}"),
                _ => String::new(),
            };
            let what = format!("`{name}` lies in [{min}, {max}], found {}{in_row}", ends[row]);
            return Err(item.error(what));
        }
        add(&mut found, place, (name, origin), item)?;
    }
    Ok(found.into_values().collect())
}

/// The quantities that are velocities, in the order of the coordinates.
pub fn velocities(
    coordinates: &[String],
    scene: &[Parameter],
    asked: &[Asked<'_>],
) -> Result<Vec<Quantity>> {
    let mut found: BTreeMap<usize, Quantity> = BTreeMap::new();
    for Asked { of, name, origin, item } in asked {
        let parameter = *of == Some(Of::Parameter);
        let clash = of.is_none() && scene.iter().any(|parameter| parameter.name == *name);
        let place = match clash {
            true => coordinates.iter().position(|coordinate| coordinate == name),
            false => coordinate_named(coordinates, name),
        };
        match place {
            Some(_) if clash => {
                let what = format!("`{name}` is a parameter and a coordinate");
                let hint = format!("call the column `parameters.{name}` or `velocity.{name}`");
                return Err(item.error(what).hint(hint));
            }
            Some(place) if !parameter => add(&mut found, place, (name, origin), item)?,
            None if *of == Some(Of::Velocity) || of.is_none() && !clash => {
                let what = match of {
                    Some(_) => no_coordinate(coordinates, name),
                    None => format!("the column `{name}` is neither a parameter nor a coordinate"),
                };
                let known = scene.iter().map(|p| p.name.as_str()).filter(|_| of.is_none());
                let known = known.chain(coordinates.iter().map(String::as_str));
                return Err(item.error(what).hint(suggestion(name, known)));
            }
            _ => {}
        }
    }
    Ok(found.into_values().collect())
}

fn add(
    found: &mut BTreeMap<usize, Quantity>,
    place: usize,
    (name, origin): (&str, &Origin),
    item: &Item<'_>,
) -> Result<()> {
    let quantity = Quantity { name: name.to_string(), place, origin: origin.clone() };
    match found.insert(place, quantity) {
        None => Ok(()),
        Some(_) => Err(item.error(format!("`{name}` is given twice"))),
    }
}
