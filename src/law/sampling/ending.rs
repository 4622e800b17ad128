//! The end of a sample.

use carom_core::Status;

/// Status, steps and residual of one finished sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending<R> {
    /// The status of the sample.
    pub status: Status,
    /// Number of steps.
    pub steps: u32,
    /// Largest residual over the sample's steps.
    pub residual: R,
}
