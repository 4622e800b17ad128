//! The command line, for the script `carom` and for functions that wrap its commands.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::interrupts;

/// Runs a command of the command line, with `input` in place of stdin; what it prints, and its
/// warnings.
#[pyfunction]
pub fn call(
    py: Python<'_>,
    arguments: Vec<String>,
    input: &str,
) -> PyResult<(String, Vec<String>)> {
    interrupts::run(py, |stop| carom_cli::embedded::call(&arguments, input, stop))
        .map(|output| (output.printed, output.warnings))
}

/// Runs the command line of this process; its exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| carom_cli::run(arguments))
}
