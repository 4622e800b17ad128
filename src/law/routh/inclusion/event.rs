//! The first event in a plain step: a velocity crosses 0, stored work is used up, a contact stops
//! sliding, or a holding force leaves its bounds.

use super::curve::Curve;
use super::{Integrator, Motion, length};
use carom_core::{Number, Real};

/// Limit of evaluations of the forces per crossing of a bound.
const RESERVE_EVALUATIONS: usize = 8;

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// The first event of a step of length `h` in the lanes of `fits`: the fraction of the step
    /// before it, 1 without an event, and the number of the contact that stops sliding there, or
    /// -1.
    #[inline(always)]
    pub(super) fn first_event<X: Number<Scalar = R>>(
        &self,
        h: X,
        fits: X::Mask,
        motion: &Motion<X>,
    ) -> (X, X) {
        let [m, _, k] = self.shape();
        let [zero, one] = h.numbers([0.0, 1.0]);
        let (mut part, none) = (one, zero - one);
        let mut stops = none;
        let approach = self.approaches(&motion.u);
        for i in 0..m {
            let (from, to) = (motion.u[i], motion.next[i]);
            let landing = zero.like(self.landing(i));
            let under = zero - landing;
            let down = landing.below(from) & to.below(under);
            let up = from.below(under) & landing.below(to);
            let active = fits & zero.below(motion.caps[i]);
            // With Poisson's hypothesis an approach matters even if the contact's rate is 0.
            let crosses = if self.poisson { fits } else { active } & (down | up);
            if X::any(crosses) {
                let at = motion.cubic(i, h).root(crosses);
                let first = crosses & at.below(part);
                (part, stops) = (X::pick(first, at, part), X::pick(first, none, stops));
            }
            let gives = self.restituting(i, approach, from, motion.stored[i]);
            let gives = active & zero.below(motion.first[i]) & gives;
            if X::any(gives) {
                let left = motion.store(i, h, self.poisson);
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

    /// The fraction of a step, in the lanes of `fits`, at which the holding or sticking force of
    /// contact `i` leaves its bounds, by false position as in [`Curve::root`]; 1 if it does not.
    #[inline(always)]
    fn yields<X: Number<Scalar = R>>(&self, i: usize, fits: X::Mask, motion: &Motion<X>) -> X {
        let [zero, half, one] = motion.left.numbers([0.0, 0.5, 1.0]);
        // The decision solver detects a violated bound only after this fraction of a step.
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
        // If the force was at its bound before, a short step follows.
        let inside = least.up_to(x) & x.up_to(one);
        X::pick(leaves, X::pick(inside, x, least), one)
    }

    /// The margin of the forces of contact `i` to their bounds after a fraction `x` of a step, plus
    /// the tolerance of the decision solver; 1 without relevant bounds. Each force is the quadratic
    /// with the given end values and mean.
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

    /// The sliding velocity of contact `i` along its initial direction, times its initial speed,
    /// over a step of length `h`.
    #[inline(always)]
    fn along<X: Number<Scalar = R>>(&self, i: usize, h: X, motion: &Motion<X>) -> Curve<X> {
        let t = self.shape()[0] + 2 * i;
        let x = motion.cubic(t, h).scaled(motion.u[t]);
        x.plus(&motion.cubic(t + 1, h).scaled(motion.u[t + 1]))
    }

    /// Marks in `turns` the contacts that still have transverse slip at the fraction of the step
    /// where they should stop; returns the lanes of `fits` without such a contact.
    #[inline(always)]
    pub(super) fn turn<X: Number<Scalar = R>>(
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
}

impl<X: Number> Motion<X> {
    /// The cubic of row `j` over a step of length `h`, from values and slopes at its ends.
    #[inline(always)]
    pub(super) fn cubic(&self, j: usize, h: X) -> Curve<X> {
        let (from, slope) = (self.u[j], h * self.onset[j]);
        let (rise, last) = (self.next[j] - from, h * self.slope[j]);
        let bend = h.number(3.0) * rise - slope - slope - last;
        Curve([from, slope, bend, slope + last - rise - rise, h.number(0.0)])
    }

    /// The stored work (Poisson: impulse) of contact `i` in restitution, over a step of length `h`.
    #[inline(always)]
    fn store(&self, i: usize, h: X, poisson: bool) -> Curve<X> {
        let [zero, one] = h.numbers([0.0, 1.0]);
        let full = Curve([self.stored[i], zero, zero, zero, zero]);
        let constant = Curve([zero, one, zero, zero, zero]);
        let returned = if poisson { constant } else { self.cubic(i, h).integral() };
        full.plus(&returned.scaled(zero - h * self.first[i]))
    }
}
