//! One segment of the planar law: forces at constant rates of normal impulse, until a contact
//! changes its mode.

use super::maps::{MOST_MAPPED, Maps, Mode, size};
use crate::Routh;
use carom_core::{Budget, Real, StepProblem};

/// Number of combinations of modes of three contacts, `7^3`.
pub const OF_THREE: usize = 343;

/// The forces of a segment, and the work arrays of their search.
///
/// At the velocity `u` (2m), with the impulse bounds `c` (m) per unit of time, the forces
/// `l = (ln, lt)` satisfy, with `u' = W l`,
///
/// ```text
/// u_n > 0: ln = 0;  u_n < 0: ln = c;
/// u_n = 0: 0 <= ln <= c,  ln = 0 where u_n' > 0,  ln = c where u_n' < 0;
/// u_t > 0: lt = -mu ln;  u_t < 0: lt = mu ln;
/// u_t = 0: |lt| <= mu ln,  lt = -+mu ln where +-u_t' > 0.
/// ```
///
/// A restituting contact has `ln = c` at `u_n >= 0` as well. A combination of modes is a solution
/// if its forces satisfy these inequalities.
#[derive(Clone, Debug)]
pub struct Segment<R: Real> {
    pub(super) maps: Maps<R>,
    /// The remaining work budget of the sample, with more than three contacts.
    pub budget: Budget,
    /// The possible modes of each contact, seven places each, and their number (m).
    pub(super) possible: Vec<[Mode; 7]>,
    pub(super) counts: Vec<usize>,
    /// The combination under trial, by place (m) and by mode (m).
    places: Vec<usize>,
    pub(super) modes: Vec<Mode>,
    /// The combination of the last segment (m).
    pub(super) last: Vec<Mode>,
    /// Whether each contact is restituting (m): a restituting contact has its full force at any
    /// normal velocity >= 0.
    pub restituting: Vec<bool>,
    /// The combinations of the solutions (m each).
    pub(super) found: Vec<Mode>,
    /// The distinct solutions: forces and accelerations, each `(l, u')` (4m).
    solutions: Vec<R>,
    /// Forces and accelerations under trial (4m); whether they violate the normal and the
    /// tangential inequalities of each contact (m).
    pub(super) trial: Vec<R>,
    pub(super) violated: Vec<[bool; 2]>,
    /// Lower bounds of the mode conditions, see [`Maps`] (4m); -HUGE: the condition does not apply.
    pub(super) least: Vec<R>,
}

impl<R: Real> Segment<R> {
    /// The memory for `m` contacts, with the work budget of a sample of at most `segments`
    /// segments.
    pub fn new(m: usize, segments: u32) -> Self {
        Segment {
            // The complementarity problem of planar contacts has five unknowns per contact.
            budget: Budget::of(5 * m).with_limit(segments, Routh::SEGMENTS),
            maps: Maps::new(m),
            possible: vec![[Mode::Off; 7]; m],
            counts: vec![0; m],
            places: vec![0; m],
            modes: vec![Mode::Off; m],
            last: vec![Mode::Off; m],
            restituting: vec![false; m],
            found: Vec::with_capacity(8 * m),
            solutions: Vec::with_capacity(32 * m),
            trial: vec![R::ZERO; 4 * m],
            violated: vec![[false; 2]; m],
            least: vec![R::ZERO; 4 * m],
        }
    }

    /// Begins a sample.
    pub fn begin(&mut self) {
        self.last.fill(Mode::Off);
        self.budget.begin();
    }

    /// Shrinks the cache of mode maps to one of `parts` equal parts of its usual size, without
    /// reserving memory.
    pub fn spare(&mut self, parts: usize) {
        self.maps.spare(parts);
    }

    /// Lists the possible modes of contact `i`.
    #[inline(always)]
    pub(super) fn list(&mut self, step: &StepProblem<R>, i: usize, u: &[R], c: &[R]) {
        use Mode::*;
        let (un, ut, restituting) = (u[i], u[step.contacts + i], self.restituting[i]);
        let (modes, count) = (&mut self.possible[i], &mut self.counts[i]);
        let separates = un > R::ZERO && !restituting || c[i] == R::ZERO;
        if separates {
            (modes[0], *count) = (Off, 1);
            return;
        }
        let (held, full): (&[Mode], &[Mode]) = if ut > R::ZERO || smooth(step, i) {
            (&[HeldSlide], &[FullSlide])
        } else if ut < R::ZERO {
            (&[HeldBack], &[FullBack])
        } else {
            (&[HeldStick, HeldSlide, HeldBack], &[FullStick, FullSlide, FullBack])
        };
        let n = held.len();
        if un < R::ZERO || restituting {
            modes[..n].copy_from_slice(full);
            *count = n;
            return;
        }
        modes[0] = Off;
        modes[1..=n].copy_from_slice(held);
        modes[n + 1..=2 * n].copy_from_slice(full);
        *count = 2 * n + 1;
    }

    /// Makes the combination under trial the only solution.
    pub(super) fn take(&mut self) {
        self.solutions.clear();
        self.found.clear();
        self.keep();
    }

    /// Finds all distinct solutions at velocity `u` (2m) with impulse bounds `c` (m), in which only
    /// `free` contacts (m) change the modes of the last segment. Returns the number of solutions,
    /// or `None` with more than `most` combinations to try.
    #[inline(always)]
    pub fn solve<const M: usize>(
        &mut self,
        step: &StepProblem<R>,
        u: &[R],
        c: &[R],
        free: &[bool],
        most: usize,
    ) -> Option<usize> {
        let m = size::<M>(step.contacts);
        let (u, c, free) = (&u[..2 * m], &c[..m], &free[..m]);
        let mut combinations = 1;
        for i in 0..m {
            if free[i] {
                self.list(step, i, u, c);
            } else {
                self.counts[i] = 1;
                self.possible[i][0] = self.last[i];
            }
            combinations *= self.counts[i];
            if combinations > most {
                return None;
            }
            self.places[i] = 0;
            self.modes[i] = self.possible[i][0];
        }
        if m > 3 && !self.afford(combinations as u64) {
            return None;
        }
        self.solutions.clear();
        self.found.clear();
        self.bound(step, u, c);
        loop {
            if self.may_hold::<M>(step, c) && self.holds::<M>(step, u, c) && !self.known(m) {
                self.keep();
            }
            // The next combination: the first contact's modes change fastest.
            let mut i = 0;
            while i < m {
                self.places[i] += 1;
                if self.places[i] < self.counts[i] {
                    self.modes[i] = self.possible[i][self.places[i]];
                    break;
                }
                self.places[i] = 0;
                self.modes[i] = self.possible[i][0];
                i += 1;
            }
            if i == m {
                return Some(self.found.len() / m);
            }
        }
    }

    /// Spends the work of `combinations` on the budget, at the largest cost that the possible modes
    /// allow; returns whether the budget was sufficient.
    fn afford(&mut self, combinations: u64) -> bool {
        let possible = |i: usize, what: fn(Mode) -> bool| {
            u64::from(self.possible[i][..self.counts[i]].iter().any(|mode| what(*mode)))
        };
        let all = 0..self.modes.len();
        let unknowns = all.clone().map(|i| possible(i, Mode::held) + possible(i, Mode::sticks));
        let full = all.map(|i| possible(i, Mode::full));
        let work = cost(self.modes.len(), unknowns.sum(), full.sum());
        self.budget.spend(combinations.saturating_mul(work));
        !self.budget.is_over()
    }

    /// Spends the work of the combination under trial; returns whether the budget was sufficient.
    pub(super) fn afford_this(&mut self) -> bool {
        let count =
            |what: fn(Mode) -> bool| self.modes.iter().filter(|mode| what(**mode)).count() as u64;
        let unknowns = count(Mode::held) + count(Mode::sticks);
        self.budget.spend(cost(self.modes.len(), unknowns, count(Mode::full)));
        !self.budget.is_over()
    }

    /// Finds the solution whose modes agree with the forces `l` (2m), up to rounding; returns
    /// whether it exists.
    pub fn solve_near(&mut self, step: &StepProblem<R>, u: &[R], c: &[R], l: &[R]) -> bool {
        let m = step.contacts;
        let near = R::from_f64(R::EPSILON.sqrt());
        let size = near * largest(l);
        for i in 0..m {
            self.list(step, i, u, c);
            let possible = &self.possible[i][..self.counts[i]];
            let alike = |mode: Mode| match l[i] {
                ln if ln <= size => mode == Mode::Off,
                ln if ln >= c[i] - size => mode.full(),
                _ => mode.held(),
            };
            let bound = step.mu[i] * l[i];
            let like = |mode: Mode| match l[m + i] {
                lt if lt <= -bound + size => mode.slides() == 1,
                lt if lt >= bound - size => mode.slides() == -1,
                _ => mode.sticks(),
            };
            let best = possible.iter().find(|mode| alike(**mode) && like(**mode));
            let Some(mode) = best.or_else(|| possible.iter().find(|mode| alike(**mode))) else {
                return false;
            };
            self.modes[i] = *mode;
        }
        let holds = self.holds::<0>(step, u, c);
        if holds {
            self.take();
        }
        holds
    }

    /// Adds a solution.
    #[inline(always)]
    fn keep(&mut self) {
        self.solutions.extend_from_slice(&self.trial);
        self.found.extend_from_slice(&self.modes);
    }

    /// Chooses solution number `k`, and returns its forces and accelerations (2m each).
    #[inline(always)]
    pub fn choose(&mut self, k: usize) -> (&[R], &[R]) {
        let (m, size) = (self.last.len(), self.trial.len());
        self.last.copy_from_slice(&self.found[m * k..m * (k + 1)]);
        self.solutions[size * k..size * (k + 1)].split_at(size / 2)
    }

    /// Sets the lower bounds of the applicable mode conditions at velocity `u` (2m): the largest
    /// violation by rounding.
    #[inline(always)]
    fn bound(&mut self, step: &StepProblem<R>, u: &[R], c: &[R]) {
        let m = u.len() / 2;
        let most = |i: usize| c[i] * Real::max(step.mu[i], R::ONE);
        let largest = (0..m).fold(R::ZERO, |largest, i| Real::max(largest, most(i)));
        let two = R::ONE + R::ONE;
        let below = |counts: bool| if counts { -(two * R::CONDITION * largest) } else { -R::HUGE };
        for i in 0..m {
            let normal = below(u[i] == R::ZERO && c[i] != R::ZERO && !self.restituting[i]);
            let tangent = below(u[m + i] == R::ZERO && !smooth(step, i));
            self.least[4 * i..4 * i + 4].copy_from_slice(&[normal, normal, tangent, tangent]);
        }
    }

    /// Whether the combination of modes has forces that satisfy its inequalities, up to a multiple
    /// of rounding: a fast necessary test. Without cached maps, only [`Segment::holds`] tests.
    #[inline(always)]
    fn may_hold<const M: usize>(&mut self, step: &StepProblem<R>, c: &[R]) -> bool {
        let m = size::<M>(step.contacts);
        if m > MOST_MAPPED {
            return true;
        }
        let Segment { maps, modes, least, .. } = self;
        let Some((_, conditions)) = maps.of::<M>(step, modes) else { return false };
        let (conditions, least, c) = (&conditions[..4 * m * m], &least[..4 * m], &c[..m]);
        (0..m).all(|i| {
            let mut sums = [R::ZERO; 4];
            for j in 0..m {
                let column = &conditions[4 * (m * j + i)..4 * (m * j + i) + 4];
                for k in 0..4 {
                    sums[k] += c[j] * column[k];
                }
            }
            let least = &least[4 * i..4 * i + 4];
            (sums[0] >= least[0])
                & (sums[1] >= least[1])
                & (sums[2] >= least[2])
                & (sums[3] >= least[3])
        })
    }

    /// Whether the combination of modes has forces that satisfy its inequalities. Accelerations at
    /// velocity 0 within rounding become 0.
    #[inline(always)]
    pub(super) fn holds<const M: usize>(
        &mut self,
        step: &StepProblem<R>,
        u: &[R],
        c: &[R],
    ) -> bool {
        let m = size::<M>(step.contacts);
        if !self.force::<M>(step, c) {
            self.violated.fill([false; 2]);
            return false;
        }
        let Segment { modes, restituting, trial, violated, .. } = self;
        let (trial, modes) = (&mut trial[..4 * m], &modes[..m]);
        let (u, c, mu) = (&u[..2 * m], &c[..m], &step.mu[..m]);
        let (restituting, violated) = (&restituting[..m], &mut violated[..m]);
        let (l, du) = trial.split_at_mut(2 * m);
        let small = R::CONDITION * largest(l);
        for i in 0..2 * m {
            if u[i] == R::ZERO && du[i].abs() <= small {
                du[i] = R::ZERO;
            }
        }
        let mut valid = true;
        for i in 0..m {
            let (mode, ln) = (modes[i], l[i]);
            let normal = if mode.held() {
                ln >= -small && ln <= c[i] + small
            } else if mode.full() {
                u[i] != R::ZERO || restituting[i] || du[i] <= R::ZERO
            } else {
                u[i] != R::ZERO || c[i] == R::ZERO || du[i] >= R::ZERO
            };
            let tangent = match mode.slides() {
                0 => !mode.sticks() || l[m + i].abs() <= mu[i] * ln + small,
                _ if u[m + i] != R::ZERO || smooth(step, i) => true,
                1 => du[m + i] >= R::ZERO,
                _ => du[m + i] <= R::ZERO,
            };
            violated[i] = [!normal, !tangent];
            valid &= normal && tangent;
        }
        valid
    }

    /// Computes the forces and accelerations of the combination of modes at the impulse bounds `c`
    /// (m); returns whether they exist.
    #[inline(always)]
    fn force<const M: usize>(&mut self, step: &StepProblem<R>, c: &[R]) -> bool {
        let m = size::<M>(step.contacts);
        let Segment { maps, modes, trial, .. } = self;
        let (trial, c, modes) = (&mut trial[..4 * m], &c[..m], &modes[..m]);
        if m > MOST_MAPPED {
            return maps.at(step, modes, c, trial);
        }
        let Some((map, _)) = maps.of::<M>(step, modes) else { return false };
        let map = &map[..4 * m * m];
        trial.fill(R::ZERO);
        // Forces depend only on the impulse bounds of contacts at their bounds.
        for j in (0..m).filter(|j| modes[*j].full()) {
            let column = &map[4 * m * j..4 * m * (j + 1)];
            for i in 0..4 * m {
                trial[i] += c[j] * column[i];
            }
        }
        true
    }

    /// Whether a known solution has equal accelerations.
    #[inline(always)]
    fn known(&self, m: usize) -> bool {
        if self.found.is_empty() {
            return false;
        }
        let (l, du) = self.trial.split_at(2 * m);
        let near = R::from_f64(R::DISTINCT) * largest(l);
        let same = |solution: &[R]| {
            du.iter().zip(&solution[2 * m..]).all(|(a, b)| (*a - *b).abs() <= near)
        };
        self.solutions.chunks_exact(4 * m).any(same)
    }
}

/// Multiplications of a combination of modes of `m` contacts without a cached map: solution for the
/// unknowns (up to [`MOST_MAPPED`] contacts, for each of the `full` contacts at their bounds),
/// accelerations and conditions. A map cached by earlier samples counts as unknown, so that the
/// count does not depend on them.
fn cost(m: usize, unknowns: u64, full: u64) -> u64 {
    let (full, m) = (if m > MOST_MAPPED { full.min(1) } else { full }, m as u64);
    unknowns * unknowns * (unknowns + full) + 2 * m * (unknowns + 2) * full + 4 * m * m
}

/// Whether contact `i` has no friction, or no tangential mobility.
fn smooth<R: Real>(step: &StepProblem<R>, i: usize) -> bool {
    let (k, t) = (step.width(), step.contacts + i);
    step.mu[i] == R::ZERO || step.w[t * k + t] == R::ZERO
}

/// The largest absolute value.
#[inline(always)]
pub(super) fn largest<R: Real>(x: &[R]) -> R {
    x.iter().fold(R::ZERO, |size, x| Real::max(size, x.abs()))
}
