//! Motions of a rigid body over a plane, and copies of them.

use carom::motion::lgvci::shape::{BodyShape, Image, ShapePart};
use carom::motion::lgvci::{BodyState, Lgvci, LgvciSpec, Mat3, Perturbation, Replica};

pub const UNIT: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The common start of the published examples, with one part as the shape.
pub fn spec(part: ShapePart) -> LgvciSpec {
    LgvciSpec {
        name: "test".to_string(),
        mass: 1.0,
        gravity: [0.0, 0.0, -9.80665],
        time_step: 0.01,
        inertia: Some([[5.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 2.6]]),
        normal: [0.0, 0.0, 1.0],
        offset: 0.0,
        shape: BodyShape { parts: vec![part] },
        state: BodyState {
            position: [0.0, 0.0, 10.0],
            attitude: UNIT,
            momentum: [2.0, 2.0, 10.0],
            angular_momentum: [4.0, -4.0, 4.0],
        },
        steps: None,
        max_collisions: None,
    }
}

pub fn ellipsoid() -> ShapePart {
    ShapePart::ellipsoid([0.0; 3], [2.0, 3.0, 4.0], &UNIT).unwrap()
}

/// Motions of every kind of shape, and some that end early.
pub fn motions() -> Vec<Lgvci> {
    let cube =
        |rounding| ShapePart::cuboid([0.0, 0.1, 0.0], [1.7, 1.2, 1.4], &UNIT, rounding).unwrap();
    let corners = vec![[2.0, 0.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -2.0, -1.0], [0.0, 0.0, 2.0]];
    let polyhedron = ShapePart::polyhedron(corners, 0.1).unwrap();
    let images = [[2.0, 3.0, 4.0], [3.0, 3.0, 2.5]].map(|axes| Image::new([0.0; 3], axes, &UNIT));
    let intersection = ShapePart::intersection(images.to_vec()).unwrap();
    let union = BodyShape { parts: vec![ellipsoid(), cube(0.0), polyhedron.clone()] };
    let mut all = Vec::from([ellipsoid(), cube(1e-3), polyhedron, intersection].map(spec));
    all.push(LgvciSpec { shape: union, ..spec(ellipsoid()) });
    let slope = [0.0, 0.6, 0.8];
    all.push(LgvciSpec { normal: slope, offset: -1.0, ..spec(cube(0.0)) });
    // The cube lies down; and it turns too fast, now and then or always.
    let low = |z: f64, spin: f64, max_collisions| {
        let mut spec = LgvciSpec { max_collisions, ..spec(cube(0.0)) };
        spec.state.position[2] = z;
        spec.state.momentum = [0.0; 3];
        spec.state.angular_momentum = [0.0, spin, 0.0];
        spec
    };
    all.push(low(1.41, 0.0, Some(5)));
    all.extend([300.0, 395.0, 500.0].map(|spin| low(3.0, spin, None)));
    all.into_iter().map(|spec| Lgvci::new(spec).unwrap()).collect()
}

/// Copies turned by an angle.
pub fn starts(motion: &Lgvci, copies: u64, angle: f64) -> Vec<Replica> {
    let how = Perturbation { copies, angle, shift: 0.0, seed: 7 };
    let start = |copy| Replica::new(motion.body(), &motion.perturbed(&how, copy));
    (0..copies).map(start).collect()
}

/// Moves them by the scalar step.
pub fn one_by_one(motion: &Lgvci, copies: &mut [Replica], until: u64) {
    let setting = motion.setting();
    for copy in copies {
        while copy.goes_on(until) {
            copy.step(&setting, |_| ());
        }
    }
}
