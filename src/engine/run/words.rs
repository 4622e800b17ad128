use serde_json::{Value, json};

use super::Run;
use carom_core::error::Error;
use carom_core::problem::Uncertainty;
use carom_law::Law;

/// The flag of a field: `--max-steps` of `max_steps`.
pub fn flag(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

/// An error for interfaces without flags: its message and its hint name fields.
pub fn by_field(error: Error) -> Error {
    let hint = error.hint.as_deref().map(fields);
    let what = if error.option { fields(&error.what) } else { error.what };
    Error { what, hint, ..error }
}

/// A text with field names in place of flags, `max_steps` for --max-steps, except in quoted
/// commands.
fn fields(text: &str) -> String {
    let mut parts = text.split("--");
    let mut made = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let quoted = made.matches('`').count() % 2 == 1;
        if quoted || name.is_empty() {
            made += &format!("--{part}");
        } else {
            made += &format!("`{}`{rest}", name.replace('-', "_"));
        }
    }
    made
}

impl Run {
    /// The command-line arguments of this run, without defaults: `["--process=steps", "--seed=7"]`.
    /// Ranges that differ from contact to contact have no arguments.
    pub fn words(&self) -> Vec<String> {
        let law = Law::named(self.law.name()).unwrap_or_default();
        let (Value::Object(fields), Value::Object(mut defaults)) =
            (json!(self), json!(Run { law, ..Run::default() }))
        else {
            return Vec::new();
        };
        defaults.insert("law".to_string(), Value::from(Law::NAMES[0]));
        let asked = fields.into_iter().filter(|(field, value)| defaults.get(field) != Some(value));
        let word = |(field, value): (String, Value)| {
            let value = match (&self.uncertainty, value) {
                (Some(ranges), _) if field == "uncertainty" => listed(ranges),
                (_, Value::Bool(true)) => return flag(&field),
                (_, Value::String(word)) => word,
                (_, number) => number.to_string(),
            };
            format!("{}={value}", flag(&field))
        };
        asked.map(word).collect()
    }
}

fn listed(uncertainty: &Uncertainty) -> String {
    let word = |(name, ranges): (&str, Vec<[f64; 2]>)| {
        ranges.iter().map(|[low, high]| format!("{name}={low}..{high}")).collect::<Vec<_>>()
    };
    let mut words: Vec<String> = uncertainty.ranges().into_iter().flat_map(word).collect();
    words.extend(uncertainty.sizes().iter().map(|(name, size)| format!("{name}={size}")));
    if words.is_empty() { "noise=0".to_string() } else { words.join(",") }
}
