//! The outputs of `carom simulate`: a report to read, one to parse, a picture, and files with every
//! state.

pub mod futures;
pub mod mechanism;
mod picture;
mod report;
mod table;

pub use picture::{Trace, note, picture, title};
pub use report::{Perturbed, json, text};
pub use table::{Rows, STATE, create, numbers};
