//! A plain step: an explicit step of fourth order while the modes of contacts determine all forces,
//! cut at the first event. All lanes take their steps together.
//!
//! Source: W. Kutta: Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen.
//! Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453, the rule of fourth order. Deviations:
//! the force at the end, which the next step needs, gives a companion of third order; between its
//! ends a step is the cubic that has their velocities and slopes, and ends where that meets an
//! event; a contact that stops before sliding has turned by the tolerance has a constant force. The
//! weights are positive, so that the mean of forces in a circular cone lies in the cone; where a
//! step is cut it does up to the error of the cubic.

use super::check::Judged;
use super::curve::Curve;
use super::given::{against, length};
use super::hold::is_smooth;
use super::integrator::Integrator;
use super::motion::Motion;
use super::state::InclusionState;
use super::store::{Passage, restituting};
use super::substep::PART;
use crate::law::restitution::first_root;
use crate::real::Real;
use crate::vectors::Number;

/// A step aims at the next event times this: the cubic then finds the event, and no step is
/// repeated.
pub const AIM: f64 = 1.01;

/// A step that may stop a contact is at most this part of the time until then; where the force is
/// constant meanwhile, and where sliding turns.
pub const UNTIL_STOP: [f64; 2] = [1.25, 0.8];

/// Longest step over the time in which sliding settles, where the rule is stable up to 2.78.
pub const LONGEST: f64 = 2.0;

/// The error of a step is to be below the tolerance over this, as events amplify errors: with 1 the
/// worst of 40 samples of a cube on a face was off by 1.2 times the accuracy.
pub const CAUTION: f64 = 3.0;

/// As [`CAUTION`], where contacts rest: the forces that hold them amplify errors.
pub const HELD_CAUTION: f64 = 10.0;

/// A contact between others at rest is stopped where its block of `W` has at least this part of the
/// determinant that it has without them.
pub const FREE_PART: f64 = 1e-2;

/// Evaluations of the forces where one leaves its bounds.
const RESERVE_EVALUATIONS: usize = 8;

/// After so many steps one after the other that are cut to less than this part of them, where a
/// force that holds a contact leaves its bounds, another kind of step goes on.
const STALLS: (f64, f64) = (2.0, 1e-2);

/// What is known before a step.
struct Outlook<X> {
    /// The longest step.
    most: X,
    /// The shortest time in which its own friction would stop a contact that turns.
    settles: X,
}

/// What a trial of a plain step has done.
pub(super) struct Tried<X: Number> {
    /// The length of the step, 0 where its error was too large.
    pub length: X,
    /// Lanes that have taken the step.
    pub done: u32,
    /// Lanes after whose step forces have to be decided again.
    pub ended: u32,
}

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Whether the next step is plain: some contact slides in space, and modes determine all
    /// forces, which are not stiff, up to those that hold contacts at rest. With Poisson's
    /// hypothesis modes may change without an event.
    pub(super) fn is_plain(&self, state: &InclusionState<R>) -> bool {
        !self.poisson
            && !self.straight(state)
            && state.ratio <= R::from_f64(PART)
            && (state.balance.decided
                || !self.sure
                    && state.stalls < R::from_f64(STALLS.0)
                    && is_smooth(self.step, &state.mu, &state.balance))
    }

    /// Operations of a trial.
    pub(super) fn plain_operations(&self) -> u64 {
        let [m, _, k] = self.shape();
        ((3 * 2 * m + 3 * k) * 2 * m) as u64
    }

    /// Tries a step in every lane: goes on from `u` by at most `left`, with forces that are known
    /// in `first` and accelerations in `onset`. Where the error is too large, only the next trial
    /// is shorter.
    #[inline(always)]
    pub(super) fn plain<X: Number<Scalar = R>>(&self, motion: &mut Motion<X>) -> Tried<X> {
        let [m, _, k] = self.shape();
        let zero = motion.left.number(0.0);
        let [one, most_ratio] = zero.numbers([1.0, PART]);
        let Outlook { most, settles } = self.outlook(motion);
        let wanted = motion.ratio.smaller(zero.number(LONGEST)) * settles;
        let h = motion.left.smaller(most).smaller(wanted);
        let holds = zero.below(motion.holds);
        let caution = X::pick(holds, zero.number(HELD_CAUTION), zero.number(CAUTION));
        let error = caution * self.runge_kutta(h, motion);
        let growth = error.larger(zero.number(1e-4)).square_root().square_root();
        let growth = zero.number(0.85) / growth;
        let live = zero.below(motion.live);
        let fits = live & error.up_to(one);
        let relative = h / settles;
        let [least, most, least_next, most_next] = zero.numbers([0.1, 0.7, 0.3, 5.0]);
        let shorter = relative * growth.larger(least).smaller(most);
        motion.ratio = X::pick(live & !fits, shorter, motion.ratio);
        if !X::any(fits) {
            return Tried { length: zero, done: 0, ended: 0 };
        }
        let (part, stops) = self.first_event(h, fits, motion);
        let done = self.turn(h, part, stops, fits, motion);
        let kept = relative * growth.larger(least_next).smaller(most_next);
        // A step that something else cuts short tells little.
        let kept = X::pick(h.below(wanted), kept.larger(motion.ratio), kept);
        motion.ratio = X::pick(done, kept, motion.ratio);
        let short =
            zero.below(motion.holds) & stops.below(zero) & part.below(zero.number(STALLS.1));
        let again = X::pick(short, motion.stalls + one, zero);
        motion.stalls = X::pick(done, again, motion.stalls);
        let event = self.finish(h, part, stops, done, motion);
        let length = X::pick(done, part * h, zero);
        motion.left = motion.left - length;
        self.settle_lanes(length, done, motion);
        // Sums are not finite if a number is not.
        let (u, total) = (&motion.u[..k], &motion.total[..k]);
        let mut sum = zero;
        for j in 0..k {
            sum = sum + (u[j].magnitude() + total[j].magnitude());
        }
        let mut over = sum.finite();
        for i in 0..m {
            let rest = zero.like(self.rest[i]);
            over = over & rest.up_to(motion.u[i]) & motion.stored[i].up_to(zero);
        }
        let ended = event
            | over
            | !sum.finite()
            | motion.left.up_to(zero)
            | !motion.ratio.up_to(most_ratio);
        Tried { length, done: X::bits(done), ended: X::bits(done & ended) }
    }

    /// Marks the contacts that stop before they have turned, in `frozen`.
    #[inline(always)]
    fn outlook<X: Number<Scalar = R>>(&self, motion: &mut Motion<X>) -> Outlook<X> {
        let [m, _, k] = self.shape();
        let Motion {
            reduced,
            stage,
            u,
            onset,
            first,
            frozen,
            turns,
            mu,
            tops,
            caps,
            stored,
            slides,
            held,
            holds,
            ..
        } = motion;
        let holds = u[0].number(0.0).below(*holds);
        let (u, onset, first, stage) = (&u[..k], &onset[..k], &first[..k], &mut stage[..k]);
        let zero = u[0].number(0.0);
        let [one, two, aim] = zero.numbers([1.0, 2.0, AIM]);
        let [until_frozen, until_turning] = zero.numbers(UNTIL_STOP);
        let error = zero.like(self.tolerances.error);
        let (mut most, mut settles) = (zero.like(R::HUGE), zero.like(R::HUGE));
        // The change of friction as sliding turns is left in `stage`.
        for i in 0..m {
            let t = m + 2 * i;
            let size = mu[i] * first[i];
            let sliding = zero.below(slides[i]) & zero.below(size);
            let ([x, y], [p, q]) = ([u[t], u[t + 1]], [onset[t], onset[t + 1]]);
            let speed = length([x, y]);
            let closing = zero - (x * p + y * q) / speed;
            let across = (x * q - y * p) / speed;
            let closes = sliding & zero.below(closing);
            let until = speed / closing;
            let keeps = closes & turns[i].up_to(zero) & (across.magnitude() * until).below(error);
            let part = X::pick(keeps, until_frozen, until_turning);
            most = X::pick(closes, most.smaller(part * until), most);
            frozen[i] = X::pick(keeps, one, zero);
            let turning = sliding & !keeps;
            settles = X::pick(turning, settles.smaller(speed / (size * tops[i])), settles);
            let bend = zero - size * across / (speed * speed);
            stage[t] = X::pick(turning, zero - y * bend, zero);
            stage[t + 1] = X::pick(turning, x * bend, zero);
        }
        for i in 0..m {
            let (u, a, landing) = (u[i], onset[i], zero.like(self.landing(i)));
            let returns = u.up_to(zero) & zero.below(a) | zero.up_to(u) & a.below(zero);
            let returns = returns & zero.below(caps[i]) & landing.below(u.magnitude());
            if X::any(returns) {
                let row = &reduced[i * k..(i + 1) * k];
                let mut b = zero;
                for t in m..k {
                    b = b + row[t] * stage[t];
                }
                let square = a * a - two * b * u;
                let root = square.square_root();
                let sum = X::pick(a.below(zero), a - root, a + root);
                let soonest = most.smaller(aim * (zero - two * u / sum));
                most = X::pick(returns & zero.below(square), soonest, most);
            }
            // A contact that rests leaves, and returns as sliding turns.
            let rests = holds & held[i].up_to(zero) & u.magnitude().up_to(landing);
            let still = rests & zero.below(caps[i]);
            if X::any(still) {
                let row = &reduced[i * k..(i + 1) * k];
                let mut b = zero;
                for t in m..k {
                    b = b + row[t] * stage[t];
                }
                let returns = still & (a * b).below(zero);
                let soonest = most.smaller(aim * (zero - two * a / b));
                most = X::pick(returns, soonest, most);
            }
            let c = first[i];
            let gives = zero.below(c) & restituting(u, stored[i], landing);
            if X::any(gives) {
                let empties = aim * first_root(a, u, stored[i] / c);
                most = X::pick(gives, most.smaller(empties), most);
            }
        }
        Outlook { most, settles }
    }

    /// A step of length `h`: leaves the mean forces in `mean`, the velocity in `next`, the forces
    /// and accelerations at the end in `force` and `slope`. Returns the error, relative to the
    /// tolerance.
    #[inline(always)]
    fn runge_kutta<X: Number<Scalar = R>>(&self, h: X, motion: &mut Motion<X>) -> X {
        let [m, _, k] = self.shape();
        let [zero, half, sixth, one] = h.numbers([0.0, 0.5, 1.0 / 6.0, 1.0]);
        let holds = X::any(zero.below(motion.holds));
        self.push(motion);
        motion.mean[..k].copy_from_slice(&motion.first[..k]);
        motion.slope[..k].copy_from_slice(&motion.onset[..k]);
        motion.force[..m].copy_from_slice(&motion.first[..m]);
        for (part, weight) in [(half, 2.0), (half, 2.0), (one, 1.0)] {
            let step = h * part;
            for j in m..k {
                motion.stage[j] = motion.u[j] + step * motion.slope[j];
            }
            self.slide(motion);
            for j in if holds { 0 } else { m }..k {
                motion.mean[j] = motion.mean[j] + h.number(weight) * motion.force[j];
            }
            self.accelerate(m, motion);
        }
        for j in m..k {
            motion.mean[j] = motion.mean[j] * sixth;
        }
        let Motion { mean, first, reaction, skids, .. } = &mut *motion;
        if holds {
            for i in 0..m {
                mean[i] = X::pick(zero.below(skids[i]), mean[i] * sixth, first[i]);
            }
            self.react(mean, first, reaction);
        }
        // The companion differs by the change of the force from the last stage to the end.
        motion.second[..k].copy_from_slice(&motion.force[..k]);
        motion.force[..k].copy_from_slice(&motion.mean[..k]);
        self.accelerate(0, motion);
        for j in 0..k {
            motion.next[j] = motion.u[j] + h * motion.slope[j];
        }
        if holds {
            for i in 0..m {
                let skids = zero.below(motion.skids[i]);
                motion.next[i] = X::pick(skids, motion.u[i], motion.next[i]);
            }
        }
        motion.stage[..k].copy_from_slice(&motion.next[..k]);
        self.slide(motion);
        self.accelerate(0, motion);
        let Motion { reduced, stage, second, force, u, slides, frozen, .. } = motion;
        let stage = &mut stage[..k];
        stage.fill(zero);
        for t in if holds { 0 } else { m }..k {
            let change = h * sixth * (second[t] - force[t]);
            let column = &reduced[t * k..(t + 1) * k];
            for j in 0..k {
                stage[j] = stage[j] + change * column[j];
            }
        }
        let tolerance = h.like(self.tolerances.error);
        let mut worst = zero;
        for i in 0..m {
            let t = m + 2 * i;
            let turning = zero.below(slides[i]) & frozen[i].up_to(zero);
            let slow = tolerance.smaller(h.number(0.2) * length([u[t], u[t + 1]]));
            let allowed = X::pick(turning, slow, tolerance);
            worst = worst.larger(stage[i].magnitude() / tolerance);
            worst = worst.larger(length([stage[t], stage[t + 1]]) / allowed);
        }
        if holds {
            self.react(&mut motion.force, &motion.first, &motion.reaction);
        }
        worst
    }

    /// Adds to the forces `x` what keeps rows at rest, where friction differs from `first`.
    #[inline(always)]
    fn react<X: Number<Scalar = R>>(&self, x: &mut [X], first: &[X], reaction: &[X]) {
        let [.., k] = self.shape();
        for t in 0..k {
            let change = x[t] - first[t];
            let column = &reaction[t * k..(t + 1) * k];
            for j in 0..k {
                x[j] = x[j] + change * column[j];
            }
        }
    }

    /// Sets the friction in `force` of contacts that slide at the velocity `stage`, and the normal
    /// force of a contact that slides and is held; other forces stay.
    #[inline(always)]
    fn slide<X: Number<Scalar = R>>(&self, motion: &mut Motion<X>) {
        let [m, ..] = self.shape();
        let zero = motion.left.number(0.0);
        for i in 0..m {
            let t = m + 2 * i;
            let friction =
                against(motion.mu[i] * motion.first[i], [motion.stage[t], motion.stage[t + 1]]);
            let (frozen, slides) = (zero.below(motion.frozen[i]), zero.below(motion.slides[i]));
            for axis in 0..2 {
                let kept = X::pick(frozen, motion.first[t + axis], friction[axis]);
                motion.force[t + axis] = X::pick(slides, kept, motion.first[t + axis]);
            }
        }
        if X::any(zero.below(motion.holds)) {
            motion.force[..m].copy_from_slice(&motion.first[..m]);
            for i in 0..m {
                self.hold(i, motion);
            }
        }
    }

    /// Multiplies the forces of contact `i`, if it slides and is held, so that they hold it.
    #[inline(always)]
    fn hold<X: Number<Scalar = R>>(&self, i: usize, motion: &mut Motion<X>) {
        let [m, _, k] = self.shape();
        let Motion { reduced, force, skids, .. } = motion;
        let [zero, one] = skids[i].numbers([0.0, 1.0]);
        let holds = zero.below(skids[i]);
        if !X::any(holds) {
            return;
        }
        let (t, row) = (m + 2 * i, &reduced[i * k..(i + 1) * k]);
        let mut all = zero;
        for j in 0..k {
            all = all + row[j] * force[j];
        }
        let own = row[i] * force[i] + row[t] * force[t] + row[t + 1] * force[t + 1];
        let factor = X::pick(holds, one - all / own, one);
        for j in [i, t, t + 1] {
            force[j] = force[j] * factor;
        }
    }

    /// The part of the accelerations that normal forces cause.
    #[inline(always)]
    fn push<X: Number<Scalar = R>>(&self, motion: &mut Motion<X>) {
        let [m, _, k] = self.shape();
        let Motion { push, first, reduced, .. } = motion;
        let (push, first) = (&mut push[..k], &first[..m]);
        push.fill(first[0].number(0.0));
        for (force, column) in first.iter().zip(reduced.chunks_exact(k)) {
            for j in 0..k {
                push[j] = push[j] + *force * column[j];
            }
        }
    }

    /// The accelerations of rows from `from` on, with the friction in `force`.
    #[inline(always)]
    fn accelerate<X: Number<Scalar = R>>(&self, from: usize, motion: &mut Motion<X>) {
        let [m, _, k] = self.shape();
        let Motion { slope, force, push, reduced, first, holds, .. } = motion;
        let (slope, force, w) = (&mut slope[from..k], &force[..k], &reduced[..k * k]);
        slope.copy_from_slice(&push[from..k]);
        for t in m..k {
            let column = &w[t * k + from..(t + 1) * k];
            for (slope, w) in slope.iter_mut().zip(column) {
                *slope = *slope + force[t] * *w;
            }
        }
        if X::any(force[0].number(0.0).below(*holds)) {
            for i in 0..m {
                let (change, column) = (force[i] - first[i], &w[i * k + from..(i + 1) * k]);
                for (slope, w) in slope.iter_mut().zip(column) {
                    *slope = *slope + change * *w;
                }
            }
        }
    }

    /// The first event after a step of length `h` in the lanes of `fits`: the part of the step
    /// until then, 1 without one, and the number of the contact that stops sliding there, or -1.
    #[inline(always)]
    fn first_event<X: Number<Scalar = R>>(
        &self,
        h: X,
        fits: X::Mask,
        motion: &Motion<X>,
    ) -> (X, X) {
        let [m, _, k] = self.shape();
        let [zero, one] = h.numbers([0.0, 1.0]);
        let (mut part, none) = (one, zero - one);
        let mut stops = none;
        for i in 0..m {
            let (from, to) = (motion.u[i], motion.next[i]);
            let landing = zero.like(self.landing(i));
            let under = zero - landing;
            let down = landing.below(from) & to.below(under);
            let up = from.below(under) & landing.below(to);
            let active = fits & zero.below(motion.caps[i]);
            let crosses = active & (down | up);
            if X::any(crosses) {
                let at = motion.cubic(i, h).root(crosses);
                let first = crosses & at.below(part);
                (part, stops) = (X::pick(first, at, part), X::pick(first, none, stops));
            }
            let gives =
                active & zero.below(motion.first[i]) & restituting(from, motion.stored[i], landing);
            if X::any(gives) {
                let left = motion.store(i, h);
                let empty = self.empty(i, to, motion.w[i * k + i]);
                let empties = gives & left.at(one).below(zero - empty);
                if X::any(empties) {
                    let at = left.root(empties);
                    let first = empties & at.below(part);
                    (part, stops) = (X::pick(first, at, part), X::pick(first, none, stops));
                }
            }
            let frozen = fits & zero.below(motion.frozen[i]);
            if X::any(frozen) {
                let along = self.along(i, h, motion);
                let ends = frozen & along.at(one).below(zero);
                if X::any(ends) {
                    let at = along.root(ends);
                    let first = ends & at.below(part);
                    let this = zero.number(i as f64);
                    (part, stops) = (X::pick(first, at, part), X::pick(first, this, stops));
                }
            }
        }
        if X::any(fits & zero.below(motion.holds)) {
            for i in 0..m {
                let at = self.yields(i, fits, motion);
                let first = at.below(part);
                (part, stops) = (X::pick(first, at, part), X::pick(first, none, stops));
            }
        }
        (part, stops)
    }

    /// The part of a step, in the lanes of `fits`, after which the force that holds contact `i` or
    /// lets it stick leaves its bounds, by false position as in [`Curve::root`]; 1 if it does not.
    #[inline(always)]
    fn yields<X: Number<Scalar = R>>(&self, i: usize, fits: X::Mask, motion: &Motion<X>) -> X {
        let [zero, half, one] = motion.left.numbers([0.0, 0.5, 1.0]);
        // After this part of a step the solver of decisions sees that a force leaves its bounds.
        let least = zero.like(self.tolerances.balance.sqrt());
        let leaves = fits & self.reserve(i, one, motion).below(zero);
        if !X::any(leaves) {
            return one;
        }
        let ([mut a, mut b], mut at_a) = ([zero, one], self.reserve(i, zero, motion));
        let (mut x, mut at_b) = (b, self.reserve(i, one, motion));
        for _ in 0..RESERVE_EVALUATIONS {
            x = (a * at_b - b * at_a) / (at_b - at_a);
            let at_x = self.reserve(i, x, motion);
            let same = at_x.below(zero) & at_b.below(zero) | zero.up_to(at_x) & zero.up_to(at_b);
            (a, at_a) = (X::pick(same, a, b), X::pick(same, at_a * half, at_b));
            (b, at_b) = (x, at_x);
        }
        // Where the force was at its bound already, a short step goes on.
        let inside = least.up_to(x) & x.up_to(one);
        X::pick(leaves, X::pick(inside, x, least), one)
    }

    /// How far the forces of contact `i` are from their bounds after a part `x` of a step, and
    /// beyond them by what the solver of decisions sees; 1 if no bound matters. Forces are the
    /// quadratics that have their values at both ends and their means.
    #[inline(always)]
    fn reserve<X: Number<Scalar = R>>(&self, i: usize, x: X, motion: &Motion<X>) -> X {
        let t = self.shape()[0] + 2 * i;
        let Motion { first, mean, force, mu, caps, .. } = motion;
        let [zero, one, two, three, four, six] = x.numbers([0.0, 1.0, 2.0, 3.0, 4.0, 6.0]);
        let whole = six * x * (one - x);
        let (start, end) = (one - x * (four - three * x), x * (three * x - two));
        let normal = whole * mean[i] + start * first[i] + end * force[i];
        let across = [
            whole * mean[t] + start * first[t] + end * force[t],
            whole * mean[t + 1] + start * first[t + 1] + end * force[t + 1],
        ];
        let slack = x.like(self.tolerances.balance) * x.number(8.0) * caps[i];
        let held = normal.smaller(caps[i] - normal) + slack;
        let sticks = mu[i] * (normal + slack) - length(across);
        let all = X::pick(zero.below(motion.held[i]), held, one);
        X::pick(zero.below(motion.sticks[i]), all.smaller(sticks), all)
    }

    /// The sliding velocity of contact `i` along its direction at the beginning, times its speed
    /// then, over a step of length `h`.
    #[inline(always)]
    fn along<X: Number<Scalar = R>>(&self, i: usize, h: X, motion: &Motion<X>) -> Curve<X> {
        let t = self.shape()[0] + 2 * i;
        let x = motion.cubic(t, h).scaled(motion.u[t]);
        x.plus(&motion.cubic(t + 1, h).scaled(motion.u[t + 1]))
    }

    /// Marks in `turns` the contacts that still slide across their direction where they should stop
    /// after a part of the step; returns the lanes of `fits` without such a contact.
    #[inline(always)]
    fn turn<X: Number<Scalar = R>>(
        &self,
        h: X,
        part: X,
        stops: X,
        fits: X::Mask,
        motion: &mut Motion<X>,
    ) -> X::Mask {
        let [m, ..] = self.shape();
        let [zero, one] = h.numbers([0.0, 1.0]);
        let error = h.like(self.tolerances.error);
        let mut done = fits;
        for i in 0..m {
            let this = h.number(i as f64);
            let stopping = fits & stops.up_to(this) & this.up_to(stops);
            if X::any(stopping) {
                let t = m + 2 * i;
                let across = length([motion.cubic(t, h).at(part), motion.cubic(t + 1, h).at(part)]);
                let aside = stopping & error.below(across);
                motion.turns[i] = X::pick(aside, one, motion.turns[i]);
                done = done & !aside;
            }
        }
        for turns in &mut motion.turns[..m] {
            *turns = X::pick(done, zero, *turns);
        }
        done
    }

    /// Stops what still slides across at contact `i` after a step of length `h`, in the lanes of
    /// `stopping`, by the friction that sliding would have turned to. A contact that slides while its
    /// normal is held stays held, by a normal impulse and the friction that follows from it.
    #[inline(always)]
    fn halt<X: Number<Scalar = R>>(
        &self,
        i: usize,
        h: X,
        stopping: X::Mask,
        motion: &mut Motion<X>,
    ) {
        let [m, _, k] = self.shape();
        let t = m + 2 * i;
        let Motion {
            w: whole,
            reduced: w,
            reaction,
            next,
            mean,
            tops,
            stage,
            force,
            skids,
            holds,
            ..
        } = motion;
        let [zero, one, epsilon] = h.numbers([0.0, 1.0, R::EPSILON]);
        // What a unit of that normal impulse does (in `stage`), and the contact's row of W.
        let (mut own, mut row) = (one, [zero; 2]);
        stage[..k].fill(zero);
        for s in 0..m {
            let holds = stopping & zero.below(skids[s]);
            if X::any(holds) {
                let follows = self.friction_of(s, i, holds, force);
                for j in 0..k {
                    let (n, p) = (w[s * k + j], m + 2 * s);
                    let column = n + follows[0] * w[p * k + j] + follows[1] * w[(p + 1) * k + j];
                    stage[j] = X::pick(holds, column, stage[j]);
                }
                own = X::pick(holds, stage[s], own);
                row[0] = X::pick(holds, w[s * k + t], row[0]);
                row[1] = X::pick(holds, w[s * k + t + 1], row[1]);
            }
        }
        let (over, across) = (stage[t] / own, stage[t + 1] / own);
        let (a, b) = (w[t * k + t] - over * row[0], w[(t + 1) * k + t] - over * row[1]);
        let (c, d) = (w[t * k + t + 1] - across * row[0], w[(t + 1) * k + t + 1] - across * row[1]);
        let ([x, y], top) = ([next[t], next[t + 1]], tops[i]);
        let det = a * d - b * c;
        // Where one direction cannot move, sliding is along the other. Where contacts at rest hardly
        // leave this one free to move, an impulse that stops it would lie far outside its cone.
        let free = whole[t * k + t] * whole[(t + 1) * k + t + 1]
            - whole[t * k + t + 1] * whole[(t + 1) * k + t];
        let least = (epsilon * top * top).larger(h.number(FREE_PART) * free);
        let moves = X::pick(zero.below(*holds), least, epsilon * top * top).below(det);
        let impulse = [
            X::pick(stopping, X::pick(moves, (b * y - d * x) / det, zero - x / top), zero),
            X::pick(stopping, X::pick(moves, (c * x - a * y) / det, zero - y / top), zero),
        ];
        let normal = zero - (row[0] * impulse[0] + row[1] * impulse[1]) / own;
        let time = h.larger(epsilon);
        for j in 0..k {
            next[j] = next[j] + normal * stage[j];
        }
        for s in 0..m {
            let holds = stopping & zero.below(skids[s]);
            if X::any(holds) {
                let (n, p) = (X::pick(holds, normal, zero) / time, m + 2 * s);
                let follows = self.friction_of(s, i, holds, force);
                push_on(mean, reaction, s, n);
                push_on(mean, reaction, p, n * follows[0]);
                push_on(mean, reaction, p + 1, n * follows[1]);
            }
        }
        for axis in 0..2 {
            push_on(mean, reaction, t + axis, impulse[axis] / time);
            let column = &w[(t + axis) * k..(t + axis + 1) * k];
            for j in 0..k {
                next[j] = next[j] + impulse[axis] * column[j];
            }
        }
        for axis in 0..2 {
            next[t + axis] = X::pick(stopping, zero, next[t + axis]);
        }
    }

    /// The friction at contact `s`, in the lanes of `holds`, for a unit of normal force while
    /// contact `i` stops.
    #[inline(always)]
    fn friction_of<X: Number<Scalar = R>>(
        &self,
        s: usize,
        i: usize,
        holds: X::Mask,
        force: &[X],
    ) -> [X; 2] {
        let (p, zero) = (self.shape()[0] + 2 * s, force[s].number(0.0));
        let [a, b] = [force[p] / force[s], force[p + 1] / force[s]];
        if s == i { [zero; 2] } else { [X::pick(holds, a, zero), X::pick(holds, b, zero)] }
    }

    /// Cuts the steps of length `h` to a part of them, where contacts may stop; returns the lanes
    /// with an event. In lanes that are `done` the forces and accelerations at the end of the whole
    /// steps replace those in `first` and `onset`.
    #[inline(always)]
    fn finish<X: Number<Scalar = R>>(
        &self,
        h: X,
        part: X,
        stops: X,
        done: X::Mask,
        motion: &mut Motion<X>,
    ) -> X::Mask {
        let [m, _, k] = self.shape();
        let [zero, half, one, two, three, twelfth] =
            h.numbers([0.0, 0.5, 1.0, 2.0, 3.0, 1.0 / 12.0]);
        let cut = done & part.below(one);
        let mut event = cut;
        let halt = h.like(self.tolerances.halt);
        for i in 0..m {
            let t = m + 2 * i;
            let (from, to) = (motion.u[i], motion.next[i]);
            motion.travel[i] =
                half * (from + to) + h * twelfth * (motion.onset[i] - motion.slope[i]);
            let landing = zero.like(self.landing(i));
            let under = zero - landing;
            let (above, below) = (landing.below(from), from.below(under));
            let (stays_above, stays_below) = (landing.below(to), to.below(under));
            let leaves = above & !stays_above | below & !stays_below;
            let lands = leaves | !above & stays_above | !below & stays_below;
            let stays = length([motion.next[t], motion.next[t + 1]]).up_to(halt);
            let left = motion.stored[i] - h * motion.mean[i] * motion.travel[i];
            let empties = restituting(from, motion.stored[i], landing)
                & left.up_to(self.empty(i, to, motion.w[i * k + i]));
            let ends = lands | zero.below(motion.slides[i]) & stays | empties;
            // A contact that rests without being held has to keep to its side.
            let free = zero.below(motion.holds) & motion.held[i].up_to(zero);
            let pushed = zero.below(motion.first[i]);
            let turns =
                pushed & zero.below(motion.slope[i]) | !pushed & motion.slope[i].below(zero);
            let ends = ends | free & from.magnitude().up_to(landing) & turns;
            event = event | done & zero.below(motion.caps[i]) & ends;
        }
        if X::any(cut) {
            let rest = one - part;
            let [whole, first, last] =
                [part * (three - two * part), rest * rest, zero - part * rest];
            for i in 0..m {
                let way = motion.cubic(i, h).integral().at(part);
                let mean = way / part.larger(h.number(R::EPSILON));
                motion.travel[i] = X::pick(cut, mean, motion.travel[i]);
            }
            for j in 0..k {
                let next = motion.cubic(j, h).at(part);
                motion.next[j] = X::pick(cut, next, motion.next[j]);
            }
            let holds = zero.below(motion.holds);
            for j in if X::any(holds) { 0 } else { m }..k {
                let mean =
                    whole * motion.mean[j] + first * motion.first[j] + last * motion.force[j];
                // Where nothing is held, normal forces are constant.
                let changes = if j < m { cut & holds } else { cut };
                motion.mean[j] = X::pick(changes, mean, motion.mean[j]);
            }
            for i in 0..m {
                let this = h.number(i as f64);
                let stopping = cut & stops.up_to(this) & this.up_to(stops);
                if X::any(stopping) {
                    self.halt(i, part * h, stopping, motion);
                }
            }
        }
        if X::any(done & zero.below(motion.holds)) {
            for i in 0..m {
                self.confine(i, motion);
            }
        }
        for j in 0..k {
            motion.mean[j] = X::pick(done, motion.mean[j], motion.first[j]);
            motion.next[j] = X::pick(done, motion.next[j], motion.u[j]);
            motion.onset[j] = X::pick(done, motion.slope[j], motion.onset[j]);
            motion.first[j] = X::pick(done, motion.force[j], motion.first[j]);
        }
        event
    }

    /// Puts the mean force at contact `i`, if it is held or sticks, into its cone, which it may leave
    /// between redundant contacts. The judge sees by how much.
    #[inline(always)]
    fn confine<X: Number<Scalar = R>>(&self, i: usize, motion: &mut Motion<X>) {
        let t = self.shape()[0] + 2 * i;
        let Motion { mean, mu, caps, held, sticks, .. } = motion;
        let zero = mean[i].number(0.0);
        let holds = zero.below(held[i]) | zero.below(sticks[i]);
        let normal = mean[i].larger(zero).smaller(caps[i]);
        let (most, size) = (mu[i] * normal, length([mean[t], mean[t + 1]]));
        let part = X::pick(holds & most.below(size), most / size, zero.number(1.0));
        mean[i] = X::pick(holds, normal, mean[i]);
        mean[t] = mean[t] * part;
        mean[t + 1] = mean[t + 1] * part;
    }

    /// Applies the results of steps to impulse, reservoirs and velocity, and shows them to the
    /// judge.
    #[inline(always)]
    fn settle_lanes<X: Number<Scalar = R>>(&self, h: X, done: X::Mask, motion: &mut Motion<X>) {
        let [m, _, k] = self.shape();
        let zero = h.number(0.0);
        for j in 0..k {
            motion.total[j] = motion.total[j] + h * motion.mean[j];
        }
        let Motion { judge, w, caps, mean, .. } = &mut *motion;
        judge.substep(Judged { w, shape: self.shape(), h, caps, l: mean });
        for i in 0..m {
            let passage = Passage {
                u: motion.u[i],
                next: motion.next[i],
                landing: zero.like(self.landing(i)),
                stored: motion.stored[i],
                impulse: h * motion.mean[i],
                travel: motion.travel[i],
                e: motion.e[i],
                empty: self.empty(i, motion.next[i], motion.w[i * k + i]),
                poisson: false,
            };
            motion.next[i] = passage.landed();
            let restitutes = restituting(passage.u, passage.stored, passage.landing);
            // A contact that is held stores nothing.
            let pushes = motion.caps[i].up_to(motion.first[i]);
            let content = X::pick(pushes, passage.compressed(), passage.stored);
            let content = X::pick(restitutes, passage.returned(), content);
            motion.stored[i] = X::pick(done, content, motion.stored[i]);
        }
        motion.u[..k].copy_from_slice(&motion.next[..k]);
    }
}

/// Adds a force in row `j` to the `mean` forces (K), with what it adds in the rows at rest.
#[inline(always)]
fn push_on<X: Number>(mean: &mut [X], reaction: &[X], j: usize, force: X) {
    mean[j] = mean[j] + force;
    let k = mean.len();
    for (mean, reaction) in mean.iter_mut().zip(&reaction[j * k..(j + 1) * k]) {
        *mean = *mean + force * *reaction;
    }
}

impl<X: Number> Motion<X> {
    /// The cubic of row `j` over a step of length `h`, by the values and slopes at its ends.
    #[inline(always)]
    fn cubic(&self, j: usize, h: X) -> Curve<X> {
        let (from, slope) = (self.u[j], h * self.onset[j]);
        let (rise, last) = (self.next[j] - from, h * self.slope[j]);
        let bend = h.number(3.0) * rise - slope - slope - last;
        Curve([from, slope, bend, slope + last - rise - rise, h.number(0.0)])
    }

    /// The content of reservoir `i`, from which work is returned, over a step of length `h`.
    #[inline(always)]
    fn store(&self, i: usize, h: X) -> Curve<X> {
        let zero = h.number(0.0);
        let full = Curve([self.stored[i], zero, zero, zero, zero]);
        let returned = self.cubic(i, h).integral();
        full.plus(&returned.scaled(zero - h * self.first[i]))
    }
}
