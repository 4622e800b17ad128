//! Bodies, joints, shapes and contacts, in the plane and in space.

mod planar;
mod spatial;
