//! A light foot, flat on the ground, under a heavy body. Its own inertia is so small that forces at
//! its corners balance at each moment, which decides what friction there can be.

use carom_core::problem::{ContactProblem, ProblemSpec};

/// Mass of the body, and inertia of the foot about each axis.
pub const MASS: f64 = 30.0;
pub const INERTIA: f64 = 1e-5;

/// Speed of the body towards the ground.
pub const APPROACH: f64 = 1.0;

/// Corners of a foot in space, and the friction there.
pub const CORNERS: [[f64; 2]; 4] = [[0.1, 0.05], [0.1, -0.05], [-0.1, 0.05], [-0.1, -0.05]];
pub const FRICTION: [f64; 4] = [0.2, 0.8, 0.3, 0.5];

/// A foot with four corners, sliding along x at 0.6 m/s, with its ankle on the ground. Coordinates:
/// x, y, z of the ankle, turns about x and y.
pub fn spatial() -> ContactProblem {
    let mass = [MASS, MASS, MASS, INERTIA, INERTIA];
    let row = |i: usize| (0..5).map(|j| if i == j { mass[i] } else { 0.0 }).collect();
    let along = |_: &[f64; 2]| [vec![1.0, 0.0, 0.0, 0.0, 0.0], vec![0.0, 1.0, 0.0, 0.0, 0.0]];
    ContactProblem::new(ProblemSpec {
        mass: (0..5).map(row).collect(),
        normal: CORNERS.iter().map(|[x, y]| vec![0.0, 0.0, 1.0, *y, -*x]).collect(),
        tangent: CORNERS.iter().flat_map(along).collect(),
        friction: Some(FRICTION.to_vec()),
        velocity: vec![0.6, 0.0, -APPROACH, 0.4, 0.1],
        ..ProblemSpec::default()
    })
    .unwrap()
}
