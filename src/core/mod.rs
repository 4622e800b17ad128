//! The lowest layer of carom: numbers, random draws, complementarity problems, polyhedra, the
//! contact problem and its outcomes.

pub mod budget;
pub mod cones;
pub mod contact_space;
pub mod digits;
pub mod draws;
pub mod equations;
pub mod error;
pub mod event;
pub mod expression;
pub mod lcp;
pub mod limits;
mod named;
pub mod outcome;
pub mod polyhedra;
pub mod problem;
pub mod real;
pub mod rng;
pub mod schema;
pub mod status;
pub mod text;
pub mod vectors;

pub use budget::Budget;
pub use contact_space::ContactSpace;
pub use digits::short;
pub use draws::{numbers::Numbers, rates::Rates, sampler::Sampler};
pub use error::{Error, Result};
pub use lcp::{ExplicitMap, Facets, Lemke, LemkeEnd, ModeTable, Scaling, StepProblem};
pub use limits::{Limits, Stop, stopped};
pub use outcome::listed::{Outcome, OutcomeSet};
pub use problem::ContactProblem;
pub use real::Real;
pub use rng::{Purpose, Stream, stream};
pub use status::Status;
pub use vectors::Number;
