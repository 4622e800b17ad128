//! The peak performance of the CPU, measured with multiply-adds and with copies.

use std::hint::black_box;
use std::time::Instant;

use pulp::NullaryFnOnce;
use rayon::prelude::*;

use carom_core::real::Real;
use carom_core::vectors::Vector;

/// Independent chains: more than latency times units of any core, few enough for 16 registers.
const CHAINS: usize = 12;
/// Number of multiply-adds of a chain, each in all lanes.
const ROUNDS: u32 = 20_000;
/// Bytes that a copy reads, and bytes that it writes. Together they exceed a last-level cache.
const COPY_BYTES: usize = 128 << 20;

/// The vector instructions that kernels use here: `avx512`, `avx2`, `neon` or `plain`.
pub fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if pulp::x86::V4::try_new().is_some() {
        return "avx512";
    } else if pulp::x86::V3::try_new().is_some() {
        return "avx2";
    }
    #[cfg(target_arch = "aarch64")]
    if pulp::aarch64::Neon::try_new().is_some() {
        return "neon";
    }
    "plain"
}

/// A precision with a measurable peak performance.
pub trait Peak: Real {
    /// Does `ROUNDS` multiply-adds in `CHAINS` chains of the widest vectors; returns the number of
    /// floating point operations.
    fn spend() -> f64;
}

macro_rules! peak {
    ($r:ident) => {
        impl Peak for $r {
            fn spend() -> f64 {
                let factors: [$r; 2] = black_box([0.999, 0.001]);
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = pulp::x86::V4::try_new() {
                    return simd.vectorize(Chains { simd, factors });
                } else if let Some(simd) = pulp::x86::V3::try_new() {
                    return simd.vectorize(Chains { simd, factors });
                }
                #[cfg(target_arch = "aarch64")]
                if let Some(simd) = pulp::aarch64::Neon::try_new() {
                    return simd.vectorize(Chains { simd, factors });
                }
                Chains { simd: pulp::Scalar128b, factors }.call()
            }
        }
    };
}

peak!(f32);
peak!(f64);

struct Chains<S, R> {
    simd: S,
    factors: [R; 2],
}

impl<S: Vector<R>, R: Real> NullaryFnOnce for Chains<S, R> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Chains { simd, factors } = self;
        let (a, b) = (simd.splat(factors[0]), simd.splat(factors[1]));
        let mut x: [S::V; CHAINS] = std::array::from_fn(|i| simd.splat(R::from_f64(i as f64)));
        for _ in 0..ROUNDS {
            for i in 0..CHAINS {
                x[i] = simd.fma(x[i], a, b);
            }
        }
        black_box(x);
        2.0 * f64::from(ROUNDS) * (CHAINS * S::LANES) as f64
    }
}

/// Flop per second of all threads of the current rayon pool together, measured once.
pub fn flop_per_second<R: Peak>() -> f64 {
    let threads = rayon::current_num_threads();
    let start = Instant::now();
    let spend = |_| (0..8).map(|_| R::spend()).sum::<f64>();
    let flop: f64 = (0..threads).into_par_iter().with_max_len(1).map(spend).sum();
    flop / start.elapsed().as_secs_f64()
}

/// The memory for measuring copies: a source and a destination.
#[derive(Debug)]
pub struct Copy {
    from: Vec<u64>,
    to: Vec<u64>,
}

impl Copy {
    /// Allocates two arrays and writes to them once.
    pub fn new() -> Copy {
        let words = COPY_BYTES / size_of::<u64>();
        Copy { from: vec![1; words], to: vec![2; words] }
    }

    /// Bytes read and written per second by all threads of the current rayon pool, measured once.
    pub fn bytes_per_second(&mut self) -> f64 {
        let part = self.from.len().div_ceil(rayon::current_num_threads());
        let start = Instant::now();
        let parts = self.to.par_chunks_mut(part).zip(self.from.par_chunks(part));
        parts.for_each(|(to, from)| to.copy_from_slice(from));
        let seconds = start.elapsed().as_secs_f64();
        black_box(&mut self.to);
        2.0 * COPY_BYTES as f64 / seconds
    }
}

impl Default for Copy {
    fn default() -> Self {
        Copy::new()
    }
}
