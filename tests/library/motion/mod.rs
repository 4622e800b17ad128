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

use carom::motion::lgvci::{Mat3, Vec3};
use carom_core::rng::Stream;
use carom_core::rng::stream::StreamRng;
use rand_core::Rng;

use crate::support::motions::{UNIT, ellipsoid, spec};

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

    fn vector(&mut self, size: f64) -> Vec3<f64> {
        [self.number() * size, self.number() * size, self.number() * size]
    }

    fn direction(&mut self) -> Vec3<f64> {
        loop {
            let v = self.vector(1.0);
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&size) {
                return v.map(|x| x / size);
            }
        }
    }

    fn rotation(&mut self) -> Mat3<f64> {
        let turn = nalgebra::Rotation3::from_scaled_axis(nalgebra::Vector3::from(self.vector(3.0)));
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| turn[(i, j)]))
    }
}

fn dot(a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn apply(m: &Mat3<f64>, a: Vec3<f64>) -> Vec3<f64> {
    m.map(|row| dot(row, a))
}

/// The largest difference of numbers.
fn apart<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.into_iter().zip(b).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}
