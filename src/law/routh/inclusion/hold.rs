//! Active constraints: contacts that are held or stick while others slide. Friction of the sliding
//! contacts determines the forces that keep them at rest, while these forces stay in their cones.
//!
//! With the rows `E` at rest and all others `S`, the accelerations are
//!
//! ```text
//! u_S' = (W_SS - W_SE W_EE^-1 W_ES) l_S,   u_E' = 0,   l_E = l_E0 - W_EE^-1 W_ES (l_S - l_S0)
//! ```
//!
//! One contact may also slide while its normal is held: the plain step solves for its force.
//!
//! In a singular `W_EE` (redundant contacts), forces of dependent rows remain unchanged. Source:
//! the sweep operator, A. E. Beaton: The use of special matrix operators in statistical calculus.
//! Educational Testing Service RB-64-51 (1964).

use super::{Balance, FrictionMode, length, sideways};
use carom_core::{Real, StepProblem};

/// Smallest response of a normal velocity to its normal force with proportional friction, relative
/// to the response without friction, for which plain steps solve for the force.
const LEAST_RESISTANCE: f64 = 1e-3;

/// Friction is near its bound if the remaining margin is at most this fraction of the bound.
const NEAR: f64 = 1e-3;

/// The rows of a sample at rest between decisions: active constraints.
#[derive(Clone, Debug)]
pub struct Hold<R> {
    /// Whether any contact rests.
    pub(super) any: bool,
    /// Whether the matrices belong to the present problem, and how often they have been computed.
    current: bool,
    pub(super) version: u64,
    /// Per contact (m): whether its normal is held, whether it slides while held, whether it
    /// sticks.
    pub(super) normal: Vec<bool>,
    pub(super) skids: Vec<bool>,
    pub(super) sticks: Vec<bool>,
    /// The acceleration matrix, with zeros in the rows and columns at rest (K,K).
    pub(super) w: Vec<R>,
    /// Forces in the rows at rest per unit force in each row: column by column (K,K).
    pub(super) reaction: Vec<R>,
    /// Per row (K): whether it is at rest, whether its friction is near the bound, whether the
    /// sweep operator has pivoted it into `matrix`; and `matrix` itself (K,K).
    at_rest: Vec<bool>,
    near: Vec<bool>,
    swept: Vec<bool>,
    matrix: Vec<R>,
}

impl<R: Real> Hold<R> {
    /// The memory for `m` contacts with K = `width` rows.
    pub(super) fn new(m: usize, width: usize) -> Self {
        Hold {
            any: false,
            current: false,
            version: 0,
            normal: vec![false; m],
            skids: vec![false; m],
            sticks: vec![false; m],
            w: vec![R::ZERO; width * width],
            reaction: vec![R::ZERO; width * width],
            at_rest: vec![false; width],
            near: vec![false; width],
            swept: vec![false; width],
            matrix: vec![R::ZERO; width * width],
        }
    }

    /// Invalidates the matrices after a change of `W`.
    pub(super) fn forget(&mut self) {
        self.current = false;
    }

    /// Prepares the rows at rest in `balance`, with friction `mu` (m); spatial problems only. Among
    /// redundant contacts, forces near their bounds change last.
    pub(super) fn prepare(&mut self, step: &StepProblem<R>, mu: &[R], balance: &Balance<R>) {
        let (m, k) = (step.contacts, step.width());
        self.any = true;
        let mut same = self.current;
        for i in 0..m {
            let (held, sticks) = (balance.is_held(i), balance.sticks(i));
            let skids = held && balance.friction_mode[i] == FrictionMode::Slides;
            (self.normal[i], self.skids[i], self.sticks[i]) = (held, skids, sticks);
            let most = mu[i] * balance.l[i];
            let friction = length(sideways(&balance.l, m + 2 * i, 2));
            let near = sticks && most - friction <= R::from_f64(NEAR) * most;
            let t = m + 2 * i;
            for (j, at_rest) in [(i, held && !skids), (t, sticks), (t + 1, sticks)] {
                same = same && (at_rest, near) == (self.at_rest[j], self.near[j]);
                (self.at_rest[j], self.near[j]) = (at_rest, near);
            }
        }
        if same {
            return;
        }
        self.current = true;
        self.version += 1;
        self.matrix.copy_from_slice(&step.w);
        self.swept.fill(false);
        let mut least = R::ZERO;
        for last in [false, true] {
            loop {
                let (mut best, mut row) = (R::ZERO, k);
                let left = |j: &usize| self.at_rest[*j] && !self.swept[*j] && self.near[*j] == last;
                for j in (0..k).filter(left) {
                    let size = self.matrix[j * k + j];
                    if size > best {
                        (best, row) = (size, j);
                    }
                }
                least = Real::max(least, R::PIVOT * best);
                if row == k || best <= least {
                    break;
                }
                self.sweep(row, k);
            }
        }
        for j in 0..k {
            for i in 0..k {
                let entry = self.matrix[i * k + j];
                let moves = !self.at_rest[i] && !self.at_rest[j];
                self.w[i * k + j] = if moves { entry } else { R::ZERO };
                let reacts = self.swept[i] && !self.at_rest[j];
                self.reaction[j * k + i] = if reacts { R::ZERO - entry } else { R::ZERO };
            }
        }
    }

    /// Sweep operator: solves row `p` of `matrix` for its unknown and substitutes it in the other
    /// rows.
    fn sweep(&mut self, p: usize, k: usize) {
        self.swept[p] = true;
        let pivot = self.matrix[p * k + p];
        for j in 0..k {
            self.matrix[p * k + j] = self.matrix[p * k + j] / pivot;
        }
        for i in (0..k).filter(|&i| i != p) {
            let factor = self.matrix[i * k + p];
            for j in 0..k {
                let other = self.matrix[p * k + j];
                self.matrix[i * k + j] -= factor * other;
            }
            self.matrix[i * k + p] = R::ZERO - factor / pivot;
        }
        self.matrix[p * k + p] = R::ONE / pivot;
    }
}

/// Whether sliding determines the contact forces uniquely: no sliding onset, and at most one
/// sliding contact is held, with a normal velocity that grows with its force.
pub(super) fn is_smooth<R: Real>(step: &StepProblem<R>, mu: &[R], balance: &Balance<R>) -> bool {
    let (m, k) = (step.contacts, step.width());
    let mut skids = 0;
    (0..m).all(|i| {
        let slides = balance.friction_mode[i] == FrictionMode::Slides;
        if slides && balance.is_held(i) {
            let (t, w) = (m + 2 * i, &step.w[i * k..(i + 1) * k]);
            let turned = w[t] * balance.way[t] + w[t + 1] * balance.way[t + 1];
            let least = R::from_f64(LEAST_RESISTANCE) * w[i];
            skids += 1;
            return skids == 1 && w[i] + mu[i] * turned > least && balance.l[i] > R::ZERO;
        }
        !balance.begins(i)
    })
}
