//! The phases of an impact: compression and restitution, and where each of them ends.

use super::ImpactState;
use super::state::place::{E, I, V};
use crate::Hypothesis;
use carom_core::Real;

/// Why an arc of an impact was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcEnd {
    /// The motion continues in another arc.
    Length,
    /// The sliding velocity is zero.
    Halt,
    /// The normal velocity rose to zero.
    Compressed,
    /// The normal velocity fell below zero before restitution was over: compression begins again.
    Recompressed,
    /// Restitution is over, and so is the impact.
    Over,
    /// No event ever ends the arc.
    Never,
}

/// Where and how an arc was left.
#[derive(Clone, Copy, Debug)]
pub struct Leave<R> {
    /// The arc's parameter there.
    pub at: R,
    /// The reason.
    pub why: ArcEnd,
    /// The state there.
    pub state: ImpactState<R>,
    /// By how much the arc violates the differential equation there.
    pub defect: R,
}

/// A compression, or a restitution.
#[derive(Clone, Copy, Debug)]
pub struct Phase<R> {
    hypothesis: Hypothesis,
    /// Whether it is a compression.
    pub compressing: bool,
    /// The amount that restitution has to return: work, impulse, or the velocity to reach.
    owed: R,
    /// Normal impulse at the beginning of the phase.
    from: R,
}

impl<R: Real> Phase<R> {
    /// The amount that restitution still has to return at a state.
    pub fn left(&self, state: &ImpactState<R>) -> R {
        match self.hypothesis {
            Hypothesis::Stronge => self.owed + state[E],
            Hypothesis::Poisson => self.owed - (state[I] - self.from),
            Hypothesis::Newton => self.owed - state[V],
        }
    }

    /// The derivative of [`Phase::left`], from those of the normal impulse and of the normal
    /// velocity.
    pub fn left_slope(&self, state: &ImpactState<R>, [impulse, velocity]: [R; 2]) -> R {
        match self.hypothesis {
            Hypothesis::Stronge => -state[V] * impulse,
            Hypothesis::Poisson => -impulse,
            Hypothesis::Newton => -velocity,
        }
    }

    /// The normal impulse until restitution is over, if the normal velocity keeps its derivative
    /// `rise`; negative if it is over already.
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

/// The phase under way, and totals of the phases before.
#[derive(Clone, Debug)]
pub struct Phases<R> {
    /// The phase under way.
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

    /// Ends a compression. Returns whether restitution has nothing to return, so that the impact is
    /// over.
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

    /// Ends a restitution before it is complete, because compression begins again.
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

    /// By how much the end of the impact violates the law of restitution.
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
