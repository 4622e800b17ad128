//! The constant data of the integration of a sample, and the classification of contacts.

use super::given::{set_sideways, shape};
use super::{FrictionMode, Given, InclusionState, NormalMode, Tolerances, length, sideways};
use crate::sampling::restitution::negligible;
use carom_core::{Number, Real, StepProblem};

/// The inclusion of one sample with `M` spatial contacts; `M = 0`: any contacts.
#[derive(Clone, Copy, Debug)]
pub struct Integrator<'a, R, const M: usize> {
    /// The step problem, with one axis (planar) or two axes (spatial) per contact.
    pub step: &'a StepProblem<R>,
    /// Thresholds (m), negative: contact i approaches while its normal velocity is below `rest[i]`.
    pub rest: &'a [R],
    /// Whether contacts store impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// Tolerances.
    pub tolerances: Tolerances<R>,
    /// Whether every stage of a step solves for the forces at contacts at rest.
    pub sure: bool,
}

/// Smallest block length, relative to the impulse that stops sliding at a contact.
pub const SLIDING: f64 = 1.0 / 64.0;

/// The largest absolute entry of a difference.
pub(super) fn apart<R: Real>(a: &[R], b: &[R]) -> R {
    a.iter().zip(b).fold(R::ZERO, |most, (a, b)| Real::max(most, (*a - *b).abs()))
}

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// The numbers of contacts and rows: see [`shape`].
    #[inline(always)]
    pub(super) fn shape(&self) -> [usize; 3] {
        shape::<R, M>(self.step)
    }

    /// The entries of `x` (K) in the tangent rows of contact `i`; a planar contact has 0 in the
    /// second.
    #[inline(always)]
    pub(super) fn sideways(&self, x: &[R], i: usize) -> [R; 2] {
        let [m, axes, _] = self.shape();
        sideways(x, m + axes * i, axes)
    }

    /// Sets the entries of `x` (K) in the tangent rows of contact `i`.
    #[inline(always)]
    pub(super) fn set_sideways(&self, x: &mut [R], i: usize, to: [R; 2]) {
        let [m, axes, _] = self.shape();
        set_sideways(x, m + axes * i, axes, to);
    }

    /// Size of the normal velocity of contact `i` below which it counts as zero.
    pub(super) fn landing(&self, i: usize) -> R {
        R::ZERO - self.rest[i] * self.tolerances.landing
    }

    /// The stored work (Poisson: impulse) of contact `i` that counts as 0 at normal velocity `u`;
    /// `w`: `W_nn`.
    #[inline(always)]
    pub(super) fn empty<X: Number<Scalar = R>>(&self, i: usize, u: X, w: X) -> X {
        negligible(u, u.like(self.landing(i)), self.poisson) / w
    }

    /// Whether a contact approaches at contact velocity `u` (K).
    #[inline(always)]
    pub(super) fn approaches<X: Number<Scalar = R>>(&self, u: &[X]) -> X::Mask {
        let mut any = u[0].below(u[0]);
        for (rest, u) in self.rest.iter().zip(u) {
            any = any | u.below(u.like(*rest));
        }
        any
    }

    /// Whether the impact has ended: no contact approaches, and nothing is stored.
    pub(super) fn over(&self, state: &InclusionState<R>) -> bool {
        !self.approaches(&state.u) && state.stored.iter().all(|stored| *stored == R::ZERO)
    }

    /// Whether contact `i` with normal velocity `u` and stored work or impulse `stored` is
    /// restituting, unless other contacts hold it. With Poisson's hypothesis no contact may
    /// `approach`.
    #[inline(always)]
    pub(super) fn restituting<X: Number<Scalar = R>>(
        &self,
        i: usize,
        approach: X::Mask,
        u: X,
        stored: X,
    ) -> X::Mask {
        let zero = u.number(0.0);
        let comes_back = zero.below(stored) & (zero - u.like(self.landing(i))).up_to(u);
        if self.poisson { comes_back & !approach } else { comes_back }
    }

    /// Whether Poisson's hypothesis forbids restitution now: a contact approaches, or would.
    pub(super) fn waits(&self, state: &InclusionState<R>) -> bool {
        state.waits || self.approaches(&state.u)
    }

    /// Determines modes and forces at velocity `u`; leaves the forces in `first` and the
    /// accelerations in `onset`. Returns whether forces are found.
    pub(super) fn grasp(&self, state: &mut InclusionState<R>) -> bool {
        state.waits = false;
        let found = self.grasp_once(state);
        if !(found && self.poisson && self.presses(state)) {
            return found;
        }
        // No restitution until the next draw of rates.
        state.waits = true;
        state.before.fill(R::ZERO);
        self.grasp_once(state)
    }

    /// Whether, with Poisson's hypothesis, restitution would make another contact approach within
    /// the block. A contact held by less than its bound stays at rest, up to rounding.
    fn presses(&self, state: &InclusionState<R>) -> bool {
        let approach = self.approaches(&state.u);
        let mut contacts = 0..self.shape()[0];
        contacts.clone().any(|i| {
            state.first[i] > R::ZERO && self.restituting(i, approach, state.u[i], state.stored[i])
        }) && contacts.any(|i| {
            let (u, landing) = (state.u[i], self.landing(i));
            let yields = u.abs() <= landing && state.first[i] >= state.caps[i];
            yields && u + state.left * state.onset[i] < R::ZERO - landing
        })
    }

    /// [`Integrator::grasp`], for a known `waits`.
    fn grasp_once(&self, state: &mut InclusionState<R>) -> bool {
        let [m, ..] = self.shape();
        let approach = self.waits(state);
        for i in 0..m {
            let (u, landing) = (state.u[i], self.landing(i));
            let normal = match u {
                _ if state.caps[i] <= R::ZERO => NormalMode::Off,
                u if u < R::ZERO - landing => NormalMode::Full,
                _ if self.restituting(i, approach, u, state.stored[i]) => NormalMode::Full,
                u if u > landing => NormalMode::Off,
                _ => NormalMode::Free,
            };
            let slip = self.sideways(&state.u, i);
            let speed = length(slip);
            let friction_mode = match normal {
                NormalMode::Off => FrictionMode::Smooth,
                _ if state.mu[i] <= R::ZERO || state.tops[i] <= R::ZERO => FrictionMode::Smooth,
                _ if speed > self.tolerances.halt => FrictionMode::Slides,
                _ => FrictionMode::Held,
            };
            state.balance.normal_mode[i] = normal;
            state.balance.friction_mode[i] = friction_mode;
            if friction_mode == FrictionMode::Slides {
                self.set_sideways(&mut state.balance.way, i, slip.map(|x| R::ZERO - x / speed));
            }
        }
        state.balance.bias.fill(R::ZERO);
        let found = self.forces(state);
        state.first.copy_from_slice(&state.balance.l);
        state.onset.copy_from_slice(&state.balance.slope);
        found
    }

    /// Solves for the forces described by `balance`; returns whether they are found.
    #[inline(always)]
    pub(super) fn forces(&self, state: &mut InclusionState<R>) -> bool {
        let InclusionState { balance, mu, caps, tops, spent, .. } = state;
        let given =
            Given::<R, M> { step: self.step, mu, caps, tops, tolerance: self.tolerances.balance };
        balance.solve(given, spent)
    }

    /// The length of a block, in units of impulse, at contact velocity `u` (K), with friction `mu`
    /// (m) and [`top`](super::given::top) of each contact (m): the impulse that stops a contact, or
    /// a fraction of the impulse that stops sliding, if this is larger.
    pub(super) fn block_length(&self, [u, mu, tops]: [&[R]; 3]) -> R {
        let [m, axes, k] = self.shape();
        let stops = |w: R, sigma: R, u: R| if w > R::ZERO { u / (w * sigma) } else { R::ZERO };
        let mut longest = R::ZERO;
        for i in 0..m {
            let normal = stops(self.step.w[i * k + i], self.step.sigma[i], R::ZERO - u[i]);
            longest = Real::max(longest, normal);
            if mu[i] > R::ZERO {
                let sigma = self.step.sigma[m + axes * i];
                let sliding = stops(tops[i], sigma, length(self.sideways(u, i)));
                longest = Real::max(longest, sliding * R::from_f64(SLIDING));
            }
        }
        longest
    }
}
