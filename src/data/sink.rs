//! The destination of samples.

use carom_analysis::Jacobians;
use carom_core::error::Result;
use carom_core::outcome::Samples;
use carom_engine::doubt::Doubted;

/// A destination of samples, which come in their order.
pub trait Sink: Send {
    /// Takes the samples that follow those already taken, any number of them, and their derivatives
    /// where the record of the run has them.
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()>;

    /// Completes the file, with the results of the samples of a GPU that the host solved again, and
    /// gives it its final name. A sink dropped before leaves nothing behind.
    fn finish(self: Box<Self>, doubted: Option<&Doubted>) -> Result<()>;
}
