//! Option values with one number for each coordinate of a problem.

use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, no_coordinate};

/// Parsed numbers of coordinates, before the problem with its coordinates is known.
#[derive(Clone, Debug, PartialEq)]
pub enum ByCoordinate {
    /// One number for each coordinate.
    Numbers(Vec<f64>),
    /// Numbers of some coordinates, by name or by the last part of a name.
    Named(Vec<(String, f64)>),
}

impl ByCoordinate {
    /// The numbers that `option` gives, one for each coordinate; where it names none the `others`.
    pub fn of(
        &self,
        problem: &ContactProblem,
        mut others: Vec<f64>,
        option: &str,
    ) -> Result<Vec<f64>> {
        let names = problem.coordinates();
        let hint = || format!("the coordinates are {}", names.join(", "));
        let wrong = |what: String| Error::usage(what).at(option).hint(hint());
        match self {
            ByCoordinate::Numbers(numbers) if numbers.len() == names.len() => Ok(numbers.clone()),
            ByCoordinate::Numbers(numbers) => {
                let (given, n) = (numbers.len(), names.len());
                Err(wrong(format!("{given} numbers for {n} coordinates")))
            }
            ByCoordinate::Named(named) => {
                for (name, number) in named {
                    let at = problem.coordinate(name);
                    others[at.ok_or_else(|| wrong(no_coordinate(names, name)))?] = *number;
                }
                Ok(others)
            }
        }
    }
}

/// Numbers, `1,0,-0.5`, or names with numbers, `x=1,theta=-0.5`.
pub fn by_coordinate(text: &str) -> Result<ByCoordinate, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let number = |text: &str| {
        let x: Option<f64> = text.trim().parse().ok();
        x.filter(|x| x.is_finite()).ok_or_else(|| {
            format!(
                "expected finite numbers, 1,0,-0.5, or names with numbers, x=1,theta=-0.5; found `{text}`"
            )
        })
    };
    if !text.contains('=') {
        return parts.into_iter().map(number).collect::<Result<_, _>>().map(ByCoordinate::Numbers);
    }
    let mut named: Vec<(String, f64)> = Vec::new();
    for part in parts {
        let (name, value) = part.rsplit_once('=').unwrap_or((part, ""));
        let entry = (name.trim().to_string(), number(value)?);
        if named.iter().any(|(known, _)| *known == entry.0) {
            return Err(format!("`{}` is given twice", entry.0));
        }
        named.push(entry);
    }
    Ok(ByCoordinate::Named(named))
}
