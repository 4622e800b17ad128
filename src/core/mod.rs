//! What every floor of carom stands on: numbers, random draws, complementarity problems, polyhedra,
//! the contact problem and its outcomes.

pub mod budget;
pub mod cones;
pub mod contact_space;
pub mod digits;
pub mod draws;
pub mod effort;
pub mod equations;
pub mod error;
pub mod event;
pub mod expression;
pub mod lcp;
pub mod outcome;
pub mod polyhedra;
pub mod problem;
pub mod real;
pub mod rng;
pub mod schema;
pub mod status;
pub mod text;
pub mod vectors;
