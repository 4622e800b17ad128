//! The first event of a step, which ends a phase.

use carom_core::Real;

use crate::array::{length, pair};
use crate::contacts::{Friction, Normal};
use crate::cubic::{Cubic, quadratic};
use crate::range::Problem;
use crate::sample::Sample;

/// The event that ends a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// No event: the phase continues.
    None,
    /// The normal velocity of a contact reaches 0.
    Lands(usize),
    /// The normal force of a held contact reaches 0.
    Leaves(usize),
    /// The normal force of a held contact reaches its upper bound.
    Fills(usize),
    /// The stored work of a contact reaches 0.
    Empties(usize),
    /// The slip of a contact reaches 0.
    Stops(usize),
    /// Sticking friction reaches its bound.
    Slips(usize),
    /// Friction at its bound turns, or begins to move its contact.
    Turns,
    /// A new block, or another reason to decide modes.
    Other,
}

/// Tolerance of force bounds, relative to the largest force; smallest fraction of a step at which
/// an event can lie; rounding of normal velocities.
const SLACK: f64 = 1e-9;
const TINY: f64 = 1e-9;
pub const ROUNDING: f64 = 1e-11;

/// Largest force across friction at its bound, relative to the bound.
const TURNED: f64 = 0.02;

impl<R: Real, const P: usize> Sample<R, P> {
    /// The first event of a step of length `h`, and the fraction of the step at which it lies.
    pub fn event(&self, problem: &Problem<'_, R, P>, h: R) -> (R, Event) {
        let (mut part, mut event) = (R::ONE, Event::None);
        for i in (0..problem.m).filter(|i| self.of.caps[*i] > R::ZERO) {
            let normal = match self.of.normal[i] {
                Normal::Held => self.lets(i, h),
                _ => self.lands(i, h).map(|x| (x, Event::Lands(i))),
            };
            let friction = match self.of.friction[i] {
                _ if self.of.normal[i] == Normal::Off => None,
                Friction::Slide | Friction::Straight => {
                    self.stops(problem.m, i, h).map(|x| (x, Event::Stops(i)))
                }
                Friction::Stick => {
                    self.slips(problem.m, problem.mu[i], i, h).map(|x| (x, Event::Slips(i)))
                }
                Friction::Tied => self.turns(problem.m, problem.mu[i], i, h),
                _ => None,
            };
            let returned = match self.of.normal[i] {
                Normal::Full => self.empties(problem, i, h).map(|x| (x, Event::Empties(i))),
                _ => None,
            };
            for (x, found) in normal.into_iter().chain(friction).chain(returned) {
                if x < part || event == Event::None {
                    (part, event) = (x, found);
                }
            }
        }
        (Real::max(part, R::from_f64(TINY)), event)
    }

    /// When the normal velocity of a contact without force, or with force at its bound, crosses 0.
    fn lands(&self, i: usize, h: R) -> Option<R> {
        let land = R::from_f64(self.set.land);
        let stores = self.stored[i] > R::ZERO;
        let departs = self.u[i] > land || self.u[i] >= -land && self.onset[i] >= R::ZERO;
        let approaches = self.of.normal[i] == Normal::Full && !(stores && departs);
        let sign = if approaches { -R::ONE } else { R::ONE };
        let cubic = Cubic(self.normal_velocity(i, h).0.map(|x| sign * x));
        let [u0, s0, u1, _] = cubic.0;
        let below = if self.rests[i] { land } else { R::from_f64(ROUNDING) };
        match () {
            () if u1 >= -below => None,
            () if u0 > land => Some(cubic.zero()),
            () if stores => None,
            () if u0 > below && s0 < R::ZERO => Some(cubic.zero()),
            () if s0 > R::ZERO => Some(cubic.falls_back()),
            () => Some(R::from_f64(TINY)),
        }
    }

    /// When the normal force of a held contact crosses a bound.
    fn lets(&self, i: usize, h: R) -> Option<(R, Event)> {
        let (cap, slack) = (self.of.caps[i], R::from_f64(SLACK) * self.most);
        let (first, mean, last) = (self.first[i], self.mean[i] / h, self.last[i]);
        let (low, high) = (last, cap - last);
        match () {
            () if low >= -slack && high >= -slack => None,
            () if low < high => Some((quadratic(first, mean, low), Event::Leaves(i))),
            () => Some((quadratic(cap - first, cap - mean, high), Event::Fills(i))),
        }
    }

    /// When a contact stops sliding.
    fn stops(&self, m: usize, i: usize, h: R) -> Option<R> {
        let (t, snap) = (m + 2 * i, R::from_f64(self.set.snap));
        let (from, to) = (pair(&self.u, t), pair(&self.next, t));
        let (a, b) = (pair(&self.onset, t), pair(&self.ending, t));
        let speed = length(from);
        let way = from.map(|x| x / speed);
        let along = |v: [R; 2]| v[0] * way[0] + v[1] * way[1];
        let slide = self.of.friction[i] == Friction::Slide;
        let least = if slide && speed > snap + snap { snap } else { R::ZERO };
        let end = along(to) - least;
        if end > R::ZERO {
            return None;
        }
        let x = Cubic([speed - least, h * along(a), end, h * along(b)]).zero();
        let at = |k: usize| Cubic([from[k], h * a[k], to[k], h * b[k]]).at(x).0;
        // A contact whose slip is far from zero at that time passes without a stop.
        let passes = slide && length([at(0), at(1)]) > R::from_f64(3.0) * snap;
        (!passes).then_some(x)
    }

    /// When the force across friction at its bound has grown too large, or friction moves the
    /// contact.
    fn turns(&self, m: usize, mu: R, i: usize, h: R) -> Option<(R, Event)> {
        let (t, [c, s]) = (m + 2 * i, self.of.way[i]);
        let along = |l: &[R]| l[t] * c + l[t + 1] * s;
        let halt = R::from_f64(self.set.halt);
        let [from, to] = [&self.u, &self.next].map(|u| along(u) - halt);
        if to > R::ZERO && from < R::ZERO {
            let cubic = [from, h * along(&self.onset), to, h * along(&self.ending)];
            return Some((Cubic(cubic.map(|x| R::ZERO - x)).zero(), Event::Turns));
        }
        let slack = R::from_f64(10.0 * SLACK) * self.most;
        let bend = |l: &[R]| (l[t + 1] * c - l[t] * s).abs();
        let room = |l: &[R]| slack + R::from_f64(TURNED) * mu * l[i] - bend(l);
        let end = room(&self.last);
        let first = Real::max(room(&self.first), R::ZERO);
        (end < R::ZERO).then(|| (quadratic(first, room(&self.mean) / h, end), Event::Turns))
    }

    /// When sticking friction reaches its bound.
    fn slips(&self, m: usize, mu: R, i: usize, h: R) -> Option<R> {
        let room = |l: &[R]| mu * l[i] - length(pair(l, m + 2 * i));
        let end = room(&self.last);
        (end < -(R::from_f64(SLACK) * self.most))
            .then(|| quadratic(Real::max(room(&self.first), R::ZERO), room(&self.mean) / h, end))
    }
}
