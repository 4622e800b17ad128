//! The keys of a plan.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use carom_core::schema::{read, without_null};
use carom_engine::Precision;
use carom_engine::run::Field;
use carom_law::Law;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// A plan as its file has it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null, title = "The plan of a data set")]
#[schemars(extend("oneOf" = [
    { "required": ["problem", "states"] },
    { "required": ["problem", "table"] },
    { "required": ["problems"] },
]))]
#[allow(dead_code, reason = "its schema is read")]
struct PlanFile {
    /// Name of the data set; left out: the name of the plan's file.
    name: Option<String>,
    /// A built-in scene, or a scene or problem file, relative to the plan's folder.
    problem: Option<String>,
    /// An .npz file of arrays with a row for each state, relative to the plan's folder: mass,
    /// normal, tangent, friction, velocity; restitution, active; coordinates, contacts. It stands
    /// instead of problem, states, table, parameters and velocity.
    problems: Option<String>,
    /// Samples of each state.
    #[schemars(range(min = 1))]
    samples: u64,
    /// How many states; required where there is no table and no problems.
    #[schemars(range(min = 1))]
    states: Option<u64>,
    /// A file with one state per row, .csv, .parquet or .npz, relative to the plan's folder.
    table: Option<String>,
    /// Left out: 0.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    seed: Option<u64>,
    /// Left out: f64.
    precision: Option<Precision>,
    /// Parameters of the scene: a number, or a range [LOW, HIGH] from which each state draws.
    parameters: Option<BTreeMap<String, Given>>,
    /// Velocities before the impact, by coordinate: a number or a range; m/s, rad/s. A dot in a key
    /// of TOML makes a table.
    velocity: Option<BTreeMap<String, Given>>,
    /// The law and its options.
    #[schemars(default, schema_with = "of_law")]
    law: Option<()>,
    files: Option<Files>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "its schema is read")]
enum Given {
    Fixed(f64),
    Range([f64; 2]),
    Table(Map<String, Value>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
#[allow(dead_code, reason = "its schema is read")]
struct Files {
    /// Most rows of a file, up to whole states.
    #[schemars(range(min = 1))]
    rows: Option<u64>,
}

/// The schema of the table `law`.
fn of_law(generator: &mut SchemaGenerator) -> Schema {
    let name = json!({ "enum": Law::NAMES, "description": "Left out: routh." });
    let mut keys = Map::from_iter([("name".to_string(), name)]);
    let fields = Field::all().iter().filter(|field| field.is_in_table());
    keys.extend(fields.map(|field| (field.name.clone(), field.schema.clone())));
    // A plan writes ranges as a problem file does.
    let problem = carom_scene::schema::problem();
    keys["uncertainty"] = problem["properties"]["uncertainty"].clone();
    let definitions = problem["$defs"].as_object().cloned().unwrap_or_default();
    generator.definitions_mut().extend(definitions);
    let schema = json!({ "type": "object", "properties": keys, "additionalProperties": false });
    schema.try_into().unwrap_or_default()
}

/// The schema of a plan.
pub fn schema() -> Value {
    read::<PlanFile>()
}

/// The keys of a plan.
pub(super) static KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema);
    SCHEMA["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect()
});
