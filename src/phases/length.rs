//! Bounds of the step length in a phase, and directions of friction that hardly turn.

use carom_core::Real;

use crate::array::{length, pair};
use crate::contacts::{Friction, Normal};
use crate::range::Problem;
use crate::sample::Sample;
use crate::settings::TURN;

impl<R: Real, const P: usize> Sample<R, P> {
    /// The time until a contact stops, if its direction hardly turns before.
    pub fn stops_straight(&self, problem: &Problem<'_, R, P>, i: usize) -> Option<R> {
        let t = problem.m + 2 * i;
        let ([x, y], [p, q]) = (pair(&self.u, t), pair(&self.onset, t));
        let speed = length([x, y]);
        let closing = (R::ZERO - (x * p + y * q)) / speed;
        let until = speed / closing;
        let mut across = (x * q - y * p).abs() / speed * until;
        if self.of.friction[i] == Friction::Straight {
            let [c, s] = self.of.way[i];
            across += (x * s - y * c).abs();
        }
        (closing > R::ZERO && across < R::from_f64(self.set.snap)).then_some(until)
    }

    /// Fixes the direction of friction of contacts that hardly turn before they stop.
    pub fn straighten(&mut self, problem: &Problem<'_, R, P>) -> bool {
        for i in 0..problem.m {
            let before = self.of.friction[i];
            let slides = matches!(before, Friction::Slide | Friction::Straight);
            if self.of.caps[i] <= R::ZERO || !slides {
                continue;
            }
            let straight = self.stops_straight(problem, i).is_some();
            if straight && before == Friction::Slide {
                let [x, y] = pair(&self.u, problem.m + 2 * i);
                let over = (R::ZERO - R::ONE) / length([x, y]);
                self.of.friction[i] = Friction::Straight;
                self.of.way[i] = [x * over, y * over];
                self.changed = true;
            } else if !straight && before == Friction::Straight {
                self.of.friction[i] = Friction::Slide;
                self.changed = true;
            }
        }
        !self.changed || self.assemble(problem)
    }

    /// Upper bound of the step length: contacts that stop soon do not overshoot their stop by much.
    pub fn straight_length(&self, problem: &Problem<'_, R, P>) -> R {
        let mut limit = R::HUGE;
        for i in 0..problem.m {
            if self.of.friction[i] == Friction::Straight
                && self.of.normal[i] != Normal::Off
                && let Some(until) = self.stops_straight(problem, i)
            {
                limit = Real::min(limit, R::from_f64(1.25) * until);
            }
        }
        limit
    }

    /// Length of the first step of a phase: no sliding direction turns by more than about `TURN`.
    pub fn first_length(&self, problem: &Problem<'_, R, P>) -> R {
        let m = problem.m;
        let mut fastest = R::ZERO;
        for i in 0..m {
            if self.of.friction[i] == Friction::Slide && self.of.normal[i] != Normal::Off {
                let t = m + 2 * i;
                let ([x, y], [p, q]) = (pair(&self.u, t), pair(&self.onset, t));
                let rate = (x * q - y * p).abs() / (x * x + y * y);
                let grows = length([p, q]) / length([x, y]) * R::from_f64(0.1);
                fastest = Real::max(fastest, Real::max(rate, grows));
            }
        }
        if fastest > R::ZERO { R::from_f64(TURN) / fastest } else { R::ONE }
    }

    /// Upper bound of the step length while contacts that begin to slide keep their direction.
    pub fn start_length(&self, problem: &Problem<'_, R, P>) -> R {
        let m = problem.m;
        let mut limit = R::HUGE;
        for i in 0..m {
            if self.of.friction[i] == Friction::Bound && self.of.normal[i] != Normal::Off {
                let z = length(pair(&self.onset, m + 2 * i));
                if z > R::from_f64(1e-7) * self.most {
                    limit = Real::min(limit, R::from_f64(self.set.snap) / z);
                }
            }
        }
        limit
    }
}
