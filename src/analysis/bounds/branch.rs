//! Branch and bound: how large a function becomes on a region that is split into parts.
//!
//! Source: A. H. Land, A. G. Doig: An automatic method of solving discrete programming problems.
//! Econometrica 28 (1960), 497-520.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A part of the region, and what is known of the function there.
#[derive(Clone, Debug)]
pub struct Part<P> {
    pub place: P,
    /// A number that the function does not exceed on it.
    pub most: f64,
    /// A value that the function has in the region; -infinity where none is known.
    pub value: f64,
}

/// Parts that make up a region, but for those on which the function is known to be smaller.
#[derive(Clone, Debug)]
pub struct Parts<P> {
    open: BinaryHeap<Part<P>>,
    seen: f64,
    size: f64,
}

impl<P> Parts<P> {
    pub fn new(parts: impl IntoIterator<Item = Part<P>>) -> Self {
        let mut all =
            Parts { open: BinaryHeap::new(), seen: f64::NEG_INFINITY, size: f64::MIN_POSITIVE };
        parts.into_iter().for_each(|part| all.add(part));
        all
    }

    fn add(&mut self, part: Part<P>) {
        self.seen = self.seen.max(part.value);
        if part.value.is_finite() {
            self.size = self.size.max(part.value.abs());
        }
        self.open.push(part);
    }

    /// A number that the function does not exceed on the region.
    pub fn most(&self) -> f64 {
        self.open.peek().map_or(f64::NEG_INFINITY, |part| part.most)
    }

    pub fn highest(&self) -> Option<&P> {
        Some(&self.open.peek()?.place)
    }

    /// Whether the bound exceeds the largest value seen by at most a part of the largest size.
    pub fn is_close(&self, precision: f64) -> bool {
        self.open.is_empty() || self.most() - self.seen <= precision * self.size
    }

    /// Replaces the part with the largest bound by what `split` makes of it, while not close.
    pub fn refine(&mut self, times: usize, precision: f64, split: impl Fn(P) -> Vec<Part<P>>) {
        for _ in 0..times {
            if self.is_close(precision) {
                return;
            }
            let Some(Part { place, most, .. }) = self.open.pop() else { return };
            // A bound of the whole is one of its parts.
            for part in split(place) {
                self.add(Part { most: part.most.min(most), ..part });
            }
        }
    }
}

impl<P> PartialEq for Part<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P> Eq for Part<P> {}

impl<P> PartialOrd for Part<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Part<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.most.total_cmp(&other.most)
    }
}
