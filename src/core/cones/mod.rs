//! Simultaneous contacts with circular friction cones, and convex programs over them.

pub mod conic;
pub mod newton;
pub mod program;
pub mod projection;
pub mod space;
