//! A small validator of JSON Schemas, with just the keywords of those that `carom schema` prints;
//! any other keyword is an error.

use serde_json::Value;

/// What `value` does wrong by `schema`, with its place; nothing where it is valid.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, value, "", &mut faults);
    faults
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let mut fault = |ok: bool, what: &dyn std::fmt::Display| {
        if !ok {
            faults.push(format!("{at}: {what}"));
        }
    };
    let (object, array, number) = (value.as_object(), value.as_array(), value.as_f64());
    let mut deeper: Vec<(&Value, &Value, String)> = Vec::new();
    for (keyword, rule) in schema.as_object().unwrap() {
        let bound = || rule.as_f64().unwrap();
        let valid = |rule: &Value| {
            let mut faults = Vec::new();
            check(root, rule, value, at, &mut faults);
            faults.is_empty()
        };
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => {}
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                deeper.push((root.pointer(path).unwrap(), value, at.to_string()));
            }
            "type" => {
                let kinds = rule.as_array().map_or(vec![rule], |kinds| kinds.iter().collect());
                let known = kinds.iter().any(|kind| is(kind.as_str().unwrap(), value));
                fault(known, &format!("not {rule}"));
            }
            "const" => fault(value == rule, &format!("not {rule}")),
            "enum" => fault(rule.as_array().unwrap().contains(value), &format!("none of {rule}")),
            "anyOf" => fault(rule.as_array().unwrap().iter().any(valid), &"none of several forms"),
            "oneOf" => {
                let forms = rule.as_array().unwrap().iter().filter(|rule| valid(rule)).count();
                fault(forms == 1, &"not one of several forms");
            }
            "minimum" => fault(number.is_none_or(|x| x >= bound()), &format!("below {rule}")),
            "maximum" => fault(number.is_none_or(|x| x <= bound()), &format!("above {rule}")),
            "exclusiveMinimum" => {
                fault(number.is_none_or(|x| x > bound()), &format!("not above {rule}"))
            }
            "minItems" => {
                fault(array.is_none_or(|list| list.len() as f64 >= bound()), &"too short")
            }
            "maxItems" => fault(array.is_none_or(|list| list.len() as f64 <= bound()), &"too long"),
            "uniqueItems" => {
                let distinct =
                    |list: &Vec<Value>| (1..list.len()).all(|i| !list[..i].contains(&list[i]));
                fault(array.is_none_or(distinct), &"an entry twice");
            }
            "items" => {
                let entries = array.into_iter().flatten().enumerate();
                deeper.extend(entries.map(|(i, entry)| (rule, entry, format!("{at}[{i}]"))));
            }
            "required" => {
                for key in rule.as_array().unwrap().iter().map(|key| key.as_str().unwrap()) {
                    let there = object.is_none_or(|object| object.contains_key(key));
                    fault(there, &format!("no {key}"));
                }
            }
            "properties" => {
                let entries = object.into_iter().flatten();
                let known = entries.filter_map(|(key, entry)| {
                    Some((rule.get(key)?, entry, format!("{at}.{key}")))
                });
                deeper.extend(known);
            }
            "additionalProperties" => {
                let known = |key: &str| {
                    schema.get("properties").is_some_and(|known| known.get(key).is_some())
                };
                for (key, entry) in object.into_iter().flatten().filter(|(key, _)| !known(key)) {
                    match rule {
                        Value::Bool(allowed) => fault(*allowed, &format!("unknown {key}")),
                        rule => deeper.push((rule, entry, format!("{at}.{key}"))),
                    }
                }
            }
            "unevaluatedProperties" => {
                let forms = schema["oneOf"].as_array().into_iter().flatten();
                let known: Vec<&Value> = forms.filter(|form| valid(form)).chain([schema]).collect();
                for key in object.into_iter().flatten().map(|(key, _)| key) {
                    let known = known.iter().any(|form| form["properties"].get(key).is_some());
                    fault(known || *rule == Value::Bool(true), &format!("unknown {key}"));
                }
            }
            other => panic!("keyword {other}"),
        }
    }
    for (schema, value, at) in deeper {
        check(root, schema, value, &at, faults);
    }
}
