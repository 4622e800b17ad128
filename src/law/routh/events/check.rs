//! The residual of the planar law for an impact, computed from its impulses alone.

use super::maps::size;
use carom_core::{Real, StepProblem};

/// Computes the residual of an impact from the impulse and the normal impulse bounds of each
/// segment.
///
/// The velocity is integrated again, `u <- u + W L`. Velocities are linear over a segment, so a
/// force consistent with the velocities at both ends is consistent with all velocities between. The
/// residual is the largest violation at either end of
///
/// ```text
/// 0 <= ln <= c,  |lt| <= mu ln,  ln = 0 where u_n > 0,  ln = c where u_n < 0,
/// lt = -mu ln where u_t > 0,  lt = mu ln where u_t < 0,
/// ```
///
/// and, with Stronge's coefficient `e`, of the account of each contact's stored work. The account
/// grows by `e^2` times the work of compression, shrinks by the work of restitution, and is never
/// negative. It ends at 0, or with a block in which the contact has not moved. While it is
/// positive, `ln = c` where `u_n > 0`. Each violation is the minimum of a velocity over `max|u-|`
/// and an impulse times `max W_ii / max|u-|`, as in [`StepProblem::residual`]. The residual detects
/// a missed event, a force that is missing, too large or of the wrong sign, and a velocity
/// inconsistent with the forces.
#[derive(Clone, Debug)]
pub struct EventsJudge<R> {
    /// Contact velocity (2m).
    u: Vec<R>,
    /// Squares of the coefficients of restitution (m), and the accounts of stored work (m).
    returned: Vec<R>,
    account: Vec<R>,
    /// The largest `|u_n|` of each contact in this block (m).
    moved: Vec<R>,
    /// The largest violation.
    pub residual: R,
}

impl<R: Real> EventsJudge<R> {
    /// The residual check for impacts at `m` contacts.
    pub fn new(m: usize) -> Self {
        let [account, returned, moved] = [(); 3].map(|()| vec![R::ZERO; m]);
        EventsJudge { u: vec![R::ZERO; 2 * m], account, returned, moved, residual: R::ZERO }
    }

    /// Begins an impact at contact velocity `u` (2m) and coefficients of restitution `e` (m).
    pub fn begin(&mut self, u: &[R], e: &[R]) {
        self.u.copy_from_slice(u);
        for (returned, e) in self.returned.iter_mut().zip(e) {
            *returned = *e * *e;
        }
        self.account.fill(R::ZERO);
        self.residual = R::ZERO;
    }

    /// Begins a block.
    pub fn block(&mut self) {
        for (moved, u) in self.moved.iter_mut().zip(&self.u) {
            *moved = u.abs();
        }
    }

    /// Checks the impulse `l` (2m) of the next segment, with normal impulse bounds `c` (m).
    pub fn segment<const M: usize>(&mut self, step: &StepProblem<R>, c: &[R], l: &[R]) {
        self.judge::<M>(step, c, l);
        let k = 2 * size::<M>(step.contacts);
        let l = &l[..k];
        for i in 0..k {
            let row = &step.w[i * k..(i + 1) * k];
            let mut sum = self.u[i];
            for j in 0..k {
                sum += row[j] * l[j];
            }
            if 2 * i < k {
                self.book(i, l[i], self.u[i], sum);
                self.moved[i] = Real::max(self.moved[i], sum.abs());
            }
            self.u[i] = sum;
        }
        self.judge::<M>(step, c, l);
    }

    /// Updates the account of contact `i` by the work of impulse `l`; its normal velocity changes
    /// linearly from `from` to `to`.
    fn book(&mut self, i: usize, l: R, from: R, to: R) {
        let part = |x: R| Real::max(x, R::ZERO);
        // The means of the positive and of the negative part of a linear function.
        let half = R::from_f64(0.5);
        let mean = |a: R, b: R| match part(a) + part(b) {
            sum if a * b < R::ZERO => half * sum * (sum / (a - b).abs()),
            sum => half * sum,
        };
        let account =
            self.account[i] + self.returned[i] * l * mean(-from, -to) - l * mean(from, to);
        if self.returned[i] > R::ZERO {
            self.violate(-account);
            self.account[i] = Real::max(account, R::ZERO);
        }
    }

    /// Clears the account of a contact at rest throughout this block: the contact returns nothing.
    pub fn forfeit(&mut self, i: usize) {
        self.violate(Real::min(self.account[i], self.moved[i]));
        self.account[i] = R::ZERO;
    }

    /// Ends the impact; returns the largest violation.
    pub fn end(&mut self) -> R {
        for i in 0..self.account.len() {
            self.violate(self.account[i]);
        }
        self.residual
    }

    fn violate(&mut self, gap: R) {
        self.residual = if gap.is_finite() { Real::max(self.residual, gap) } else { R::HUGE };
    }

    /// Compares forces with the velocity at one end of a segment.
    #[inline(always)]
    fn judge<const M: usize>(&mut self, step: &StepProblem<R>, c: &[R], l: &[R]) {
        let m = size::<M>(step.contacts);
        let (c, l, u, sigma) = (&c[..m], &l[..2 * m], &self.u[..2 * m], &step.sigma[..2 * m]);
        let mut worst = self.residual;
        let part = |x: R| Real::max(x, R::ZERO);
        for i in 0..m {
            let (sn, st) = (sigma[i], sigma[m + i]);
            let (un, ut, ln, lt) = (u[i] * sn, u[m + i] * st, l[i] / sn, l[m + i] / st);
            let (cap, bound) = (c[i] / sn, step.mu[i] * l[i] / st);
            let gaps = [
                -ln,
                ln - cap,
                lt.abs() - bound,
                if self.returned[i] > R::ZERO {
                    Real::min(self.account[i], Real::min(part(un), cap - ln))
                } else {
                    Real::min(part(un), ln)
                },
                Real::min(part(-un), cap - ln),
                Real::min(part(ut), lt + bound),
                Real::min(part(-ut), bound - lt),
            ];
            for gap in gaps {
                worst = if gap.is_finite() { Real::max(worst, gap) } else { R::HUGE };
            }
        }
        self.residual = worst;
    }
}
