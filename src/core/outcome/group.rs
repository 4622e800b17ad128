//! A small batch of samples, column by column, for checks and statistics.
//!
//! The functions here are inlined into their callers, which compile them for the available vector
//! instructions.

use super::verdict::is_accepted;
use crate::Status;

/// Most samples of a [`Group`].
pub const WIDTH: usize = 128;

/// One number of each sample of a [`Group`].
pub type GroupColumn = [f64; WIDTH];

/// Up to [`WIDTH`] samples with n coordinates and k impulses. Names and units follow
/// [`Samples`](super::Samples).
#[derive(Clone, Debug)]
pub struct Group {
    /// Number of samples; further entries of the columns have no meaning.
    pub len: usize,
    /// Velocity after the impact `v+` (n).
    pub velocity: Vec<GroupColumn>,
    /// Contact velocity `u+ = J v+` (k), normals first.
    pub contact_velocity: Vec<GroupColumn>,
    /// Impulse `L` (k), normals first.
    pub impulse: Vec<GroupColumn>,
    /// Kinetic energy after the impact.
    pub kinetic_energy: GroupColumn,
    /// Steps taken.
    pub steps: [u32; WIDTH],
    /// The status of each sample.
    pub status: [Status; WIDTH],
    /// Largest residual over the sample's steps.
    pub residual: GroupColumn,
    /// Whether the sample was recomputed in double precision.
    pub repaired: [bool; WIDTH],
    /// Disturbances of the velocity before the impact (n); empty without noise.
    pub disturbance: Vec<GroupColumn>,
    /// Contact velocity of the outcome (k), if `contact_velocity` belongs to a forecast; else
    /// empty.
    pub outcome: Vec<GroupColumn>,
}

impl Group {
    /// Memory for samples of n `coordinates` and k `impulses`.
    pub fn new(coordinates: usize, impulses: usize) -> Self {
        let columns = |count| vec![[0.0; WIDTH]; count];
        Group {
            len: 0,
            velocity: columns(coordinates),
            contact_velocity: columns(impulses),
            impulse: columns(impulses),
            kinetic_energy: [0.0; WIDTH],
            steps: [0; WIDTH],
            status: [Status::Unsolved; WIDTH],
            residual: [0.0; WIDTH],
            repaired: [false; WIDTH],
            disturbance: Vec::new(),
            outcome: Vec::new(),
        }
    }

    /// The columns of velocities, impulses and energies.
    #[inline(always)]
    pub fn columns(&mut self) -> impl Iterator<Item = &mut GroupColumn> {
        let Group { velocity, contact_velocity, impulse, kinetic_energy, outcome, .. } = self;
        let all = velocity.iter_mut().chain(contact_velocity).chain(impulse).chain(outcome);
        all.chain([kinetic_energy])
    }

    /// Keeps the samples that have terminated, are finite, and have at most this `residual`;
    /// removes the others.
    #[inline(always)]
    pub fn keep_accepted(&mut self, residual: f64) {
        let len = self.len;
        // 0 x is 0 for finite x, otherwise NaN.
        let mut finite = [0.0; WIDTH];
        for column in self.columns() {
            for (finite, x) in finite.iter_mut().zip(column) {
                *finite += 0.0 * *x;
            }
        }
        let accepted =
            |l: usize| is_accepted(self.status[l], self.residual[l], finite[l] == 0.0, residual);
        if (0..len).fold(true, |all, l| all & accepted(l)) {
            return;
        }
        let kept: Vec<usize> = (0..len).filter(|&l| accepted(l)).collect();
        self.len = kept.len();
        for (to, from) in kept.into_iter().enumerate() {
            self.columns().for_each(|column| column[to] = column[from]);
            self.residual[to] = self.residual[from];
            self.steps[to] = self.steps[from];
            self.status[to] = self.status[from];
            self.repaired[to] = self.repaired[from];
        }
    }
}
