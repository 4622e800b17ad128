//! Numbers of the samples in progress, one per lane.

use bytemuck::{Pod, cast_slice, cast_slice_mut};

/// Number of samples in progress at a time: enough independent vectors to hide the latency of an
/// operation.
pub(super) const N: usize = 64;

/// One number per sample in progress.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Column<R>(pub [R; N]);

impl<R: Pod> Column<R> {
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
