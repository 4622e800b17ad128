//! The equations of motion of a spatial mechanism, by recursion over its tree.
//!
//! For angular velocities along the axes of the parent, which are no derivatives of coordinates,
//! Lagrange's equations have the form of Poincare. With momenta `p = M(q) v`, `dL/dq` the change of
//! the Lagrangian by a unit motion along each entry of the velocity while `v` stays, and `w` the
//! angular velocity of a floating or spherical joint,
//!
//! ```text
//! dp/dt = dL/dq + f          dp/dt = dL/dq + w x p + f    for the three entries of such a joint
//! ```
//!
//! Source: the recursive Newton-Euler algorithm, R. Featherstone: Rigid Body Dynamics Algorithms.
//! Springer (2008), Sec. 5.3 (5.7)-(5.11), with vectors along the world's axes and at the bodies'
//! own origins; `dL/dq` from the momenta of subtrees, which the same backward pass adds up. H.
//! Poincare: Sur une forme nouvelle des equations de la mecanique. C. R. Acad. Sci. 132 (1901)
//! 369-371.

use nalgebra::DVector;

use super::joints::{Joint, Pose};
use super::mechanism::turned;
use super::{Body, Spatial, Vector};

/// The motion of a body: the velocity of its origin and its angular velocity, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Velocity of the origin of the body frame, m/s.
    pub origin: Vector,
    /// Angular velocity, rad/s.
    pub spin: Vector,
}

impl Rate {
    /// Rest.
    pub const REST: Rate =
        Rate { origin: Vector::new(0.0, 0.0, 0.0), spin: Vector::new(0.0, 0.0, 0.0) };

    /// The velocity of a point of the body at `arm` from its origin.
    pub fn at(&self, arm: Vector) -> Vector {
        self.origin + self.spin.cross(&arm)
    }
}

/// Wrench sum over a subtree: force, momentum or weight, with its moment about the origin of the
/// subtree's first body.
#[derive(Clone, Copy)]
struct Wrench {
    force: Vector,
    moment: Vector,
}

impl Wrench {
    /// A force at `arm` from the origin, and a moment.
    fn at(arm: Vector, force: Vector, moment: Vector) -> Self {
        Wrench { force, moment: moment + arm.cross(&force) }
    }

    /// The moment about the point at `arm` from the origin.
    fn about(&self, arm: Vector) -> Vector {
        self.moment - arm.cross(&self.force)
    }
}

impl Spatial {
    /// The rates of the bodies at velocity `v` (n).
    pub fn rates(&self, poses: &[Pose], v: &[f64]) -> Vec<Rate> {
        let mut rates: Vec<Rate> = Vec::with_capacity(poses.len());
        for (i, body) in self.bodies().iter().enumerate() {
            let (frame, carrier) = self.carrier(body, poses, &rates, Rate::REST);
            let carried = carrier.at(poses[i].origin - frame.origin);
            let v = &v[self.first_coordinate(i)..];
            let along = |v: &[f64]| frame.direction(Vector::new(v[0], v[1], v[2]));
            let (origin, spin) = match body.joint {
                Joint::Floating => {
                    let (centre, spin) = (along(v), along(&v[3..]));
                    (centre - spin.cross(&poses[i].direction(body.center_of_mass)), spin)
                }
                Joint::Translating => (carried + along(v), carrier.spin),
                Joint::Revolute { axis } => (carried, carrier.spin + frame.direction(axis) * v[0]),
                Joint::Prismatic { axis } => (carried + frame.direction(axis) * v[0], carrier.spin),
                Joint::Spherical => (carried, carrier.spin + along(v)),
                Joint::Fixed => (carried, carrier.spin),
            };
            rates.push(Rate { origin, spin });
        }
        rates
    }

    /// The momentum `p = M(q) v` (n).
    pub fn momentum(&self, poses: &[Pose], v: &[f64]) -> DVector<f64> {
        let momenta = self.subtrees(poses, &self.momenta(poses, &self.rates(poses, v)));
        self.along_joints(poses, &momenta, v)
    }

    /// The momentum `p = M(q) v` (n), and the change `dL/dq` (n) of
    /// `L = v' M(q) v / 2 + sum_b m_b g . c_b(q)` by a unit motion along each entry of the
    /// velocity, at constant `v`.
    ///
    /// With `P` and `A` the momentum and angular momentum of the bodies that a joint carries, about
    /// its pivot, which moves at `W` with the joint's body, and `w` the angular velocity of this
    /// body, or of its parent where the joint slides, along axes `s`, `dL/dq` is
    ///
    /// ```text
    /// s . (A x w + P x W) + gravity's moment      s . (P x w) + gravity's force
    /// ```
    pub fn derivatives(&self, poses: &[Pose], v: &[f64], gravity: Vector) -> [DVector<f64>; 2] {
        let rates = self.rates(poses, v);
        let momenta = self.subtrees(poses, &self.momenta(poses, &rates));
        let weights: Vec<Wrench> = (self.bodies().iter().zip(poses))
            .map(|(body, pose)| {
                let arm = pose.direction(body.center_of_mass);
                Wrench::at(arm, gravity * body.mass, Vector::zeros())
            })
            .collect();
        let weights = self.subtrees(poses, &weights);
        let mut slope = DVector::zeros(self.coordinate_count());
        let inner = |i: usize| {
            let body = &self.bodies()[i];
            let carrier = body.parent.map_or(Rate::REST, |parent| rates[parent]);
            let arm = pivot(body, &poses[i]);
            let of_it = &momenta[i];
            let moment = of_it.about(arm).cross(&rates[i].spin)
                + of_it.force.cross(&rates[i].at(arm))
                + weights[i].about(arm);
            let force = of_it.force.cross(&carrier.spin) + weights[i].force;
            Wrench::at(arm, force, moment)
        };
        self.project(poses, inner, &mut slope);
        [self.along_joints(poses, &momenta, v), slope]
    }

    /// Subtree momenta along the entries of the velocity, armatures included.
    fn along_joints(&self, poses: &[Pose], momenta: &[Wrench], v: &[f64]) -> DVector<f64> {
        let mut p = DVector::zeros(self.coordinate_count());
        self.project(poses, |i| momenta[i], &mut p);
        for (i, body) in self.bodies().iter().enumerate() {
            for k in self.own_coordinates(i) {
                p[k] += body.armature * v[k];
            }
        }
        p
    }

    /// Bias forces `c(q, v)` (n) of `M dv/dt + c = tau`: gyroscopic, centrifugal and gravity
    /// forces.
    pub fn bias(&self, poses: &[Pose], v: &[f64], gravity: Vector) -> DVector<f64> {
        let rates = self.rates(poses, v);
        let mut changes: Vec<Rate> = Vec::with_capacity(poses.len());
        let mut forces = Vec::with_capacity(poses.len());
        let start = Rate { origin: -gravity, ..Rate::REST };
        for (i, body) in self.bodies().iter().enumerate() {
            let (frame, change) = self.carrier(body, poses, &changes, start);
            let (_, rate) = self.carrier(body, poses, &rates, Rate::REST);
            let arm = poses[i].origin - frame.origin;
            let turning = rate.spin.cross(&rate.spin.cross(&arm));
            let relative = rates[i].origin - rate.at(arm);
            let centre = poses[i].direction(body.center_of_mass);
            let spin = rates[i].spin;
            let change = match body.joint {
                Joint::Floating => Rate {
                    origin: -gravity - spin.cross(&spin.cross(&centre)),
                    spin: Vector::zeros(),
                },
                _ => Rate {
                    origin: change.at(arm) + turning + rate.spin.cross(&relative) * 2.0,
                    spin: change.spin + rate.spin.cross(&spin),
                },
            };
            let acceleration = change.at(centre) + spin.cross(&spin.cross(&centre));
            let inertia = turned(body, &poses[i]);
            let moment = inertia * change.spin + spin.cross(&(inertia * spin));
            forces.push(Wrench::at(centre, acceleration * body.mass, moment));
            changes.push(change);
        }
        let forces = self.subtrees(poses, &forces);
        let mut bias = DVector::zeros(self.coordinate_count());
        self.project(poses, |i| forces[i], &mut bias);
        bias
    }

    /// The frame of the body that carries a joint, and its rate, or `start` for the world.
    fn carrier(&self, body: &Body, poses: &[Pose], rates: &[Rate], start: Rate) -> (Pose, Rate) {
        match body.parent {
            Some(parent) => (poses[parent], rates[parent]),
            None => (Pose::world(), start),
        }
    }

    fn momenta(&self, poses: &[Pose], rates: &[Rate]) -> Vec<Wrench> {
        let momentum = |((body, pose), rate): ((&Body, &Pose), &Rate)| {
            let arm = pose.direction(body.center_of_mass);
            Wrench::at(arm, rate.at(arm) * body.mass, turned(body, pose) * rate.spin)
        };
        self.bodies().iter().zip(poses).zip(rates).map(momentum).collect()
    }

    /// Sums over each body and all bodies that it carries.
    fn subtrees(&self, poses: &[Pose], own: &[Wrench]) -> Vec<Wrench> {
        let mut sums = own.to_vec();
        for i in (0..sums.len()).rev() {
            if let Some(parent) = self.bodies()[i].parent {
                let Wrench { force, moment } = sums[i];
                let moved = Wrench::at(poses[i].origin - poses[parent].origin, force, moment);
                sums[parent].force += moved.force;
                sums[parent].moment += moved.moment;
            }
        }
        sums
    }

    /// Writes the components of each joint's wrench along the entries of its velocity.
    fn project(&self, poses: &[Pose], of: impl Fn(usize) -> Wrench, to: &mut DVector<f64>) {
        for (i, body) in self.bodies().iter().enumerate() {
            let frame = body.parent.map_or(Pose::world(), |parent| poses[parent]);
            let local = |x: Vector| frame.attitude.inverse() * x;
            let wrench = of(i);
            let force = || local(wrench.force);
            let moment = || local(wrench.about(pivot(body, &poses[i])));
            let first = self.first_coordinate(i);
            let mut write = |at: usize, x: Vector| (0..3).for_each(|axis| to[at + axis] = x[axis]);
            match body.joint {
                Joint::Floating => {
                    write(first, force());
                    write(first + 3, moment());
                }
                Joint::Translating => write(first, force()),
                Joint::Spherical => write(first, moment()),
                Joint::Revolute { axis } => to[first] = axis.dot(&moment()),
                Joint::Prismatic { axis } => to[first] = axis.dot(&force()),
                Joint::Fixed => {}
            }
        }
    }
}

/// Pivot of a joint's rotation, relative to the body's origin.
fn pivot(body: &Body, pose: &Pose) -> Vector {
    match body.joint {
        Joint::Floating => pose.direction(body.center_of_mass),
        _ => Vector::zeros(),
    }
}
