//! How a sample ended.

use crate::status::Status;

/// How one sample ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending<R> {
    /// Its status.
    pub status: Status,
    /// Number of steps.
    pub steps: u32,
    /// Largest residual over its steps.
    pub residual: R,
}
