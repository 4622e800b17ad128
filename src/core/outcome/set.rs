//! Samples of a set of outcomes, with their endings.

use super::group::{Group, GroupColumn, WIDTH};
use crate::Status;

/// A run of consecutive samples, row by row.
///
/// `N` samples of a problem with n coordinates and k = (1+d) m impulses: sample `i` of the run is
/// sample `first + i` of its stream. Velocities in the units of the problem's coordinates, impulses
/// in N s.
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
    /// The status of each sample (N).
    pub status: Vec<Status>,
    /// Largest residual over the sample's steps (N), dimensionless.
    pub residual: Vec<f64>,
    /// Whether the sample was recomputed in double precision (N).
    pub repaired: Vec<bool>,
}

impl Samples {
    /// Number `N` of samples.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// Row `i` of an (N,k) array of the set.
    pub fn row<'a>(&self, array: &'a [f64], i: usize) -> &'a [f64] {
        let width = array.len() / self.len().max(1);
        &array[i * width..(i + 1) * width]
    }

    /// Whether row `i` is accepted: terminated, with a residual of at most `residual`.
    pub fn is_accepted(&self, i: usize, residual: f64) -> bool {
        self.status[i] == Status::Terminated && self.residual[i] <= residual
    }

    /// The [accepted](Self::is_accepted) rows.
    pub fn accepted(&self, residual: f64) -> Vec<usize> {
        (0..self.len()).filter(|i| self.is_accepted(*i, residual)).collect()
    }

    /// Makes the arrays large enough for `count` samples of n `coordinates` and k `impulses`, with
    /// arbitrary content.
    pub fn resize(&mut self, count: usize, coordinates: usize, impulses: usize) {
        self.velocity.resize(count * coordinates, 0.0);
        self.contact_velocity.resize(count * impulses, 0.0);
        self.impulse.resize(count * impulses, 0.0);
        self.kinetic_energy.resize(count, 0.0);
        self.steps.resize(count, 0);
        self.status.resize(count, Status::Unsolved);
        self.residual.resize(count, 0.0);
        self.repaired.resize(count, false);
    }

    /// Replaces the samples from row `at` on by the samples of `group`.
    #[inline(always)]
    pub fn put(&mut self, at: usize, group: &Group) {
        let len = group.len;
        let to_rows = |rows: &mut [f64], columns: &[GroupColumn]| {
            let width = columns.len();
            if width == 0 {
                return;
            }
            let rows = rows[at * width..(at + len) * width].chunks_exact_mut(width);
            for (l, row) in rows.enumerate() {
                for (x, column) in row.iter_mut().zip(columns) {
                    *x = column[l];
                }
            }
        };
        to_rows(&mut self.velocity, &group.velocity);
        to_rows(&mut self.contact_velocity, &group.contact_velocity);
        to_rows(&mut self.impulse, &group.impulse);
        self.kinetic_energy[at..at + len].copy_from_slice(&group.kinetic_energy[..len]);
        self.steps[at..at + len].copy_from_slice(&group.steps[..len]);
        self.status[at..at + len].copy_from_slice(&group.status[..len]);
        self.residual[at..at + len].copy_from_slice(&group.residual[..len]);
        self.repaired[at..at + len].copy_from_slice(&group.repaired[..len]);
    }

    /// Copies samples from row `at` on into `group`, up to its capacity.
    pub fn get(&self, at: usize, group: &mut Group) {
        let len = (self.len() - at).min(WIDTH);
        group.len = len;
        let to_columns = |columns: &mut [GroupColumn], rows: &[f64]| {
            let width = columns.len();
            for (i, column) in columns.iter_mut().enumerate() {
                for l in 0..len {
                    column[l] = rows[(at + l) * width + i];
                }
            }
        };
        to_columns(&mut group.velocity, &self.velocity);
        to_columns(&mut group.contact_velocity, &self.contact_velocity);
        to_columns(&mut group.impulse, &self.impulse);
        group.kinetic_energy[..len].copy_from_slice(&self.kinetic_energy[at..at + len]);
        group.steps[..len].copy_from_slice(&self.steps[at..at + len]);
        group.status[..len].copy_from_slice(&self.status[at..at + len]);
        group.residual[..len].copy_from_slice(&self.residual[at..at + len]);
        group.repaired[..len].copy_from_slice(&self.repaired[at..at + len]);
    }

    /// Appends later samples.
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
