//! The state of a sample during its integration.

use super::tolerances::FIRST_RATIO;
use super::{Balance, Hold, InclusionJudge, given};
use carom_core::{Numbers, Real, StepProblem, Stream};

/// The state of a sample and the memory in which it is integrated.
#[derive(Clone, Debug)]
pub struct InclusionState<R> {
    /// Friction and restitution (m) of this sample, and its contact velocity before the impact (K).
    pub(super) mu: Vec<R>,
    pub(super) e: Vec<R>,
    pub(super) start: Vec<R>,
    /// The larger tangential eigenvalue of each contact, see [`given::top`] (m entries).
    pub(super) tops: Vec<R>,
    /// Contact velocity (K).
    pub u: Vec<R>,
    /// Total impulse (K).
    pub total: Vec<R>,
    /// Stored work, or stored impulse (m); its value at the start of the block, for contacts at
    /// rest since then.
    pub(super) stored: Vec<R>,
    pub(super) before: Vec<R>,
    /// Normal impulse bound of each contact over the block (m).
    pub(super) caps: Vec<R>,
    /// Number of substeps, of truncated blocks, and of operations.
    pub(super) substeps: u32,
    pub(super) cuts: u32,
    pub(super) spent: u64,
    /// Number of termination checks.
    pub(super) checks: u32,
    /// Whether Poisson's restitution waits, as it would make another contact approach.
    pub(super) waits: bool,
    /// Whether a plain step was taken with contacts at rest, or a sample phase by phase; a GPU then
    /// takes other steps.
    pub rested: bool,
    /// Block length before doubling; number of blocks, remaining length of the last one, and
    /// requested length of a substep.
    pub length: R,
    pub(super) blocks: u32,
    pub(super) left: R,
    pub(super) wanted: R,
    /// The modes of the contacts, and the forces.
    pub(super) balance: Balance<R>,
    /// The rows at rest in plain steps.
    pub(super) hold: Hold<R>,
    /// Forces of the first stage; of the second stage, or the first half of an implicit substep;
    /// and mean forces (K).
    pub(super) first: Vec<R>,
    pub(super) second: Vec<R>,
    pub(super) mean: Vec<R>,
    /// Whether the substep consists of two halves, with forces `second` and `balance.l`.
    pub(super) halves: bool,
    /// `u'` at the beginning of the substep; contact velocities of a stage and after the substep
    /// (K).
    pub(super) onset: Vec<R>,
    pub(super) stage: Vec<R>,
    pub(super) next: Vec<R>,
    /// Means of `u_n` over a substep (m).
    pub(super) travel: Vec<R>,
    /// Length of a plain step allowed by its error, relative to the settling time of sliding.
    pub(super) ratio: R,
    /// Number of consecutive plain steps cut early by a holding force that left its bounds.
    pub(super) stalls: R,
    /// The change of sliding direction in the first half of an implicit substep, times the speed
    /// (m).
    pub(super) turned: Vec<R>,
    /// The residual check of the impact.
    pub(super) judge: InclusionJudge<R>,
}

impl<R: Real> InclusionState<R> {
    /// The state for `m` contacts with K = `width` rows; with `poisson`, contacts store impulse.
    pub fn new(m: usize, width: usize, poisson: bool) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        InclusionState {
            mu: zeros(m),
            e: zeros(m),
            start: zeros(width),
            tops: zeros(m),
            u: zeros(width),
            total: zeros(width),
            stored: zeros(m),
            before: zeros(m),
            caps: zeros(m),
            substeps: 0,
            cuts: 0,
            waits: false,
            rested: false,
            spent: 0,
            checks: 0,
            length: R::ONE,
            blocks: 0,
            left: R::ZERO,
            wanted: R::ONE,
            balance: Balance::new(m, width),
            hold: Hold::new(m, width),
            first: zeros(width),
            second: zeros(width),
            mean: zeros(width),
            halves: false,
            onset: zeros(width),
            stage: zeros(width),
            next: zeros(width),
            travel: zeros(m),
            ratio: R::ZERO,
            stalls: R::ZERO,
            turned: zeros(m),
            judge: InclusionJudge::new(R::ZERO, m, width, poisson),
        }
    }

    /// Starts a sample of `step` at contact velocity `start` (K), and draws its uncertain numbers.
    pub(super) fn begin(
        &mut self,
        step: &StepProblem<R>,
        start: &[R],
        numbers: &Numbers<R>,
        stream: &Stream,
    ) {
        numbers.draw(start, stream, [&mut self.mu, &mut self.e], &mut self.start);
        for (i, top) in self.tops.iter_mut().enumerate() {
            *top = given::top(step, i);
        }
        self.u.copy_from_slice(&self.start);
        self.total.fill(R::ZERO);
        self.stored.fill(R::ZERO);
        self.balance.l.fill(R::ZERO);
        self.substeps = 0;
        self.cuts = 0;
        self.waits = false;
        self.rested = false;
        self.spent = 0;
        self.checks = 0;
        self.blocks = 0;
        self.left = R::ZERO;
        self.ratio = R::from_f64(FIRST_RATIO);
        self.stalls = R::ZERO;
        self.judge.begin(&self.start, &self.mu, &self.e);
    }
}
