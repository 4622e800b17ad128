//! Copies in vector lanes against copies one by one.

use carom::internals::engine::Lane;
use carom::internals::motion::Ending;
use carom::internals::motion::lgvci::shape::{Image, Part, Shape};
use carom::internals::motion::lgvci::{Lgvci, LgvciSpec, Perturbation, Replica, advance};

use super::{UNIT, ellipsoid, spec};

/// Motions of every kind of shape, and some that end early.
pub fn motions() -> Vec<Lgvci> {
    let cube = |rounding| Part::cuboid([0.0, 0.1, 0.0], [1.7, 1.2, 1.4], &UNIT, rounding).unwrap();
    let corners = vec![[2.0, 0.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -2.0, -1.0], [0.0, 0.0, 2.0]];
    let polyhedron = Part::polyhedron(corners, 0.1).unwrap();
    let images = [[2.0, 3.0, 4.0], [3.0, 3.0, 2.5]].map(|axes| Image::new([0.0; 3], axes, &UNIT));
    let intersection = Part::intersection(images.to_vec()).unwrap();
    let union = Shape { parts: vec![ellipsoid(), cube(0.0), polyhedron.clone()] };
    let mut all: Vec<LgvciSpec> =
        [ellipsoid(), cube(1e-3), polyhedron, intersection].map(spec).into_iter().collect();
    all.push(LgvciSpec { shape: union, ..spec(ellipsoid()) });
    let slope = [0.0, 0.6, 0.8];
    all.push(LgvciSpec { normal: slope, offset: -1.0, ..spec(cube(0.0)) });
    // It lies down; and it turns too fast, now and then or always.
    let low = |z: f64, spin: f64, max_collisions| {
        let mut spec = LgvciSpec { max_collisions, ..spec(cube(0.0)) };
        spec.state.position[2] = z;
        spec.state.momentum = [0.0; 3];
        spec.state.angular_momentum = [0.0, spin, 0.0];
        spec
    };
    all.extend([
        low(1.41, 0.0, Some(5)),
        low(3.0, 300.0, None),
        low(3.0, 395.0, None),
        low(3.0, 500.0, None),
    ]);
    all.into_iter().map(|spec| Lgvci::new(spec).unwrap()).collect()
}

fn starts<T: Lane>(motion: &Lgvci, copies: u64, angle: f64) -> Vec<Replica<T>> {
    let how = Perturbation { copies, angle, seed: 7, precision: None };
    let body = motion.body().cast();
    (0..copies).map(|copy| Replica::new(&body, &motion.perturbed(&how, copy).cast())).collect()
}

fn one_by_one<T: Lane>(motion: &Lgvci, copies: &mut [Replica<T>], until: u64) {
    let setting = motion.setting();
    for copy in copies {
        while copy.goes_on(until) {
            copy.step(&setting, |_| ());
        }
    }
}

/// Every number is the same, bit by bit, through collisions, and where a motion ends.
fn lanes_are_copies<T: Lane>() {
    for (i, motion) in motions().iter().enumerate() {
        let mut expected = starts::<T>(motion, 37, 0.1);
        let mut found = expected.clone();
        for until in [1, 130, 131, 400] {
            one_by_one(motion, &mut expected, until);
            advance(&motion.setting(), &mut found, until);
            for (l, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "motion {i}, copy {l}, {until} steps");
            }
        }
        let struck = expected.iter().filter(|copy| copy.collisions > 0).count();
        println!("{}, motion {i}: {struck} of 37 collide, {:?}", T::NAME, expected[0].ending);
        assert!(struck > 20 || expected[0].ending != Ending::Done, "motion {i}");
    }
}

#[test]
fn lanes_are_copies_in_f64() {
    lanes_are_copies::<f64>();
}

#[test]
fn lanes_are_copies_in_f32() {
    lanes_are_copies::<f32>();
}
