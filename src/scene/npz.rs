//! Problems and tables in npz files of NumPy.

use std::path::Path;

use super::arrays::ARRAYS;
use super::fields::{shortened, suggestion};
use crate::archive::{Archive, shown};
use carom_core::error::{Error, Result};
use carom_core::problem::ProblemSpec;

/// The most coordinates or contacts.
const LIMIT: usize = 4096;
/// The most rows of a table.
const ROWS: usize = 1 << 27;

pub(super) fn read(path: &Path) -> Result<ProblemSpec> {
    let mut archive = Archive::open(path)?;
    let names = archive.names();
    if ["meta", "sample"].iter().any(|of_set| names.iter().any(|name| name == of_set)) {
        return Err(Error::input("this file holds a set of samples, not a problem")
            .hint("`carom query` reads it; the problem is in its array `meta`, in JSON"));
    }
    let known = ARRAYS.map(|(array, _)| array);
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::input("there is no array of this name in a problem")
            .at(shortened(name))
            .hint(suggestion(name, known)));
    }
    let mut array = |name: &'static str| Array::read(&mut archive, name, 2 * LIMIT);
    let velocity = array("v")?.ok_or_else(|| missing("v", "the velocity before the impact (n)"))?;
    let n = velocity.expect(&[&[velocity.count()]], "(n,)")?.count();
    let mass = array("M")?.ok_or_else(|| missing("M", "the mass matrix (n,n)"))?;
    mass.expect(&[&[n, n]], &format!("({n}, {n}), as v has {n} entries"))?;
    let normal = array("Jn")?.ok_or_else(|| missing("Jn", "the normal Jacobian (m,n)"))?;
    let m = normal.shape.first().copied().unwrap_or(0);
    normal.expect(&[&[m, n]], &format!("(m, {n}), as v has {n} entries"))?;
    let tangent = array("Jt")?;
    if let Some(tangent) = &tangent {
        let expected = format!("({m}, {n}) or ({}, {n}), as Jn has {m} rows", 2 * m);
        tangent.expect(&[&[m, n], &[2 * m, n], &[0, n]], &expected)?;
    }
    let mut coefficients = |name: &'static str| -> Result<Option<Vec<f64>>> {
        let Some(found) = Array::read(&mut archive, name, 2 * LIMIT)? else { return Ok(None) };
        found
            .expect(&[&[m], &[]], &format!("({m},), as Jn has {m} rows, or one number for all"))?;
        Ok(Some(if found.shape.is_empty() { vec![found.numbers[0]; m] } else { found.numbers }))
    };
    let friction = coefficients("mu")?;
    if friction.is_none() && tangent.as_ref().is_some_and(|tangent| tangent.count() > 0) {
        return Err(missing("mu", "the coefficients of friction (m), or one for all"));
    }
    Ok(ProblemSpec {
        name: path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned()),
        mass: mass.rows(),
        normal: normal.rows(),
        tangent: tangent.map_or(Vec::new(), |tangent| tangent.rows()),
        friction,
        restitution: coefficients("restitution")?,
        velocity: velocity.numbers,
        ..ProblemSpec::default()
    })
}

/// The arrays of an npz file that holds a table, by name; each has one number per row.
pub fn columns(path: &Path) -> Result<Vec<(String, Vec<f64>)>> {
    let mut archive = Archive::open(path)?;
    let names = archive.names();
    let column = |name: String| {
        let array =
            Array::read(&mut archive, &name, ROWS)?.ok_or_else(|| missing(&name, "a column"))?;
        let count = array.count();
        let numbers = array.expect(&[&[count]], "(N,), one number to a row")?.numbers.clone();
        Ok((name, numbers))
    };
    names.into_iter().map(column).collect()
}

fn missing(array: &str, what: &str) -> Error {
    Error::input(format!("the array `{array}` is missing")).hint(format!("`{array}` is {what}"))
}

/// An array of numbers, row by row.
struct Array<'a> {
    name: &'a str,
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

impl<'a> Array<'a> {
    /// The array of this name, if the archive has one, with at most `longest` entries along a side.
    fn read(archive: &mut Archive, name: &'a str, longest: usize) -> Result<Option<Self>> {
        let Some(unread) = archive.array(name)? else { return Ok(None) };
        let shape = unread.shape().to_vec();
        if shape.len() > 2 || shape.iter().any(|&length| length > longest) {
            return Err(Error::input(format!(
                "shape {}; at most two dimensions, each of at most {longest}, are possible",
                shown(&shape)
            ))
            .at(name));
        }
        let array = Array { name, shape, numbers: unread.numbers()? };
        match array.numbers.iter().position(|x| !x.is_finite()) {
            None => Ok(Some(array)),
            Some(i) => {
                Err(Error::input(format!("expected a finite number, found {}", array.numbers[i]))
                    .at(array.place(i)))
            }
        }
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Refuses a shape that is not among the `possible` ones.
    fn expect(&self, possible: &[&[usize]], expected: &str) -> Result<&Self> {
        if possible.contains(&self.shape.as_slice()) {
            return Ok(self);
        }
        Err(Error::input(format!("shape {}, expected {expected}", shown(&self.shape)))
            .at(self.name))
    }

    fn rows(&self) -> Vec<Vec<f64>> {
        let columns = self.shape.last().copied().unwrap_or(0);
        if columns == 0 {
            Vec::new()
        } else {
            self.numbers.chunks_exact(columns).map(<[f64]>::to_vec).collect()
        }
    }

    fn place(&self, i: usize) -> String {
        match self.shape[..] {
            [_, columns] => format!("{}[{}][{}]", self.name, i / columns, i % columns),
            [_] => format!("{}[{i}]", self.name),
            _ => self.name.to_string(),
        }
    }
}
