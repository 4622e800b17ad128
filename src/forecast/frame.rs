//! Axes in which velocities of different impacts are comparable.

use nalgebra::{DMatrix, DVector};

use super::judge::space;
use carom_core::error::Result;
use carom_core::outcome::PointSet;
use carom_core::problem::ContactProblem;

/// Orthonormal frame in the kinetic coordinates of a problem, aligned with the impact.
///
/// With `r_k = M^-1 J_k'` the velocity change per unit impulse in row k, and `u_i` the tangential
/// velocity of contact i, the axes follow by Gram-Schmidt in the kinetic metric from
///
/// ```text
/// all normals together       sum_i r_n,i
/// each normal                r_n,i; the contact that approaches fastest first
/// friction along the slip   -sum_i r_t,i u_i
/// friction across it         sum_i r_t,i (u_i turned by a right angle), in space only
/// the velocity before        v-
/// each tangent               r_t,i; the contact that approaches fastest first
/// the coordinates            until the frame is complete
/// ```
///
/// without vectors within [`Frame::LEAST`] of the span of earlier axes. The sign is chosen to make
/// the component of `v-` across the slip nonnegative, so an impact and its mirror image have the
/// same components.
#[derive(Clone, Debug)]
pub struct Frame {
    space: PointSet,
    axes: DMatrix<f64>,
}

impl Frame {
    /// Sine of the angle to the span of earlier axes below which a vector adds no axis.
    pub const LEAST: f64 = 0.02;

    /// Frame of a problem.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn of(problem: &ContactProblem) -> Result<Frame> {
        let space = space(problem)?;
        let n = problem.coordinate_count();
        let point = |v: &DVector<f64>| space.point(v.as_slice());
        let row = |row: usize| point(&problem.response().column(row).into_owned());
        let order = order(problem);
        let [normals, along, across] = together(problem);
        let before = point(problem.velocity());
        let mut directions = vec![point(&normals)];
        directions.extend(order.iter().map(|&i| row(i)));
        directions.extend([point(&along), point(&across), before.clone()]);
        directions.extend(order.iter().flat_map(|&i| tangents(problem, i)).map(row));
        let turned = order.len() + 2;
        let coordinates = (0..n).map(|i| DVector::from_fn(n, |j, _| f64::from(u8::from(i == j))));
        let mut axes: Vec<DVector<f64>> = Vec::with_capacity(n);
        for (k, direction) in directions.into_iter().chain(coordinates).enumerate() {
            let Some(axis) = apart(&direction, &axes) else { continue };
            let turns = k == turned && axis.dot(&before) < 0.0;
            axes.push(if turns { -axis } else { axis });
        }
        Ok(Frame { axes: DMatrix::from_columns(&axes), space })
    }

    /// Velocity (n) as a point of the kinetic metric, in units of `|v-|_M`.
    pub fn point(&self, velocity: &[f64]) -> DVector<f64> {
        self.space.point(velocity)
    }

    /// Components (n) of a difference of points along the axes.
    pub fn components(&self, difference: &DVector<f64>) -> DVector<f64> {
        self.axes.tr_mul(difference)
    }

    /// Difference of points with given components (n).
    pub fn difference(&self, components: &DVector<f64>) -> DVector<f64> {
        &self.axes * components
    }

    /// Axes, column by column.
    pub fn axes(&self) -> &DMatrix<f64> {
        &self.axes
    }
}

/// Contacts sorted by approach, fastest first: by `-u_n / sqrt(W_nn)`, the kinetic norm of the
/// velocity change that stops the contact.
pub fn order(problem: &ContactProblem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.contact_count()).collect();
    let approach = |i: usize| problem.contact_velocity()[i] / problem.delassus()[(i, i)].sqrt();
    order.sort_by(|a, b| approach(*a).total_cmp(&approach(*b)));
    order
}

/// Tangent rows of a contact.
pub fn tangents(problem: &ContactProblem, contact: usize) -> std::ops::Range<usize> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    m + d * contact..m + d * (contact + 1)
}

/// Unit vector of the component orthogonal to the axes; `None` if it is too short.
fn apart(direction: &DVector<f64>, axes: &[DVector<f64>]) -> Option<DVector<f64>> {
    let mut rest = direction.clone();
    // A second pass removes the rounding errors of the first.
    for _ in 0..2 {
        axes.iter().for_each(|axis| rest -= axis * axis.dot(&rest));
    }
    let enough = axes.len() < direction.len() && rest.norm() > Frame::LEAST * direction.norm();
    enough.then(|| rest.normalize())
}

/// Velocity changes by the normals of all contacts, by friction along the slip, and across it.
fn together(problem: &ContactProblem) -> [DVector<f64>; 3] {
    let n = problem.coordinate_count();
    let (response, u) = (problem.response(), problem.contact_velocity());
    let [mut normals, mut along, mut across] = [(); 3].map(|()| DVector::zeros(n));
    for i in 0..problem.contact_count() {
        normals += response.column(i);
        let rows: Vec<usize> = tangents(problem, i).collect();
        rows.iter().for_each(|&row| along -= response.column(row) * u[row]);
        if let [a, b] = rows[..] {
            across += response.column(b) * u[a] - response.column(a) * u[b];
        }
    }
    [normals, along, across]
}
