//! Checks of lists of numbers and names.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use crate::{Error, Result};

/// Largest coefficient of friction; `mu` times the rounding error of a normal impulse then stays
/// far below the impulses of an impact.
pub(super) const MAX_FRICTION: f64 = 1e8;

/// Refuses numbers that are not finite.
pub(super) fn check_finite(values: &[f64], key: &str) -> Result<()> {
    let Some(i) = values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let what = format!("expected a finite number, found {}", values[i]);
    Err(Error::input(what).at(format!("{key}[{i}]")))
}

/// Refuses a list of another length; `of`: the noun for the `expected` entries in errors.
pub(super) fn check_length(found: usize, expected: usize, key: &str, of: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::input(format!("{found} entries for {expected} {of}")).at(key))
}

/// The given names, or `letter` followed by a number.
pub(super) fn names(
    given: &Option<Vec<String>>,
    count: usize,
    letter: &str,
    key: &str,
    of: &str,
) -> Result<Vec<String>> {
    match given {
        Some(names) => {
            check_length(names.len(), count, key, of)?;
            check_distinct(names, key)?;
            Ok(names.clone())
        }
        None => Ok((0..count).map(|i| format!("{letter}{i}")).collect()),
    }
}

/// Refuses a list in which two names are equal.
pub fn check_distinct(names: &[String], key: &str) -> Result<()> {
    let mut places = BTreeMap::new();
    for (j, name) in names.iter().enumerate() {
        if let Some(i) = places.insert(name, j) {
            let what = format!("`{name}` is the name of both {key}[{i}] and {key}[{j}]");
            return Err(Error::input(what)
                .at(format!("{key}[{j}]"))
                .hint("names tell them apart; give each one of its own"));
        }
    }
    Ok(())
}

/// The matrix (m,n) with rows `rows`.
pub(super) fn matrix(rows: &[Vec<f64>], m: usize, n: usize, key: &str) -> Result<DMatrix<f64>> {
    if rows.len() != m {
        let what = format!("{} rows, expected {m} (the velocity has {n} entries)", rows.len());
        return Err(Error::input(what).at(key));
    }
    for (i, row) in rows.iter().enumerate() {
        if row.len() != n {
            let count = row.len();
            let what =
                format!("{count} numbers in this row, expected {n}, one per entry of the velocity");
            return Err(Error::input(what).at(format!("{key}[{i}]")));
        }
        check_finite(row, &format!("{key}[{i}]"))?;
    }
    Ok(DMatrix::from_fn(m, n, |i, j| rows[i][j]))
}
