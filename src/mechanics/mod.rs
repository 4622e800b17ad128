//! Bodies, joints and contacts, their contact problems, and motions through impacts.

pub mod model;
pub mod motion;
