//! The C interface of carom, for the loops of controllers: one handle holds one impact, which is
//! prepared once and sampled with the velocity of the moment, and answers questions.
//!
//! `include/carom.h` is made from this crate and says what each function does. Arrays are the
//! caller's. No panic leaves a function: each returns a [`Code`], and the handle keeps the message.

// Pointers are what include/carom.h says of all of them at its top.
#![allow(clippy::missing_safety_doc)]

mod arrays;

// In the order of the header.
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
