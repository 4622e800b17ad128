//! The end of a step: the step is cut at its first event, judged, and applied.

use carom_core::Real;

use crate::Watch;
use crate::array::{add, length, pair};
use crate::contacts::{Friction, Normal};
use crate::cubic::Cubic;
use crate::event::Event;
use crate::range::Problem;
use crate::sample::Sample;
use crate::settings::{FINE, PIECES};

impl<R: Real, const P: usize> Sample<R, P> {
    /// Cuts a step of length `h` at its first event and applies it; returns the fraction taken and
    /// the event. Returns `None` and applies nothing if the violation of the law exceeds `most`.
    pub fn finish(
        &mut self,
        problem: &Problem<'_, R, P>,
        h: R,
        most: R,
        watch: &mut dyn Watch<R>,
    ) -> Option<(R, Event)> {
        let [(pushed, pushed_along), (push, along)] = self.pushes(h);
        let start = self.y;
        add(&mut self.y, R::ONE, &pushed);
        problem.velocities(&self.y, &mut self.next);
        self.end_push = push;
        problem.velocities(&push, &mut self.ending);
        self.of.constant(problem.mu, R::ONE, &mut self.last);
        self.of.constant(problem.mu, h, &mut self.mean);
        let slide = &self.slip.slide;
        slide.give(&self.of, &slide.last.friction, &slide.last.change, &mut self.last);
        self.rest.react(&along, &mut self.last);
        slide.give(&self.of, &slide.impulse, &slide.held_impulse, &mut self.mean);
        self.rest.react(&pushed_along, &mut self.mean);
        let (part, event) = self.event(problem, h);
        watch.mark();
        self.show(problem, h, part, 1, watch);
        let whole = watch.gained();
        if whole > R::from_f64(FINE * self.set.snap) {
            watch.back();
            self.show(problem, h, part, PIECES, watch);
            if watch.gained() > whole {
                watch.back();
                self.show(problem, h, part, 1, watch);
            }
        }
        if watch.gained() > most {
            watch.back();
            self.y = start;
            return None;
        }
        for piece in self.pieces.chunks_exact(problem.k).take(self.count) {
            watch.note(self.length, &self.of.caps, piece);
        }
        self.book(problem, h, part, event);
        if part < R::ONE {
            for j in 0..problem.k {
                self.mean[j] = self.impulse(j, h, part);
                // The next step starts with the forces at the event.
                self.last[j] = self.first[j] + part * (self.last[j] - self.first[j]);
            }
            for j in 0..P {
                let cubic = Cubic([R::ZERO, h * self.push[j], pushed[j], h * push[j]]);
                self.y[j] = start[j] + cubic.at(part).0;
            }
            problem.velocities(&self.y, &mut self.next);
        }
        for j in 0..problem.k {
            // `y` contains the velocity change of the kick since the decision.
            self.total[j] += self.mean[j] + self.kick[j];
        }
        self.kick.fill(R::ZERO);
        std::mem::swap(&mut self.u, &mut self.next);
        let unties = self.adopt(problem, event != Event::None);
        let event = if unties && event == Event::None { Event::Turns } else { event };
        match event {
            Event::Lands(i) => self.rests[i] = self.stored[i] <= R::ZERO,
            Event::Stops(i) => self.still[i] = true,
            _ => {}
        }
        Some((part, event))
    }

    /// The impulse in row `j` up to the fraction `part` of the step of length `h`.
    fn impulse(&self, j: usize, h: R, part: R) -> R {
        Cubic([R::ZERO, h * self.first[j], self.mean[j], h * self.last[j]]).at(part).0
    }

    /// Judges the first `part` of a step of length `h`, in `count` pieces.
    fn show(
        &mut self,
        problem: &Problem<'_, R, P>,
        h: R,
        part: R,
        count: usize,
        watch: &mut dyn Watch<R>,
    ) {
        self.count = count;
        let share = R::from_f64(1.0 / self.count as f64);
        self.length = part * h * share;
        self.before.fill(R::ZERO);
        for p in 0..self.count {
            let whole = p + 1 == self.count && part >= R::ONE;
            let x = part * share * R::from_f64((p + 1) as f64);
            for j in 0..problem.k {
                let sum = if whole { self.mean[j] } else { self.impulse(j, h, x) };
                let kick = if p == 0 { self.kick[j] } else { R::ZERO };
                self.pieces[p * problem.k + j] = (sum - self.before[j] + kick) / self.length;
                self.before[j] = sum;
            }
            let piece = &self.pieces[p * problem.k..(p + 1) * problem.k];
            watch.judge(self.length, &self.of.caps, piece);
        }
    }

    /// Updates modes and reference forces after a step, which `ends` a phase or not; returns
    /// whether a tied contact has begun to slide.
    fn adopt(&mut self, problem: &Problem<'_, R, P>, ends: bool) -> bool {
        let Sample { of, last, u, .. } = self;
        let [land, snap] = [self.set.land, self.set.snap].map(R::from_f64);
        let mut unties = false;
        for i in 0..problem.m {
            if of.caps[i] <= R::ZERO {
                continue;
            }
            let t = problem.m + 2 * i;
            let away = of.normal[i] != Normal::Held && u[i].abs() > land;
            self.rests[i] &= !away;
            if ends {
                if of.normal[i] == Normal::Held {
                    of.l[i] = Real::clamp(last[i], R::ZERO, of.caps[i]);
                }
                let f = pair(last, t);
                let (size, most) = (length(f), problem.mu[i] * last[i]);
                let cut = of.friction[i] == Friction::Stick && size > most;
                let part = if cut { most / size } else { R::ONE };
                (of.l[t], of.l[t + 1]) = (f[0] * part, f[1] * part);
                if of.friction[i] == Friction::Tied && size > R::ZERO {
                    of.way[i] = f.map(|x| x / size);
                }
            }
            let moves = length(pair(u, t)) > R::from_f64(0.5) * snap;
            if matches!(of.friction[i], Friction::Bound | Friction::Tied) && moves {
                unties |= of.friction[i] == Friction::Tied;
                of.friction[i] = Friction::Slide;
                self.still[i] = false;
                self.changed = true;
            }
        }
        unties
    }
}
