use std::any::Any;
use std::fmt;

use super::{FrictionMode, Hold, InclusionJudge, InclusionState};
use carom_core::{Number, Real, StepProblem};

/// The motion of samples with K rows between decisions, one sample per lane.
#[derive(Clone, Debug)]
pub struct Motion<X: Number> {
    /// `W` (K,K), symmetric; its reduction by the rows at rest; and the forces in the rows at rest
    /// per unit force in each row, column by column (K,K).
    pub(super) w: Vec<X>,
    pub(super) reduced: Vec<X>,
    pub(super) reaction: Vec<X>,
    /// 1 for contacts that are held, that slide while held, that stick (m each); 1 in lanes with
    /// such contacts.
    pub(super) held: Vec<X>,
    pub(super) skids: Vec<X>,
    pub(super) sticks: Vec<X>,
    pub(super) holds: X,
    /// The version of `reduced` and `reaction` in each lane; 0 without rows at rest.
    versions: Vec<u64>,
    /// Friction, restitution, [`top`](super::given::top), and normal impulse bound per length of
    /// each contact (m each).
    pub(super) mu: Vec<X>,
    pub(super) e: Vec<X>,
    pub(super) tops: Vec<X>,
    pub(super) caps: Vec<X>,
    /// 1 where a contact slides (m).
    pub(super) slides: Vec<X>,
    /// 1 for a contact that will turn before it stops (m).
    pub(super) turns: Vec<X>,
    /// Stored work, or stored impulse (m).
    pub(super) stored: Vec<X>,
    /// Contact velocity and total impulse (K).
    pub(super) u: Vec<X>,
    pub(super) total: Vec<X>,
    /// Forces and accelerations at the beginning of a step, and accelerations by normal forces (K).
    pub(super) first: Vec<X>,
    pub(super) onset: Vec<X>,
    pub(super) push: Vec<X>,
    /// Remaining length of the block; step length allowed by the error, relative to the settling
    /// time of sliding.
    pub(super) left: X,
    pub(super) ratio: X,
    /// Number of consecutive steps cut early by a holding force that left its bounds.
    pub(super) stalls: X,
    /// 1 in lanes with a sample.
    pub(super) live: X,
    /// Mean forces of a step, velocity after it, forces and accelerations at its end (K), and means
    /// of `u_n` (m).
    pub(super) mean: Vec<X>,
    pub(super) next: Vec<X>,
    pub(super) force: Vec<X>,
    pub(super) slope: Vec<X>,
    pub(super) travel: Vec<X>,
    /// Velocity of a stage, and the forces of the last stage (K).
    pub(super) stage: Vec<X>,
    pub(super) second: Vec<X>,
    /// 1 for a contact with constant friction until it stops (m).
    pub(super) frozen: Vec<X>,
    /// The residual checks of the impacts.
    pub(super) judge: InclusionJudge<X>,
}

/// The motion for the last instruction set, kept so that it is allocated only once.
#[derive(Default)]
pub(super) struct Kept(Option<Box<dyn Any + Send + Sync>>);

impl Kept {
    /// The kept motion, or a `new` one.
    pub(super) fn get<X: Number + Send + Sync + 'static>(
        &mut self,
        new: impl FnOnce() -> Motion<X>,
    ) -> &mut Motion<X> {
        if !self.0.as_ref().is_some_and(|kept| kept.is::<Motion<X>>()) {
            self.0 = Some(Box::new(new()));
        }
        let kept = self.0.as_mut().and_then(|kept| kept.downcast_mut());
        kept.expect("it has just been set")
    }
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        Kept::default()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl<X: Number> Motion<X> {
    /// The memory for `m` contacts with K = `width` rows, on an instruction set.
    pub(super) fn new(set: X::Set, m: usize, width: usize, poisson: bool) -> Self {
        let zero = X::splat(set, X::Scalar::from_f64(0.0));
        let zeros = |k: usize| vec![zero; k];
        Motion {
            w: zeros(width * width),
            reduced: zeros(width * width),
            reaction: zeros(width * width),
            held: zeros(m),
            skids: zeros(m),
            sticks: zeros(m),
            holds: zero,
            versions: vec![0; X::LANES],
            mu: zeros(m),
            e: zeros(m),
            tops: zeros(m),
            caps: zeros(m),
            slides: zeros(m),
            turns: zeros(m),
            stored: zeros(m),
            u: zeros(width),
            total: zeros(width),
            first: zeros(width),
            onset: zeros(width),
            push: zeros(width),
            left: zero,
            ratio: zero,
            stalls: zero,
            live: zero,
            mean: zeros(width),
            next: zeros(width),
            force: zeros(width),
            slope: zeros(width),
            travel: zeros(m),
            stage: zeros(width),
            second: zeros(width),
            frozen: zeros(m),
            judge: InclusionJudge::new(zero, m, width, poisson),
        }
    }

    /// Copies the matrix of `step` to a lane.
    pub(super) fn take_matrix(&mut self, lane: usize, step: &StepProblem<X::Scalar>) {
        self.w.iter_mut().zip(&step.w).for_each(|(to, w)| to.set_lane(lane, *w));
        self.release(lane);
    }

    /// Releases all rows of a lane.
    fn release(&mut self, lane: usize) {
        let zero = X::Scalar::from_f64(0.0);
        self.reduced.iter_mut().zip(&self.w).for_each(|(to, w)| to.set_lane(lane, w.lane(lane)));
        let flags = self.held.iter_mut().chain(&mut self.skids).chain(&mut self.sticks);
        flags.chain(&mut self.reaction).for_each(|to| to.set_lane(lane, zero));
        self.holds.set_lane(lane, zero);
        self.versions[lane] = 0;
    }

    /// Holds the rows at rest of a lane.
    fn hold(&mut self, lane: usize, hold: &Hold<X::Scalar>) {
        let [zero, one] = [0.0, 1.0].map(X::Scalar::from_f64);
        if self.versions[lane] != hold.version {
            self.versions[lane] = hold.version;
            self.reduced.iter_mut().zip(&hold.w).for_each(|(to, w)| to.set_lane(lane, *w));
            self.reaction.iter_mut().zip(&hold.reaction).for_each(|(to, x)| to.set_lane(lane, *x));
        }
        let flags = self.held.iter_mut().zip(&hold.normal);
        let flags = flags.chain(self.skids.iter_mut().zip(&hold.skids));
        for (to, flag) in flags.chain(self.sticks.iter_mut().zip(&hold.sticks)) {
            to.set_lane(lane, if *flag { one } else { zero });
        }
        self.holds.set_lane(lane, one);
    }

    /// Loads the sample of `state`, with known forces, into a lane.
    pub(super) fn take(&mut self, lane: usize, state: &InclusionState<X::Scalar>) {
        let rows = |from: &[X::Scalar], to: &mut [X]| {
            to.iter_mut().zip(from).for_each(|(to, from)| to.set_lane(lane, *from));
        };
        let [zero, one] = [0.0, 1.0].map(X::Scalar::from_f64);
        rows(&state.mu, &mut self.mu);
        rows(&state.e, &mut self.e);
        rows(&state.tops, &mut self.tops);
        rows(&state.caps, &mut self.caps);
        rows(&state.stored, &mut self.stored);
        rows(&state.u, &mut self.u);
        rows(&state.total, &mut self.total);
        rows(&state.first, &mut self.first);
        rows(&state.onset, &mut self.onset);
        for i in 0..state.mu.len() {
            let slides = state.balance.friction_mode[i] == FrictionMode::Slides;
            self.slides[i].set_lane(lane, if slides { one } else { zero });
            self.turns[i].set_lane(lane, zero);
        }
        if state.hold.any {
            self.hold(lane, &state.hold);
        } else if self.holds.lane(lane) > zero {
            self.release(lane);
        }
        self.left.set_lane(lane, state.left);
        self.ratio.set_lane(lane, state.ratio);
        self.stalls.set_lane(lane, state.stalls);
        self.live.set_lane(lane, one);
        self.judge.take(lane, &state.judge);
    }

    /// Stores the sample of a lane to `state`.
    pub(super) fn give(&self, lane: usize, state: &mut InclusionState<X::Scalar>) {
        let rows = |from: &[X], to: &mut [X::Scalar]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.lane(lane));
        };
        rows(&self.stored, &mut state.stored);
        rows(&self.u, &mut state.u);
        rows(&self.total, &mut state.total);
        rows(&self.force, &mut state.balance.l);
        state.left = self.left.lane(lane);
        state.ratio = self.ratio.lane(lane);
        state.stalls = self.stalls.lane(lane);
        self.judge.give(lane, &mut state.judge);
    }

    /// Empties a lane.
    pub(super) fn rest(&mut self, lane: usize) {
        self.live.set_lane(lane, X::Scalar::from_f64(0.0));
    }
}
