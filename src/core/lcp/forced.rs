//! Steps in which the normal impulses of some contacts are given instead of unknown.
//!
//! A *forced* contact has `ln = c` whatever its `u+_n`; its friction is still unknown. Without `s`
//! and `ln` of forced contacts, the constants of the remaining LCP follow from the velocity `u +
//! W_n c` and the friction bound `mu c`. The LCP keeps its size: the removed rows read `1 >= 0`, so
//! no large number enters the dictionary.

use super::step::StepProblem;
use crate::Real;

impl<R: Real> StepProblem<R> {
    /// The contact velocity `given = u + sum W_n,i c_i` (K), summed over the contacts that are
    /// `forced` (m), with bounds `c` (m).
    pub fn force(&self, forced: &[bool], u: &[R], c: &[R], given: &mut [R]) {
        let k = self.width();
        given.copy_from_slice(u);
        for i in (0..self.contacts).filter(|&i| forced[i]) {
            for j in 0..k {
                given[j] += self.w[j * k + i] * c[i];
            }
        }
    }

    /// Whether `row` belongs to `s` or `ln` of a forced contact.
    fn is_out(&self, forced: &[bool], row: usize) -> bool {
        matches!(self.block(row), (0 | 1, i) if forced[i])
    }

    /// The LCP matrix's `entry` in (row, column), which is 0 in the removed rows and columns.
    pub fn forced_entry(&self, forced: &[bool], entry: R, row: usize, column: usize) -> R {
        if self.is_out(forced, row) || self.is_out(forced, column) { R::ZERO } else { entry }
    }

    /// Entry `row` of the constant vector, with `given` from [`StepProblem::force`].
    pub fn forced_constant(&self, forced: &[bool], given: &[R], c: &[R], row: usize) -> R {
        match self.block(row) {
            (0 | 1, i) if forced[i] => R::ONE,
            (4, i) if forced[i] => self.lcp_entry(row, self.contacts + i) * c[i],
            _ => self.lcp_constant(given, c, row),
        }
    }

    /// [`StepProblem::residual`] with `forced` contacts (m, or empty for none): at these, only
    /// friction counts if `ln = c`.
    #[inline]
    pub fn forced_residual(&self, forced: &[bool], c: &[R], l: &[R], u_plus: &[R]) -> R {
        (0..self.contacts).fold(R::ZERO, |worst, i| {
            let t = self.tangent(i)..self.tangent(i + 1);
            let free = forced.get(i) != Some(&true);
            let un = if free { u_plus[i] } else { Real::min(u_plus[i], R::ZERO) };
            let impulse = (l[i], &l[t.clone()]);
            Real::max(worst, self.contact_residual(i, c[i], impulse, (un, &u_plus[t])))
        })
    }
}
