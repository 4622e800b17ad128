//! Numbers of the samples in progress, one per lane.

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::real::Real;
use crate::rng::{Purpose, philox4x32_10};

/// Number of samples in progress at a time: enough independent vectors to hide the latency of each
/// operation.
pub(super) const N: usize = 64;

/// A number of each sample in progress.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Column<R>(pub [R; N]);

impl<R: Real> Column<R> {
    /// Vector number `g`.
    #[inline(always)]
    pub fn at<V: Pod>(&self, g: usize) -> V {
        cast_slice(&self.0)[g]
    }

    #[inline(always)]
    pub fn put<V: Pod>(&mut self, g: usize, vector: V) {
        cast_slice_mut(&mut self.0)[g] = vector;
    }
}

/// The addresses of the draws for the current step of each lane.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub first: u64,
    pub id: &'a [u32],
    pub steps: &'a [u32],
    pub key: [u32; 2],
}

impl Draw<'_> {
    /// A block of draws for one purpose, in each lane.
    #[inline(always)]
    pub fn block(self, purpose: Purpose, block: u32) -> [[u32; N]; 4] {
        let mut words = [[0; N]; 4];
        for l in 0..self.id.len().min(N) {
            let sample = self.first + u64::from(self.id[l]);
            let counter = [
                sample as u32,
                (sample >> 32) as u32,
                self.steps[l],
                ((purpose as u32) << 24) | block,
            ];
            let four = philox4x32_10(counter, self.key);
            for j in 0..4 {
                words[j][l] = four[j];
            }
        }
        words
    }
}

/// Way to solve a step: by a decision tree.
pub(super) const TREE: u8 = 0;

/// Way to solve a step: by a search through all critical regions; steps with several solutions are
/// left to the slow solver.
pub(super) const SOLE: u8 = 1;

/// Way to solve a step: by a search through all critical regions, with a random choice among
/// several solutions.
pub(super) const CHOOSE: u8 = 2;
