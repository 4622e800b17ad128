//! The set-valued Routh law by steps of impulse, each a complementarity problem. \[HP23\]

pub mod options;
pub mod reservoirs;
pub mod solve;
pub mod steps;
