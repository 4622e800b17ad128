//! JSON Schemas of inputs and outputs, derived from types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The serialization schema of a type.
pub fn written<T: JsonSchema>() -> Value {
    of::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// The deserialization schema of a type.
pub fn read<T: JsonSchema>() -> Value {
    of::<T>(SchemaSettings::draft2020_12())
}

fn of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Removes `null` from the values of keys, and defaults: a key of a file has a value or is absent.
pub fn without_null(schema: &mut Schema) {
    let null = Value::from("null");
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for of in properties.into_iter().flat_map(|keys| keys.values_mut()) {
        if let Some([kind, _]) = of["type"].as_array().map(Vec::as_slice) {
            of["type"] = kind.clone();
        }
        let forms = of.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_default();
        if let [form, last] = &forms[..]
            && last["type"] == null
            && let Some(keys) = of.as_object_mut()
        {
            keys.remove("anyOf");
            keys.extend(form.as_object().cloned().unwrap_or_default());
        }
        if let Some(keys) = of.as_object_mut() {
            keys.remove("default");
        }
    }
}
