//! Simultaneous contacts with circular friction cones: what the laws that have them share.

pub mod newton;
pub mod program;
pub mod projection;
pub mod space;
