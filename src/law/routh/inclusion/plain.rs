//! A plain step: an explicit fourth-order step while sliding determines the forces, cut at the
//! first event. Friction elsewhere determines the forces at contacts at rest
//! ([`hold`](super::hold)). All lanes take their steps together.
//!
//! Source: W. Kutta: Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen.
//! Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453, the rule of fourth order. Deviations:
//! the force at the end, which the next step needs, gives an embedded rule of third order. Between
//! its ends a step is the cubic with its end velocities and slopes, and it ends where this cubic
//! meets an event. A contact that stops before its sliding direction has turned by the tolerance
//! has a constant force. All weights are positive, so the mean of forces in a circular cone lies in
//! the cone; in a cut step, up to the error of the cubic.

use super::hold::is_smooth;
use super::substep::PART;
use super::{InclusionState, Integrator, Motion, against, length};
use crate::sampling::restitution::first_root;
use carom_core::{Number, Real};

/// The step length is this multiple of the time to the next event: the cubic then contains the
/// event, and no step is repeated.
pub const AIM: f64 = 1.01;

/// Largest step length that may stop a contact, relative to the time until the stop; with constant
/// force, and with turning sliding direction.
pub const UNTIL_STOP: [f64; 2] = [1.25, 0.8];

/// Largest step length, relative to the settling time of sliding; the rule is stable up to 2.78.
pub const LONGEST: f64 = 2.0;

/// Safety factor of the error: events amplify errors. With the factor 1, the worst of 40 samples of
/// a cube on a face had an error of 1.2 times the accuracy.
pub const CAUTION: f64 = 3.0;

/// As [`CAUTION`], with contacts at rest: the forces that hold them amplify errors.
pub const HELD_CAUTION: f64 = 10.0;

/// A step stalls if a holding force leaves its bounds before this fraction of the step.
const STALL: f64 = 1e-2;

/// Number of consecutive stalled steps after which another kind of step continues.
const MOST_STALLS: f64 = 2.0;

/// Step length limits before a step.
struct Outlook<X> {
    /// Largest step length.
    most: X,
    /// The settling time: the shortest time in which its own friction would stop a turning contact.
    settles: X,
}

/// The result of a trial of a plain step.
pub(super) struct Tried<X: Number> {
    /// The length of the step; 0 if its error was too large.
    pub length: X,
    /// Lanes that have taken the step.
    pub done: u32,
    /// Lanes in which forces must be decided again after the step.
    pub ended: u32,
}

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Whether the next step is plain: a spatial contact slides, and modes determine all forces,
    /// without stiffness, except the forces at contacts at rest. The latter forces do work of
    /// compression only at their bound, but their impulse, which Poisson's hypothesis counts, is
    /// always positive.
    pub(super) fn is_plain(&self, state: &InclusionState<R>) -> bool {
        !self.straight(state)
            && state.ratio <= R::from_f64(PART)
            && (state.balance.decided
                || !self.sure
                    && !self.poisson
                    && state.stalls < R::from_f64(MOST_STALLS)
                    && is_smooth(self.step, &state.mu, &state.balance))
    }

    /// Number of operations of a trial.
    pub(super) fn plain_operations(&self) -> u64 {
        let [m, _, k] = self.shape();
        ((3 * 2 * m + 3 * k) * 2 * m) as u64
    }

    /// Tries a step in every lane: continues from `u` by at most `left`, with known forces in
    /// `first` and accelerations in `onset`. If the error is too large, only the next trial is
    /// shorter.
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
        // A step shortened for another reason says little about the error.
        let kept = X::pick(h.below(wanted), kept.larger(motion.ratio), kept);
        motion.ratio = X::pick(done, kept, motion.ratio);
        let short = zero.below(motion.holds) & stops.below(zero) & part.below(zero.number(STALL));
        let again = X::pick(short, motion.stalls + one, zero);
        motion.stalls = X::pick(done, again, motion.stalls);
        let event = self.finish(h, part, stops, done, motion);
        let length = X::pick(done, part * h, zero);
        motion.left = motion.left - length;
        self.settle_lanes(length, done, motion);
        // A sum is finite only if all its terms are.
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

    /// Computes the step length limits, and marks in `frozen` the contacts that stop before they
    /// turn.
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
        let approach = self.approaches(u);
        let zero = u[0].number(0.0);
        let [one, two, aim] = zero.numbers([1.0, 2.0, AIM]);
        let [until_frozen, until_turning] = zero.numbers(UNTIL_STOP);
        let error = zero.like(self.tolerances.error);
        let (mut most, mut settles) = (zero.like(R::HUGE), zero.like(R::HUGE));
        // `stage` contains the rate of change of friction by turning.
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
            // A contact at rest that separates may return as sliding turns.
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
            let gives = zero.below(c) & self.restituting(i, approach, u, stored[i]);
            if X::any(gives) {
                let left = stored[i] / c;
                let empties = aim * if self.poisson { left } else { first_root(a, u, left) };
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
        let from = self.first_changing(motion);
        self.push(motion);
        motion.mean[..k].copy_from_slice(&motion.first[..k]);
        motion.slope[..k].copy_from_slice(&motion.onset[..k]);
        motion.force[..m].copy_from_slice(&motion.first[..m]);
        for (part, weight) in [(half, 2.0), (half, 2.0), (one, 1.0)] {
            let step = h * part;
            for j in m..k {
                motion.stage[j] = motion.u[j] + step * motion.slope[j];
            }
            self.slide(from, motion);
            for j in from..k {
                motion.mean[j] = motion.mean[j] + h.number(weight) * motion.force[j];
            }
            self.accelerate(m, from, motion);
        }
        for j in m..k {
            motion.mean[j] = motion.mean[j] * sixth;
        }
        let Motion { mean, first, reaction, skids, .. } = &mut *motion;
        for i in from..m {
            mean[i] = X::pick(zero.below(skids[i]), mean[i] * sixth, first[i]);
        }
        if holds {
            self.react(from, mean, first, reaction);
        }
        // The embedded rule uses the force at the end in place of the last stage.
        motion.second[..k].copy_from_slice(&motion.force[..k]);
        motion.force[..k].copy_from_slice(&motion.mean[..k]);
        self.accelerate(0, from, motion);
        for j in 0..k {
            motion.next[j] = motion.u[j] + h * motion.slope[j];
        }
        for i in from..m {
            let skids = zero.below(motion.skids[i]);
            motion.next[i] = X::pick(skids, motion.u[i], motion.next[i]);
        }
        motion.stage[..k].copy_from_slice(&motion.next[..k]);
        self.slide(from, motion);
        self.accelerate(0, from, motion);
        let Motion { reduced, stage, second, force, u, slides, frozen, .. } = motion;
        let stage = &mut stage[..k];
        stage.fill(zero);
        for t in from..k {
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
            self.react(from, &mut motion.force, &motion.first, &motion.reaction);
        }
        worst
    }

    /// The first row whose force changes in a step. The normal force of a held sliding contact
    /// changes; other normal forces change only to keep rows at rest.
    #[inline(always)]
    fn first_changing<X: Number<Scalar = R>>(&self, motion: &Motion<X>) -> usize {
        let zero = motion.left.number(0.0);
        let [m, ..] = self.shape();
        if motion.skids.iter().any(|skids| X::any(zero.below(*skids))) { 0 } else { m }
    }

    /// Adds to the forces `x` the reactions that keep rows at rest, for changes from `first` in the
    /// rows `from` and above.
    #[inline(always)]
    fn react<X: Number<Scalar = R>>(&self, from: usize, x: &mut [X], first: &[X], reaction: &[X]) {
        let [.., k] = self.shape();
        for t in from..k {
            let change = x[t] - first[t];
            let column = &reaction[t * k..(t + 1) * k];
            for j in 0..k {
                x[j] = x[j] + change * column[j];
            }
        }
    }

    /// Sets the friction of sliding contacts at the velocity `stage` in `force`, and the normal
    /// force of a held sliding contact in row `changing` or above; other forces remain.
    #[inline(always)]
    fn slide<X: Number<Scalar = R>>(&self, changing: usize, motion: &mut Motion<X>) {
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
        motion.force[..m].copy_from_slice(&motion.first[..m]);
        for i in changing..m {
            self.hold(i, motion);
        }
    }

    /// Scales the forces of contact `i`, if it slides and is held, so that they hold it.
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

    /// Computes the accelerations by normal forces.
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

    /// Computes the accelerations of rows `from` and above, with the friction in `force`, and with
    /// changed normal forces in rows `changing` and above.
    #[inline(always)]
    fn accelerate<X: Number<Scalar = R>>(
        &self,
        from: usize,
        changing: usize,
        motion: &mut Motion<X>,
    ) {
        let [m, _, k] = self.shape();
        let Motion { slope, force, push, reduced, first, .. } = motion;
        let (slope, force, w) = (&mut slope[from..k], &force[..k], &reduced[..k * k]);
        slope.copy_from_slice(&push[from..k]);
        for t in m..k {
            let column = &w[t * k + from..(t + 1) * k];
            for (slope, w) in slope.iter_mut().zip(column) {
                *slope = *slope + force[t] * *w;
            }
        }
        for i in changing..m {
            let (change, column) = (force[i] - first[i], &w[i * k + from..(i + 1) * k]);
            for (slope, w) in slope.iter_mut().zip(column) {
                *slope = *slope + change * *w;
            }
        }
    }
}
