//! A sample: blocks of constant rates, phases of constant modes, decisions between them.

use carom_core::{Purpose, Real, Status, stream};

use crate::array::{add, length, pair};
use crate::contacts::{Contacts, Friction, Normal};
use crate::event::Event;
use crate::range::{Problem, Range, sum};
use crate::rest::Rest;
use crate::settings::{
    BLOCKS, CHECKS, PATIENCE, PIECES, REFUSALS, REFUSED, Settings, TRIALS, WIDER,
};
use crate::slip::{Push, Slip};
use crate::{Impact, Watch};

/// The memory of a sample.
#[derive(Clone, Debug)]
pub struct Sample<R, const P: usize> {
    pub of: Contacts<R>,
    pub rest: Rest<R, P>,
    pub slip: Slip<R, P>,
    /// Velocity in coordinates of the range; contact velocities (K) now and at the end of a step.
    pub y: [R; P],
    pub u: Vec<R>,
    pub next: Vec<R>,
    /// Force in the range of `W` at the start and at the end of a step.
    pub push: [R; P],
    pub end_push: [R; P],
    /// Whether modes have changed since the last assembly.
    pub changed: bool,
    /// Accelerations at the start and at the end of a step (K).
    pub onset: Vec<R>,
    pub ending: Vec<R>,
    /// Forces at the start and at the end of a step, and the impulse of the step (K).
    pub first: Vec<R>,
    pub last: Vec<R>,
    pub mean: Vec<R>,
    /// Impulse that brings rows to rest, added to the next step (K).
    pub kick: Vec<R>,
    /// Impulse of all steps (K).
    pub total: Vec<R>,
    /// Drawn normal forces at which contacts that come to rest start (m).
    pub drawn: Vec<R>,
    /// Stored work of restitution, and its value at the start of the block at contacts that rested
    /// there (m).
    pub stored: Vec<R>,
    pub kept: Vec<R>,
    /// Whether the normal velocity of a contact is zero, and whether its slip is.
    pub rests: Vec<bool>,
    pub still: Vec<bool>,
    /// Whether a decision has given a separating contact a normal force.
    pub pressed: Vec<bool>,
    /// Mean forces of the parts in which a step is judged (K each), number and length of the parts,
    /// and the impulse before a part (K).
    pub pieces: Vec<R>,
    pub count: usize,
    pub length: R,
    pub before: Vec<R>,
    /// The tolerances now, and those before any growth.
    pub set: Settings,
    pub asked: Settings,
    /// Number of decisions in this block whose impulse `kick` was too large.
    pub releases: u32,
    /// Largest possible force of a contact in this block.
    pub most: R,
    /// Remaining length of the block, number of blocks, of steps, of steps at the last growth of
    /// the tolerances, and of termination checks.
    left: R,
    blocks: u32,
    steps: u32,
    since: u32,
    checks: u32,
    /// Step length that the error allows, and whether a phase starts without an estimate.
    wanted: R,
    fresh: bool,
    event: Event,
    /// Number of multiplications.
    pub spent: u64,
}

impl<R: Real, const P: usize> Sample<R, P> {
    pub fn new(m: usize) -> Self {
        let k = 3 * m;
        let zeros = || vec![R::ZERO; k];
        Sample {
            of: Contacts {
                normal: vec![Normal::Off; m],
                friction: vec![Friction::None; m],
                way: vec![[R::ZERO; 2]; m],
                caps: vec![R::ZERO; m],
                l: zeros(),
            },
            rest: Rest::new(k),
            slip: Slip::new(m),
            y: [R::ZERO; P],
            u: zeros(),
            next: zeros(),
            push: [R::ZERO; P],
            end_push: [R::ZERO; P],
            changed: false,
            onset: zeros(),
            ending: zeros(),
            first: zeros(),
            last: zeros(),
            mean: zeros(),
            kick: zeros(),
            total: zeros(),
            drawn: vec![R::ZERO; m],
            stored: vec![R::ZERO; m],
            kept: vec![R::ZERO; m],
            rests: vec![false; m],
            still: vec![false; m],
            pressed: vec![false; m],
            pieces: vec![R::ZERO; PIECES * k],
            count: 0,
            length: R::ZERO,
            before: zeros(),
            set: Settings::default(),
            asked: Settings::default(),
            releases: 0,
            most: R::ONE,
            left: R::ZERO,
            blocks: 0,
            steps: 0,
            since: 0,
            checks: 0,
            wanted: R::ONE,
            fresh: true,
            event: Event::Other,
            spent: 0,
        }
    }

    /// Computes one sample: returns status and number of steps, writes the impulse to `total`.
    pub fn sample(
        &mut self,
        range: &Range<R, P>,
        impact: &Impact<'_, R>,
        total: &mut [R],
        watch: &mut dyn Watch<R>,
    ) -> (Status, u32) {
        let problem = &range.problem(impact);
        let start = self.begin(range, impact);
        let status = loop {
            if self.left <= R::ZERO {
                self.forfeit(problem, watch);
                self.draw(problem, impact);
            }
            if let Some(status) = self.ended(problem, impact, &start) {
                break status;
            }
            if self.steps - self.since > PATIENCE {
                self.since = self.steps;
                self.set = self.set.wider(WIDER);
            }
            let land = R::from_f64(self.set.land);
            let pushed = |i: usize| self.u[i] < -land || self.stored[i] > R::ZERO;
            if !(0..problem.m).any(|i| self.of.caps[i] > R::ZERO && pushed(i)) {
                self.left = R::ZERO;
                continue;
            }
            self.steps += 1;
            let found = match self.event {
                Event::None => self.go_on(problem),
                event => {
                    self.fresh = true;
                    self.decide(problem, event)
                }
            };
            if !(found && self.straighten(problem) && self.advance(problem, watch)) {
                self.crawl(problem, watch);
            }
            if self.left < R::from_f64(1e-12) {
                self.left = R::ZERO;
            }
        };
        self.contain(problem);
        total.copy_from_slice(&self.total);
        (status, self.steps)
    }

    /// Begins a sample; returns the coordinates of the initial velocity.
    fn begin(&mut self, range: &Range<R, P>, impact: &Impact<'_, R>) -> [R; P] {
        let least = impact.rest.iter().fold(f64::MAX, |least, rest| least.min(-rest.to_f64()));
        self.asked = Settings::new(impact.accuracy, least);
        self.y = range.coordinates(impact.start);
        range.problem(impact).velocities(&self.y, &mut self.u);
        self.total.fill(R::ZERO);
        self.kick.fill(R::ZERO);
        self.stored.fill(R::ZERO);
        self.kept.fill(R::ZERO);
        (self.left, self.wanted, self.fresh) = (R::ZERO, R::ONE, true);
        [self.blocks, self.steps, self.checks] = [0; 3];
        self.spent = 0;
        self.y
    }

    /// Projects impulses that errors moved outside their friction cones back onto the cones.
    fn contain(&mut self, problem: &Problem<'_, R, P>) {
        for i in 0..problem.m {
            let t = problem.m + 2 * i;
            self.total[i] = Real::max(self.total[i], R::ZERO);
            let (size, most) = (length(pair(&self.total, t)), problem.mu[i] * self.total[i]);
            if size > most {
                self.total[t..t + 2].iter_mut().for_each(|x| *x = *x * (most / size));
            }
        }
    }

    /// The status with which the sample ends, if it ends now. Where no contact approaches, the
    /// velocity is computed again from the total impulse; it decides, and replaces the integrated
    /// velocity.
    fn ended(
        &mut self,
        problem: &Problem<'_, R, P>,
        impact: &Impact<'_, R>,
        start: &[R; P],
    ) -> Option<Status> {
        let stores = self.stored.iter().any(|stored| *stored > R::ZERO);
        let is_over = |u: &[R]| !stores && u.iter().zip(problem.rest).all(|(u, rest)| u >= rest);
        if !self.y.iter().chain(&self.total).all(|x| x.is_finite()) {
            return Some(Status::NotFinite);
        }
        if is_over(&self.u) {
            self.contain(problem);
            if self.checks == CHECKS {
                return Some(Status::Terminated);
            }
            self.checks += 1;
            let mut y = *start;
            add(&mut y, R::ONE, &sum(problem.rows, &self.total));
            problem.velocities(&y, &mut self.next);
            if is_over(&self.next) {
                return Some(Status::Terminated);
            }
            self.y = y;
            std::mem::swap(&mut self.u, &mut self.next);
            self.event = Event::Other;
        }
        match () {
            () if self.steps >= impact.most_steps || self.blocks > BLOCKS => {
                Some(Status::StepLimit)
            }
            () if (impact.stopped)() => Some(Status::StepLimit),
            () => (self.spent > impact.budget).then_some(Status::Budget),
        }
    }

    /// Draws the impulse bounds of a block, and initial modes and forces for the decision.
    fn draw(&mut self, problem: &Problem<'_, R, P>, impact: &Impact<'_, R>) {
        let (m, block, stream) = (problem.m, self.blocks, impact.stream);
        self.set = self.asked;
        self.releases = 0;
        impact.rates.draw_caps(stream, block, &self.u, problem.rest, &mut self.of.caps);
        let [first, every, most] = impact.lengthen;
        let doublings = ((block + every).saturating_sub(first) / every).min(most);
        let length_of_block = impact.length * R::from_f64(f64::from(doublings).exp2());
        self.most = R::ZERO;
        let [land, halt] = [self.set.land, self.set.halt].map(R::from_f64);
        for i in 0..m {
            let (cap, t) = (self.of.caps[i] * length_of_block, m + 2 * i);
            self.of.caps[i] = cap;
            self.most = Real::max(self.most, cap * (R::ONE + problem.mu[i]));
            self.rests[i] = self.u[i].abs() <= land && self.stored[i] <= R::ZERO;
            self.still[i] = length(pair(&self.u, t)) <= halt;
            let part = stream::index(stream.block(block, Purpose::Solution, i as u32)[0], 3);
            self.drawn[i] = R::from_f64(0.5 * f64::from(part)) * cap;
            self.of.normal[i] = match part {
                _ if cap <= R::ZERO => Normal::Off,
                _ if !self.rests[i] && self.is_pushed(i) => Normal::Full,
                _ if !self.rests[i] => Normal::Off,
                0 => Normal::Off,
                1 => Normal::Held,
                _ => Normal::Full,
            };
            self.of.l[i] = self.drawn[i];
            self.of.l[t..t + 2].fill(R::ZERO);
            self.of.friction[i] = Friction::Stick;
        }
        self.blocks += 1;
        (self.left, self.since, self.event) = (R::ONE, self.steps, Event::Other);
    }

    /// Computes forces (`first`) and accelerations (`onset`) of the modes at the velocity `u`;
    /// false where held contacts cannot be held.
    pub fn forces(&mut self, problem: &Problem<'_, R, P>) -> bool {
        self.slip.slide.start(&self.u);
        let fine = self.slip.slide.pull_first();
        let (push, along) = self.slip.push(&self.slip.slide.first);
        self.of.constant(problem.mu, R::ONE, &mut self.first);
        let slide = &self.slip.slide;
        slide.give(&self.of, &slide.first.friction, &slide.first.change, &mut self.first);
        self.rest.react(&along, &mut self.first);
        problem.velocities(&push, &mut self.onset);
        self.push = push;
        fine
    }

    /// Continues a phase: the step starts with the forces at the end of the last step, unless modes
    /// have changed.
    fn go_on(&mut self, problem: &Problem<'_, R, P>) -> bool {
        if self.changed {
            return self.assemble(problem);
        }
        let slide = &mut self.slip.slide;
        std::mem::swap(&mut slide.first, &mut slide.last);
        std::mem::swap(&mut self.first, &mut self.last);
        std::mem::swap(&mut self.onset, &mut self.ending);
        self.push = self.end_push;
        slide.start(&self.u);
        true
    }

    /// Assembles the equations of motion after a change of modes.
    pub fn assemble(&mut self, problem: &Problem<'_, R, P>) -> bool {
        self.changed = false;
        self.slip.assemble(problem, &self.rest, &self.of);
        self.forces(problem)
    }

    /// Takes a step within the phase; false where its error stays too large.
    fn advance(&mut self, problem: &Problem<'_, R, P>, watch: &mut dyn Watch<R>) -> bool {
        if self.fresh {
            self.wanted = Real::min(R::ONE, self.first_length(problem));
        }
        self.fresh = self.of.friction.contains(&Friction::Bound);
        let limits = [self.wanted, self.start_length(problem), self.straight_length(problem)];
        let mut h = limits.into_iter().fold(self.left, Real::min);
        let tolerance = R::from_f64(self.set.error);
        let growth = |error: R, least: f64, [low, high]: [f64; 2]| {
            let root = Real::max(error, R::from_f64(least)).sqrt().sqrt();
            Real::clamp(R::from_f64(0.85) / root, R::from_f64(low), R::from_f64(high))
        };
        let mut trials = 0;
        let error = loop {
            let error = self.slip.slide.step(h) / tolerance;
            self.spent += self.work(problem);
            if error <= R::ONE {
                break error;
            }
            if trials == TRIALS {
                return false;
            }
            trials += 1;
            h = h * growth(error, 1.0, [0.1, 0.7]);
        };
        let wanted = h * growth(error, 1e-4, [0.3, 6.0]);
        self.wanted = if trials == 0 { Real::max(self.wanted, wanted) } else { wanted };
        let mut tries = 0;
        loop {
            let most = R::from_f64(REFUSED * self.set.snap);
            let most = if tries < REFUSALS { most } else { R::HUGE };
            if let Some((part, event)) = self.finish(problem, h, most, watch) {
                self.left -= part * h;
                self.event = event;
                return true;
            }
            tries += 1;
            h = h * R::from_f64(0.3);
            self.wanted = h;
            if self.slip.slide.step(h) >= R::HUGE {
                tries = REFUSALS;
            }
        }
    }

    /// Approximate number of multiplications of a step.
    fn work(&self, problem: &Problem<'_, R, P>) -> u64 {
        let rows = 2 * self.slip.slide.sliding.len() + self.slip.slide.held.len();
        (8 * rows * rows + 3 * problem.k * P + problem.k * problem.k) as u64
    }

    /// Takes a short step with the forces in `first`, after a decision or a step has failed.
    fn crawl(&mut self, problem: &Problem<'_, R, P>, watch: &mut dyn Watch<R>) {
        let h = Real::min(self.left, R::from_f64(10.0 * self.set.snap) / self.most);
        let push = sum(problem.rows, &self.first);
        for j in 0..problem.k {
            // `y` contains the velocity change of the kick since the decision.
            self.pieces[j] = self.first[j] + self.kick[j] / h;
            self.total[j] += h * self.first[j] + self.kick[j];
        }
        self.kick.fill(R::ZERO);
        add(&mut self.y, h, &push);
        problem.velocities(&self.y, &mut self.next);
        for j in 0..problem.k {
            self.onset[j] = (self.next[j] - self.u[j]) / h;
        }
        self.ending.copy_from_slice(&self.onset);
        self.book(problem, h, R::ONE, Event::Other);
        std::mem::swap(&mut self.u, &mut self.next);
        watch.judge(h, &self.of.caps, &self.pieces[..problem.k]);
        watch.note(h, &self.of.caps, &self.pieces[..problem.k]);
        let [land, halt, snap] = [self.set.land, self.set.halt, self.set.snap].map(R::from_f64);
        for i in 0..problem.m {
            let (u, slip) = (self.u[i].abs(), length(pair(&self.u, problem.m + 2 * i)));
            self.rests[i] = u <= if self.rests[i] { Real::max(snap, land) } else { land }
                && self.stored[i] <= R::ZERO;
            self.still[i] = slip <= if self.still[i] { Real::max(snap, halt) } else { halt };
        }
        self.left -= h;
        self.event = Event::Other;
    }

    /// The impulse of the last step, of length `h`, and the force at its end, in the range of `W`.
    pub fn pushes(&self, h: R) -> [Push<R, P>; 2] {
        [self.slip.pushed(h), self.slip.push(&self.slip.slide.last)]
    }
}
