#![warn(missing_docs)]
//! carom
pub mod error;
pub mod lcp;
pub mod real;
pub mod rng;
pub mod status;
pub mod problem;
pub mod law;
pub mod outcome;
pub mod engine;
