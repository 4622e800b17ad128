//! Contacts that other forces hold or that stick while others slide: the forces that keep them at
//! rest follow from the friction of those that slide, as long as they stay in their cones.
//!
//! With rows `E` that stay at rest and all others `S`, the accelerations are
//!
//! ```text
//! u_S' = (W_SS - W_SE W_EE^-1 W_ES) l_S,   u_E' = 0,   l_E = l_E0 - W_EE^-1 W_ES (l_S - l_S0)
//! ```
//!
//! One contact may also slide while its normal is held: the plain step solves for its force.
//!
//! Where `W_EE` is singular, as at redundant contacts, forces of dependent rows stay as they are.
//! Source: the sweep operator, A. E. Beaton: The use of special matrix operators in statistical
//! calculus. Educational Testing Service RB-64-51 (1964).

use super::{Balance, FrictionMode, length, sideways};
use carom_core::{Real, StepProblem};

/// The least change of a normal velocity by a normal force and the friction that follows from it,
/// over that without friction, where plain steps solve for the force.
const LEAST_RESISTANCE: f64 = 1e-3;

/// Friction is near its bound where it could grow by at most this part of the bound.
const NEAR: f64 = 1e-3;

/// The rows of a sample that stay at rest between decisions.
#[derive(Clone, Debug)]
pub struct Hold<R> {
    /// Whether contacts rest.
    pub(super) any: bool,
    /// Whether the matrices are those of the problem, and how often they have been computed.
    current: bool,
    pub(super) version: u64,
    /// Whether the normal of each contact is held, whether the contact slides meanwhile, and
    /// whether it sticks (m).
    pub(super) normal: Vec<bool>,
    pub(super) skids: Vec<bool>,
    pub(super) sticks: Vec<bool>,
    /// The matrix of the accelerations, with zeros in the rows and columns that stay at rest (K,K).
    pub(super) w: Vec<R>,
    /// The forces in rows that stay at rest by a unit of each force: column by column (K,K).
    pub(super) reaction: Vec<R>,
    /// Rows that stay at rest, those of contacts whose friction is near its bound, and those that
    /// are swept (K), and the matrix that is.
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

    /// Forgets the matrices, as `W` has changed.
    pub(super) fn forget(&mut self) {
        self.current = false;
    }

    /// Prepares the rows of `balance` that stay at rest, with friction `mu` (m); spatial problems
    /// only. Where contacts are redundant, forces near their bounds are the last to change.
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

    /// Solves row `p` of `matrix` for its unknown and puts that into the other rows.
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

/// Whether contact forces follow from sliding: no contact begins to slide, and at most one slides
/// that is held, where a larger force holds it more, so that there is one such force.
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
