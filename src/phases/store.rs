//! Work that compression stores and restitution returns, by Stronge's hypothesis: with `c` the
//! normal force, `S' = -e^2 c u_n` while `u_n < 0` and `S' = -c u_n` while `u_n > 0`. A contact
//! with stored work has its full normal force.

use carom_core::Real;

use crate::Watch;
use crate::array::dot;
use crate::contacts::Normal;
use crate::cubic::Cubic;
use crate::event::Event;
use crate::range::Problem;
use crate::sample::Sample;

/// Fraction of the energy `u_n^2 / W_nn` below which stored work counts as 0.
const EMPTY: f64 = 1e-12;

/// Bisections for the time at which stored work is 0.
const BISECTIONS: u32 = 50;

/// Fraction of its stored work above which a contact that has rested throughout a block loses it:
/// other contacts hold it.
const HELD: f64 = 0.999;

impl<R: Real, const P: usize> Sample<R, P> {
    /// Whether a contact that does not rest has its full normal force, if its bound is above 0.
    pub fn is_pushed(&self, i: usize) -> bool {
        self.u[i] < R::ZERO || self.stored[i] > R::ZERO
    }

    /// The normal velocity of contact `i` over a step of length `h`.
    pub fn normal_velocity(&self, i: usize, h: R) -> Cubic<R> {
        Cubic([self.u[i], h * self.onset[i], self.next[i], h * self.ending[i]])
    }

    /// Stored work of contact `i` after the part `x` of a step of length `h`, over which the normal
    /// velocity keeps its sign.
    fn left(&self, problem: &Problem<'_, R, P>, i: usize, h: R, x: R) -> R {
        let velocity = self.normal_velocity(i, h);
        let ((u, s), [from, slope, ..]) = (velocity.at(x), velocity.0);
        let mean = R::from_f64(0.5) * (from + u) + x * (slope - s) / R::from_f64(12.0);
        let work = self.of.caps[i] * x * h * mean;
        let part = if work < R::ZERO { problem.e[i] * problem.e[i] } else { R::ONE };
        self.stored[i] - part * work
    }

    /// Stored work that counts as 0 at normal velocity `u`.
    fn negligible(&self, problem: &Problem<'_, R, P>, i: usize, u: R) -> R {
        let (row, land) = (&problem.rows[i], R::from_f64(self.set.land));
        let least = R::from_f64(0.25) * land * land;
        Real::max(R::from_f64(EMPTY) * u * u, least) / dot(row, row)
    }

    /// When restitution has returned the stored work of contact `i`.
    pub fn empties(&self, problem: &Problem<'_, R, P>, i: usize, h: R) -> Option<R> {
        if self.stored[i] <= R::ZERO {
            return None;
        }
        let end = match self.next[i] > R::ZERO {
            true => R::ONE,
            false if self.u[i] > R::ZERO => self.normal_velocity(i, h).zero(),
            false => return None,
        };
        if self.left(problem, i, h, end) > self.negligible(problem, i, self.next[i]) {
            return None;
        }
        let (mut low, mut high) = (R::ZERO, end);
        for _ in 0..BISECTIONS {
            let middle = R::from_f64(0.5) * (low + high);
            if self.left(problem, i, h, middle) > R::ZERO {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }

    /// Books the work of the part of a step of length `h` that ends with an event.
    pub fn book(&mut self, problem: &Problem<'_, R, P>, h: R, part: R, event: Event) {
        for i in 0..problem.m {
            if problem.e[i] > R::ZERO && self.of.normal[i] == Normal::Full {
                let left = self.left(problem, i, h, part);
                let is_empty = left <= R::ZERO || event == Event::Empties(i);
                self.stored[i] = if is_empty { R::ZERO } else { left };
                self.rests[i] &= is_empty;
            }
        }
    }

    /// Empties the stores of contacts that have rested throughout a block, and remembers the others
    /// that rest at the beginning of the next one.
    pub fn forfeit(&mut self, problem: &Problem<'_, R, P>, watch: &mut dyn Watch<R>) {
        for i in 0..problem.m {
            let rests = self.u[i].abs() <= R::from_f64(self.set.land);
            let held = R::from_f64(HELD) * self.kept[i];
            if rests && self.kept[i] > R::ZERO && self.stored[i] >= held {
                self.stored[i] = R::ZERO;
                watch.forfeit(i);
            }
            self.kept[i] = if rests { self.stored[i] } else { R::ZERO };
        }
    }
}
