//! Copies of a motion of a rigid body over a plane, a thread each.

use crate::shading::header::{reals, words};
use crate::shading::spec::Program;

/// Takes steps with their collisions. The kernel knows nothing of how a motion ends: such a step is
/// [`LEFT`].
pub static COPIES: Program = Program {
    name: "copies",
    entry_point: "move_copies",
    samples: false,
    files: &[
        include_str!("../../../shaders/motion/lgvci/algebra.wgsl"),
        include_str!("../../../shaders/motion/lgvci/flight.wgsl"),
        include_str!("../../../shaders/motion/lgvci/shape.wgsl"),
        include_str!("../../../shaders/motion/lgvci/body.wgsl"),
        include_str!("../../../shaders/motion/lgvci/step.wgsl"),
        include_str!("../../../shaders/kernel/copies.wgsl"),
    ],
    constants: |shape| {
        let halves = [("HALF", 0.5), ("TWO", 2.0)];
        let halves = if shape.double { reals::<f64>(&halves) } else { reals::<f32>(&halves) };
        words(&PLACES) + &halves
    },
    ..Program::DEFAULT
};

/// A step that the CPU takes.
pub const LEFT: u32 = 1;
/// An ellipsoid: its centre and half axes.
pub const ELLIPSOID: usize = 0;
/// A box: its centre, half sides and rounding.
pub const CUBOID: usize = 1;
/// A polyhedron: its rounding and corners.
pub const POLYHEDRON: usize = 2;
/// Numbers of a copy: its state, its energy at first, the error of that.
pub const COPY_NUMBERS: usize = 20;
/// Numbers of a body before those of its parts.
pub const BODY_NUMBERS: usize = 29;

/// Codes, and where the numbers of a body are.
const PLACES: [(&str, usize); 13] = [
    ("LEFT", LEFT as usize),
    ("ELLIPSOID", ELLIPSOID),
    ("POLYHEDRON", POLYHEDRON),
    ("COPY_NUMBERS", COPY_NUMBERS),
    ("BODY_MASS", 0),
    ("BODY_OFFSET", 1),
    ("BODY_TIME_STEP", 2),
    ("BODY_NEAR", 3),
    ("BODY_ROUNDING", 4),
    ("BODY_INERTIA", 5),
    ("BODY_INVERSE", 14),
    ("BODY_GRAVITY", 23),
    ("BODY_NORMAL", 26),
];

/// The uniform `March` of `shaders/kernel/copies.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct MarchUniform {
    /// Copies.
    pub count: u32,
    /// Parts of the shape.
    pub parts: u32,
    /// Rounds of loops of a dispatch.
    pub budget: u32,
    /// Those of one flight with its gap.
    pub rounds: u32,
    /// Most iterations of Newton's method.
    pub iterations: u32,
    /// Most halvings of a time.
    pub halvings: u32,
    /// Most collisions of a step.
    pub collisions: u32,
    /// Up to a whole vector of four.
    pub padding: u32,
}
