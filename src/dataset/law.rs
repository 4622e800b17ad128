//! The table `[law]` of a plan: the law by its name, and the options that it has.

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::engine::StepSolver;
use crate::error::{Error, ErrorKind, Result};
use crate::law::Routh;
use crate::run::{LawName, Run, by_field};
use crate::scene::fields::{Item, Table};
use crate::scene::uncertainty;

/// The keys of the table of each law.
const ROUTH: &[&str] = &[
    "name",
    "process",
    "solution",
    "solver",
    "sampler",
    "persist",
    "step",
    "accuracy",
    "max_steps",
    "facets",
    "hypothesis",
    "restitution",
    "uncertainty",
];
const ORDERS: &[&str] = &["name", "max_steps", "restitution"];
const PLUS: &[&str] =
    &["name", "theta_max", "v_transition", "v_plastic", "v_capture", "restitution", "uncertainty"];

/// Reads the table; without it nothing is asked for.
///
/// # Errors
/// A key that the law does not have, a value that it does not take, each with its place.
pub fn read(item: Option<&Item<'_>>) -> Result<Run> {
    let Some(item) = item else { return Ok(Run::default()) };
    let names = LawName::ALL.map(LawName::name);
    let name = item.open_table()?.get("name").map_or(Ok(Routh::NAME), |name| name.word(&names))?;
    let law = LawName::named(name).unwrap_or_default();
    let table = &item.table(match law {
        LawName::Routh => ROUTH,
        LawName::Sequential | LawName::Propagative => ORDERS,
        LawName::Plus => PLUS,
    })?;
    let sampler = |item: Item<'_>| item.text()?.parse().map_err(|e: Error| item.error(e.what));
    let run = Run {
        law,
        process: word(table, "process", &["steps", "events", "exact", "inclusion"])?,
        solution: word(table, "solution", &["random", "lemke"])?,
        solver: word(table, "solver", &StepSolver::ALL.map(StepSolver::name))?,
        sampler: table.get("sampler").map(sampler).transpose()?,
        persist: count(table, "persist")?,
        step: number(table, "step")?,
        accuracy: number(table, "accuracy")?,
        max_steps: count(table, "max_steps")?,
        facets: count(table, "facets")?,
        hypothesis: word(table, "hypothesis", &["stronge", "poisson"])?,
        theta_max: number(table, "theta_max")?,
        v_transition: number(table, "v_transition")?,
        v_plastic: number(table, "v_plastic")?,
        v_capture: number(table, "v_capture")?,
        restitution: number(table, "restitution")?,
        uncertainty: table.get("uncertainty").map(|item| uncertainty::read(&item)).transpose()?,
        ..Run::default()
    };
    run.law().map_err(|error| located(Some(item), error))?;
    if run.has_two_restitutions() {
        table.refuse(
            &["restitution"],
            "this and a range of restitution in `uncertainty` exclude each other",
        )?;
    }
    Ok(run)
}

/// An error of a run as one of the plan, at the key of the table that it is about, if there is one.
pub fn located(table: Option<&Item<'_>>, error: Error) -> Error {
    let error = by_field(Error { kind: ErrorKind::Input, ..error });
    let given = |field: &str| {
        let item = table?;
        item.open_table().is_ok_and(|keys| keys.get(field).is_some()).then(|| item.descend(field))
    };
    match error.at.as_deref().and_then(given) {
        Some(item) => item.locate(error),
        None => Error { option: false, ..error },
    }
}

/// A word, as serde has it too.
fn word<T: DeserializeOwned>(
    table: &Table<'_>,
    key: &str,
    known: &[&'static str],
) -> Result<Option<T>> {
    let Some(item) = table.get(key) else { return Ok(None) };
    serde_json::from_value(json!(item.word(known)?)).map_err(|e| item.error(e.to_string()))
}

fn number(table: &Table<'_>, key: &str) -> Result<Option<f64>> {
    table.get(key).map(|item| item.number()).transpose()
}

fn count(table: &Table<'_>, key: &str) -> Result<Option<u32>> {
    table.get(key).map(|item| item.count()).transpose()
}
