//! `carom._carom`, the extension module of the Python package. The package's own modules, in Python, are its public interface.

mod batch;
mod command;
mod dataset;
mod engine;
mod errors;
mod interrupts;
mod prepared;
mod problem;
mod samples;
mod saved;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _carom(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<engine::Sampling>()?;
    module.add_class::<samples::Samples>()?;
    module.add_class::<saved::Saved>()?;
    module.add_class::<prepared::Prepared>()?;
    module.add_class::<dataset::Plan>()?;
    module.add_function(wrap_pyfunction!(samples::sample, module)?)?;
    module.add_function(wrap_pyfunction!(saved::read, module)?)?;
    module.add_function(wrap_pyfunction!(batch::sample_batch, module)?)?;
    module.add_function(wrap_pyfunction!(command::call, module)?)?;
    module.add_function(wrap_pyfunction!(command::main, module)?)?;
    Ok(())
}
