//! Sampling into the caller's memory.

use std::time::Instant;

use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;

use crate::arrays::{limit, null, read, write};
use crate::code::Code;
use crate::handle::{Handle, call};

/// Most samples computed at a time.
pub(crate) const BLOCK: usize = 256;

/// Number of samples before the first check of the time.
const FEW: usize = 8;

/// Arrays of the caller for N outcomes of a problem with n coordinates and k = (1 + d) m impulses.
/// What is NULL is not written.
#[derive(Debug)]
#[repr(C)]
pub struct Outcomes {
    /// Number N of outcomes that the arrays have room for.
    pub capacity: usize,
    /// Number of outcomes that they hold, the first ones; `carom_sample` sets it.
    pub count: usize,
    /// Velocities after the impact (N,n), one outcome after the other.
    pub velocity: *mut f64,
    /// Impulses (N,k) in N s, one outcome after the other: m normals, then the tangents.
    pub impulse: *mut f64,
    /// How each ended (N): `CAROM_TERMINATED` or another.
    pub status: *mut u8,
    /// By how much each violates the law (N), dimensionless, as a judge found it.
    pub residual: *mut f64,
    /// Whether each is accepted (N), 1 or 0: terminated, and with a residual that rounding, or the
    /// accuracy of an integration, explains.
    pub accepted: *mut u8,
}

impl Outcomes {
    /// Stores samples from row `at` on.
    ///
    /// # Safety
    /// The arrays have room for the samples.
    unsafe fn put(&mut self, at: usize, samples: &Samples, residual: f64) {
        let rows = samples.len();
        let [n, k] = [&samples.velocity, &samples.impulse].map(|of| of.len() / rows.max(1));
        unsafe {
            write(self.velocity, at * n, &samples.velocity);
            write(self.impulse, at * k, &samples.impulse);
            write(self.residual, at, &samples.residual);
            for i in 0..rows {
                write(self.status, at + i, &[samples.status[i].code()]);
                write(self.accepted, at + i, &[u8::from(samples.is_accepted(i, residual))]);
            }
        }
        self.count = at + rows;
    }

    /// The accepted velocities (n each).
    ///
    /// # Errors
    /// An array that is NULL; no accepted outcome.
    ///
    /// # Safety
    /// The arrays hold `count` outcomes.
    pub(crate) unsafe fn accepted(&self, n: usize) -> Result<impl Iterator<Item = &[f64]>> {
        let velocity = unsafe { read(self.velocity, self.count * n, "velocity") }?;
        let accepted = unsafe { read(self.accepted, self.count, "accepted") }?;
        if accepted.iter().all(|accepted| *accepted == 0) {
            return Err(Error::empty(format!("none of {} outcomes is accepted", self.count)));
        }
        let rows = velocity.chunks_exact(n).zip(accepted);
        Ok(rows.filter(|(_, accepted)| **accepted != 0).map(|(row, _)| row))
    }
}

/// Samples numbers `first ..` of the stream of the seed, as many as `outcomes` has room for, on the
/// thread of the caller. Sample i depends on the problem, the options, the seed and i alone.
/// Allocates nothing, unless the options have noise, and takes no lock.
///
/// `seconds` above 0 ends the call early: before the samples that are likely to go beyond it. Then
/// `outcomes->count` is less than the capacity, but never less than 8 of it. The option `max_steps`
/// bounds the work of a single sample, and so that of the call. 0: no limit.
///
/// Not every sample need be accepted: look at `accepted`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_sample(
    handle: *mut Handle,
    first: u64,
    seconds: f64,
    outcomes: *mut Outcomes,
) -> Code {
    let sample = |handle: &mut Handle| {
        let begun = Instant::now();
        let outcomes = unsafe { outcomes.as_mut() }.ok_or_else(|| null("outcomes"))?;
        outcomes.count = 0;
        let seconds = limit(seconds)?;
        if first.checked_add(outcomes.capacity as u64).is_none() {
            return Err(Error::usage("samples are numbered below 2^64").at("first"));
        }
        let sampler = handle.sampler()?;
        let residual = sampler.tolerance().residual;
        let mut block = if seconds.is_finite() { FEW } else { BLOCK };
        while outcomes.count < outcomes.capacity && block > 0 {
            let (at, rows) = (outcomes.count, block.min(outcomes.capacity - outcomes.count));
            let samples = sampler.sample(first + at as u64, rows);
            unsafe { outcomes.put(at, samples, residual) };
            if seconds.is_finite() {
                block = affordable(begun.elapsed().as_secs_f64(), outcomes.count, seconds);
            }
        }
        Ok(())
    };
    unsafe { call(handle, sample) }
}

/// Number of samples to compute next, after `done` samples took `spent` seconds: half of the
/// estimate that fits into `seconds`, as durations vary.
fn affordable(spent: f64, done: usize, seconds: f64) -> usize {
    let fit = (seconds - spent) * done as f64 / spent.max(1e-9);
    if fit < FEW as f64 { 0 } else { (fit as usize / 2).clamp(FEW, BLOCK) }
}
