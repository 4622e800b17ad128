//! Bodies, joints and contacts, whose contact problems they make, and motions through impacts.

pub mod model;
pub mod motion;
