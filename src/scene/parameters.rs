use std::ops::Range;

use super::fields::{Item, suggestion};
use super::schema::keys;
use super::tables;
use super::tree::Value;
use carom_core::error::{Error, Result};
use carom_core::expression::{KNOWN, is_name};

/// A named number of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name in expressions.
    pub name: String,
    /// The value of the parameter.
    pub value: f64,
    /// The lower bound.
    pub min: f64,
    /// The upper bound.
    pub max: f64,
    /// The change that counts as 1 in a design, which makes changes of parameters comparable.
    pub scale: f64,
    /// Whether a design may change the parameter.
    pub free: bool,
    /// The position of its value in the text.
    pub(super) place: Range<usize>,
}

/// The parameters of the table `parameters`, in the order of the text; `set` replaces values of the
/// text.
pub(super) fn read(table: &Item<'_>, set: &[(&str, f64)]) -> Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for (name, item) in table.entries()? {
        if !is_name(name) {
            return Err(item.error(
                "a parameter's name has letters, digits and `_`, and starts with no digit",
            ));
        }
        if KNOWN.contains(&name) {
            return Err(item.error(format!(
                "`{name}` has a meaning of its own; call the parameter otherwise"
            )));
        }
        parameters.push(parameter(name, &item)?);
    }
    for (i, (name, value)) in set.iter().enumerate() {
        let refuse = |what: String| Error::usage(what).at(*name);
        if set[..i].iter().any(|(other, _)| other == name) {
            return Err(refuse("the parameter is set twice".to_string()));
        }
        let Some(at) = parameters.iter().position(|parameter| parameter.name == *name) else {
            let hint = match *name {
                "mu" | "friction" | "e" | "restitution" => format!(
                    "`{name}` is a key and no parameter: edit the file, or draw it with --uncertainty"
                ),
                _ => suggestion(name, parameters.iter().map(|p| p.name.as_str())),
            };
            return Err(refuse(format!("`{}` has no such parameter", table.source.name)).hint(hint));
        };
        let parameter = &mut parameters[at];
        let Parameter { min, max, .. } = *parameter;
        if !(value.is_finite() && (min..=max).contains(value)) {
            return Err(refuse(format!(
                "expected a finite number in [{min}, {max}], found {value}"
            )));
        }
        parameter.value = *value;
    }
    Ok(parameters)
}

fn parameter(name: &str, item: &Item<'_>) -> Result<Parameter> {
    let table = match item.node.value {
        Value::Table(_) => Some(item.table(&keys::<tables::Parameter>(&[]))?),
        _ => None,
    };
    let get = |key: &str| table.as_ref().and_then(|table| table.get(key));
    let number = |key: &str, default: f64| get(key).map_or(Ok(default), |item| item.number());
    let given = match &table {
        Some(table) => table.require("value", "the parameter's number")?,
        None => item.clone(),
    };
    let value = given.number()?;
    let (min, max) = (number("min", f64::NEG_INFINITY)?, number("max", f64::INFINITY)?);
    if !(min..=max).contains(&value) {
        return Err(given.error(format!("expected a number in [{min}, {max}], found {value}")));
    }
    let scale = number("scale", if value == 0.0 { 1.0 } else { value.abs() })?;
    if let Some(item) = get("scale").filter(|_| scale <= 0.0) {
        return Err(item.error(format!("a scale is > 0, found {scale}")));
    }
    let free = get("free").map_or(Ok(false), |item| item.boolean())?;
    Ok(Parameter {
        name: name.to_string(),
        value,
        min,
        max,
        scale,
        free,
        place: given.node.span.clone(),
    })
}
