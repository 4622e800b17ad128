//! Branch and bound: maximum of a function on a region split into parts.
//!
//! Source: A. H. Land, A. G. Doig: An automatic method of solving discrete programming problems.
//! Econometrica 28 (1960), 497-520.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Part of the region, with bounds on the function.
#[derive(Clone, Debug)]
pub struct Part<P> {
    pub place: P,
    /// Upper bound on the function over the part.
    pub most: f64,
    /// Value of the function at a point of the region; -infinity if unknown.
    pub value: f64,
}

/// Parts that may hold the maximum of the function on the region.
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

    /// Upper bound on the function over the region.
    pub fn most(&self) -> f64 {
        self.open.peek().map_or(f64::NEG_INFINITY, |part| part.most)
    }

    pub fn highest(&self) -> Option<&P> {
        Some(&self.open.peek()?.place)
    }

    /// Whether the gap between the bound and the largest value seen is at most `precision` times
    /// the largest magnitude.
    pub fn is_close(&self, precision: f64) -> bool {
        self.open.is_empty() || self.most() - self.seen <= precision * self.size
    }

    /// Splits the part with the largest bound until the gap closes, at most `times` times.
    pub fn refine(&mut self, times: usize, precision: f64, split: impl Fn(P) -> Vec<Part<P>>) {
        for _ in 0..times {
            if self.is_close(precision) {
                return;
            }
            let Some(Part { place, most, .. }) = self.open.pop() else { return };
            // A bound on a part also holds on its subsets.
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
