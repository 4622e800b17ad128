//! Normal random numbers, addressed by counter.

use super::stream::{Purpose, Stream, unit};

/// Four independent normal numbers of mean 0 and variance 1 from random words.
///
/// Source: \[BM58\].
pub fn normal(words: [u32; 4]) -> [f64; 4] {
    // Avoids the logarithm of zero.
    let [a, b, c, d] = words.map(|word| f64::from(unit(word)) + 0.5 / 16_777_216.0);
    let [x, y] = pair(a, b);
    let [z, w] = pair(c, d);
    [x, y, z, w]
}

fn pair(a: f64, b: f64) -> [f64; 2] {
    let radius = (-2.0 * a.ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * b).sin_cos();
    [radius * cos, radius * sin]
}

/// `n` independent normal numbers of mean 0 and variance 1 from the draws of (step, purpose).
pub fn deviates(draws: &Stream, step: u32, purpose: Purpose, n: usize) -> Vec<f64> {
    let words = |block: usize| draws.block(step, purpose, block as u32);
    (0..n.div_ceil(4)).flat_map(|block| normal(words(block))).take(n).collect()
}
