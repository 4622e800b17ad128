//! Copies of a motion of a rigid body over a plane, one per thread.

use crate::header::{reals, words};
use crate::spec::Program;

/// Takes steps with their collisions. The kernel does not end a motion: a step in which one may end
/// is [`LEFT`].
pub static COPIES: Program = Program {
    name: "copies",
    entry_point: "move_copies",
    samples: false,
    files: &[
        wgsl!("motion/lgvci/algebra.wgsl"),
        wgsl!("motion/lgvci/flight.wgsl"),
        wgsl!("motion/lgvci/shape.wgsl"),
        wgsl!("motion/lgvci/body.wgsl"),
        wgsl!("motion/lgvci/step.wgsl"),
        wgsl!("kernel/copies.wgsl"),
    ],
    constants: |shape| {
        let halves = [("HALF", 0.5), ("TWO", 2.0)];
        let halves = if shape.double { reals::<f64>(&halves) } else { reals::<f32>(&halves) };
        words(&PLACES) + &halves
    },
    ..Program::DEFAULT
};

/// Mark of a step that is left to the CPU.
pub const LEFT: u32 = 1;
/// Code of an ellipsoid, followed by its centre and half axes.
pub const ELLIPSOID: usize = 0;
/// Code of a box, followed by its centre, half sides and rounding.
pub const CUBOID: usize = 1;
/// Code of a polyhedron, followed by its rounding and corners.
pub const POLYHEDRON: usize = 2;
/// Number of numbers of a copy: its state, its initial energy, the error of its energy.
pub const COPY_NUMBERS: usize = 20;
/// Number of numbers of a body before those of its parts.
pub const BODY_NUMBERS: usize = 29;

/// Codes, and the places of the numbers of a body.
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
    /// Number of copies.
    pub count: u32,
    /// Number of parts of the shape.
    pub parts: u32,
    /// Rounds of loops in a dispatch.
    pub budget: u32,
    /// Rounds of loops in a flight with its gap.
    pub rounds: u32,
    /// Most iterations of Newton's method.
    pub iterations: u32,
    /// Most halvings of a time.
    pub halvings: u32,
    /// Most collisions of a step.
    pub collisions: u32,
    /// Padding to a whole vector of four.
    pub padding: u32,
}
