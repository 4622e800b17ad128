//! The results of a sampling kernel for each sample.

use carom_core::{Real, Status};
use carom_law::Ending;

/// Largest number of steps that fits into a word with the status.
pub const MAX_STEPS: u32 = (1 << 28) - 1;

/// The endings of samples, and their dimensionless impulses.
#[derive(Clone, Debug)]
pub struct Raw<R> {
    /// The status, steps and residual of each sample (N).
    pub endings: Vec<Ending<R>>,
    /// Total impulses (N,K).
    pub impulses: Vec<R>,
}

impl<R: Real> Raw<R> {
    /// Reads the results from the bytes of the buffers `endings` and `impulses`; see `store` of
    /// `shaders/kernel/sample.wgsl`.
    pub fn read(endings: &[u8], impulses: &[u8]) -> Self {
        let ending = |[word, residual]: [u32; 2]| Ending {
            status: Status::from_code(word >> 28),
            steps: word & MAX_STEPS,
            residual: R::from_f64(f64::from(f32::from_bits(residual))),
        };
        let endings: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(endings);
        Raw {
            endings: endings.into_iter().map(ending).collect(),
            impulses: bytemuck::pod_collect_to_vec(impulses),
        }
    }
}
