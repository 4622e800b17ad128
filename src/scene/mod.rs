//! Scene files and problem files.
//!
//! A **problem file** (`.json`, `.toml`) holds the numbers of a contact problem: the keys of
//! [`ProblemSpec`](carom_core::problem::ProblemSpec), where `friction` and `restitution` may be one
//! number for all contacts, and a `description`. A **scene file** (`.toml`, or the same in `.json`)
//! describes bodies, joints, shapes, walls and a state, from which the numbers follow; its keys are
//! below. An **npz file** of NumPy holds the numbers of a problem in arrays `M` (n,n), `Jn` (m,n),
//! `Jt` (m,n or 2m,n), `mu` (m, or one for all), `v` (n) and perhaps `restitution` (m, or one for
//! all). [`load_with`] and [`sweep`] give parameters of a scene other values, [`design`] looks for
//! better ones.
//!
//! A **motion file** has the key `integrator`; its keys stand in `docs/files.md`.
//!
//! An **event file** holds measured impacts: `{"events": [{..., "measured": [...]}]}`, each with
//! the keys of a problem file, the velocity `measured` after the impact (n), and perhaps `noise` (1
//! sigma of the measured jump, `|.|_M` over `|v-|_M`), `clean` (a flag), `gap` (m, in m) and `toss`
//! (a number). Only there unknown keys are allowed. See [`Document::events`].
//!
#![doc = include_str!("scenes.md")]

#[cfg(not(target_family = "wasm"))]
pub mod archive;
mod arrays;
mod bodies;
mod builtin;
pub mod design;
mod document;
mod events;
pub mod fields;
mod heading;
mod mechanism;
pub mod motion;
#[cfg(not(target_family = "wasm"))]
pub mod npz;
mod parameters;
mod planar;
mod points;
mod problem;
mod scenery;
pub mod schema;
pub mod spatial;
mod tables;
pub mod tree;
pub mod uncertainty;

use std::path::Path;

pub use builtin::{BUILTIN, Builtin, MOTIONS, builtin};
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
pub use document::Document;
pub use parameters::Parameter;
pub use scenery::{Cast, ScenePlace, Scenery, Solid};
pub use tree::Format;

/// The contact problem of a built-in scene or of a file; built-in names take precedence.
///
/// # Errors
/// An unknown name, with the nearest known one; everything that [`read`] and [`parse`] refuse.
pub fn load(what: &str) -> Result<ContactProblem> {
    load_with(what, &[])
}

/// [`load`] with other values, `(name, value)`, for some of the scene's parameters.
///
/// # Errors
/// See [`load`]; a name that is no parameter of the scene, with the nearest one, and a value out of
/// bounds.
pub fn load_with(what: &str, set: &[(&str, f64)]) -> Result<ContactProblem> {
    Document::open(what)?.problem(set)
}

/// The contact problems of a scene at several values of one parameter, each with its value.
///
/// # Errors
/// See [`load_with`]; a value at which the scene overlaps or touches nothing.
pub fn sweep(what: &str, parameter: &str, values: &[f64]) -> Result<Vec<(f64, ContactProblem)>> {
    let document = Document::open(what)?;
    values.iter().map(|&value| Ok((value, document.problem(&[(parameter, value)])?))).collect()
}

/// The contact problem of a `.json`, `.toml` or `.npz` file.
///
/// # Errors
/// A file that cannot be read, is a directory, is too large, or is not UTF-8 text; an unknown
/// extension; the errors of [`parse`]; arrays that are missing, unknown or of another shape or
/// type.
pub fn read(path: &Path) -> Result<ContactProblem> {
    Document::read(path)?.problem(&[])
}

/// The contact problem of a text: a scene if it has `bodies`, a problem otherwise. `name` is the
/// name of the file, used in errors; without its extension, the name of a problem without its own.
///
/// # Errors
/// One error that points into the text: wrong syntax, an unknown, missing or repeated key, a value
/// of the wrong type, length or range, a number that is not finite, a scene whose bodies overlap or
/// touch nothing, and whatever [`ContactProblem::new`] refuses.
pub fn parse(name: &str, text: &str, format: Format) -> Result<ContactProblem> {
    Document::new(name, text.to_string(), format)?.problem(&[])
}
