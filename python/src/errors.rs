//! Conversion of the library's errors into exceptions of the package.

use carom_core::error::{Error, ErrorKind};
use carom_engine::run::by_field;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// The exception for an error: a class of `carom.errors`, with the parts of the error.
pub fn exception(error: &Error) -> PyErr {
    let error = by_field(error.clone());
    let class = match error.kind {
        ErrorKind::Usage => "UsageError",
        ErrorKind::Input => "InputError",
        ErrorKind::Device | ErrorKind::Doubt => "DeviceError",
        ErrorKind::Empty => "EmptyError",
        ErrorKind::Interrupted => return PyKeyboardInterrupt::new_err("interrupted"),
    };
    Python::attach(|py| {
        let made = py
            .import("carom.errors")
            .and_then(|errors| errors.getattr(class))
            .and_then(|class| class.call1((error.to_string(), &error.at, &error.hint)));
        made.map_or_else(|_| PyRuntimeError::new_err(error.to_string()), PyErr::from_value)
    })
}

/// Conversion of a result for Python.
pub trait Raise<T> {
    /// Returns the value, or raises the exception of the error.
    fn raise(self) -> PyResult<T>;
}

impl<T> Raise<T> for carom_core::error::Result<T> {
    fn raise(self) -> PyResult<T> {
        self.map_err(|error| exception(&error))
    }
}
