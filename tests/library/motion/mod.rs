//! Motion through impacts.

mod convex;
mod flight;
mod frames;
mod futures;
mod inclusion;
mod inclusion_in_space;
mod inertia;
mod intersection;
mod lagrangian;
mod lost;
mod midpoint;
mod published;
mod refused;
mod rest;
mod scenes;
mod shapes;
mod spatial;
mod spread;
mod watch;

use crate::prelude::*;
use crate::support::motions::{UNIT, ellipsoid, spec};
use carom::motion::inclusion::InclusionMotion;
use carom::motion::lgvci::shape::{BodyShape, Image, ShapePart};
use carom::motion::lgvci::{BodyState, Lgvci, LgvciSpec, Mat3, Vec3};
use carom::motion::mechanism::Model;
use carom::motion::midpoint::{Midpoint, Stepping, flow};
use carom::motion::{Course, Impact, Moment, MotionEnding, Simulation};
use carom_core::rng::stream::StreamRng;
use rand_core::Rng;

/// Random numbers of a test.
struct Draws(StreamRng);

impl Draws {
    fn new(seed: u64) -> Self {
        Draws(Stream::new(seed, 0).rng())
    }

    /// In [-1, 1].
    fn number(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        [self.number() * size, self.number() * size, self.number() * size]
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector(1.0);
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&size) {
                return v.map(|x| x / size);
            }
        }
    }

    fn rotation(&mut self) -> Mat3 {
        let turn = nalgebra::Rotation3::from_scaled_axis(nalgebra::Vector3::from(self.vector(3.0)));
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| turn[(i, j)]))
    }
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn apply(m: &Mat3, a: Vec3) -> Vec3 {
    m.map(|row| dot(row, a))
}

/// The largest difference of numbers.
fn apart<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.into_iter().zip(b).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

fn of(rows: &Mat3) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| rows[i][j])
}

fn rows(m: &Matrix3<f64>) -> Mat3 {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| m[(i, j)]))
}

/// The course of a rigid body.
fn ran(spec: LgvciSpec, steps: u64) -> Course {
    Lgvci::new(spec).unwrap().run(steps, None, |_| Ok(())).unwrap()
}

/// The state of a rigid body at a moment.
fn state_at(moment: &Moment) -> BodyState {
    BodyState::of(&moment.position, &moment.momentum)
}

/// The state of a rigid body after an impact.
fn struck(impact: &Impact) -> BodyState {
    BodyState::of(&impact.position, &impact.after)
}

/// The configuration and the momentum of a mechanism.
fn phase(moment: &Moment) -> [DVector<f64>; 2] {
    [&moment.position, &moment.momentum].map(|x| DVector::from_column_slice(x))
}

/// The motion of a file.
fn simulation(text: impl Into<String>) -> Simulation {
    Document::new("m.toml", text.into(), Format::Toml).unwrap().motion().unwrap()
}

fn midpoint_motion(text: impl Into<String>) -> Midpoint {
    match simulation(text) {
        Simulation::Midpoint(motion) => *motion,
        other => panic!("{}", other.integrator()),
    }
}

fn inclusion_motion(text: impl Into<String>) -> InclusionMotion {
    match simulation(text) {
        Simulation::Inclusion(motion) => *motion,
        other => panic!("{}", other.integrator()),
    }
}

/// A state at the end of a step: time, configuration, velocity, total energy, s.
struct Seen {
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    energy: f64,
    arc: f64,
    /// The normal impulse of each site so far.
    normal: Vec<f64>,
}

/// The course of an inclusion, and the states at the ends of its steps.
fn included(motion: &InclusionMotion, steps: u64) -> (Course, Vec<Seen>) {
    let mut seen = Vec::new();
    let course = motion.run(steps, None, |moment| {
        let [q, p] = phase(moment);
        let v = motion.given().mechanism().velocity(&q, &p)?;
        seen.push(Seen {
            time: moment.time,
            q: q.as_slice().to_vec(),
            v: v.as_slice().to_vec(),
            energy: moment.energy,
            arc: moment.others[2],
            normal: moment.others[3..].to_vec(),
        });
        Ok(())
    });
    (course.unwrap(), seen)
}
