//! Contacts at one point of a body, whose rows are dependent up to rounding.

use super::*;
use carom_analysis::wedge::{IN_DOUBLES, IN_INCLUSION, PRIME, Rank, nearly_wedged, power, residue};

/// A body whose point (x, y) touches walls with normals at these angles; with friction 1.5.
fn corner(angles: &[f64], [x, y]: [f64; 2]) -> ContactProblem {
    let row = |[a, b]: [f64; 2]| vec![a, b, x * b - y * a];
    let normal = angles.iter().map(|a| row([a.cos(), a.sin()]));
    let tangent = angles.iter().map(|a| row([a.sin(), -a.cos()]));
    let friction = vec![1.5; angles.len()];
    problem(rough(&[1.0, 1.0, 0.1], normal, tangent, friction, [0.4, -1.0, 0.5]))
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
    let apart = problem(apart);
    assert_eq!(nearly_wedged(&apart, IN_DOUBLES), None);
    assert_eq!(nearly_wedged(&apart, IN_INCLUSION), Some(1));
    // In powers of two nothing is rounded.
    let mut exact = turned.spec().clone();
    exact.normal = vec![vec![1.0, 0.0, -0.25], vec![-1.0, 0.0, 0.25]];
    exact.tangent = vec![vec![0.0, -1.0, -0.5], vec![0.0, 1.0, 0.5]];
    let exact = problem(exact);
    assert_eq!(nearly_wedged(&exact, IN_DOUBLES), None);
    // Walls that cannot hold each other's friction.
    let open = corner(&[0.3, 0.31], [0.123, 0.456]);
    assert_eq!(nearly_wedged(&open, IN_DOUBLES), None);
}

#[test]
fn residues_are_those_of_fractions() {
    assert_eq!(residue(-3.0), PRIME - 3);
    assert_eq!(residue(0.75) * 4 % PRIME, 3);
    for x in [1e300, 1e-300, 0.1, 123.456] {
        assert_eq!(residue(x), doubled(x));
    }
    assert_eq!(residue(5e-324) * power(2, 1074) % PRIME, 1);
}

/// A positive double modulo the prime, by doubling and halving.
fn doubled(x: f64) -> u128 {
    let (mut x, mut scale, half) = (x, 1, PRIME.div_ceil(2));
    while x.fract() != 0.0 {
        (x, scale) = (x * 2.0, scale * half % PRIME);
    }
    while x >= 9_007_199_254_740_992.0 {
        (x, scale) = (x / 2.0, scale * 2 % PRIME);
    }
    assert!(x.fract() == 0.0);
    x as u128 * scale % PRIME
}

#[test]
fn a_row_that_is_a_sum_adds_no_rank() {
    let mut rank = Rank::default();
    for row in [[0.1, 0.2, 0.3], [0.5, -0.25, 1e-3], [0.1, 0.2, 0.3]] {
        rank.add(row.iter().map(|x| residue(*x)).collect());
    }
    assert_eq!(rank.rows.len(), 2);
    rank.add([0.1, 0.2, 0.1 + 0.2].iter().map(|x| residue(*x)).collect());
    assert_eq!(rank.rows.len(), 3);
}
