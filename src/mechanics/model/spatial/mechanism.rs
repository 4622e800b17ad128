//! A spatial mechanism: motion at constant rates, mass matrix, tangents and contact problem.

use nalgebra::DMatrix;

use super::joints::{Joint, Pose, attitude, vector};
use super::{Attitude, Body, Contact, Spatial, Vector, tangents};
use crate::model::Motion;
use carom_core::problem::{MassPart, ProblemSpec};

impl Spatial {
    /// The contact problem of a state: mass matrix, contact rows, velocity and names; spatial, 2m
    /// tangent rows.
    ///
    /// `contacts` belong to the state's position (see [`Spatial::contacts`]); `friction` has one
    /// entry for each contact.
    pub fn impact(&self, motion: &Motion, contacts: &[Contact], friction: Vec<f64>) -> ProblemSpec {
        let poses = self.poses(&motion.position);
        let mass = (self.mass_matrix(&poses), self.mass_parts(&poses));
        self.spec(motion, mass, contacts, friction, |contact| tangents(contact.touch.normal))
    }

    /// The tangent Jacobian `Jt` (2m,n): the sliding velocity of each contact along `t1` and `t2`,
    /// `t . (J_second - J_first)`; the two rows of a contact together.
    pub fn tangent_rows(&self, poses: &[Pose], contacts: &[Contact]) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| tangents(contact.touch.normal))
    }

    /// The entries of the velocity that belong to a body's joint.
    pub(super) fn own_coordinates(&self, body: usize) -> std::ops::Range<usize> {
        let first = self.first[body].0;
        first..first + self.bodies[body].joint.coordinates().len()
    }
    /// The index of the entry of the configuration whose rate is an entry of the velocity; `None`
    /// for an angular velocity, and for the velocity of a mass centre.
    pub fn position_of(&self, coordinate: usize) -> Option<usize> {
        let body =
            (0..self.bodies.len()).find(|&i| self.own_coordinates(i).contains(&coordinate))?;
        let (first, at) = self.first[body];
        match self.bodies[body].joint {
            Joint::Floating | Joint::Spherical => None,
            _ => Some(at + coordinate - first),
        }
    }
    /// The first entry of the angular velocity of each floating or spherical joint.
    pub fn turning(&self) -> Vec<usize> {
        let of = |(body, &(first, _)): (&Body, &(usize, usize))| match body.joint {
            Joint::Floating => Some(first + 3),
            Joint::Spherical => Some(first),
            _ => None,
        };
        self.bodies.iter().zip(&self.first).filter_map(of).collect()
    }

    /// The configuration reached from `q` after the time `t` (s) with constant rates `v` (n).
    ///
    /// Attitudes change by the exponential of `t` times the angular velocity; a floating body
    /// rotates about its mass centre.
    pub fn flowed(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        let mut moved = q.to_vec();
        for (body, &(first, at)) in self.bodies.iter().zip(&self.first) {
            let (v, q, moved) = (&v[first..], &q[at..], &mut moved[at..]);
            let turned = |place: usize, rate: &[f64]| {
                let turned = Attitude::from_scaled_axis(vector(rate) * t) * attitude(&q[place..]);
                [turned.w, turned.i, turned.j, turned.k]
            };
            match body.joint {
                Joint::Floating => {
                    let after = turned(3, &v[3..]);
                    let arm = |q: &[f64]| attitude(q) * (body.offset * body.center_of_mass);
                    let origin = vector(q) + vector(v) * t + arm(&q[3..]) - arm(&after);
                    moved[..3].copy_from_slice(origin.as_slice());
                    moved[3..7].copy_from_slice(&after);
                }
                Joint::Spherical => moved[..4].copy_from_slice(&turned(0, v)),
                _ => (0..body.joint.positions()).for_each(|i| moved[i] += t * v[i]),
            }
        }
        moved
    }

    /// The constant rates (n) that lead from one configuration to another in 1 s: the inverse of
    /// [`Spatial::flowed`], with turns of at most pi.
    pub fn displacement(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.coordinate_count()];
        for (body, &(first, at)) in self.bodies.iter().zip(&self.first) {
            let (from, to, rates) = (&from[at..], &to[at..], &mut rates[first..]);
            let turn = |place: usize| {
                (attitude(&to[place..]) * attitude(&from[place..]).inverse()).scaled_axis()
            };
            match body.joint {
                Joint::Floating => {
                    let centre = |q: &[f64]| {
                        vector(q) + attitude(&q[3..]) * (body.offset * body.center_of_mass)
                    };
                    rates[..3].copy_from_slice((centre(to) - centre(from)).as_slice());
                    rates[3..6].copy_from_slice(turn(3).as_slice());
                }
                Joint::Spherical => rates[..3].copy_from_slice(turn(0).as_slice()),
                _ => (0..body.joint.positions()).for_each(|i| rates[i] = to[i] - from[i]),
            }
        }
        rates
    }

    /// The mass matrix `M(q) = sum_b m V_b' V_b + S_b' R I R' S_b` (n,n), with `V_b` and `S_b`
    /// (3,n) the Jacobians of the velocity of body b's mass centre and of its angular velocity, `R`
    /// its attitude; armatures are added to its diagonal. In kg, kg m and kg m^2.
    pub fn mass_matrix(&self, poses: &[Pose]) -> DMatrix<f64> {
        let mut mass = DMatrix::zeros(self.coordinate_count(), self.coordinate_count());
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let inertia = turned(body, &poses[i]);
            for a in &columns {
                let (momentum, angular) = (a.velocity * body.mass, inertia * a.spin);
                for b in &columns {
                    mass[(a.coordinate, b.coordinate)] +=
                        momentum.dot(&b.velocity) + angular.dot(&b.spin);
                }
            }
            for k in self.own_coordinates(i) {
                mass[(k, k)] += body.armature;
            }
        }
        mass
    }

    /// The parts of the mass matrix: for each body its mass, then its moment of inertia about its
    /// mass centre, then its armature, if it has one. Parts that no coordinate moves are left out.
    pub fn mass_parts(&self, poses: &[Pose]) -> Vec<MassPart> {
        let mut parts = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let inertia = turned(body, &poses[i]);
            let moved: Vec<_> = columns.iter().map(|c| (c.coordinate, c.velocity)).collect();
            let spun: Vec<_> = columns.iter().map(|c| (c.coordinate, c.spin)).collect();
            parts.extend(MassPart::of(&moved, |a, b| body.mass * a.dot(b)));
            parts.extend(MassPart::of(&spun, |a, b| (inertia * a).dot(b)));
            if body.armature > 0.0 {
                let own = self.own_coordinates(i);
                let axes: Vec<_> =
                    own.clone().map(|k| (k, Vector::ith(k - own.start, 1.0))).collect();
                parts.extend(MassPart::of(&axes, |a, b| body.armature * a.dot(b)));
            }
        }
        parts
    }
}

/// The inertia tensor of a body along the world's axes.
pub(super) fn turned(body: &Body, pose: &Pose) -> super::Matrix {
    match body.inertia {
        // A multiple of the unit matrix is the same in every frame.
        same if same == super::Matrix::identity() * same.m11 => same,
        other => {
            let turn = pose.attitude.to_rotation_matrix();
            turn.matrix() * other * turn.matrix().transpose()
        }
    }
}
