//! A planar mechanism under forces: its Lagrangian and the forces without potential.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::error::{Error, Result};
use crate::model::{Body, Planar, Pose, Vector, turned};

/// A spring, a damper and a torque or force at one coordinate: `-k (q - rest) - d (q' - rate) + f`.
/// With `k`, `d`, a `rest` and a `rate` it is a controller with proportional and derivative gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// The index of the coordinate.
    pub coordinate: usize,
    /// `k`, in N/m or N m/rad, >= 0.
    pub stiffness: f64,
    /// `d`, in N s/m or N m s/rad, >= 0.
    pub damping: f64,
    /// The coordinate at which the spring is at rest, in m or rad.
    pub rest: f64,
    /// The rate at which the damper is at rest, in m/s or rad/s.
    pub rate: f64,
    /// The torque or force `f`, in N m or N.
    pub force: f64,
}

/// A force of constant size and direction at a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The index of the body.
    pub body: usize,
    /// The point, in the body's frame, m.
    pub point: Vector,
    /// The force, in the world, N.
    pub force: Vector,
}

/// A planar mechanism with gravity, springs, dampers and forces.
///
/// ```text
/// L(q, v) = v' M(q) v / 2 - V(q),   V = -sum_b m_b g . c_b(q) + sum_i k_i (q_i - rest_i)^2 / 2
/// ```
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Bodies, joints and walls.
    pub model: Planar,
    /// The acceleration of free fall, m/s^2.
    pub gravity: Vector,
    /// Springs, dampers and torques.
    pub drives: Vec<Drive>,
    /// Forces at points of bodies.
    pub pushes: Vec<Push>,
}

/// The rate of change of a body's pose along a direction of the coordinates: velocity of its
/// origin, rate of its angle.
#[derive(Clone, Copy)]
struct Rate {
    origin: Vector,
    angle: f64,
}

impl Mechanism {
    /// Number n of coordinates.
    pub fn size(&self) -> usize {
        self.model.coordinate_count()
    }

    /// The mass matrix `M(q)` (n,n).
    pub fn mass(&self, q: &DVector<f64>) -> DMatrix<f64> {
        self.model.mass_matrix(&self.model.poses(q.as_slice()))
    }

    /// The momentum `p = M(q) v` (n).
    pub fn momentum(&self, q: &DVector<f64>, v: &[f64]) -> DVector<f64> {
        self.mass(q) * DVector::from_column_slice(v)
    }

    /// The velocity that belongs to the momentum `p = M(q) v`.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn velocity(&self, q: &DVector<f64>, p: &DVector<f64>) -> Result<DVector<f64>> {
        Ok(self.factor(q)?.solve(p))
    }

    /// The Cholesky factor of the mass matrix.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn factor(&self, q: &DVector<f64>) -> Result<Cholesky<f64, Dyn>> {
        self.mass(q).cholesky().ok_or_else(|| {
            Error::input(
                "the mass matrix is not positive definite: some coordinates move without kinetic energy",
            )
            .at("bodies")
        })
    }

    /// The derivative `dL/dq` (n) at configuration `q` and velocity `v`.
    pub fn slope(&self, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let poses = self.model.poses(q.as_slice());
        let rates = self.rates(&poses, q, v);
        let bodies = self.model.bodies();
        let arms: Vec<Vector> = bodies
            .iter()
            .zip(&poses)
            .map(|(body, pose)| pose.direction(body.center_of_mass))
            .collect();
        let n = self.size();
        let mut slope = DVector::zeros(n);
        for k in 0..n {
            let unit = DVector::from_fn(n, |i, _| if i == k { 1.0 } else { 0.0 });
            let along = self.rates(&poses, q, &unit);
            let mixed = self.mixed(&poses, q, (v, &rates), (&unit, &along));
            for (b, body) in bodies.iter().enumerate() {
                let arm = arms[b];
                let velocity = rates[b].origin + turned(arm) * rates[b].angle;
                let change = mixed[b] - arm * (rates[b].angle * along[b].angle);
                let moved = along[b].origin + turned(arm) * along[b].angle;
                slope[k] += body.mass * (velocity.dot(&change) + self.gravity.dot(&moved));
            }
        }
        for drive in &self.drives {
            slope[drive.coordinate] -= drive.stiffness * (q[drive.coordinate] - drive.rest);
        }
        slope
    }

    /// The forces (n) that derive from no potential: dampers, torques and pushes.
    pub fn forces(&self, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let mut forces = DVector::zeros(self.size());
        for drive in &self.drives {
            let i = drive.coordinate;
            forces[i] += drive.force - drive.damping * (v[i] - drive.rate);
        }
        let poses =
            if self.pushes.is_empty() { Vec::new() } else { self.model.poses(q.as_slice()) };
        for push in &self.pushes {
            for column in self.model.columns(&poses, push.body, poses[push.body].point(push.point))
            {
                forces[column.coordinate] += column.velocity.dot(&push.force);
            }
        }
        forces
    }

    /// Potential energy `V`, J.
    pub fn potential(&self, q: &DVector<f64>) -> f64 {
        let poses = self.model.poses(q.as_slice());
        let height = |(body, pose): (&Body, &Pose)| {
            -body.mass * self.gravity.dot(&pose.point(body.center_of_mass))
        };
        let of_gravity: f64 = self.model.bodies().iter().zip(&poses).map(height).sum();
        let of_springs: f64 = self
            .drives
            .iter()
            .map(|drive| 0.5 * drive.stiffness * (q[drive.coordinate] - drive.rest).powi(2))
            .sum();
        of_gravity + of_springs
    }

    /// Largest speed at which points of two bodies move against each other at velocity `v`, for
    /// each of some pairs, in m/s.
    pub fn speeds(&self, pairs: &[[usize; 2]], q: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        let poses = self.model.poses(q.as_slice());
        let rates = self.rates(&poses, q, v);
        let reach: Vec<f64> = self.model.bodies().iter().map(Body::reach).collect();
        let speed = |[a, b]: &[usize; 2]| {
            let turning = |body: usize| rates[body].angle.abs() * reach[body];
            (rates[*a].origin - rates[*b].origin).norm() + turning(*a) + turning(*b)
        };
        pairs.iter().map(speed).collect()
    }

    /// The rates of the bodies at velocity `v`.
    fn rates(&self, poses: &[Pose], q: &DVector<f64>, v: &DVector<f64>) -> Vec<Rate> {
        let mut rates: Vec<Rate> = Vec::with_capacity(poses.len());
        self.walk(|body, first| {
            let (pose, rate) = carrier(poses, &rates, body.parent);
            let (place, moving) =
                displacements(body, &q.as_slice()[first..], &v.as_slice()[first..]);
            let own = if body.joint.turns() { v[first + body.joint.translations().1] } else { 0.0 };
            let reference = if body.joint.is_absolute() { 0.0 } else { rate.angle };
            let origin =
                rate.origin + turned(pose.direction(place)) * rate.angle + pose.direction(moving);
            rates.push(Rate { origin, angle: reference + own });
        });
        rates
    }

    /// The second derivatives of the bodies' origins along two directions of the coordinates, each
    /// with its rates.
    fn mixed(
        &self,
        poses: &[Pose],
        q: &DVector<f64>,
        (v, along_v): (&DVector<f64>, &[Rate]),
        (w, along_w): (&DVector<f64>, &[Rate]),
    ) -> Vec<Vector> {
        let mut mixed: Vec<Vector> = Vec::with_capacity(poses.len());
        self.walk(|body, first| {
            let (pose, of_v) = carrier(poses, along_v, body.parent);
            let (_, of_w) = carrier(poses, along_w, body.parent);
            let q = &q.as_slice()[first..];
            let (place, moving_v) = displacements(body, q, &v.as_slice()[first..]);
            let (_, moving_w) = displacements(body, q, &w.as_slice()[first..]);
            let carried = body.parent.map_or(Vector::zeros(), |parent| mixed[parent]);
            mixed.push(
                carried - pose.direction(place) * (of_v.angle * of_w.angle)
                    + turned(pose.direction(moving_w)) * of_v.angle
                    + turned(pose.direction(moving_v)) * of_w.angle,
            );
        });
        mixed
    }

    /// Calls `visit` with each body and its first coordinate, parents first.
    fn walk(&self, mut visit: impl FnMut(&Body, usize)) {
        for (i, body) in self.model.bodies().iter().enumerate() {
            visit(body, self.model.first_coordinate(i));
        }
    }
}

/// The pose and the rate of the body that carries a joint.
fn carrier(poses: &[Pose], rates: &[Rate], parent: Option<usize>) -> (Pose, Rate) {
    match parent {
        Some(parent) => (poses[parent], rates[parent]),
        None => (Pose::WORLD, Rate { origin: Vector::zeros(), angle: 0.0 }),
    }
}

/// The displacement of a body in the frame of its parent by a joint's coordinates, and its rate.
fn displacements(body: &Body, q: &[f64], v: &[f64]) -> (Vector, Vector) {
    let (axes, count) = body.joint.translations();
    let sum =
        |x: &[f64]| -> Vector { axes[..count].iter().zip(x).map(|(axis, x)| axis * *x).sum() };
    (body.anchor + sum(q), sum(v))
}
