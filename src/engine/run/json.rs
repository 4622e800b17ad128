use serde_json::{Map, Value};

use super::{Field, Run};
use carom_core::error::{Error, Result};
use carom_law::{Law, RouthProcess};

impl Run {
    /// Reads a run from JSON: an object with the fields that differ from their defaults.
    ///
    /// # Errors
    /// Text that is not JSON; errors of [`Run::of`].
    pub fn from_json(text: &str) -> Result<Self> {
        Run::of(serde_json::from_str(text).map_err(|e| Error::usage(e.to_string()))?)
    }

    /// The run with these fields; the default law is `routh`.
    ///
    /// # Errors
    /// A field that the law, or a model, does not have; a value of the wrong type, an unknown
    /// word, a number outside its range.
    pub fn of(mut fields: Map<String, Value>) -> Result<Self> {
        let named = fields.get("law").cloned();
        let law = named.unwrap_or_else(|| Value::from(Law::NAMES[0]));
        let known = law.as_str().and_then(|name| Law::NAMES.iter().find(|known| **known == name));
        let Some(&law) = known else {
            let names = Law::NAMES.join(", ");
            let what = format!("no law `{}`; expected one of {names}", text_of(&law));
            return Err(Error::usage(what).option("law"));
        };
        let given = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        if given("law_only") && !given("model") {
            let what = "without a model every sample is an outcome of the law";
            return Err(Error::usage(what).option("law_only").hint("leave it out"));
        }
        // Reversed order, so errors name options rather than the law.
        let mut of_model = Field::all().iter().rev().filter(|field| field.is_of_model());
        if given("model")
            && let Some(field) = of_model.find(|field| given(&field.name))
        {
            let what = "the model has its own law, with its options and what is uncertain";
            return Err(Error::usage(what).option(&field.name).hint("leave it out"));
        }
        let mut checked = Map::from_iter([("law".to_string(), Value::from(law))]);
        fields.remove("law");
        for (name, value) in fields {
            let Some(field) = Field::named(&name) else {
                let what = "no such option; `carom schema run` lists them";
                return Err(Error::usage(what).option(&name));
            };
            let value = field.check(value)?;
            if field.is_of(law) {
                checked.insert(name, value);
            } else if !is_the_only_choice(&name, &value) {
                return Err(field.foreign(law));
            }
        }
        serde_json::from_value(Value::Object(checked)).map_err(|e| Error::usage(e.to_string()))
    }

    /// The JSON Schema of a run.
    pub fn schema() -> Value {
        schemars::schema_for!(Run).to_value()
    }
}

/// Whether laws without the option behave as this value says, so that the value is allowed.
fn is_the_only_choice(field: &str, value: &Value) -> bool {
    value.is_null()
        || matches!(
            (field, value.as_str()),
            ("sampler", Some("uniform")) | ("solution", Some("random"))
        )
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

impl Run {
    /// The run of a record, with recorded values of default options. `None` if this version lacks
    /// the law. Fields with another form in records, such as the device, are left out.
    pub fn recorded(record: &Value) -> Option<Self> {
        let law = Law::named(record["law"].as_str()?)?.name();
        let kept = |(key, value): (&String, &Value)| {
            // A record has the law of its model.
            let of_model = ["model", "law_only"].contains(&&**key);
            let field = Field::named(key).filter(|field| field.is_of(law) && !of_model)?;
            Some((key.clone(), field.check(value.clone()).ok()?))
        };
        Run::of(Map::from_iter(record.as_object()?.iter().filter_map(kept))).ok()
    }

    /// Whether the samples of a recorded run lie within the set that `Reach` computes: Routh's law,
    /// without steps of finite length.
    pub fn is_within_reach(&self) -> bool {
        matches!(&self.law, Law::Routh(law) if law.process != Some(RouthProcess::Steps))
    }
}
