//! JSON Schemas of scene, motion, problem and event files.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::tables::{Motion, Scene, expressions};
use carom_core::problem::ProblemSpec;
use carom_core::schema::{read, without_null};

/// The schema of a scene file.
pub fn scene() -> Value {
    let mut schema = read::<Scene>();
    let mut uncertain = uncertainty(schema["$defs"]["Uncertainty"].take());
    expressions(&mut uncertain);
    schema["$defs"]["Uncertainty"] = uncertain;
    schema
}

/// The schema of a motion file.
pub fn motion() -> Value {
    read::<Motion>()
}

/// The keys of a table of scene and motion files, without the keys `left_out`.
pub(super) fn keys<T: JsonSchema>(left_out: &[&str]) -> Vec<&'static str> {
    static TABLES: LazyLock<Value> = LazyLock::new(|| read::<AnyFile>()["$defs"].take());
    let keys = TABLES[&*T::schema_name()]["properties"].as_object();
    let keys = keys.into_iter().flat_map(Map::keys).map(String::as_str);
    keys.filter(|key| !left_out.contains(key)).collect()
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "its schema is read")]
enum AnyFile {
    Scene(Scene),
    Motion(Motion),
    Problem(ProblemSpec),
}

/// The schema of a problem file.
pub fn problem() -> Value {
    let mut schema = read::<ProblemSpec>();
    schema["title"] = "A problem file of carom, in TOML or JSON; SI units".into();
    schema["$defs"]["Uncertainty"] = uncertainty(schema["$defs"]["Uncertainty"].take());
    let description = json!({ "type": "string", "description": "What it is; nothing reads it." });
    if let Value::Object(keys) = &mut schema["properties"] {
        keys.shift_insert(1, "description".to_string(), description);
    }
    schema
}

/// The schema of ranges in files: one for all contacts, or a list with one for each.
fn uncertainty(mut schema: Value) -> Value {
    for of in schema["properties"].as_object_mut().into_iter().flat_map(|keys| keys.values_mut()) {
        if of["items"]["type"] == "array" {
            let each = json!({ "type": "array", "items": of["items"] });
            *of = json!({ "description": of["description"], "anyOf": [of["items"], each] });
        }
    }
    schema
}

/// What an event has beside a problem.
#[derive(JsonSchema)]
#[schemars(transform = without_null)]
#[allow(dead_code, reason = "its schema is read")]
struct Measured {
    /// Velocity (n) that was measured after the impact.
    #[schemars(length(min = 1))]
    measured: Vec<f64>,
    /// One sigma of the measured jump, |.|_M over |v-|_M.
    #[schemars(range(min = 0))]
    noise: Option<f64>,
    /// Whether `--clean` takes this impact.
    clean: Option<bool>,
    /// Number of the toss that the impact belongs to.
    toss: Option<f64>,
}

/// The schema of an event file.
pub fn event() -> Value {
    let (mut event, mut measured) = (problem(), read::<Measured>());
    for part in ["properties", "required"] {
        match (&mut event[part], measured[part].take()) {
            (Value::Object(keys), Value::Object(more)) => keys.extend(more),
            (Value::Array(keys), Value::Array(more)) => keys.extend(more),
            _ => {}
        }
    }
    let mut definitions = event["$defs"].take();
    definitions["event"] = json!({
        "type": "object", "properties": event["properties"], "required": event["required"],
    });
    let follows =
        json!({ "type": "string", "description": "What the file follows; nothing reads it." });
    let events = json!({ "type": "array", "items": { "$ref": "#/$defs/event" }, "minItems": 1 });
    json!({
        "$schema": event["$schema"],
        "title": "An event file of carom: measured impacts; other keys are left alone",
        "type": "object",
        "properties": { "schema": follows, "events": events },
        "required": ["events"],
        "$defs": definitions,
    })
}
