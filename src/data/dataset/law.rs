//! The table `[law]` of a plan: the name of the law, and its options.

use std::iter;
use std::sync::LazyLock;

use carom_core::error::{Error, ErrorKind, Result};
use carom_engine::run::{Field, Run, by_field};
use carom_law::Law;
use carom_scene::fields::Item;
use carom_scene::uncertainty;
use serde_json::{Map, Value, json};

/// The keys of the table of each law.
static KEYS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let keys = |law: &&str| {
        let of_law = |field: &&Field| field.is_of(law) && field.is_in_table();
        let fields = Field::all().iter().filter(of_law);
        iter::once("name").chain(fields.map(|field| field.name.as_str())).collect()
    };
    Law::NAMES.iter().map(keys).collect()
});

/// Reads the table; the default is a run without options.
pub fn read(item: Option<&Item<'_>>) -> Result<Run> {
    let Some(item) = item else { return Ok(Run::default()) };
    let named = item.open_table()?.get("name");
    let law = named.as_ref().map_or(Ok(Law::NAMES[0]), |name| name.word(Law::NAMES))?;
    let keys = Law::NAMES.iter().position(|known| *known == law).map_or(&[][..], |k| &KEYS[k]);
    let table = &item.table(keys)?;
    let mut fields = Map::new();
    if named.is_some() {
        fields.insert("law".to_string(), Value::from(law));
    }
    for field in keys.iter().filter_map(|key| Field::named(key)) {
        let Some(item) = table.get(&field.name) else { continue };
        let value = match field.kind() {
            _ if field.name == "uncertainty" => json!(uncertainty::read(&item)?),
            Some("integer" | "number") => item.number()?.into(),
            Some("boolean") => item.boolean()?.into(),
            _ => item.text()?.into(),
        };
        fields.insert(field.name.clone(), value);
    }
    let run = Run::of(fields).map_err(|error| located(Some(item), error))?;
    if run.has_two_restitutions() {
        table.refuse(
            &["restitution"],
            "this and a range of restitution in `uncertainty` exclude each other",
        )?;
    }
    Ok(run)
}

/// An error of a run as an error of the plan, at the faulty key of the table, if known.
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
