//! The projection onto a circular cone, and the natural map of a complementarity problem.

use nalgebra::{Matrix3, Vector3};

use super::newton::Local;

/// The projection of `y` onto the cone `K = { |lt| <= mu ln }`, and its derivative by `y` (an
/// element of the generalised Jacobian if it has several).
pub fn project(mu: f64, y: Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let slip = y[1].hypot(y[2]);
    if slip <= mu * y[0] {
        return (y, Matrix3::identity());
    }
    if mu * slip <= -y[0] {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    let way = Vector3::new(0.0, y[1] / slip, y[2] / slip);
    let edge = (Vector3::x() + way * mu) / mu.hypot(1.0);
    let along = edge.dot(&y);
    let across = Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0)) - way * way.transpose();
    let turn = along * mu / mu.hypot(1.0) / slip;
    (edge * along, edge * edge.transpose() + across * turn)
}

/// The natural map `l - P_K(l - u)` of the complementarity problem `K* contains u _|_ l in K`, with
/// its derivatives.
pub fn natural_map(mu: f64, l: Vector3<f64>, u: Vector3<f64>) -> Local {
    let (nearest, slope) = project(mu, l - u);
    Local { value: l - nearest, by_impulse: Matrix3::identity() - slope, by_velocity: slope }
}
