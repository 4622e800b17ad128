//! The contact points of a problem of one free body, recovered from its rows.

use nalgebra::Vector3;

use super::points::vector;
use super::{ContactPoint, ContactProblem, Place, Points};

/// Relative tolerance for the mass matrix of a free body.
const SLACK: f64 = 1e-6;

impl Points {
    /// The contact points of a problem, from its [`ProblemSpec`](super::ProblemSpec) or from the
    /// rows of one free body. The coordinates of a free body are the position of its mass centre
    /// and its rotation, `x, y, theta` or `x, y, z` and the rates of rotation about these axes.
    /// `None` where neither is known.
    pub fn of(problem: &ContactProblem) -> Option<Points> {
        problem.spec.points.clone().or_else(|| free_body(problem))
    }
}

/// The contact points of one free body.
///
/// A row in the direction `d` has the moment `c = r x d`; for an orthonormal frame
/// `sum d x c = 2 r` in space, and in the plane `sum (d_y, -d_x) c = r`.
fn free_body(problem: &ContactProblem) -> Option<Points> {
    let (space, n) = (problem.tangents_per_contact() + 1, problem.coordinate_count());
    if !is_free_body(problem) {
        return None;
    }
    let spec = problem.spec();
    let of = |(i, normal): (usize, &Vec<f64>)| {
        let tangents = &spec.tangent[i * (space - 1)..(i + 1) * (space - 1)];
        let rows = [std::slice::from_ref(normal), tangents].concat();
        let moment = |row: &Vec<f64>| match space {
            2 => Vector3::new(row[1], -row[0], 0.0) * row[2],
            _ => vector(row).cross(&vector(&row[3..])) * 0.5,
        };
        let arm: Vector3<f64> = rows.iter().map(moment).sum();
        let direction = |row: &Vec<f64>| row[..space].to_vec();
        ContactPoint {
            normal: direction(&rows[0]),
            tangent: rows[1..].iter().map(direction).collect(),
            first: None,
            second: Place { body: 0, arm: arm.as_slice()[..space].to_vec() },
        }
    };
    let unit = |k: usize| (0..n).map(|j| if j == k { 1.0 } else { 0.0 }).collect();
    let points = Points {
        turn: vec![(space..n).map(unit).collect()],
        contacts: spec.normal.iter().enumerate().map(of).collect(),
    };
    let sizes = [problem.contact_count(), space - 1, n];
    (points.check(sizes).is_ok() && points.are_frames()).then_some(points)
}

/// Whether a problem has the mass matrix of one free body, with coordinates of its mass centre:
/// `diag(m, m, I)`, or `diag(m, m, m)` and an inertia tensor.
pub fn is_free_body(problem: &ContactProblem) -> bool {
    let (space, n) = (problem.tangents_per_contact() + 1, problem.coordinate_count());
    let mass = problem.mass();
    let one = mass[(0, 0)];
    let uniform = |i: usize| {
        let own = |j: usize| if i == j { one } else { 0.0 };
        (0..n).all(|j| (mass[(i, j)] - own(j)).abs() <= SLACK * one)
    };
    ((space, n) == (2, 3) || (space, n) == (3, 6)) && (0..space).all(uniform)
}
