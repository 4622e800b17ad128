//! The C interface of carom, for control loops: one handle holds one impact, which is prepared
//! once, sampled with the current velocity, and answers questions.
//!
//! The header `include/carom.h` is generated from this crate, and documents each function. Arrays
//! belong to the caller. No panic leaves a function: each returns a [`Code`], and the handle keeps
//! the message.

// The header of include/carom.h states the safety requirements of all pointers.
#![allow(clippy::missing_safety_doc)]

mod arrays;

// Modules in the order of the header.
mod code;

mod handle;

mod problem;

mod outcomes;

mod questions;

mod set;

mod bounds;

pub use bounds::*;
pub use code::*;
pub use handle::*;
pub use outcomes::*;
pub use problem::*;
pub use questions::*;
pub use set::*;
