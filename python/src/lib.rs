//! `carom._carom`, the extension module of the Python package. The package's own modules, in
//! Python, are its public interface.

mod arrays;
mod batch;
mod command;
mod dataset;
mod engine;
mod errors;
mod interrupts;
mod pool;
mod prepared;
mod problem;
mod samples;
mod saved;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _carom {
    #[pymodule_export]
    use super::batch::{batch_jacobian, sample_batch, seeds_of_states};
    #[pymodule_export]
    use super::command::{call, main};
    #[pymodule_export]
    use super::dataset::Plan;
    #[pymodule_export]
    use super::engine::Sampling;
    #[pymodule_export]
    use super::prepared::{Prepared, unfinished};
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::samples::{Samples, restored, sample};
    #[pymodule_export]
    use super::saved::{Saved, read};

    /// The version of the engine, by the name that Python has for it.
    #[allow(non_upper_case_globals)]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
