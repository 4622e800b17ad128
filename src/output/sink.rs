//! The destination of samples.

use crate::engine::Jacobians;
use crate::error::Result;
use crate::outcome::Samples;

/// A destination of samples, which come in their order.
pub trait Sink: Send {
    /// Takes the samples that follow those already taken, any number of them, and their derivatives
    /// where the record of the run has them.
    ///
    /// # Errors
    /// What the file system reports, a full disk for example.
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()>;

    /// Completes the file and gives it its final name. A sink dropped before leaves nothing behind.
    ///
    /// # Errors
    /// What the file system reports.
    fn finish(self: Box<Self>) -> Result<()>;
}
