use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::builtin::{BUILTIN, MOTIONS, builtin};
use super::fields::{Item, nearest, shortened, suggestion};
use super::parameters::Parameter;
use super::tree::{Entry, Format, Node, Source, Value};
use super::{Cast, Scenery, arrays, events, heading, motion, parameters, planar, problem, spatial};
use carom_core::error::{Error, Result};
use carom_core::event::Event;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_mechanics::motion::Simulation;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The text of a scene or problem file, or the numbers of an npz file. Parameter values are given
/// as `(name, value)`; other parameters keep the values of the file.
#[derive(Debug)]
pub struct Document {
    name: String,
    text: Cow<'static, str>,
    format: Format,
    node: Node,
    /// The numbers of an npz file, which has no text.
    arrays: Option<Box<ProblemSpec>>,
}

impl Document {
    /// A text; `name` is its name in errors.
    ///
    /// # Errors
    /// Wrong syntax.
    pub fn new(name: &str, text: impl Into<Cow<'static, str>>, format: Format) -> Result<Self> {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.to_mut().remove(0);
        }
        let node = Source { name, text: &text }.parse(format)?;
        Ok(Document { name: name.to_string(), text, format, node, arrays: None })
    }

    /// A built-in scene or a file, whichever `what` names; a built-in name goes first.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one; a file that cannot be read; wrong syntax.
    pub fn open(what: impl AsRef<OsStr>) -> Result<Self> {
        let path = Path::new(&what);
        if let Some(scene) = path.to_str().and_then(builtin) {
            return Document::new(scene.name, scene.text, Format::Toml);
        }
        if path.exists() || path.extension().is_some() || path.components().count() > 1 {
            return Document::read(path);
        }
        let what = path.to_string_lossy();
        Err(Error::input(format!("there is no scene and no file `{what}`"))
            .hint(suggestion(&what, BUILTIN.iter().chain(MOTIONS).map(|scene| scene.name))))
    }

    /// A `.json`, `.toml` or `.npz` file.
    ///
    /// # Errors
    /// A file that cannot be read, is a directory, is too large, or is not UTF-8 text; an unknown
    /// extension; wrong syntax; arrays that are missing, unknown or of another shape or type.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        if extension(path).as_deref() == Some("npz") {
            readable(path)?;
            let spec = numbers(path).map_err(|error| error.in_text(&name, "", 0..0))?;
            let node = Node { span: 0..0, value: Value::Table(Vec::new()) };
            let (name, arrays) = (name.into_owned(), Some(Box::new(spec)));
            return Ok(Document { name, text: "".into(), format: Format::Json, node, arrays });
        }
        let (text, format) = content(path)?;
        Document::new(&name, text, format)
    }

    /// The document with a change `KEY=VALUE`: the key may be dotted, as in TOML; a value that is
    /// not TOML is a text. Errors point to the replaced value.
    ///
    /// # Errors
    /// A text without the form `KEY=VALUE`.
    pub fn with(&self, change: &str) -> Result<Self> {
        let read = |value: &str| {
            let (key, _) = change.split_once('=')?;
            let text = format!("{key} = {value}");
            Source { name: "", text: &text }.parse(Format::Toml).ok()
        };
        let value = change.split_once('=').map_or("", |(_, value)| value.trim());
        let taken = read(value).or_else(|| read(&toml::Value::from(value).to_string()));
        let taken = taken.ok_or_else(|| {
            Error::usage(format!("expected KEY=VALUE, found `{}`", shortened(change)))
        })?;
        let mut node = self.node.clone();
        node.take(taken);
        let (name, text, format) = (self.name.clone(), self.text.clone(), self.format);
        Ok(Document { name, text, format, node, arrays: self.arrays.clone() })
    }

    /// The name of the document in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The syntax of the document.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The parameters of the scene; none for a problem file.
    ///
    /// # Errors
    /// Invalid parameters in the text or in `set`.
    pub fn parameters(&self, set: &[(&str, f64)]) -> Result<Vec<Parameter>> {
        Ok(self.values(set)?.unwrap_or_default())
    }

    /// The contact problem at the parameter values `set`.
    ///
    /// # Errors
    /// See [`parse`](super::parse); a name in `set` that is no parameter of the scene, and a value
    /// out of bounds.
    pub fn problem(&self, set: &[(&str, f64)]) -> Result<ContactProblem> {
        let root = self.root();
        if let Some(spec) = &self.arrays {
            self.values(set)?;
            return arrays::problem(spec).map_err(|error| root.locate(error));
        }
        let Value::Table(_) = self.node.value else {
            return Err(root.error(format!("expected a problem, found {}", self.node.value.kind())));
        };
        if self.has("integrator") {
            return Err(root
                .descend("integrator")
                .error("this file describes a motion, not a contact problem")
                .hint("`carom simulate` computes it; give one contact problem or a scene"));
        }
        if self.has("events") {
            return Err(root
                .descend("events")
                .error("this file holds measured impacts, not one contact problem")
                .hint(
                    "`carom reality` reads it; for others, give one of its events as a problem of its own",
                ));
        }
        let default = self.stem();
        let values = self.values(set)?;
        let scene = Item { parameters: values.as_deref(), ..self.root() };
        match (self.is_scene(), self.is_spatial()?) {
            (true, false) => planar::read(&scene, &default),
            (true, true) => spatial::read(&scene, &default),
            (false, _) => problem::read(&root, &default),
        }
    }

    /// The motion of a motion file, which has the key `integrator`.
    ///
    /// # Errors
    /// Another kind of file; an unknown integrator, an unknown, missing or repeated key, a value of
    /// the wrong type, length or range, a body that is in the plane at first, and whatever else
    /// [`Lgvci::new`](carom_mechanics::motion::Lgvci::new) refuses.
    pub fn motion(&self) -> Result<Simulation> {
        self.motion_at(&[])
    }

    /// The motion at the parameter values `set`; only motions of mechanisms have parameters.
    ///
    /// # Errors
    /// See [`Document::motion`]; a name in `set` that is no parameter, and a value out of bounds.
    pub fn motion_at(&self, set: &[(&str, f64)]) -> Result<Simulation> {
        let root = self.root();
        if !self.has("integrator") {
            let error = root.error("this file describes no motion: it has no key `integrator`");
            return Err(match self.has("state") && self.has("shapes") {
                true => error.hint("integrator = \"lgvci\" moves a rigid body over a plane"),
                false => {
                    error.hint("`carom scenes` lists motions; `carom scenes ellipsoid` prints one")
                }
            });
        }
        let values = self.values(set)?;
        motion::read(&Item { parameters: values.as_deref(), ..root }, &self.stem())
    }

    fn stem(&self) -> String {
        let stem = Path::new(&self.name).file_stem();
        stem.map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The measured impacts of an event file: a table with a list `events`, each with the keys of a
    /// problem file, `measured` (n), and perhaps `noise`, `clean`, `gap` (m) and `toss`; other keys
    /// are ignored.
    ///
    /// # Errors
    /// No such list, or an empty one; for each problem the errors of [`parse`](super::parse), with
    /// the event's number, counted from 0; a measured velocity of another length; an event in which
    /// nothing moves before the impact.
    pub fn events(&self) -> Result<Vec<Event>> {
        events::read(&self.root())
    }

    /// The text with the parameter values `set`, otherwise unchanged.
    ///
    /// # Errors
    /// See [`Document::parameters`].
    pub fn text(&self, set: &[(&str, f64)]) -> Result<String> {
        let (written, mut parameters) = (self.parameters(&[])?, self.parameters(set)?);
        parameters
            .retain(|p| written.iter().any(|old| old.place == p.place && old.value != p.value));
        parameters.sort_by_key(|p| std::cmp::Reverse(p.place.start));
        let mut text = self.text.to_string();
        for Parameter { place, value, .. } in parameters {
            text.replace_range(place, &format!("{value:?}"));
        }
        Ok(text)
    }

    /// The bodies and walls of the scene at these values, with the velocity of its `problem`;
    /// `None` for a problem file.
    ///
    /// # Errors
    /// See [`Document::problem`].
    pub fn scenery(
        &self,
        set: &[(&str, f64)],
        problem: &ContactProblem,
    ) -> Result<Option<Scenery>> {
        let velocity = problem.velocity().as_slice().to_vec();
        self.cast(set)?.map(|cast| cast.scenery(velocity)).transpose()
    }

    /// The bodies and walls of the scene at these values; `None` for a problem file.
    ///
    /// # Errors
    /// See [`Document::problem`].
    pub fn cast(&self, set: &[(&str, f64)]) -> Result<Option<Cast>> {
        if self.arrays.is_some() || !self.is_scene() {
            return Ok(None);
        }
        let values = self.values(set)?;
        let scene = Item { parameters: values.as_deref(), ..self.root() };
        if self.is_spatial()? {
            let spatial::Setting { model, motion, tolerance, .. } = spatial::setting(&scene)?;
            return Ok(Some(Cast::Spatial { model, position: motion.position, tolerance }));
        }
        let planar::Setting { model, motion, tolerance, .. } = planar::setting(&scene)?;
        Ok(Some(Cast::Planar { model, position: motion.position, tolerance }))
    }

    /// The planar scene with these values, before its contacts are determined.
    pub(super) fn setting<T>(
        &self,
        set: &[(&str, f64)],
        look: impl FnOnce(planar::Setting<'_>) -> Result<T>,
    ) -> Result<T> {
        let values = self.values(set)?;
        if self.is_spatial()? {
            return Err(self
                .root()
                .descend("dimensions")
                .error("this needs a planar scene; this one is in space"));
        }
        look(planar::setting(&Item { parameters: values.as_deref(), ..self.root() })?)
    }

    /// Whether the document describes bodies, or seems intended to.
    pub(super) fn is_scene(&self) -> bool {
        let problem = ["mass", "normal", "velocity"].iter().any(|key| self.has(key));
        let is_like =
            |entry: &Entry, key| entry.key.len() <= 64 && nearest(&entry.key, [key]).is_some();
        let like = |key| self.entries().iter().any(|entry| is_like(entry, key));
        self.has("bodies") || (!problem && (like("bodies") || like("walls") || self.has("contact")))
    }

    /// The entries of the root table; empty if the root is no table.
    fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.node.value { entries } else { &[] }
    }

    fn has(&self, key: &str) -> bool {
        self.entries().iter().any(|entry| entry.key == key)
    }

    fn is_spatial(&self) -> Result<bool> {
        Ok(self.is_scene() && heading::is_spatial(&self.root())?)
    }

    /// The whole file.
    pub fn root(&self) -> Item<'_> {
        let source = Source { name: &self.name, text: &self.text };
        Item { source, path: String::new(), node: &self.node, parameters: None }
    }

    /// The parameters of a scene, if the file has a table `parameters`.
    fn values(&self, set: &[(&str, f64)]) -> Result<Option<Vec<Parameter>>> {
        let Value::Table(_) = self.node.value else { return Ok(None) };
        if self.is_scene() && self.has("parameters") {
            return parameters::read(&self.root().descend("parameters"), set).map(Some);
        }
        match set.first() {
            None => Ok(None),
            Some((name, _)) => Err(Error::usage(format!("`{}` has no parameters", self.name))
                .at(*name)
                .hint("a scene has them in a table `[parameters]`")),
        }
    }
}

/// The text of a file, and its syntax by the extension.
fn content(path: &Path) -> Result<(String, Format)> {
    readable(path)?;
    let format = match extension(path).as_deref() {
        Some("toml") => Format::Toml,
        Some("json") => Format::Json,
        Some("urdf" | "xml" | "mjcf" | "dat" | "hdf5" | "h5") => {
            let made =
                format!("`carom import {}` makes a file of it that can be read", path.display());
            return Err(fault(path, "is no .json, .toml or .npz file").hint(made));
        }
        _ => return Err(fault(path, "is no .json, .toml or .npz file")),
    };
    let mut bytes = Vec::new();
    // A device or pipe does not report its length.
    let read = |file: File| file.take(LARGEST + 1).read_to_end(&mut bytes);
    File::open(path).and_then(read).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(fault(path, format!("has more than {LARGEST} bytes; no more are read")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        fault(
            path,
            format!("is not UTF-8 text: byte {} is at fault", error.utf8_error().valid_up_to()),
        )
    })?;
    Ok((text, format))
}

/// Refuses directories and files that are too large.
fn readable(path: &Path) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if metadata.is_dir() {
        return Err(fault(path, "is a directory; expected a .json, .toml or .npz file"));
    }
    if metadata.len() > LARGEST {
        return Err(fault(
            path,
            format!("has {} bytes; at most {LARGEST} are read", metadata.len()),
        ));
    }
    Ok(())
}

/// The extension of a file name, in lower case.
fn extension(path: &Path) -> Option<String> {
    path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase)
}

fn fault(path: &Path, what: impl Display) -> Error {
    Error::input(format!("`{}` {what}", path.to_string_lossy()))
}

fn unreadable(path: &Path, why: &std::io::Error) -> Error {
    let error = Error::unreadable(path, why);
    match why.kind() {
        std::io::ErrorKind::NotFound => error.hint("`carom scenes` lists the built-in scenes"),
        _ => error,
    }
}

#[cfg(not(target_family = "wasm"))]
fn numbers(path: &Path) -> Result<ProblemSpec> {
    super::npz::read(path)
}

/// Web pages have no file system.
#[cfg(target_family = "wasm")]
fn numbers(path: &Path) -> Result<ProblemSpec> {
    Err(fault(path, "cannot be opened here").hint("give the problem as JSON or TOML"))
}
