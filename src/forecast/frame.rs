//! Directions in which the velocities of different impacts compare.

use nalgebra::{DMatrix, DVector};

use super::judge::space;
use carom_core::error::Result;
use carom_core::outcome::PointSet;
use carom_core::problem::ContactProblem;

/// An orthonormal frame of the kinetic coordinates of a problem, made of what the impact does.
///
/// With `r_k = M^-1 J_k'` the change of velocity per unit impulse in row k, and `u_i` the
/// tangential velocity of contact i, the axes are, by Gram and Schmidt in the kinetic metric,
///
/// ```text
/// all normals together       sum_i r_n,i
/// each normal                r_n,i; the contact that approaches fastest first
/// friction along the slip   -sum_i r_t,i u_i
/// friction across it         sum_i r_t,i (u_i turned by a right angle), in space only
/// the velocity before        v-
/// each tangent               r_t,i; the contact that approaches fastest first
/// the coordinates            as many as are missing
/// ```
///
/// without those that lie within [`Frame::LEAST`] of the span of the axes before them. Turned so
/// that the component of `v-` across the slip is not negative, an impact and its mirror image have
/// the same components.
#[derive(Clone, Debug)]
pub struct Frame {
    space: PointSet,
    axes: DMatrix<f64>,
}

impl Frame {
    /// Sine of the angle to the span of earlier axes below which a direction adds none.
    pub const LEAST: f64 = 0.02;

    /// The frame of a problem.
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

    /// A velocity (n) as a point of the kinetic metric over `|v-|_M`.
    pub fn point(&self, velocity: &[f64]) -> DVector<f64> {
        self.space.point(velocity)
    }

    /// The components (n) of a difference of points along the axes.
    pub fn components(&self, difference: &DVector<f64>) -> DVector<f64> {
        self.axes.tr_mul(difference)
    }

    /// The difference of points with these components (n).
    pub fn difference(&self, components: &DVector<f64>) -> DVector<f64> {
        &self.axes * components
    }

    /// The axes, column by column.
    pub fn axes(&self) -> &DMatrix<f64> {
        &self.axes
    }
}

/// The contacts, that which approaches fastest first: by `-u_n / sqrt(W_nn)`, the kinetic norm of
/// the change of velocity that would stop it.
pub fn order(problem: &ContactProblem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.contact_count()).collect();
    let approach = |i: usize| problem.contact_velocity()[i] / problem.delassus()[(i, i)].sqrt();
    order.sort_by(|a, b| approach(*a).total_cmp(&approach(*b)));
    order
}

/// The rows of the tangents of a contact.
pub fn tangents(problem: &ContactProblem, contact: usize) -> std::ops::Range<usize> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    m + d * contact..m + d * (contact + 1)
}

/// The unit vector of what a direction has outside of the span of the axes, if that is enough.
fn apart(direction: &DVector<f64>, axes: &[DVector<f64>]) -> Option<DVector<f64>> {
    let mut rest = direction.clone();
    // The second pass removes what rounding left of the first.
    for _ in 0..2 {
        axes.iter().for_each(|axis| rest -= axis * axis.dot(&rest));
    }
    let enough = axes.len() < direction.len() && rest.norm() > Frame::LEAST * direction.norm();
    enough.then(|| rest.normalize())
}

/// Changes of velocity by the normals of all contacts, by friction along the slip, and across it.
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
