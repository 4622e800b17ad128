//! Contacts at one point of a body, whose rows are dependent up to rounding.

use carom::{ContactProblem, ProblemSpec};
use carom_analysis::wedge::{IN_DOUBLES, IN_INCLUSION, nearly_wedged};

/// A body whose point (x, y) touches walls with normals at these angles; with friction 1.5.
fn corner(angles: &[f64], [x, y]: [f64; 2]) -> ContactProblem {
    let row = |[a, b]: [f64; 2]| vec![a, b, x * b - y * a];
    let spec = ProblemSpec {
        mass: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 0.1]],
        normal: angles.iter().map(|a| row([a.cos(), a.sin()])).collect(),
        tangent: angles.iter().map(|a| row([a.sin(), -a.cos()])).collect(),
        friction: Some(vec![1.5; angles.len()]),
        velocity: vec![0.4, -1.0, 0.5],
        ..ProblemSpec::default()
    };
    ContactProblem::new(spec).unwrap()
}

#[test]
fn wedges_that_rounding_makes_are_named() {
    let turned = corner(&[0.3, 0.3 + 2.0], [0.123, 0.456]);
    assert_eq!(nearly_wedged(&turned, IN_DOUBLES), Some(1));
    let third = corner(&[0.3, 0.4, 0.3 + 2.0], [0.123, 0.456]);
    assert!(nearly_wedged(&third, IN_DOUBLES).is_some());
    // Walls that are opposite up to 1e-5.
    let opposed = corner(&[0.3, 0.3 + std::f64::consts::PI - 1e-5], [0.0, 0.0]);
    let mut apart = opposed.spec().clone();
    apart.normal[1][2] += 1e-5;
    let apart = ContactProblem::new(apart).unwrap();
    assert_eq!(nearly_wedged(&apart, IN_DOUBLES), None);
    assert_eq!(nearly_wedged(&apart, IN_INCLUSION), Some(1));
    // In powers of two nothing is rounded.
    let mut exact = turned.spec().clone();
    exact.normal = vec![vec![1.0, 0.0, -0.25], vec![-1.0, 0.0, 0.25]];
    exact.tangent = vec![vec![0.0, -1.0, -0.5], vec![0.0, 1.0, 0.5]];
    let exact = ContactProblem::new(exact).unwrap();
    assert_eq!(nearly_wedged(&exact, IN_DOUBLES), None);
    // Walls that cannot hold each other's friction.
    let open = corner(&[0.3, 0.31], [0.123, 0.456]);
    assert_eq!(nearly_wedged(&open, IN_DOUBLES), None);
}
