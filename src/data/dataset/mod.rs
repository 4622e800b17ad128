//! Data sets: samples of many states, in Parquet files that are a function of a plan.
//!
//! A plan, [`DatasetPlan`], is a file (`docs/files.md` lists its keys): a scene or a problem,
//! ranges of its parameters and velocities or a table of them, or arrays with a row for each state;
//! a law, and how many samples each state has. Each file of the data set is computed for itself,
//! [`DatasetPlan::run_file`], in any order, by any number of processes and machines; when all are
//! there, [`DatasetPlan::finish`] writes what is in them. Files appear under their names when they
//! are whole, so a run that was interrupted or killed goes on where it was. All is computed on the
//! CPU.
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

/// What the table `[law]` of a plan asks for, from its text with the keys of the table at its top.
///
/// # Errors
/// A key that the law does not have, a value that it does not take.
pub fn asked(text: &str) -> Result<Run> {
    let table = Document::new("plan.toml", text.to_string(), Format::Toml)?;
    law::read(Some(&table.root()))
}
