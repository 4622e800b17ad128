//! npz files of NumPy: zip archives of arrays. Headers are read here, with all sizes checked, as no file may end the program.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use npyz::npz::array_name_from_file_name;
use npyz::zip::ZipArchive;

use super::arrays::ARRAYS;
use super::fields::{shortened, suggestion};
use crate::error::{Error, Result};
use crate::problem::ProblemSpec;

/// The most coordinates or contacts.
const LIMIT: usize = 4096;
/// The most bytes of an array: a header, and the doubles of a mass matrix.
const LARGEST: u64 = (1 << 16) + (8 * LIMIT * LIMIT) as u64;
/// The most rows of a table.
#[cfg(feature = "parquet")]
const ROWS: usize = 1 << 27;

/// The numbers of an npz file.
pub(super) fn read(path: &Path) -> Result<ProblemSpec> {
    let (mut archive, names) = open(path)?;
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
    let most = (2 * LIMIT, LARGEST);
    let mut array = |name: &'static str| Array::read(&mut archive, name, most);
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
        let Some(found) = Array::read(&mut archive, name, most)? else { return Ok(None) };
        found.expect(&[&[m], &[]], &format!("({m},), as Jn has {m} rows, or one number for all"))?;
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

/// An archive, and the names of its arrays.
fn open(path: &Path) -> Result<(ZipArchive<BufReader<File>>, Vec<String>)> {
    let opened = File::open(path).map_err(npyz::zip::result::ZipError::from);
    let archive = opened
        .and_then(|file| ZipArchive::new(BufReader::new(file)))
        .map_err(|e| Error::input(format!("not an npz file: {e}")))?;
    let name = |name| array_name_from_file_name(name).unwrap_or(name).to_string();
    let names = archive.file_names().map(name).collect();
    Ok((archive, names))
}

/// The arrays of an npz file that is a table, by name; each has one number to a row.
#[cfg(feature = "parquet")]
pub(crate) fn columns(path: &Path) -> Result<Vec<(String, Vec<f64>)>> {
    let (mut archive, names) = open(path)?;
    let most = (ROWS, (1 << 16) + 8 * ROWS as u64);
    let column = |name: String| {
        let array = Array::read(&mut archive, &name, most)?.ok_or_else(|| missing(&name, "a column"))?;
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
    /// The array of this name, if the archive has one, with at most so many entries along a side and so many bytes.
    fn read(
        archive: &mut ZipArchive<impl Read + Seek>,
        name: &'a str,
        (longest, largest): (usize, u64),
    ) -> Result<Option<Self>> {
        let file = format!("{name}.npy");
        if !archive.file_names().any(|known| known == file) {
            return Ok(None);
        }
        let fail = |what: String| Error::input(what).at(name);
        let mut bytes = Vec::new();
        let entry = archive.by_name(&file).map_err(|e| fail(format!("cannot be read: {e}")))?;
        entry.take(largest).read_to_end(&mut bytes).map_err(|e| fail(format!("cannot be read: {e}")))?;
        let header = Header::read(&bytes).ok_or_else(|| fail("not an array of NumPy".to_string()))?;
        let Header { shape, .. } = &header;
        let number = header.number().ok_or_else(|| {
            fail(format!("expected numbers of type f4, f8 or integers, found `{}`", shortened(&header.kind)))
        })?;
        if shape.len() > 2 || shape.iter().any(|&length| length > longest) {
            return Err(fail(format!(
                "shape {}; at most two dimensions, each of at most {longest}, are possible",
                shown(shape)
            )));
        }
        let (count, size) = (shape.iter().product::<usize>(), header.size());
        let Some(data) = bytes.get(header.length..).and_then(|data| data.get(..count * size)) else {
            return Err(fail(format!("the file ends within this array of shape {}", shown(shape))));
        };
        let stored: Vec<f64> = data.chunks_exact(size).map(number).collect();
        let numbers = match shape[..] {
            [rows, columns] if header.fortran => {
                (0..count).map(|i| stored[i / columns + i % columns * rows]).collect()
            }
            _ => stored,
        };
        let array = Array { name, shape: shape.clone(), numbers };
        match array.numbers.iter().position(|x| !x.is_finite()) {
            None => Ok(Some(array)),
            Some(i) => Err(Error::input(format!("expected a finite number, found {}", array.numbers[i]))
                .at(array.place(i))),
        }
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Refuses a shape that is none of the `possible` ones.
    fn expect(&self, possible: &[&[usize]], expected: &str) -> Result<&Self> {
        if possible.contains(&self.shape.as_slice()) {
            return Ok(self);
        }
        Err(Error::input(format!("shape {}, expected {expected}", shown(&self.shape))).at(self.name))
    }

    fn rows(&self) -> Vec<Vec<f64>> {
        let columns = self.shape.last().copied().unwrap_or(0);
        if columns == 0 {
            Vec::new()
        } else {
            self.numbers.chunks_exact(columns).map(<[f64]>::to_vec).collect()
        }
    }

    /// Where number `i` stands.
    fn place(&self, i: usize) -> String {
        match self.shape[..] {
            [_, columns] => format!("{}[{}][{}]", self.name, i / columns, i % columns),
            [_] => format!("{}[{i}]", self.name),
            _ => self.name.to_string(),
        }
    }
}

/// A shape as NumPy writes it.
fn shown(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// What stands before the numbers of an array.
struct Header {
    /// Byte order, kind and bytes of a number: `<f8`.
    kind: String,
    fortran: bool,
    shape: Vec<usize>,
    /// Its own length in bytes.
    length: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Header> {
        let rest = bytes.strip_prefix(b"\x93NUMPY")?;
        let (start, text) = match rest.first()? {
            1 => (10, usize::from(u16::from_le_bytes(rest.get(2..4)?.try_into().ok()?))),
            _ => (12, usize::try_from(u32::from_le_bytes(rest.get(2..6)?.try_into().ok()?)).ok()?),
        };
        let length = start + text;
        let text: String = std::str::from_utf8(bytes.get(start..length)?).ok()?.split_whitespace().collect();
        let text = text.replace('"', "'");
        let after = |key: &str| Some(text.split_once(&format!("'{key}':"))?.1);
        let shape = after("shape")?.strip_prefix('(')?.split_once(')')?.0;
        let lengths = shape.split(',').filter(|length| !length.is_empty());
        Some(Header {
            kind: after("descr")?.strip_prefix('\'')?.split_once('\'')?.0.to_string(),
            fortran: after("fortran_order")?.starts_with("True"),
            shape: lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?,
            length,
        })
    }

    /// Bytes of a number.
    fn size(&self) -> usize {
        self.kind.get(2..).and_then(|size| size.parse().ok()).unwrap_or(0)
    }

    /// How a number is read from its bytes, for the types that are possible.
    fn number(&self) -> Option<impl Fn(&[u8]) -> f64 + use<>> {
        let (size, big, kind) = (self.size(), self.kind.starts_with('>'), self.kind.get(1..2)?.to_string());
        let possible = match kind.as_str() {
            "f" => [4, 8].contains(&size),
            "i" | "u" => [1, 2, 4, 8].contains(&size),
            _ => false,
        };
        possible.then_some(move |bytes: &[u8]| {
            let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
            let bits = if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
            let unused = 64 - 8 * size as u32;
            match kind.as_str() {
                "f" if size == 4 => f64::from(f32::from_bits(bits as u32)),
                "f" => f64::from_bits(bits),
                "i" => ((bits << unused) as i64 >> unused) as f64,
                _ => bits as f64,
            }
        })
    }
}
