//! Data sets: samples of many states, in Parquet files that are a function of a plan.
//!
//! A plan, [`DatasetPlan`], is a file (`docs/files.md` lists its keys). It names a scene or a
//! problem, with ranges of parameters and velocities or a table of their values, or arrays with a
//! row for each state; a law; and the number of samples of each state. [`DatasetPlan::run_file`]
//! computes one file of the data set. Files may be computed in any order, by any number of
//! processes and machines. After the last file, [`DatasetPlan::finish`] writes the description of
//! all files. Each file appears by an atomic rename, so an interrupted or killed run continues
//! after its last complete file. All is computed on the CPU.
//!
//! ```no_run
//! # mod carom { pub use {carom_core::error::Error, carom_data::dataset}; }
//! use carom::dataset::DatasetPlan;
//! use std::path::Path;
//!
//! let plan = DatasetPlan::open(Path::new("plan.toml"))?;
//! let dir = Path::new("set");
//! for file in 0..plan.files() {
//!     plan.run_file(dir, file, &Default::default(), &|_| {})?;
//! }
//! assert_eq!(plan.finish(dir, &Default::default())?.missing, 0);
//! # Ok::<(), carom::Error>(())
//! ```

mod arrays;
mod arrow;
mod card;
mod checked;
mod description;
mod finish;
mod keys;
mod law;
mod open;
mod part;
mod plan;
mod quantities;
pub mod report;
mod rows;
mod sampler;
mod source;
mod table;
mod trial;

pub use description::Description;
pub use keys::schema;
pub use part::{DatasetPart, Failure, Inventory};
pub use plan::{DatasetPlan, DatasetState};
pub use trial::Trial;

use carom_core::error::Result;
use carom_engine::run::Run;
use carom_scene::{Document, Format};

/// The run of the table `[law]` of a plan. The text has the keys of the table at top level.
///
/// # Errors
/// A key or a value that the law does not have.
pub fn asked(text: &str) -> Result<Run> {
    let table = Document::new("plan.toml", text.to_string(), Format::Toml)?;
    law::read(Some(&table.root()))
}
