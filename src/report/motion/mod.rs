//! The outputs of `carom simulate`: a report to read, one to parse, a picture, and files with every
//! state.

mod beside;
pub mod futures;
pub mod mechanism;
mod picture;
mod report;
mod trace;

pub use beside::Beside;
pub use picture::{note, picture, title};
pub use report::{Perturbed, json, text};
pub use trace::Trace;
