//! The arrays of many states in npz files: read from the file that a plan names, and written into
//! the data set.

use std::io::{self, BufWriter};
use std::path::Path;

use crate::{Error, Result, staging};
use carom_core::problem::{Array, ProblemArrays, StateArrays};
use carom_scene::archive as npz;
use carom_scene::archive::Archive;
use carom_scene::fields::{shortened, suggestion};
use zip::ZipWriter;

/// The arrays, with descriptions.
const ARRAYS: [(&str, &str); 9] = [
    ("mass", "the mass matrices (B,n,n), or one (n,n) for all states"),
    ("normal", "the normal Jacobians (B,m,n), or one (m,n) for all states"),
    ("tangent", "the tangent Jacobians (B,d m,n)"),
    ("friction", "the coefficients of friction (B,m), (m) or one number"),
    ("velocity", "the velocities before the impact (B,n)"),
    ("restitution", "the coefficients of restitution (B,m), (m) or one number"),
    ("active", "which contacts each state has (B,m), booleans"),
    ("coordinates", "the names of the coordinates (n)"),
    ("contacts", "the names of the contacts (m)"),
];
/// Arrays of a problem file, with their counterparts for many problems.
const OF_PROBLEMS: [(&str, &str); 5] =
    [("M", "mass"), ("Jn", "normal"), ("Jt", "tangent"), ("mu", "friction"), ("v", "velocity")];

/// Reads the problems of an npz file.
pub fn read(path: &Path) -> Result<ProblemArrays<'static>> {
    let file = path.display().to_string();
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let read = || ProblemArrays::new(&name, arrays(&mut opened(path)?)?);
    read().map_err(|error| error.in_text(&file, "", 0..0))
}

fn opened(path: &Path) -> Result<Archive> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("npz")) {
        return Err(Error::input("expected arrays in an .npz file")
            .hint("`numpy.savez` writes one; a scene or problem file is named by `problem`"));
    }
    if !path.exists() {
        return Err(Error::input("this file does not exist"));
    }
    Archive::open(path)
}

fn arrays(archive: &mut Archive) -> Result<StateArrays<'static>> {
    let known = ARRAYS.map(|(name, _)| name);
    if let Some(name) = archive.names().iter().find(|name| !known.contains(&name.as_str())) {
        let of_problem = OF_PROBLEMS.iter().find(|(short, _)| short == name);
        let hint = of_problem.map_or_else(
            || suggestion(name, known),
            |(_, long)| format!("many states have it under the name `{long}`"),
        );
        return Err(Error::input("there is no array of this name").at(shortened(name)).hint(hint));
    }
    let mut names = |name: &str| -> Result<Option<Vec<String>>> {
        archive.array(name)?.map(|array| array.texts()).transpose()
    };
    let (coordinates, contacts) = (names("coordinates")?, names("contacts")?);
    let active = match archive.array("active")? {
        Some(array) => Some((array.shape().to_vec(), array.truths()?.into())),
        None => None,
    };
    let mut numbers = |name: &str| array(archive, name);
    let missing = |name: &str| {
        let what = ARRAYS.iter().find(|(known, _)| *known == name).map_or("", |(_, what)| what);
        Error::input(format!("the array `{name}` is missing")).hint(format!("`{name}` is {what}"))
    };
    Ok(StateArrays {
        mass: numbers("mass")?.ok_or_else(|| missing("mass"))?,
        normal: numbers("normal")?.ok_or_else(|| missing("normal"))?,
        tangent: numbers("tangent")?,
        friction: numbers("friction")?,
        velocity: numbers("velocity")?.ok_or_else(|| missing("velocity"))?,
        restitution: numbers("restitution")?,
        active,
        coordinates,
        contacts,
    })
}

fn array(archive: &mut Archive, name: &str) -> Result<Option<Array<'static>>> {
    let Some(unread) = archive.array(name)? else { return Ok(None) };
    let shape = unread.shape().to_vec();
    Ok(Some(Array { shape, numbers: unread.numbers()?.into() }))
}

/// Writes the arrays to a file; [`read`] restores equal problems.
pub fn write(path: &Path, problems: &ProblemArrays<'_>) -> Result<()> {
    let file = staging::temporary(path)?;
    let written = || -> io::Result<_> {
        let mut archive = ZipWriter::new(BufWriter::new(file));
        let mut put = |name: &str, kind: &str, shape: &[usize], bytes: Vec<u8>| {
            npz::add(&mut archive, name, (kind, shape), &mut &bytes[..], bytes.len() as u64)
        };
        for (name, array) in problems.named() {
            let bytes = array.numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            put(name, "<f8", &array.shape, bytes)?;
        }
        if let Some((shape, active)) = &problems.arrays().active {
            put("active", "|b1", shape, active.iter().map(|truth| u8::from(*truth)).collect())?;
        }
        for (name, texts) in
            [("coordinates", problems.coordinates()), ("contacts", problems.contacts())]
        {
            let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            let padded = |text: &String| -> Vec<u8> {
                let letters = text.chars().map(u32::from).chain(std::iter::repeat(0));
                letters.take(longest).flat_map(u32::to_le_bytes).collect()
            };
            let bytes = texts.iter().flat_map(padded).collect();
            put(name, &format!("<U{longest}"), &[texts.len()], bytes)?;
        }
        archive.finish()?.into_inner().map_err(|e| e.into_error())
    };
    staging::keep(written().map_err(|e| staging::failed(path, &e))?, path)
}
