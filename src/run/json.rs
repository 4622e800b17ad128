//! A run as JSON.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Run;
use crate::error::{Error, Result};

/// Up to here every whole number is a double.
const LARGEST: f64 = 9_007_199_254_740_992.0;

impl Run {
    /// Reads a run from JSON: an object with the fields that differ from their defaults.
    ///
    /// # Errors
    /// A field that a run does not have; a value of the wrong type, an unknown word, a number
    /// outside its range.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = |e: serde_json::Error| Error::usage(e.to_string());
        let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(wrong)?;
        for (field, value) in &mut fields {
            // JSON may write whole numbers as 1e5.
            let whole = value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() <= LARGEST);
            if let Some(whole) = whole.filter(|_| value.is_f64()) {
                *value = Value::from(whole as i64);
            }
            let one = Value::Object(Map::from_iter([(field.clone(), value.clone())]));
            Run::deserialize(one).map_err(|e| wrong(e).option(field))?;
        }
        let run = Run::deserialize(Value::Object(fields)).map_err(wrong)?;
        run.check_ranges()?;
        Ok(run)
    }

    /// The JSON Schema of a run.
    pub fn schema() -> Value {
        schemars::schema_for!(Run).to_value()
    }
}
