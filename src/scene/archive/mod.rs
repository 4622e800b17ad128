//! npz files of NumPy: zip archives of arrays. All sizes are checked before memory is allocated, so
//! no file can abort the program.
//!
//! Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays".

mod header;
mod reader;
mod writer;

pub use carom_core::digits::shown;
pub use reader::{Archive, Unread};
pub use writer::add;
