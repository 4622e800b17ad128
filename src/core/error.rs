//! Errors: faults of a request or an input. The ending of a *sample* is not an error: see
//! [`crate::status`].

use std::ops::Range;
use std::path::Path;
use std::{fmt, io};

/// The result of every operation that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The class of an [`Error`]; the command line turns it into its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be honoured: an option, a law, an output path. Exit code 2.
    Usage,
    /// A problem or scene is invalid. Exit code 3.
    Input,
    /// No such device or precision, or the device was lost. Exit code 4.
    Device,
    /// The device cross-check failed. Exit code 1.
    Doubt,
    /// No sample was accepted, so there is nothing to compare or to draw. Exit code 1.
    Empty,
    /// The caller stopped the work. Exit code 130.
    Interrupted,
}

/// The text of an [`Error`]: a file's name, its content, and the affected bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file's name as the user gave it.
    pub name: String,
    /// The whole text of the file.
    pub text: String,
    /// The faulty bytes of `text`; empty if only the file is known.
    pub span: Range<usize>,
}

/// One error: the fault, its place, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The class of the error.
    pub kind: ErrorKind,
    /// The fault, with the expected and the found value.
    pub what: String,
    /// The place: a key such as `mass[2][0]`, an option such as `max_steps`, a device.
    pub at: Option<String>,
    /// Whether `at` names an option of the request by its field: the command line prints
    /// `--max-steps` for `max_steps`.
    pub option: bool,
    /// Advice on what to do.
    pub hint: Option<String>,
    /// The place in a file, if any.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Error {
    fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Error { kind, what: what.into(), at: None, option: false, hint: None, excerpt: None }
    }

    /// A request that cannot be honoured.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, what)
    }

    /// An invalid problem or scene.
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, what)
    }

    /// A file that cannot be opened or read.
    pub fn unreadable(path: &Path, why: &io::Error) -> Self {
        let path = path.to_string_lossy();
        Self::input(match why.kind() {
            io::ErrorKind::NotFound => format!("`{path}` does not exist"),
            _ => format!("`{path}` cannot be read: {why}"),
        })
    }

    /// A device that does not exist, does not support the request, or was lost.
    pub fn device(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Device, what)
    }

    /// A result of a device that fails the cross-check.
    pub fn doubt(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Doubt, what)
    }

    /// A set without accepted samples, or a comparison without anything to compare.
    pub fn empty(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Empty, what)
    }

    /// The caller stopped the work.
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    /// Adds the place to the error.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        (self.at, self.option) = (Some(place.into()), false);
        self
    }

    /// Adds the option to the error, by the name of its field.
    pub fn option(self, name: impl Into<String>) -> Self {
        Error { option: true, ..self.at(name) }
    }

    /// Adds advice to the error.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the line of a file to the error.
    pub fn in_text(mut self, name: &str, text: &str, span: Range<usize>) -> Self {
        self.excerpt =
            Some(Box::new(Excerpt { name: name.to_string(), text: text.to_string(), span }));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(excerpt) = &self.excerpt {
            write!(f, "{}: ", excerpt.name)?;
        }
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {}
