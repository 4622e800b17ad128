//! Scene files and problem files.
//!
//! A **problem file** (`.json`, `.toml`) holds the numbers of a contact problem: the keys of
//! [`ProblemSpec`](crate::problem::ProblemSpec), where `friction` and `restitution` may be one
//! number for all contacts, and a `description`. A **scene file** (`.toml`, or the same in `.json`)
//! describes bodies, joints, shapes, walls and a state, from which the numbers follow. A file with
//! `bodies` is a scene, a planar one unless it says `dimensions = 3`: what differs in space stands
//! in [`spatial`]. Unknown keys are errors. An **npz file** of NumPy holds the numbers of a problem
//! in arrays `M` (n,n), `Jn` (m,n), `Jt` (m,n or 2m,n), `mu` (m, or one for all), `v` (n) and
//! perhaps `restitution` (m, or one for all). SI units throughout, angles in rad unless the key
//! ends in `_deg`, vectors `[x, y]`.
//!
//! | scene | default | |
//! |---|---|---|
//! | `name`, `description` | file name, none | text |
//! | `dimensions` | 2 | 3 for a scene in space |
//! | `friction` | required | coefficient for every contact, or a list in the order of the contacts |
//! | `restitution` | none | the same, in [0, 1]; left out, each law's own default holds |
//! | `step`, `max_steps` | none | impulse step in N s and step limit for sampling laws |
//! | `uncertainty` | none | ranges of `friction` and `restitution`, `[A, B]` or a list of them, factors `inertia`, `[A, B]` or a list with one for the mass and one for the moment of inertia of each body in turn, and `noise`: [`Uncertainty`](crate::problem::Uncertainty) |
//! | `coordinates` | `body.x`, `body.theta`, ... | names of the coordinates |
//! | `parameters`, `contact`, `walls`, `bodies`, `pairs` | | see below; the last three are arrays of tables |
//!
//! Contacts are what lies within a tolerance of touching: walls first, then pairs of bodies, in the
//! order of the file. A body does not touch the body that carries it. A deeper overlap is an error,
//! and so is no contact at all.
//!
//! | `[contact]` | default | |
//! |---|---|---|
//! | `tolerance` | 1e-6 | largest gap and largest overlap of a contact, in m |
//! | `names` | `floor-block`, ... | names of the contacts, in order |
//! | `at_rest` | none | name of a contact with a wall: the velocity of its tree is shifted so that its point rests |
//! | `tangent` | `"perpendicular"` | or `"as-published"`, the skew tangent of [`TangentRule::AsPublished`](crate::model::TangentRule) |
//!
//! | `[[walls]]` | default | |
//! |---|---|---|
//! | `name`, `normal` | required | the normal points into the free half-plane; its length does not matter |
//! | `point` | `[0, 0]` | a point of the surface |
//!
//! | `[[bodies]]` | default | |
//! |---|---|---|
//! | `name`, `mass` | required | mass in kg; 0 for a body that only carries others |
//! | `parent` | `"world"` | the body that carries the joint; it comes earlier in the file |
//! | `joint` | `"floating"`, required with `parent` | `"floating"`, `"translating"`, `"revolute"`, `"prismatic"` or `"fixed"` |
//! | `anchor` | `[0, 0]` | where the joint sits in the parent's frame; the body's frame starts there |
//! | `axis` | required | prismatic: direction of sliding in the parent's frame |
//! | `position`, `velocity` | `[0, 0]` | floating, translating: relative to the anchor, along the parent's axes |
//! | `angle` or `angle_deg` | 0 | floating, revolute: the coordinate; otherwise a constant. Relative to the parent |
//! | `angle_from` | `"parent"` | revolute: `"world"` makes the angle and its rate absolute |
//! | `angular_velocity` | 0 | floating, revolute: rad/s |
//! | `displacement`, `speed` | 0 | prismatic: m, m/s |
//! | `shapes` | `[]` | what can touch, in the body's frame |
//! | `center_of_mass`, `inertia` | of the one shape, at uniform density | `inertia` is about the centre of mass, in kg m^2 |
//!
//! | entry of `shapes` | |
//! |---|---|
//! | `{ point = [x, y] }` | a foot |
//! | `{ rod = [[x, y], [x, y]] }` | without thickness |
//! | `{ box = [width, height], center = [0, 0], angle = 0 }` | vertices from the bottom left, counter-clockwise |
//! | `{ polygon = [[x, y], ...] }` | strictly convex |
//! | `{ disk = radius, center = [0, 0] }` | |
//!
//! | `[[pairs]]` | default | |
//! |---|---|---|
//! | `between` | required | two names, of bodies or of a body and a wall |
//! | `friction`, `restitution` | the scene's | for all contacts of the pair |
//! | `collide` | `true` | `false` lets the two pass through each other |
//!
//! **Parameters** are numbers with a name: `[parameters]` has entries `theta = 65.0` or tables as
//! below. In a scene with this table any other number may be a string with an expression,
//! `"(r_c + r_a) * cos(theta * pi / 180 / 2)"`: numbers, `+ - * / ^`, brackets, `pi`,
//! `sqrt abs sin cos tan asin acos atan atan2` (angles in rad) and the names of parameters.
//! [`load_with`] and [`sweep`] give parameters other values, [`design`] looks for better ones.
//!
//! | entry of `parameters` | default | |
//! |---|---|---|
//! | `value` | required | |
//! | `min`, `max` | none | bounds, for `value` and for whatever replaces it |
//! | `scale` | size of `value`, or 1 | the change that counts as 1 in a design |
//! | `free` | `false` | whether a design may change it |
//!
//! A **motion file** has the key `integrator`; its keys stand in [`motion`].
//!
//! An **event file** holds measured impacts: `{"events": [{..., "measured": [...]}]}`, each with
//! the keys of a problem file, the velocity `measured` after the impact (n), and perhaps `noise` (1
//! sigma of the measured jump, `|.|_M` over `|v-|_M`), `clean` (a flag), `gap` (m, in m) and `toss`
//! (a number). Only there unknown keys are allowed. See [`Document::events`].

mod arrays;
mod bodies;
mod builtin;
pub mod design;
mod document;
mod events;
#[cfg(feature = "hdf5")]
pub mod fclib;
pub(crate) mod fields;
mod heading;
mod mechanism;
pub mod motion;
#[cfg(feature = "npz")]
pub(crate) mod npz;
mod parameter;
mod parameters;
mod planar;
mod problem;
pub mod robot;
mod scenery;
pub mod siconos;
pub mod spatial;
pub(crate) mod tree;
pub(crate) mod uncertainty;

use std::path::Path;

use crate::error::Result;
use crate::problem::ContactProblem;
pub use builtin::{BUILTIN, Builtin, MOTIONS, builtin};
pub use document::Document;
pub use parameter::Parameter;
pub use scenery::{Cast, ScenePlace, Scenery, Solid};
pub use tree::Format;

/// The contact problem of a built-in scene or of a file, whichever `what` names; a built-in name
/// goes first.
///
/// # Errors
/// An unknown name, with the nearest known one; everything that [`read`] and [`parse`] refuse.
pub fn load(what: &str) -> Result<ContactProblem> {
    load_with(what, &[])
}

/// Like [`load`], with other values, `(name, value)`, for some of the scene's parameters.
///
/// # Errors
/// Those of [`load`]; a name that is no parameter of the scene, with the nearest one, and a value
/// out of bounds.
pub fn load_with(what: &str, set: &[(&str, f64)]) -> Result<ContactProblem> {
    Document::open(what)?.problem(set)
}

/// The contact problems of a scene at several values of one parameter, each with its value.
///
/// # Errors
/// Those of [`load_with`]; a value at which the scene overlaps or touches nothing.
pub fn sweep(what: &str, parameter: &str, values: &[f64]) -> Result<Vec<(f64, ContactProblem)>> {
    let document = Document::open(what)?;
    values.iter().map(|&value| Ok((value, document.problem(&[(parameter, value)])?))).collect()
}

/// The contact problem of a `.json`, `.toml` or `.npz` file.
///
/// # Errors
/// A file that cannot be read, is a directory, is too large, or is not UTF-8 text; an extension
/// that is none of these; everything that [`parse`] refuses; arrays that are missing, unknown or of
/// another shape or type.
pub fn read(path: &Path) -> Result<ContactProblem> {
    Document::read(path)?.problem(&[])
}

/// The contact problem of a text: a scene if it has `bodies`, a problem otherwise. `name` is the
/// file's, for errors and, without its extension, for a problem that gives itself no name.
///
/// # Errors
/// One error that points into the text: wrong syntax, an unknown, missing or repeated key, a value
/// of the wrong type, length or range, a number that is not finite, a scene whose bodies overlap or
/// touch nothing, and whatever [`ContactProblem::new`] refuses.
pub fn parse(name: &str, text: &str, format: Format) -> Result<ContactProblem> {
    Document::new(name, text.to_string(), format)?.problem(&[])
}
