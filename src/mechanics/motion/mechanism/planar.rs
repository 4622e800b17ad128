use nalgebra::DVector;

use crate::model::{Body, Planar, Pose, Vector, turned};

/// The rate of change of a body's pose along a direction of the coordinates: velocity of its
/// origin, rate of its angle.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    pub(super) origin: Vector,
    pub(super) angle: f64,
}

impl Planar {
    /// The derivative `dL/dq` (n) of the Lagrangian without springs at configuration `q` and
    /// velocity `v`.
    pub(super) fn slope(
        &self,
        q: &DVector<f64>,
        v: &DVector<f64>,
        gravity: Vector,
    ) -> DVector<f64> {
        let poses = self.poses(q.as_slice());
        let rates = self.rates(&poses, q, v);
        let bodies = self.bodies();
        let arms: Vec<Vector> = bodies
            .iter()
            .zip(&poses)
            .map(|(body, pose)| pose.direction(body.center_of_mass))
            .collect();
        let n = self.coordinate_count();
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
                slope[k] += body.mass * (velocity.dot(&change) + gravity.dot(&moved));
            }
        }
        slope
    }

    /// The bias forces `c(q, v)` (n) of `M dv/dt + c = f`, without springs: each body's mass times
    /// the acceleration of its mass centre at constant `v`, less gravity.
    pub(super) fn bias(&self, q: &DVector<f64>, v: &DVector<f64>, gravity: Vector) -> DVector<f64> {
        let poses = self.poses(q.as_slice());
        let rates = self.rates(&poses, q, v);
        let changes = self.mixed(&poses, q, (v, &rates), (v, &rates));
        let mut bias = DVector::zeros(self.coordinate_count());
        for (b, body) in self.bodies().iter().enumerate() {
            let arm = poses[b].direction(body.center_of_mass);
            let force = (changes[b] - arm * rates[b].angle.powi(2) - gravity) * body.mass;
            for column in self.columns(&poses, b, poses[b].point(body.center_of_mass)) {
                bias[column.coordinate] += force.dot(&column.velocity);
            }
        }
        bias
    }

    /// The rates of the bodies at velocity `v`.
    pub(super) fn rates(&self, poses: &[Pose], q: &DVector<f64>, v: &DVector<f64>) -> Vec<Rate> {
        let mut rates: Vec<Rate> = Vec::with_capacity(poses.len());
        for (i, body) in self.bodies().iter().enumerate() {
            let first = self.first_coordinate(i);
            let (pose, rate) = carrier(poses, &rates, body.parent);
            let (place, moving) =
                displacements(body, &q.as_slice()[first..], &v.as_slice()[first..]);
            let own = if body.joint.turns() { v[first + body.joint.translations().1] } else { 0.0 };
            let reference = if body.joint.is_absolute() { 0.0 } else { rate.angle };
            let origin =
                rate.origin + turned(pose.direction(place)) * rate.angle + pose.direction(moving);
            rates.push(Rate { origin, angle: reference + own });
        }
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
        for (i, body) in self.bodies().iter().enumerate() {
            let first = self.first_coordinate(i);
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
        }
        mixed
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
