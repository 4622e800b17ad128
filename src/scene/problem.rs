//! Problem files, which hold the numbers of a contact problem.

use super::fields::{Item, Table};
use super::points;
use super::schema::keys;
use super::tree::Value;
use super::uncertainty;
use carom_core::error::Result;
use carom_core::problem::{ContactProblem, MassPart, ProblemSpec};

/// The most coordinates or contacts a problem file may have.
const LIMIT: usize = 4096;

/// A part of the mass matrix: the numbers of its `coordinates`, and its rows.
fn part(table: &Table<'_>) -> Result<MassPart> {
    let numbers = table.require("coordinates", "the coordinates of this part, counted from 0")?;
    let index =
        |item: &Item<'_>| match item.number()? {
            i if i >= 0.0 && i.fract() == 0.0 && i < LIMIT as f64 => Ok(i as usize),
            i => Err(item
                .error(format!("expected the number of a coordinate, counted from 0, found {i}"))),
        };
    Ok(MassPart {
        coordinates: numbers.list()?.iter().map(index).collect::<Result<_>>()?,
        mass: table.require("mass", "its matrix, a row per coordinate")?.rows()?,
    })
}

/// The coefficients of m contacts: one number for all, or a list with one for each.
fn coefficients(item: &Item<'_>, m: usize) -> Result<Vec<f64>> {
    match item.node.value {
        Value::Number(_) => Ok(vec![item.number()?; m]),
        Value::List(_) => item.numbers(),
        _ => Err(item.expected("a number or a list of numbers")),
    }
}

/// A list of numbers, one for each of the `expected` items; `of`: the items' name in errors.
pub(super) fn of_length(item: &Item<'_>, expected: usize, of: &str) -> Result<Vec<f64>> {
    let numbers = item.numbers()?;
    match numbers.len() == expected {
        true => Ok(numbers),
        false => Err(item.error(format!("{} numbers for {expected} {of}", numbers.len()))),
    }
}

pub(super) fn read(root: &Item<'_>, default_name: &str) -> Result<ContactProblem> {
    let mut known = keys::<ProblemSpec>(&[]);
    known.insert(1, "description");
    of(root, &root.table(&known)?, default_name)
}

/// The contact problem of a table at `root`, which may have further keys.
pub(super) fn of(root: &Item<'_>, table: &Table<'_>, default_name: &str) -> Result<ContactProblem> {
    let get = |key| table.get(key);
    if let Some(description) = get("description") {
        description.text()?;
    }
    let mut spec = ProblemSpec {
        name: get("name").map_or(Ok(default_name), |item| item.text())?.to_string(),
        mass: table.require("mass", "the mass matrix, n rows of n numbers")?.rows()?,
        normal: table
            .require("normal", "the normal Jacobian, one row of n numbers per contact")?
            .rows()?,
        tangent: get("tangent").map_or(Ok(Vec::new()), |item| item.rows())?,
        friction: None,
        restitution: None,
        bilateral: get("bilateral").map_or(Ok(Vec::new()), |item| item.rows())?,
        velocity: table
            .require("velocity", "the velocity before the impact, n numbers")?
            .numbers()?,
        coordinates: get("coordinates").map(|item| item.texts()).transpose()?,
        units: get("units").map(|item| item.texts()).transpose()?,
        contacts: get("contacts").map(|item| item.texts()).transpose()?,
        step: get("step").map(|item| item.number()).transpose()?,
        max_steps: get("max_steps").map(|item| item.count()).transpose()?,
        uncertainty: get("uncertainty")
            .map_or(Ok(Default::default()), |item| uncertainty::read(&item))?,
        mass_parts: table
            .tables("mass_parts", &keys::<MassPart>(&[]))?
            .iter()
            .map(part)
            .collect::<Result<_>>()?,
        gap: None,
        points: get("points").map(|item| points::read(&item)).transpose()?,
    };
    let m = spec.normal.len();
    spec.friction = get("friction").map(|item| coefficients(&item, m)).transpose()?;
    spec.gap = get("gap").map(|item| of_length(&item, m, "contacts")).transpose()?;
    spec.restitution = get("restitution").map(|item| coefficients(&item, m)).transpose()?;
    for (count, key) in [(spec.velocity.len(), "velocity"), (spec.normal.len(), "normal")] {
        if count > LIMIT {
            return Err(root
                .descend(key)
                .error(format!("{count} entries; at most {} are possible", LIMIT)));
        }
    }
    ContactProblem::new(spec).map_err(|error| {
        let path = error.at.clone().unwrap_or_default();
        root.descend(&path).locate(error)
    })
}
