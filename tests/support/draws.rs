//! Random numbers that are the same in every run.

use carom_core::rng::{Stream, StreamRng, stream};
use rand_core::Rng;

/// The words of one stream, one after the other.
pub struct Draws(StreamRng);

impl Draws {
    pub fn new(test: u64) -> Self {
        Draws::of(test, 0)
    }
    /// A stream of its own for each case of a test.
    pub fn of(test: u64, case: usize) -> Self {
        Draws(Stream::new(test, case as u64).rng())
    }
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }
    pub fn below(&mut self, count: usize) -> usize {
        stream::index(self.word(), count as u32) as usize
    }
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(stream::unit(self.word()))
    }
    /// Numbers from -1 to 1.
    pub fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.uniform(-1.0, 1.0)).collect()
    }
}
