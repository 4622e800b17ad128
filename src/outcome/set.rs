//! Samples of an outcome set: points, with how each was reached.

use crate::status::Status;

/// A run of consecutive samples, row by row.
///
/// `N` samples of a problem with n coordinates and k = (1+d) m impulses: sample `i` of the run is sample
/// `first + i` of its stream. Velocities in the units of the problem's coordinates, impulses in N s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Number of the first sample.
    pub first: u64,
    /// Velocity after the impact `v+` (N,n).
    pub velocity: Vec<f64>,
    /// Contact velocity `u+ = J v+` (N,k), normals first.
    pub contact_velocity: Vec<f64>,
    /// Impulse `L` (N,k), normals first.
    pub impulse: Vec<f64>,
    /// Kinetic energy after the impact (N) in J.
    pub kinetic_energy: Vec<f64>,
    /// Steps taken (N).
    pub steps: Vec<u32>,
    /// How each sample ended (N).
    pub status: Vec<Status>,
    /// Largest complementarity residual over the sample's steps (N), dimensionless.
    pub residual: Vec<f64>,
    /// Whether the sample was solved again in f64 (N).
    pub repaired: Vec<bool>,
}

impl Samples {
    /// Number `N` of samples.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// Row `i` of a (N,k) array of these samples.
    pub fn row<'a>(&self, array: &'a [f64], i: usize) -> &'a [f64] {
        let width = array.len() / self.len().max(1);
        &array[i * width..(i + 1) * width]
    }

    /// Takes all samples out, and keeps the room they had.
    pub fn clear(&mut self) {
        self.velocity.clear();
        self.contact_velocity.clear();
        self.impulse.clear();
        self.kinetic_energy.clear();
        self.steps.clear();
        self.status.clear();
        self.residual.clear();
        self.repaired.clear();
    }

    /// Appends the samples that follow these.
    pub fn append(&mut self, mut next: Samples) {
        if self.is_empty() {
            self.first = next.first;
        }
        self.velocity.append(&mut next.velocity);
        self.contact_velocity.append(&mut next.contact_velocity);
        self.impulse.append(&mut next.impulse);
        self.kinetic_energy.append(&mut next.kinetic_energy);
        self.steps.append(&mut next.steps);
        self.status.append(&mut next.status);
        self.residual.append(&mut next.residual);
        self.repaired.append(&mut next.repaired);
    }
}
