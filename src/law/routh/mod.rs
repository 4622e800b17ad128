//! The set-valued Routh law in steps of impulse, each of which is a complementarity problem.
//! \[HP23\]

pub mod options;
pub mod reservoirs;
pub mod solve;
pub mod steps;
pub mod training;
