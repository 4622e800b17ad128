//! The state of a sample under way.

use crate::law::draws::numbers::Numbers;
use crate::real::Real;
use crate::rng::Stream;

/// What a sample needs while it runs.
#[derive(Clone, Debug)]
pub struct InclusionState<R> {
    /// Friction and restitution (m) of this sample, and its contact velocity before the impact (K).
    pub(super) mu: Vec<R>,
    pub(super) e: Vec<R>,
    pub(super) start: Vec<R>,
    /// Contact velocity (K).
    pub u: Vec<R>,
    /// Impulse so far (K).
    pub total: Vec<R>,
    /// Reservoirs (m).
    pub(super) stored: Vec<R>,
    /// Work on the contacts so far.
    pub(super) work: R,
    /// Substeps so far.
    pub(super) substeps: u32,
    pub(super) phase: Vec<Phase>,
    /// Whether a contact could not begin to give back.
    pub(super) jammed: Vec<bool>,
    pub(super) grip: Vec<Grip>,
    /// Normal rates (m), then forces of friction: of this stage, of the first, second and third, and their mean (K).
    pub(super) rate: Vec<R>,
    pub(super) first: Vec<R>,
    pub(super) second: Vec<R>,
    pub(super) third: Vec<R>,
    pub(super) mean: Vec<R>,
    /// `W rate` at the beginning of the substep and of this stage, contact velocities of a stage and after (K).
    pub(super) onset: Vec<R>,
    pub(super) slope: Vec<R>,
    /// What forces after the substep have to stop: sliding velocities over its length (K).
    pub(super) pull: Vec<R>,
    pub(super) stage: Vec<R>,
    pub(super) next: Vec<R>,
    /// Means of `u_n` over a substep (m), and the mean power at the contacts.
    pub(super) travel: Vec<R>,
    pub(super) power: R,
}

/// What friction does during a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// There is none.
    Free,
    /// Opposes the sliding velocity of the stage.
    Slides,
    /// Opposes the sliding velocity after the substep, or halts it.
    Steers,
    /// Opposes the sliding that would begin, as far as it can: the contact does not slide yet.
    Held,
}

/// What a contact does in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Takes no part.
    Waiting,
    /// Neither approaches nor separates, and takes part if its own impulse lets it approach.
    Touching,
    /// Approaches, and stores.
    Compressing,
    /// Gives back what it has stored.
    Restituting,
}

impl Phase {
    /// Whether the impact goes on because of such a contact.
    pub fn engaged(self) -> bool {
        matches!(self, Phase::Compressing | Phase::Restituting)
    }
}

impl<R: Real> InclusionState<R> {
    /// Room for `m` contacts with K = `width` rows.
    pub fn new(m: usize, width: usize) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        let [u, total, rate, first, second] = std::array::from_fn(|_| zeros(width));
        let [third, mean, onset, slope, stage, next] = std::array::from_fn(|_| zeros(width));
        let [start, pull] = std::array::from_fn(|_| zeros(width));
        let [mu, e, stored, travel] = std::array::from_fn(|_| zeros(m));
        let (phase, grip) = (vec![Phase::Waiting; m], vec![Grip::Free; m]);
        let jammed = vec![false; m];
        let [work, power] = [R::ZERO; 2];
        InclusionState {
            mu,
            e,
            start,
            u,
            total,
            stored,
            work,
            substeps: 0,
            phase,
            jammed,
            grip,
            rate,
            first,
            second,
            third,
            mean,
            onset,
            slope,
            pull,
            stage,
            next,
            travel,
            power,
        }
    }

    /// Begins a sample at contact velocity `start` (K), with numbers of its own.
    pub(super) fn begin(&mut self, start: &[R], numbers: &Numbers<R>, stream: &Stream) {
        numbers.draw(start, stream, [&mut self.mu, &mut self.e], &mut self.start);
        self.u.copy_from_slice(&self.start);
        self.total.fill(R::ZERO);
        self.stored.fill(R::ZERO);
        self.work = R::ZERO;
        self.substeps = 0;
    }
}
