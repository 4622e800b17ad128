//! The phases of an impact, compression and restitution, and the end of each.

use super::ImpactState;
use super::state::place::{E, I, V};
use crate::Hypothesis;
use carom_core::Real;

/// The reason for the end of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcEnd {
    /// The motion continues in another arc.
    Length,
    /// The sliding velocity is zero.
    Halt,
    /// The normal velocity rose to zero.
    Compressed,
    /// The normal velocity fell below zero before the end of restitution: compression begins again.
    Recompressed,
    /// Restitution, and with it the impact, has ended.
    Over,
    /// No event ever ends the arc.
    Never,
}

/// The end of an arc.
#[derive(Clone, Copy, Debug)]
pub struct Leave<R> {
    /// The parameter of the arc at its end.
    pub at: R,
    /// The reason.
    pub why: ArcEnd,
    /// The state at the end.
    pub state: ImpactState<R>,
    /// The violation of the differential equation at the end.
    pub defect: R,
}

/// A phase: compression or restitution.
#[derive(Clone, Copy, Debug)]
pub struct Phase<R> {
    hypothesis: Hypothesis,
    /// Whether it is a compression.
    pub compressing: bool,
    /// Stored work, stored impulse, or the final velocity, by hypothesis.
    owed: R,
    /// Normal impulse at the beginning of the phase.
    from: R,
}

impl<R: Real> Phase<R> {
    /// The remaining stored work, stored impulse, or velocity gap at a state.
    pub fn left(&self, state: &ImpactState<R>) -> R {
        match self.hypothesis {
            Hypothesis::Stronge => self.owed + state[E],
            Hypothesis::Poisson => self.owed - (state[I] - self.from),
            Hypothesis::Newton => self.owed - state[V],
        }
    }

    /// The derivative of [`Phase::left`], from the derivatives of normal impulse and normal
    /// velocity.
    pub fn left_slope(&self, state: &ImpactState<R>, [impulse, velocity]: [R; 2]) -> R {
        match self.hypothesis {
            Hypothesis::Stronge => -state[V] * impulse,
            Hypothesis::Poisson => -impulse,
            Hypothesis::Newton => -velocity,
        }
    }

    /// The normal impulse until the end of restitution, for a constant derivative `rise` of the
    /// normal velocity; negative after the end.
    pub fn ahead(&self, state: &ImpactState<R>, rise: R) -> R {
        let (v, left) = (state[V], self.left(state));
        match self.hypothesis {
            Hypothesis::Stronge => {
                // left - v t - rise t^2/2 = 0
                let root = v * v + (left + left) * rise;
                let below = v + root.max(R::ZERO).sqrt();
                if root < R::ZERO || below <= R::ZERO { R::HUGE } else { (left + left) / below }
            }
            Hypothesis::Poisson => left,
            Hypothesis::Newton if rise > R::ZERO => left / rise,
            Hypothesis::Newton if left <= R::ZERO => R::ZERO,
            Hypothesis::Newton => R::HUGE,
        }
    }
}

/// The current phase, and totals of the phases before.
#[derive(Clone, Debug)]
pub struct Phases<R> {
    /// The current phase.
    pub phase: Phase<R>,
    /// Coefficient of restitution.
    e: R,
    /// Normal velocity before the impact.
    approach: R,
    /// Normal impulse of the compressions.
    compression: R,
    /// Work of compression, work returned by restitution.
    pub work: [R; 2],
}

impl<R: Real> Phases<R> {
    /// The first compression of an impact that begins with the normal velocity `approach`.
    pub fn new(hypothesis: Hypothesis, e: R, approach: R) -> Self {
        let phase = Phase { hypothesis, compressing: true, owed: R::ZERO, from: R::ZERO };
        Phases { phase, e, approach, compression: R::ZERO, work: [R::ZERO; 2] }
    }

    /// Ends a compression. Returns whether nothing is stored, so that the impact has ended.
    pub fn restitute(&mut self, state: &ImpactState<R>) -> bool {
        let (e, Phase { hypothesis, owed, from, .. }) = (self.e, self.phase);
        self.work[0] += state[E];
        self.compression += state[I] - from;
        let owed = match hypothesis {
            Hypothesis::Stronge => owed + e * e * state[E],
            Hypothesis::Poisson => owed + e * (state[I] - from),
            Hypothesis::Newton => -e * self.approach,
        };
        self.phase = Phase { hypothesis, compressing: false, owed, from: state[I] };
        owed <= R::ZERO
    }

    /// Ends an incomplete restitution, because compression begins again.
    pub fn compress(&mut self, state: &ImpactState<R>) {
        let Phase { hypothesis, owed, .. } = self.phase;
        self.work[1] += -state[E];
        let owed = match hypothesis {
            Hypothesis::Stronge | Hypothesis::Poisson => self.phase.left(state).max(R::ZERO),
            Hypothesis::Newton => owed,
        };
        self.phase = Phase { hypothesis, compressing: true, owed, from: state[I] };
    }

    /// Ends the last restitution.
    pub fn end(&mut self, state: &ImpactState<R>) {
        self.work[1] += -state[E];
    }

    /// The violation of the law of restitution at the end of the impact.
    pub fn violation(&self, state: &ImpactState<R>) -> R {
        let (e, [compression, restitution]) = (self.e, self.work);
        let off = match self.phase.hypothesis {
            Hypothesis::Stronge => restitution - e * e * compression,
            Hypothesis::Poisson => state[I] - (R::ONE + e) * self.compression,
            Hypothesis::Newton => state[V] + e * self.approach,
        };
        off.abs()
    }
}
