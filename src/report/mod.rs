//! Reports to read and to parse, figures and films.

pub mod animation;
pub mod answer;
pub mod bounds;
pub mod compare;
mod course;
pub mod design;
pub mod events;
pub mod exact_set;
mod eye;
pub mod gallery;
pub mod guarantee;
pub mod histogram;
mod hodograph;
pub mod identify;
pub mod motion;
pub mod outline;
pub mod pictures;
pub mod plot;
mod process;
pub mod published;
pub mod query;
pub mod reality;
pub mod record;
pub mod replay;
pub mod report;
pub mod resolved;
pub mod scenery;
pub mod schema;
pub mod scope;
mod table;
pub mod warnings;

pub use record::{RunRecord, Version, forecasts};
