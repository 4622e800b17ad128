//! Files of other programs: robots in URDF and MJCF, problems of FCLib and Siconos.

pub mod fclib;
pub mod robot;
pub mod siconos;
