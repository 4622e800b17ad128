//! The discrete flight between impacts.

use super::*;
use carom::motion::lgvci::{matrix, rotation};

/// `F Jd - Jd F'` is `S(a)`, and F is a rotation.
fn residual(inertia: &Mat3, f: [f64; 3], a: [f64; 3]) -> f64 {
    let (j, turn) = (of(inertia), of(&matrix(f)));
    let reduced = Matrix3::identity() * (0.5 * j.trace()) - j;
    let skew = Matrix3::new(0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0);
    let fault = (turn * reduced - reduced * turn.transpose() - skew).amax() / j.amax();
    fault.max((turn.transpose() * turn - Matrix3::identity()).amax())
}

/// An inertia tensor that a body can have, with axes of any direction.
fn inertia(draws: &mut Draws) -> Mat3 {
    let spread = [0, 1, 2].map(|_| (draws.number() * 1.5).exp());
    let turn = of(&draws.rotation());
    let total: f64 = spread.iter().sum();
    let moments = spread.map(|x| total - x);
    let tensor = turn * Matrix3::from_diagonal(&moments.into()) * turn.transpose();
    rows(&((tensor + tensor.transpose()) * 0.5))
}

#[test]
fn the_rotation_of_a_step_solves_its_equation_to_rounding() {
    let mut draws = Draws::new(1);
    let mut solved = 0;
    for i in 0..4000 {
        let j = inertia(&mut draws);
        let inverse = rows(&of(&j).try_inverse().unwrap());
        // From hardly any rotation to about a quarter turn.
        let size = 10_f64.powf(-f64::from(i % 8)) * 0.9;
        let a = super::apply(&j, draws.vector(size));
        let f = rotation(&j, &inverse, a);
        if i % 8 > 0 {
            assert!(f.is_some(), "{j:?} {a:?}");
        }
        let Some(f) = f else { continue };
        solved += 1;
        let fault = residual(&j, f, a);
        assert!(fault < 2e-15, "{fault:e}: {j:?} {a:?}");
    }
    assert!(solved > 3700, "{solved}");
}

/// About a principal axis `|a| = J sin(angle)`: a solution to a quarter turn, none beyond.
#[test]
fn a_quarter_turn_is_the_limit() {
    let j = [[5.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 2.6]];
    let inverse = [[0.2, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 1.0 / 2.6]];
    for axis in 0..3 {
        for angle in [1e-9, 0.1, 1.0, 1.5, 1.57] {
            let mut a = [0.0; 3];
            a[axis] = j[axis][axis] * f64::sin(angle);
            let f = rotation(&j, &inverse, a).unwrap()[axis];
            assert!((2.0 * f.atan() - angle).abs() < 1e-12 / f64::cos(angle), "{axis} {angle}");
        }
        for over in [1.0001, 1.1, 2.0, 100.0] {
            let mut a = [0.0; 3];
            a[axis] = j[axis][axis] * over;
            assert_eq!(rotation(&j, &inverse, a), None, "{axis} {over}");
        }
    }
    assert_eq!(rotation(&j, &inverse, [0.0; 3]), Some([0.0; 3]));
    assert_eq!(rotation(&j, &inverse, [f64::NAN; 3]), None);
    assert_eq!(rotation(&j, &inverse, [f64::INFINITY, 0.0, 0.0]), None);
}

/// The answer grows out of no rotation: a tenth of the way, and another, is the path.
#[test]
fn large_rotations_are_on_the_path_from_none() {
    let mut draws = Draws::new(2);
    for _ in 0..500 {
        let j = inertia(&mut draws);
        let inverse = rows(&of(&j).try_inverse().unwrap());
        let a = super::apply(&j, draws.vector(0.9));
        let Some(end) = rotation(&j, &inverse, a) else { continue };
        let mut last = [0.0; 3];
        for part in 1..=400 {
            let now = rotation(&j, &inverse, a.map(|x| x * f64::from(part) / 400.0));
            let now = now.unwrap_or_else(|| panic!("{part} {j:?} {a:?}"));
            assert!(super::apart(&last, &now) < 0.3, "{part} {j:?} {a:?}");
            last = now;
        }
        assert!(super::apart(&last, &end) < 1e-9);
    }
}

#[test]
fn a_flight_conserves_what_it_should() {
    let motion =
        Lgvci::new(LgvciSpec { inertia: Some(inertia(&mut Draws::new(3))), ..spec(ellipsoid()) });
    let motion = motion.unwrap();
    let (body, start) = (motion.body(), motion.start());
    let (before, spin) = (body.total_energy(start), body.energies(start)[1]);
    let spun = |state: &carom::motion::lgvci::BodyState| {
        super::apply(&state.attitude, state.angular_momentum)
    };
    for tau in [1e-6, 0.01, 0.05] {
        let after = body.flight(start, tau).unwrap();
        assert!((body.total_energy(&after) - before).abs() < 1e-13 * before);
        assert!((body.energies(&after)[1] - spin).abs() < 1e-14 * before);
        // In the world the angular momentum stays what it is.
        assert!(super::apart(&spun(&after), &spun(start)) < 1e-14 * 10.0, "{tau}");
    }
}

#[test]
fn a_step_that_turns_too_far_ends_the_motion() {
    let mut fast = spec(ellipsoid());
    fast.state.angular_momentum = [0.0, 0.0, 1000.0];
    let course = ran(fast, 10);
    assert_eq!((course.ending, course.last.step), (MotionEnding::NoRotation, 0));
    let mut far = spec(ellipsoid());
    far.state.momentum = [1e308, 0.0, 0.0];
    far.mass = 1e-3;
    let course = ran(far, 1000);
    assert_eq!(course.ending, MotionEnding::NotFinite);
}
