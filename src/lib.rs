#![warn(missing_docs)]
//! carom
pub mod error;
pub mod status;
pub mod real;
pub mod problem;
pub mod law;
pub mod outcome;
pub mod engine;
