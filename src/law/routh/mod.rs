//! The set-valued Routh law \[HP23\], and its processes: the published impulse steps
//! (complementarity problems), the planar law from event to event, and a differential inclusion.

pub mod events;
pub mod inclusion;
pub mod options;
pub mod sampled;
pub mod steps;
