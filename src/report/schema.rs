//! JSON Schemas of reports, from the types of their results.

use std::borrow::Cow;

use super::record::{LawRecord, ProblemRecord, RunRecord, Sampling};
use carom_core::outcome::Mode;
use carom_core::schema::written as of;
use carom_engine::run::Field;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Options of every sampled law, `null` where they do not apply.
const COMMON: [&str; 8] =
    ["solution", "sampler", "persist", "facets", "hypothesis", "step", "accuracy", "max_steps"];

/// The schema of [`RunRecord::with`] for a law with finitely many outcomes.
pub fn found<T: JsonSchema>() -> Value {
    let [problem, law] = [of::<ProblemRecord>(), of::<LawRecord>()];
    let head = kept(&["schema_version", "version", "warnings"], &[]);
    after(of::<T>(), after(law, after(problem, head)))
}

/// The schema of [`RunRecord::with`] for a sampled law.
pub fn sampled<T: JsonSchema>() -> Value {
    let mut record = of::<RunRecord>();
    for part in [of::<ProblemRecord>(), of::<LawRecord>(), of::<Sampling>()] {
        record = after(part, record);
    }
    for Field { name, laws, schema, .. } in Field::all() {
        // The key `process` keeps the schema of the report, which predates the option.
        if !laws.is_empty() && name != "process" {
            record["properties"][name] = json!({ "anyOf": [schema, { "type": "null" }] });
        }
    }
    let required = json!({ "required": COMMON.iter().chain(&["seed"]).collect::<Vec<_>>() });
    after(of::<T>(), after(required, record))
}

/// The schema of answers of a set of samples. The record may come from a merged file or from
/// another version, so the schema has few of its keys.
pub fn answered<T: JsonSchema>() -> Value {
    let known = kept(&["schema_version", "law", "seed"], &["model", "forecasts"]);
    after(of::<T>(), known)
}

/// The schema of a record restricted to some keys.
fn kept(required: &[&str], optional: &[&str]) -> Value {
    let record = of::<RunRecord>();
    let only = |key: &&str| (key.to_string(), record["properties"][key].clone());
    let properties: Map<String, Value> = required.iter().chain(optional).map(only).collect();
    json!({
        "$schema": record["$schema"], "type": "object", "properties": properties, "required": required,
    })
}

/// The schema of an object with the keys of `first`, followed by the keys of `schema`.
fn after(mut schema: Value, mut first: Value) -> Value {
    for part in ["properties", "$defs"] {
        let mut all = first[part].as_object().cloned().unwrap_or_default();
        all.extend(schema[part].as_object().cloned().unwrap_or_default());
        if !all.is_empty() {
            first[part] = Value::Object(all);
        }
    }
    let mut required = first["required"].as_array().cloned().unwrap_or_default();
    for key in schema["required"].as_array().into_iter().flatten() {
        if !required.contains(key) {
            required.push(key.clone());
        }
    }
    first["required"] = Value::Array(required);
    for key in ["title", "description", "additionalProperties", "anyOf", "oneOf"] {
        first[key] = schema[key].take();
    }
    if let Value::Object(keys) = &mut first {
        keys.retain(|_, value| !value.is_null());
    }
    first
}

/// A number that JSON writes as `null` where it is not finite.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Finite(pub f64);

impl JsonSchema for Finite {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Finite".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<f64>::json_schema(generator)
    }
}

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct ModeName(&'static str);

/// The names of contact modes, for contacts with `tangents` tangents.
pub(super) fn named(modes: &[Mode], tangents: usize) -> Vec<ModeName> {
    modes.iter().map(|mode| ModeName(mode.name(tangents))).collect()
}

impl JsonSchema for ModeName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ModeName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let of = |mode: Mode| [1, 2].map(|tangents| mode.name(tangents));
        let mut names: Vec<_> = Mode::ALL.into_iter().flat_map(of).collect();
        names.dedup();
        json_schema!({ "enum": names })
    }
}
