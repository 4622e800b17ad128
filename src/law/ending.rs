//! How a sample ended.

use crate::status::Status;

/// How one sample ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending<R> {
    /// Why.
    pub status: Status,
    /// After how many steps.
    pub steps: u32,
    /// With what largest residual over its steps.
    pub residual: R,
}
