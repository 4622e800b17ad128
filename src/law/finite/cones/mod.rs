//! Simultaneous contacts with circular friction cones: what several laws share.

pub mod conic;
pub mod newton;
pub mod program;
pub mod projection;
pub mod space;
