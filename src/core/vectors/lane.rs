//! The choice of the widest vectors of the machine.

use super::vector::Vector;
use crate::Real;

/// A computation for any instruction set.
pub trait OnVectors {
    /// The precision of the computation.
    type R: Real;

    /// Runs the computation on one instruction set.
    fn run<S: Vector<Self::R>>(self, simd: S);
}

/// A job for one instruction set. A closure would not do: the compiler does not always inline it
/// into the function compiled for the instruction set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
struct On<S, J> {
    simd: S,
    job: J,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<J: OnVectors, S: Vector<J::R>> pulp::NullaryFnOnce for On<S, J> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.job.run(self.simd);
    }
}

/// A precision with vector instructions on some machines.
pub trait Lane: Real {
    /// Runs a job with the widest vectors of the machine; returns false if it has none.
    fn run(job: impl OnVectors<R = Self>) -> bool {
        Self::run_within(u32::MAX, job)
    }

    /// [`Lane::run`] with vectors of at most `bits`.
    fn run_within(bits: u32, job: impl OnVectors<R = Self>) -> bool;
}

macro_rules! lane {
    ($r:ident) => {
        impl Lane for $r {
            fn run_within(bits: u32, job: impl OnVectors<R = Self>) -> bool {
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = pulp::x86::V4::try_new().filter(|_| bits >= 512) {
                    simd.vectorize(On { simd, job });
                    return true;
                } else if let Some(simd) = pulp::x86::V3::try_new().filter(|_| bits >= 256) {
                    simd.vectorize(On { simd, job });
                    return true;
                }
                #[cfg(target_arch = "aarch64")]
                if let Some(simd) = pulp::aarch64::Neon::try_new().filter(|_| bits >= 128) {
                    simd.vectorize(On { simd, job });
                    return true;
                }
                let _ = (bits, job);
                false
            }
        }
    };
}

lane!(f32);
lane!(f64);
