//! The state of a sample during its integration.

use crate::law::draws::numbers::Numbers;
use crate::real::Real;
use crate::rng::Stream;

/// The state of a sample and the memory in which it is integrated.
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
    /// Contents of the reservoirs (m).
    pub(super) stored: Vec<R>,
    /// Work on the contacts so far.
    pub(super) work: R,
    /// Substeps so far.
    pub(super) substeps: u32,
    pub(super) phase: Vec<Phase>,
    /// Whether friction kept the contact's reservoir from being emptied.
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
    /// Sliding velocities over the length of the substep, which the forces after the substep have to stop (K).
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
    /// There is no friction.
    Free,
    /// Friction opposes the sliding velocity of the stage.
    Slides,
    /// Friction is implicit: it opposes the sliding velocity after the substep, or stops the contact.
    Steers,
    /// The contact sticks: friction opposes the sliding that would begin, as far as it can.
    Held,
}

/// The phase of a contact in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The contact takes no part.
    Waiting,
    /// The contact neither approaches nor separates; it takes part if its own impulse makes it approach.
    Touching,
    /// Compression: the contact approaches, and work is stored.
    Compressing,
    /// Restitution: the contact returns what it has stored.
    Restituting,
}

impl Phase {
    /// Whether the impact is not yet over because of such a contact.
    pub fn engaged(self) -> bool {
        matches!(self, Phase::Compressing | Phase::Restituting)
    }
}

impl<R: Real> InclusionState<R> {
    /// The state of `m` contacts with K = `width` rows.
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

    /// Starts a sample at contact velocity `start` (K), and draws its uncertain numbers.
    pub(super) fn begin(&mut self, start: &[R], numbers: &Numbers<R>, stream: &Stream) {
        numbers.draw(start, stream, [&mut self.mu, &mut self.e], &mut self.start);
        self.u.copy_from_slice(&self.start);
        self.total.fill(R::ZERO);
        self.stored.fill(R::ZERO);
        self.work = R::ZERO;
        self.substeps = 0;
    }
}
