//! The set-valued Routh law \[HP23\], and its processes: published steps of impulse, each of which
//! is a complementarity problem, from event to event in the plane, and a differential inclusion.

pub mod events;
pub mod inclusion;
pub mod options;
pub mod sampled;
pub mod steps;
