//! Normal random numbers by address.

use super::stream::{Purpose, Stream, unit};

/// `n` independent normal numbers of mean 0 and variance 1 from the draws of (step, purpose).
///
/// Source: \[BM58\].
pub fn deviates(draws: &Stream, step: u32, purpose: Purpose, n: usize) -> Vec<f64> {
    // Away from zero, whose logarithm is not finite.
    let number = |word: u32| f64::from(unit(word)) + 0.5 / 16_777_216.0;
    let mut numbers = Vec::with_capacity(n + 3);
    for block in 0..n.div_ceil(4) {
        let words = draws.block(step, purpose, block as u32).map(number);
        for pair in words.chunks_exact(2) {
            let radius = (-2.0 * pair[0].ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * pair[1]).sin_cos();
            numbers.extend([radius * cos, radius * sin]);
        }
    }
    numbers.truncate(n);
    numbers
}
