use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{Run, flag};
use carom_core::error::{Error, Result};
use carom_law::Law;

/// A field of a run: an option of some laws, or of every run.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The flag on the command line: `--max-steps` of `max_steps`.
    pub flag: String,
    /// The laws with this field; empty: every run has the field.
    pub laws: Vec<&'static str>,
    /// The description of the field for each of `laws`.
    meanings: Vec<String>,
    /// The schema of the field in the first of `laws`.
    pub schema: Value,
}

/// Up to this bound every whole number is a double.
const LARGEST: f64 = 9_007_199_254_740_992.0;

impl Field {
    fn new(name: String, laws: Vec<&'static str>, schema: Value) -> Self {
        let meanings = laws.iter().map(|_| description(&schema).to_string()).collect();
        Field { flag: flag(&name), name, laws, meanings, schema }
    }

    /// All fields: the law, options of laws in the order of [`Law::NAMES`], then fields of every
    /// run.
    pub fn all() -> &'static [Field] {
        static ALL: LazyLock<Vec<Field>> = LazyLock::new(|| read(&Run::schema()));
        &ALL
    }

    /// The field of a name.
    pub fn named(name: &str) -> Option<&'static Field> {
        Field::all().iter().find(|field| field.name == name)
    }

    /// Whether a law may have the field.
    pub fn is_of(&self, law: &str) -> bool {
        self.laws.is_empty() || self.laws.contains(&law)
    }

    /// Whether a model file sets the field: a run with a model cannot set it.
    pub fn is_of_model(&self) -> bool {
        !self.laws.is_empty() || ["law", "restitution", "uncertainty"].contains(&&*self.name)
    }

    /// Whether the table `[law]` of a data set's plan may have the field.
    pub fn is_in_table(&self) -> bool {
        !["law", "samples", "seed", "device", "precision"].contains(&&*self.name)
    }

    /// The JSON type of the values: `string`, `integer`, `number`, `boolean`; `None`: several
    /// types.
    pub fn kind(&self) -> Option<&str> {
        let (own, first) = (&self.schema["type"], &self.schema["anyOf"][0]["type"]);
        own.as_str().or_else(|| own[0].as_str()).or_else(|| first.as_str())
    }

    /// The allowed words, each with its description, if the field is an enumeration.
    pub fn words(&self) -> Vec<(&str, &str)> {
        let of = [&self.schema, &self.schema["anyOf"][0]].map(|schema| schema["oneOf"].as_array());
        let choices = of.into_iter().flatten().flatten();
        choices
            .filter_map(|choice| Some((choice["const"].as_str()?, description(choice))))
            .collect()
    }

    /// The distinct descriptions of the field, each with its laws; no laws: every run.
    pub fn meanings(&self) -> Vec<(Vec<&'static str>, &str)> {
        let mut all: Vec<(Vec<&'static str>, &str)> = Vec::new();
        for (law, meaning) in self.laws.iter().zip(&self.meanings) {
            match all.iter_mut().find(|(_, known)| known == meaning) {
                Some((laws, _)) => laws.push(law),
                None => all.push((vec![law], meaning)),
            }
        }
        if self.laws.is_empty() { vec![(Vec::new(), description(&self.schema))] } else { all }
    }

    /// The default, if the schema has one.
    pub fn default(&self) -> Option<&Value> {
        Some(&self.schema["default"]).filter(|value| !value.is_null())
    }

    /// The allowed numbers, in words that follow `expected a`.
    fn numbers(&self, finite: &str) -> String {
        let [least, most] = ["minimum", "maximum"].map(|key| self.schema[key].as_f64());
        match (self.kind(), least, most) {
            (Some("integer"), ..) => {
                let all = if self.schema["format"] == "uint64" { 64 } else { 32 };
                let bits = most.map_or(all, |most| most.log2().round() as u32);
                format!("whole number from {} to 2^{bits} - 1", least.unwrap_or(0.0))
            }
            (_, Some(least), Some(most)) => format!("number in [{least}, {most}]"),
            (_, Some(least), None) => format!("{finite}number >= {least}"),
            _ if self.schema.get("exclusiveMinimum").is_some() => {
                format!("{finite}number > 0")
            }
            _ => format!("{finite}number"),
        }
    }

    /// Whether a number satisfies the bounds of the schema.
    fn takes(&self, x: f64) -> bool {
        let limit = |key: &str| self.schema[key].as_f64();
        limit("minimum").is_none_or(|least| x >= least)
            && limit("maximum").is_none_or(|most| x <= most)
            && limit("exclusiveMinimum").is_none_or(|least| x > least)
            && (self.kind() != Some("integer") || x.fract() == 0.0)
    }

    /// Parses the text of a value.
    ///
    /// # Errors
    /// A text that is no allowed value; the message names the expected values.
    pub fn parse(&self, text: &str) -> Result<Value> {
        if !matches!(self.kind(), Some("integer" | "number")) {
            return self.check(Value::from(text));
        }
        let whole = text.parse::<u64>().map(Value::from);
        let number = text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from);
        match whole.ok().or(number) {
            Some(number) => self.check(number),
            None => {
                let expected = format!("expected a {}", self.numbers("finite "));
                Err(Error::usage(expected).option(&self.name))
            }
        }
    }

    /// Normalizes a value of the field.
    ///
    /// # Errors
    /// A value that the field cannot have; the message names the expected values.
    pub fn check(&self, value: Value) -> Result<Value> {
        let wrong = |what: String| Err(Error::usage(what).option(&self.name));
        if matches!(self.kind(), Some("integer" | "number"))
            && let Some(x) = value.as_f64()
            && !self.takes(x)
        {
            return wrong(format!("expected a {}, found {x}", self.numbers("")));
        }
        // JSON may write whole numbers as 1e5.
        let whole = value.as_f64().filter(|x| value.is_f64() && x.fract() == 0.0);
        let value = match whole.filter(|x| x.abs() <= LARGEST) {
            Some(whole) => Value::from(whole as i64),
            None => value,
        };
        let law = self.laws.first().copied().unwrap_or(Law::NAMES[0]);
        let fields = [("law".to_string(), law.into()), (self.name.clone(), value.clone())];
        match serde_json::from_value::<Run>(Value::Object(Map::from_iter(fields))) {
            Ok(_) => Ok(value),
            Err(error) => wrong(error.to_string()),
        }
    }

    /// The error of a law without the field.
    pub fn foreign(&self, law: &str) -> Error {
        let of = self.laws.join(", ");
        Error::usage(format!("the law {law} has no such option; it belongs to {of}"))
            .option(&self.name)
            .hint("leave it out")
    }
}

/// The description of a schema.
fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// The fields of a schema, with references resolved.
fn read(schema: &Value) -> Vec<Field> {
    let resolved = |of: &Value| resolve(of, &schema["$defs"]);
    let properties = |of: &Value| of["properties"].as_object().cloned().unwrap_or_default();
    let laws = schema["oneOf"].as_array().into_iter().flatten().map(|law| {
        json!({ "const": law["properties"]["law"]["const"], "description": description(law) })
    });
    let law = json!({
        "type": "string",
        "description": "The impact law.",
        "default": Law::NAMES[0],
        "oneOf": laws.collect::<Vec<_>>(),
    });
    let mut fields = vec![Field::new("law".to_string(), Vec::new(), law)];
    for law in schema["oneOf"].as_array().into_iter().flatten() {
        let law = resolved(law);
        let name = law["properties"]["law"]["const"].as_str().unwrap_or_default();
        let known = Law::NAMES.iter().find(|known| **known == name);
        let name = *known.unwrap_or_else(|| unreachable!("`{name}` is no law's NAME"));
        for (key, of) in properties(&law) {
            match fields.iter_mut().find(|field| field.name == key) {
                _ if key == "law" => {}
                Some(field) => {
                    field.laws.push(name);
                    field.meanings.push(description(&of).to_string());
                }
                None => fields.push(Field::new(key, vec![name], resolved(&of))),
            }
        }
    }
    let common = properties(schema);
    fields.extend(common.into_iter().map(|(name, of)| Field::new(name, Vec::new(), resolved(&of))));
    fields
}

/// A schema with references resolved. Keys of the referring object take precedence.
fn resolve(of: &Value, definitions: &Value) -> Value {
    let mut resolved = match of {
        Value::Object(keys) => {
            Value::Object(keys.iter().map(|(k, v)| (k.clone(), resolve(v, definitions))).collect())
        }
        Value::Array(all) => all.iter().map(|of| resolve(of, definitions)).collect(),
        other => return other.clone(),
    };
    if let Some(name) = of["$ref"].as_str()
        && let Some(found) = definitions[name.trim_start_matches("#/$defs/")].as_object()
        && let Some(keys) = resolved.as_object_mut()
    {
        keys.remove("$ref");
        for (key, value) in found {
            keys.entry(key.clone()).or_insert_with(|| resolve(value, definitions));
        }
    }
    resolved
}
