//! The planar law from event to event, sampled.

use std::sync::Arc;

use super::check::EventsJudge;
use super::maps::size;
use super::segment::{Segment, largest};
use crate::sampling::restitution::{first_root, landing};
use crate::{Ending, Hypothesis, Routh};
use carom_core::draws::inertia::{Drawn, UncertainInertia};
use carom_core::{
    ContactProblem, ContactSpace, Error, Lemke, Numbers, Rates, Real, Result, Status, StepProblem,
    Stop, Stream, stopped,
};

/// Limit of segments per block; the block then ends early, and new rates are drawn.
pub const SEGMENTS_OF_BLOCK: u32 = 200;

/// Number of consecutive segments that form a spiral (Zeno behaviour), if together they advance by
/// less than [`STANDSTILL`] of a block.
pub const SPIRAL: u32 = 16;

/// Fraction of a block below which the segments of a [`SPIRAL`] count as no advance.
pub const STANDSTILL: f64 = 1e-9;

/// Zeno guard: velocities up to the first number are set to 0; the threshold grows tenfold per
/// spiral, up to the second number.
pub const SPIRAL_VELOCITIES: [f64; 2] = [1e-10, 1e-6];

/// Growth of the block length: number of blocks before the first doubling, number of blocks between
/// doublings.
pub const LENGTHEN: [u32; 2] = [64, 8];

/// Limit of the doublings of a block: rounding errors of its impulses grow with its length.
pub const DOUBLINGS: u32 = 10;

/// Fraction of stored work above which a contact at rest throughout a block counts as held; it then
/// loses its stored work.
pub const HELD: f64 = 0.999;

/// The planar set-valued Routh law without a time step, inelastic or with Stronge's coefficients of
/// restitution.
///
/// A block is an interval of constant impulse rates: the normal impulse of contact `i` over a block
/// is at most `c_i`. Within a block the law is piecewise linear: over a [`Segment`], forces are
/// constant and velocities change linearly, until a component of velocity reaches 0. The mode of
/// its contact is then determined again. The impact ends when no contact approaches: when every
/// `u_n >= 0`, or when no contact approaches faster than the rest threshold and forces hold the
/// approaching contacts.
///
/// With restitution, a contact stores `e^2` times the work of its compression, and returns the
/// stored work at its full rate once it no longer approaches (it is *restituting*). A [`Segment`]
/// also ends when stored work is used up; this event is the root of a quadratic equation. A contact
/// that friction holds at `u_n = 0` throughout a block loses its stored work.
///
/// Deviations from exact arithmetic: a component that reaches 0 is set to 0. Where infinitely many
/// events follow each other (Zeno behaviour, as on a stack of disks), velocities below 1e-10, at
/// last 1e-6, are set to 0 together; this ends the impact only if the forces then press no contact
/// into approach. If a segment has several solutions, one is drawn uniformly among solutions with
/// different accelerations. With more than three contacts and more than 49 combinations of modes,
/// [`Segment::walk`] finds one solution by principal pivoting, and Lemke's method if pivoting
/// fails.
///
/// Source: the law of \[HP23\] Sec. 3.2, (37) to (40); Algorithm 1 is a discretisation of this law.
#[derive(Clone, Debug)]
pub struct Events<R> {
    /// The problem's contact space; its step limit counts segments.
    pub space: ContactSpace<R>,
    /// The length of a block and its rates.
    pub rates: Rates<R>,
    /// Friction, Stronge's coefficients of restitution, and noise.
    pub numbers: Numbers<R>,
    /// The parts of the mass matrix, if inertia is uncertain.
    pub inertia: Option<Arc<UncertainInertia>>,
}

/// The memory of a sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub struct EventsWorkspace<R: Real> {
    /// Dimensionless total impulse (2m) of the last sample.
    pub total: Vec<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few segments.
    pub stop: Stop,
    /// The drawn inertia, if inertia is uncertain.
    pub drawn: Option<Drawn>,
    /// The step problem with the sample's drawn friction and inertia.
    pub(super) step: StepProblem<R>,
    /// The sample's velocity before the impact (2m), and its coefficients of restitution (m).
    pub start: Vec<R>,
    e: Vec<R>,
    /// Contact velocity (2m), impulse bounds of the block and of the segment (m).
    pub(super) u: Vec<R>,
    pub(super) caps: Vec<R>,
    allowed: Vec<R>,
    /// Whether each contact may change its mode (m): true where a velocity has just reached 0, and
    /// for all contacts at the start of a block.
    pub(super) free: Vec<bool>,
    /// Forces and accelerations of the segment (2m).
    pub(super) l: Vec<R>,
    pub(super) du: Vec<R>,
    /// Stored work of restitution (m); its value at the start of the block, for contacts at rest
    /// since then.
    pub(super) stored: Vec<R>,
    before: Vec<R>,
    /// The forces of a segment, and the work budget of the sample.
    pub segment: Segment<R>,
    judge: EventsJudge<R>,
    /// For Lemke's method: velocities (2m), unknowns, covering vector (N).
    pub(super) far: Vec<R>,
    pub(super) z: Vec<R>,
    pub(super) covering: Vec<R>,
    pub(super) lemke: Lemke<R>,
}

/// The progress of a block.
struct Block<R> {
    /// Fraction of the block completed.
    passed: R,
    /// Completed fraction at the start of the last [`SPIRAL`] segments.
    mark: R,
    /// Velocities up to this size are set to 0 in the next spiral.
    still: R,
    /// Whether the Zeno guard has just set to 0 the normal velocity of an approaching contact.
    stilled: bool,
}

impl<R: Real> Events<R> {
    /// Checks that the process applies to a problem, and prepares the data common to all samples.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        law.require_blocks()?;
        if problem.tangents_per_contact() > 1 {
            let what = "the event process is for planar problems; this one is spatial";
            return Err(Error::input(what)
                .at("tangent")
                .hint("take the inclusion, --process inclusion, or steps with --facets K"));
        }
        if problem.bounces() && law.hypothesis() != Hypothesis::Stronge {
            return Err(Error::usage("the event process has Stronge's coefficient of restitution")
                .at("hypothesis")
                .hint("leave it out, or take --process inclusion"));
        }
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, None);
        let numbers = Numbers::new(problem, &scaling).cast();
        let mut process = Events {
            space: ContactSpace::new(&step, scaling, law.segments())?,
            numbers,
            inertia: UncertainInertia::new(problem).map(Arc::new),
            rates: Rates::of_blocks(problem.contact_count(), law.length(), law.sampler()),
        };
        process.approach(problem)?;
        Ok(process)
    }

    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians and friction of the prepared problem. Allocates if there is noise.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.space.approach(problem, usize::MAX);
        self.rates.approach(problem, &self.space)?;
        self.numbers.disturb(problem, &self.space.scaling);
        Ok(())
    }

    /// A workspace for [`Events::sample`].
    pub fn workspace(&self) -> EventsWorkspace<R> {
        let step = &self.space.step;
        let (m, k, n) = (step.contacts, step.width(), step.lcp_size());
        let zeros = |n: usize| vec![R::ZERO; n];
        EventsWorkspace {
            total: zeros(k),
            stop: None,
            step: step.clone(),
            drawn: self.inertia.as_ref().map(|inertia| inertia.room()),
            start: self.space.start.clone(),
            e: zeros(m),
            u: zeros(k),
            caps: zeros(m),
            allowed: zeros(m),
            free: vec![true; m],
            l: zeros(k),
            du: zeros(k),
            segment: Segment::new(m, self.space.max_steps),
            judge: EventsJudge::new(m),
            stored: zeros(m),
            before: zeros(m),
            far: zeros(k),
            z: zeros(n),
            covering: vec![R::ONE; n],
            lemke: Lemke::new(n),
        }
    }

    /// Computes one sample and writes its total impulse to `work.total`. The steps of the result
    /// are segments; the residual is computed by [`EventsJudge`]. With more than three contacts a
    /// sample ends with [`Status::Budget`] after the work of a
    /// [`Budget`](carom_core::budget::Budget); with fewer contacts, the limit on segments bounds
    /// the work.
    pub fn sample(&self, stream: &Stream, work: &mut EventsWorkspace<R>) -> Ending<R> {
        let observe = |_: &[R], _: &[R]| {};
        // Each copy of this code makes the download of the web page larger.
        let small = cfg!(target_family = "wasm");
        match self.space.step.contacts {
            2 if !small || R::EPSILON > f64::EPSILON => self.run::<2>(stream, work, observe),
            _ if small => self.sample_observed(stream, work, observe),
            1 => self.run::<1>(stream, work, observe),
            3 => self.run::<3>(stream, work, observe),
            5 => self.run::<5>(stream, work, observe),
            _ => self.run::<0>(stream, work, observe),
        }
    }

    /// As [`Events::sample`]; calls `observe` with the normal impulse bounds (m) and the impulse
    /// (2m) of each segment. Slower: its code is for any number of contacts.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut EventsWorkspace<R>,
        mut observe: impl FnMut(&[R], &[R]),
    ) -> Ending<R> {
        let observe: &mut dyn FnMut(&[R], &[R]) = &mut observe;
        self.run::<0>(stream, work, observe)
    }

    /// Computes one sample of a problem with `M` contacts; `M = 0`: any number.
    fn run<const M: usize>(
        &self,
        stream: &Stream,
        work: &mut EventsWorkspace<R>,
        mut observe: impl FnMut(&[R], &[R]),
    ) -> Ending<R> {
        work.total.fill(R::ZERO);
        self.begin(stream, work);
        let mut segments = 0;
        let mut status = None;
        for block in 0.. {
            if let Some(status) = status {
                let over = status == Status::Terminated;
                let residual = if over { work.judge.end() } else { work.judge.residual };
                return Ending { status, steps: segments, residual };
            }
            self.draw(stream, block, work);
            self.rest(work);
            work.judge.block();
            status = self.block::<M>(stream, &mut segments, work, &mut observe);
            self.forfeit(work);
        }
        unreachable!("blocks end with a status")
    }

    /// Begins a sample, and draws its uncertain numbers.
    fn begin(&self, stream: &Stream, work: &mut EventsWorkspace<R>) {
        let EventsWorkspace { step, drawn, start, e, u, stored, judge, segment, .. } = work;
        self.numbers.draw(&self.space.start, stream, [&mut step.mu, e], start);
        if let (Some(inertia), Some(drawn)) = (&self.inertia, &mut *drawn) {
            inertia.draw(stream, drawn);
            drawn.contact_space(&self.space.scaling, step);
        }
        if drawn.is_some() || self.numbers.mu.iter().any(|[_, width]| *width > R::ZERO) {
            segment.maps.clear();
        }
        segment.begin();
        u.copy_from_slice(start);
        stored.fill(R::ZERO);
        judge.begin(start, e);
    }

    /// Records restituting contacts at rest at the start of a block.
    fn rest(&self, work: &mut EventsWorkspace<R>) {
        for i in 0..work.stored.len() {
            let rests = work.caps[i] > R::ZERO && work.u[i].abs() <= landing(self.space.rest[i]);
            work.before[i] = if rests { work.stored[i] } else { R::ZERO };
        }
    }

    /// Clears the stored work of contacts at rest throughout the block: friction or other contacts
    /// hold them.
    fn forfeit(&self, work: &mut EventsWorkspace<R>) {
        let EventsWorkspace { stored, before, judge, u, .. } = work;
        for i in 0..stored.len() {
            let landing = landing(self.space.rest[i]);
            let held = stored[i] >= before[i] * R::from_f64(HELD) || stored[i] <= landing * landing;
            if before[i] > R::ZERO && stored[i] > R::ZERO && u[i].abs() <= landing && held {
                stored[i] = R::ZERO;
                judge.forfeit(i);
            }
        }
    }

    /// Draws the impulse bounds of a block.
    fn draw(&self, stream: &Stream, block: u32, work: &mut EventsWorkspace<R>) {
        self.rates.draw_caps(stream, block, &work.u, &self.space.rest, &mut work.caps);
        let [first, every] = LENGTHEN;
        let doublings = (block + every).saturating_sub(first) / every;
        let length = R::from_f64(f64::from(doublings.min(DOUBLINGS)).exp2());
        work.caps.iter_mut().for_each(|cap| *cap = *cap * length);
        work.free.fill(true);
    }

    /// Computes a block; returns the status of the sample if it has ended.
    #[inline(always)]
    fn block<const M: usize>(
        &self,
        stream: &Stream,
        segments: &mut u32,
        work: &mut EventsWorkspace<R>,
        observe: &mut impl FnMut(&[R], &[R]),
    ) -> Option<Status> {
        let still = Real::max(R::from_f64(SPIRAL_VELOCITIES[0]), R::from_f64(8.0 * R::EPSILON));
        let mut block = Block { passed: R::ZERO, mark: R::ZERO, still, stilled: false };
        for number in 1..=SEGMENTS_OF_BLOCK {
            let over = work.is_over();
            if over && !block.stilled {
                return Some(Status::Terminated);
            }
            if *segments == self.space.max_steps || stopped(&work.stop) {
                return Some(Status::StepLimit);
            }
            if !self.solve::<M>(stream, *segments, work) {
                return Some(match stopped(&work.stop) {
                    true => Status::StepLimit,
                    false if work.segment.budget.is_over() => Status::Budget,
                    false => Status::Unsolved,
                });
            }
            if self.stays(work) {
                let wedged = work.u.iter().take(work.caps.len()).any(|u| *u < -R::CONDITION);
                return Some(if wedged { Status::Unsolved } else { Status::Terminated });
            }
            block.stilled = false;
            *segments += 1;
            let length = self.advance::<M>(R::ONE - block.passed, work);
            block.passed += length;
            let EventsWorkspace { step, judge, caps, allowed, l, total, .. } = work;
            for (allowed, cap) in allowed.iter_mut().zip(caps) {
                *allowed = *cap * length;
            }
            for (l, total) in l.iter_mut().zip(total) {
                *l = *l * length;
                *total += *l;
            }
            judge.segment::<M>(step, allowed, l);
            observe(allowed, l);
            if !l.iter().all(|l| l.is_finite()) {
                return Some(Status::NotFinite);
            }
            if block.passed >= R::ONE {
                return None;
            }
            if number % SPIRAL == 0 {
                block.leave_spiral(work);
            }
        }
        None
    }

    /// Advances the velocity to the first event, by at most `left`; returns the advance. Components
    /// that reach 0 are then exactly 0.
    #[inline(always)]
    fn advance<const M: usize>(&self, left: R, work: &mut EventsWorkspace<R>) -> R {
        let m = size::<M>(self.space.step.contacts);
        let EventsWorkspace { u, du, l, e, free, stored, before, segment, .. } = work;
        let (u, du, l) = (&mut u[..2 * m], &du[..2 * m], &l[..2 * m]);
        let (free, stored, restituting, e) =
            (&mut free[..m], &mut stored[..m], &segment.restituting[..m], &e[..m]);
        free.fill(false);
        // The slip direction matters only under load.
        let matters = |row: usize| row < m || l[row - m] > R::ZERO;
        let mut length = left;
        // Signs are compared because a product may underflow.
        let opposed = |a: R, b: R| a > R::ZERO && b < R::ZERO || a < R::ZERO && b > R::ZERO;
        for row in 0..2 * m {
            if matters(row) && opposed(u[row], du[row]) {
                length = Real::min(length, -u[row] / du[row]);
            }
        }
        let empties = |i: usize, stored: R| match restituting[i] && l[i] > R::ZERO {
            true => first_root(du[i], u[i], stored / l[i]),
            false => R::HUGE,
        };
        for i in 0..m {
            length = Real::min(length, empties(i, stored[i]));
        }
        for i in 0..m {
            let empty = empties(i, stored[i]) <= length;
            free[i] |= empty;
            let given = l[i] * length * (u[i] + R::from_f64(0.5) * du[i] * length);
            stored[i] = match given {
                _ if empty => R::ZERO,
                given if given < R::ZERO => stored[i] - e[i] * e[i] * given,
                given => Real::max(stored[i] - given, R::ZERO),
            };
        }
        for row in 0..2 * m {
            let after = u[row] + du[row] * length;
            let reached = opposed(u[row], du[row])
                && (-u[row] / du[row] <= length || after == R::ZERO || opposed(after, u[row]));
            let event = matters(row) && reached;
            free[row % m] |= event;
            u[row] = if event { R::ZERO } else { after };
        }
        for i in 0..m {
            if u[i].abs() > landing(self.space.rest[i]) {
                before[i] = R::ZERO;
            }
        }
        length
    }

    /// Whether the sample has come to rest: no stored work, no contact approaches faster than the
    /// rest threshold, and the forces press no contact into approach. If a contact approaches, the
    /// forces must change no velocity at all. If its approach is more than rounding, contacts wedge
    /// each other so closely that this precision cannot tell how the impact continues.
    fn stays(&self, work: &EventsWorkspace<R>) -> bool {
        let EventsWorkspace { u, du, l, caps, stored, .. } = work;
        let small = || R::CONDITION * largest(l);
        let still = || du.iter().all(|du| du.abs() <= small());
        let held = |i: usize| u[i] >= self.space.rest[i] && caps[i] > R::ZERO && still();
        let leaves = |i: usize| u[i] > R::ZERO || u[i] == R::ZERO && du[i] >= R::ZERO;
        (0..caps.len()).all(|i| stored[i] == R::ZERO && (leaves(i) || held(i)))
    }
}

impl<R: Real> Block<R> {
    /// Zeno guard: if the last segments have not advanced, sets small velocities to 0, and clears
    /// stored work that could return only such velocities.
    fn leave_spiral(&mut self, work: &mut EventsWorkspace<R>) {
        let least = R::from_f64(STANDSTILL.max(64.0 * R::EPSILON));
        if self.passed - self.mark < least {
            let m = work.stored.len();
            self.stilled = work.u[..m].iter().any(|u| *u < R::ZERO && u.abs() <= self.still);
            work.u.iter_mut().filter(|u| u.abs() <= self.still).for_each(|u| *u = R::ZERO);
            let empty = self.still * self.still;
            let stored = work.stored.iter_mut().filter(|stored| **stored <= empty);
            stored.for_each(|stored| *stored = R::ZERO);
            work.free.fill(true);
            let most = R::from_f64(SPIRAL_VELOCITIES[1].max(64.0 * R::EPSILON));
            self.still = Real::min(self.still * R::from_f64(10.0), most);
        }
        self.mark = self.passed;
    }
}

impl<R: Real> EventsWorkspace<R> {
    /// Whether no contact approaches and no work is stored.
    fn is_over(&self) -> bool {
        self.u.iter().zip(&self.stored).all(|(u, stored)| *u >= R::ZERO && *stored == R::ZERO)
    }
}
