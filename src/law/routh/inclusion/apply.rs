//! The end of a plain step: the step is cut at its event, a contact that stops there is stopped,
//! and the result is applied.

use super::{Integrator, Judged, Motion, Passage, length};
use carom_core::{Number, Real};

/// A contact among contacts at rest is stopped if the determinant of its reduced block of `W` is at
/// least this fraction of its determinant without the rows at rest.
const FREE_PART: f64 = 1e-2;

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Stops the remaining transverse slip of contact `i` after a step of length `h`, in the lanes
    /// of `stopping`, by an impulse of friction. A held sliding contact remains held, by a normal
    /// impulse and proportional friction.
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
        // The velocity change per unit of this normal impulse (in `stage`), and the row of W of its
        // contact.
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
        // If one direction is immobile, sliding is along the other. If contacts at rest leave this
        // contact almost immobile, an impulse that stops it would lie far outside its cone.
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

    /// The friction per unit of normal force at contact `s`, in the lanes of `holds`, while contact
    /// `i` stops.
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

    /// Cuts the steps of length `h` to the fraction `part`, where contacts may stop; returns the
    /// lanes with an event. In lanes that are `done`, the forces and accelerations at the end of
    /// the whole steps replace `first` and `onset`.
    #[inline(always)]
    pub(super) fn finish<X: Number<Scalar = R>>(
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
        let approach = self.approaches(&motion.u);
        if self.poisson {
            // Stored impulse is returned only while no contact approaches.
            let after = self.approaches(&motion.next);
            event = event | done & (approach & !after | !approach & after);
        }
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
            let passage = self.crossing(i, h, motion);
            let empties = self.restituting(i, approach, from, passage.stored)
                & passage.left().up_to(passage.empty);
            let ends = lands | zero.below(motion.slides[i]) & stays | empties;
            // A contact at rest that is not held must stay on its side.
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
                // Without held contacts, normal forces are constant.
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

    /// Projects the mean force of contact `i`, if it is held or sticks, onto its cone; between
    /// redundant contacts the force may leave the cone. The residual includes the change.
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

    /// Applies the results of steps to impulse, stored work and velocity, and to the residual.
    #[inline(always)]
    pub(super) fn settle_lanes<X: Number<Scalar = R>>(
        &self,
        h: X,
        done: X::Mask,
        motion: &mut Motion<X>,
    ) {
        let [m, _, k] = self.shape();
        let zero = h.number(0.0);
        for j in 0..k {
            motion.total[j] = motion.total[j] + h * motion.mean[j];
        }
        let Motion { judge, w, caps, mean, .. } = &mut *motion;
        judge.substep(Judged { w, shape: self.shape(), h, caps, l: mean });
        let approach = self.approaches(&motion.u);
        for i in 0..m {
            let passage = self.crossing(i, h, motion);
            motion.next[i] = passage.landed();
            let restitutes = self.restituting(i, approach, passage.u, passage.stored);
            let driven = if self.poisson { passage.driven() } else { zero.below(zero) };
            let restitutes = restitutes & !driven;
            // A held contact stores nothing.
            let pushes = motion.caps[i].up_to(motion.first[i]);
            let content = X::pick(pushes, passage.compressed(), passage.stored);
            let content = X::pick(restitutes, passage.returned(), content);
            motion.stored[i] = X::pick(done, content, motion.stored[i]);
        }
        motion.u[..k].copy_from_slice(&motion.next[..k]);
    }

    /// The passage of contact `i` over a step of length `h`.
    #[inline(always)]
    fn crossing<X: Number<Scalar = R>>(&self, i: usize, h: X, motion: &Motion<X>) -> Passage<X> {
        let [.., k] = self.shape();
        Passage {
            u: motion.u[i],
            next: motion.next[i],
            landing: h.like(self.landing(i)),
            stored: motion.stored[i],
            impulse: h * motion.mean[i],
            travel: motion.travel[i],
            e: motion.e[i],
            empty: self.empty(i, motion.next[i], motion.w[i * k + i]),
            poisson: self.poisson,
        }
    }
}

/// Adds a force in row `j`, and its reactions in the rows at rest, to the `mean` forces (K).
#[inline(always)]
fn push_on<X: Number>(mean: &mut [X], reaction: &[X], j: usize, force: X) {
    mean[j] = mean[j] + force;
    let k = mean.len();
    for (mean, reaction) in mean.iter_mut().zip(&reaction[j * k..(j + 1) * k]) {
        *mean = *mean + force * *reaction;
    }
}
