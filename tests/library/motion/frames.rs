//! What must not depend on frames.

use super::*;

fn parts() -> Vec<ShapePart> {
    let cube = ShapePart::cuboid([0.0; 3], [1.0, 1.5, 2.0], &super::UNIT, 0.01).unwrap();
    let image = |center, lengths| Image::new(center, lengths, &super::UNIT);
    let images =
        vec![image([0.5, 0.0, 0.0], [2.0, 3.0, 4.0]), image([-0.5, 0.2, 0.0], [3.0, 3.0, 2.0])];
    vec![ellipsoid(), cube, ShapePart::intersection(images).unwrap()]
}

/// Turned and shifted as a whole, the world moves as before.
#[test]
fn the_world_may_be_turned() {
    let mut draws = Draws::new(5);
    for part in parts() {
        let plain = spec(part);
        let expected = ran(plain.clone(), 700);
        assert!(expected.impacts.len() >= 2);
        for _ in 0..4 {
            let (turn, shift) = (draws.rotation(), draws.vector(20.0));
            let moved = |x: [f64; 3]| {
                let [a, b, c] = apply(&turn, x);
                [a + shift[0], b + shift[1], c + shift[2]]
            };
            let normal = apply(&turn, plain.normal);
            let tilted = LgvciSpec {
                gravity: apply(&turn, plain.gravity),
                normal,
                offset: plain.offset - super::dot(normal, shift),
                state: BodyState {
                    position: moved(plain.state.position),
                    attitude: rows(&(of(&turn) * of(&plain.state.attitude))),
                    momentum: apply(&turn, plain.state.momentum),
                    ..plain.state
                },
                ..plain.clone()
            };
            let found = ran(tilted, 700);
            assert_eq!(found.impacts.len(), expected.impacts.len());
            for (found, expected) in found.impacts.iter().zip(&expected.impacts) {
                assert!((found.time - expected.time).abs() < 1e-9);
                assert!((found.impulse[0] - expected.impulse[0]).abs() < 1e-7);
                let (found, expected) = (struck(found), struck(expected));
                assert!(apart(&found.position, &moved(expected.position)) < 1e-7);
                let far = apart(&found.angular_momentum, &expected.angular_momentum);
                assert!(far < 1e-6, "{far:e}");
            }
        }
    }
}

/// With other axes of the body, all turned, it moves as before.
#[test]
fn the_body_may_have_other_axes() {
    let mut draws = Draws::new(6);
    let turn = draws.rotation();
    let plain = spec(ellipsoid());
    let inertia = of(&plain.inertia.unwrap());
    let turned = LgvciSpec {
        inertia: Some(rows(&(of(&turn) * inertia * of(&turn).transpose()))),
        shape: BodyShape {
            parts: vec![ShapePart::ellipsoid([0.0; 3], [2.0, 3.0, 4.0], &turn).unwrap()],
        },
        state: BodyState {
            attitude: rows(&of(&turn).transpose()),
            angular_momentum: apply(&turn, plain.state.angular_momentum),
            ..plain.state
        },
        ..plain.clone()
    };
    let (found, expected) = (ran(turned, 1000), ran(plain, 1000));
    assert_eq!(found.impacts.len(), expected.impacts.len());
    assert!(apart(&found.last.position[..3], &expected.last.position) < 1e-8);
    assert!(apart(&found.last.momentum[..3], &expected.last.momentum) < 1e-7);
}

/// The mass only scales momenta and impulses.
#[test]
fn mass_scales_out() {
    let plain = spec(ellipsoid());
    let times = |k: f64| {
        let scaled = |v: [f64; 3]| v.map(|x| x * k);
        LgvciSpec {
            mass: k,
            inertia: plain.inertia.map(|rows| rows.map(scaled)),
            state: BodyState {
                momentum: scaled(plain.state.momentum),
                angular_momentum: scaled(plain.state.angular_momentum),
                ..plain.state
            },
            ..plain.clone()
        }
    };
    let expected = ran(times(1.0), 700);
    for k in [1e-6, 1e6] {
        let found = ran(times(k), 700);
        assert!(apart(&found.last.position[..3], &expected.last.position) < 1e-9, "{k}");
        for (found, expected) in found.impacts.iter().zip(&expected.impacts) {
            assert!((found.impulse[0] / k - expected.impulse[0]).abs() < 1e-8);
        }
    }
}

/// Played backwards, a motion returns to its start.
#[test]
fn motions_can_be_reversed() {
    for part in parts() {
        let plain = spec(part);
        let there = ran(plain.clone(), 500);
        assert!(!there.impacts.is_empty());
        let end = state_at(&there.last);
        let back = LgvciSpec {
            state: BodyState {
                momentum: end.momentum.map(|x| -x),
                angular_momentum: end.angular_momentum.map(|x| -x),
                ..end
            },
            ..plain.clone()
        };
        let again = ran(back, 500);
        // Backwards an impact falls within another step; the error is of second order.
        let far = state_at(&again.last).distance(&plain.state);
        assert!(far < 1e-2, "{far:e}");
    }
}
