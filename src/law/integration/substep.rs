//! One substep of the integration, and how long it may be.
//!
//! Source: P. Bogacki, L. F. Shampine: A 3(2) pair of Runge-Kutta formulas. Applied Mathematics Letters 2 (1989) 321-325.
//! Deviation: the midpoint rule is the companion of second order.

use super::course::{Course, Phase};
use super::friction::{Grip, length};
use super::{MAX_TRIALS, Process, dot};
use crate::real::Real;

impl<R: Real> Process<'_, R> {
    /// When, with the accelerations in `onset`, the first contact comes to the end of its phase or halts.
    pub(super) fn horizon(&self, course: &Course<R>) -> R {
        let mut soonest = R::HUGE;
        for i in 0..self.step.contacts {
            let (u, a, c) = (course.u[i], course.onset[i], course.rate[i]);
            match course.phase[i] {
                _ if c <= R::ZERO => {}
                Phase::Compressing if a > R::ZERO => soonest = Real::min(soonest, -u / a),
                Phase::Restituting if self.inclusion.poisson => {
                    soonest = Real::min(soonest, course.stored[i] / c)
                }
                Phase::Restituting => soonest = Real::min(soonest, first_root(a, u, course.stored[i] / c)),
                _ => {}
            }
            if matches!(course.grip[i], Grip::Slides | Grip::Steers) {
                let ([x, y], [p, q]) = (self.sideways(&course.u, i), self.sideways(&course.onset, i));
                let closing = -(x * p + y * q);
                if closing > R::ZERO {
                    soonest = Real::min(soonest, (x * x + y * y) / closing);
                }
            }
        }
        soonest
    }

    /// Three stages from `u`, of length `h` or shorter, until the error is small and no contact has gone past the end of
    /// its phase; leaves the mean rates in `mean`, the new velocity in `next`, and the length that the error allows in
    /// `wanted`. Its length, or `None` where it comes to no end.
    pub(super) fn substep(&self, mut h: R, wanted: &mut R, course: &mut Course<R>) -> Option<R> {
        let (m, k) = (self.step.contacts, self.step.width());
        let [half, two, three, four] = [0.5, 2.0, 3.0, 4.0].map(R::from_f64);
        let ninth = R::ONE / R::from_f64(9.0);
        for _ in 0..MAX_TRIALS {
            course.rate.copy_from_slice(&course.first);
            self.steer(h, course);
            for j in 0..k {
                course.stage[j] = course.u[j] + h * half * course.onset[j];
            }
            self.forces(course);
            course.second.copy_from_slice(&course.rate);
            let turned = self.replace(h, course);
            course.power = two * dot(&course.mean, &course.u) + three * dot(&course.rate, &course.stage);
            for i in 0..m {
                course.travel[i] = two * course.u[i] + three * course.stage[i];
            }
            for j in 0..k {
                course.stage[j] = course.u[j] + h * (three / four) * course.slope[j];
            }
            self.forces(course);
            course.power = (course.power + four * dot(&course.rate, &course.stage)) * ninth;
            course.third.copy_from_slice(&course.rate);
            for i in 0..m {
                course.travel[i] = (course.travel[i] + four * course.stage[i]) * ninth;
            }
            for j in 0..k {
                let [a, b, c] = [course.mean[j], course.second[j], course.third[j]];
                course.mean[j] = (two * a + three * b + four * c) * ninth;
                course.stage[j] = h * two * ninth * ((a - b) + two * (c - b));
            }
            let error = Real::max(turned, self.error(course));
            for j in 0..k {
                course.next[j] = course.u[j] + h * self.row(j, &course.mean);
            }
            let growth = R::from_f64(0.9) / Real::max(error, R::from_f64(1e-4)).sqrt().sqrt();
            let sum = dot(&course.next, &course.next);
            if error > R::ONE || !(error.is_finite() && sum.is_finite()) {
                h = h * Real::max(growth, R::from_f64(0.2));
                *wanted = h;
                continue;
            }
            let shorter = self.overshoot(h, course);
            if shorter < h {
                h = shorter;
                continue;
            }
            *wanted = Real::max(*wanted, h * Real::max(growth, R::ONE));
            return Some(h);
        }
        None
    }

    /// Puts the forces of the first stage into `mean`, where friction steers those of the second; the error of that, over
    /// what is allowed.
    pub(super) fn replace(&self, h: R, course: &mut Course<R>) -> R {
        let mut worst = R::ZERO;
        course.mean.copy_from_slice(&course.first);
        for i in 0..self.step.contacts {
            if course.grip[i] == Grip::Steers {
                let ([x, y], now) = (self.sideways(&course.first, i), self.sideways(&course.second, i));
                self.set_sideways(&mut course.mean, i, now);
                let error = R::from_f64(0.5) * h * self.top(i) * length([now[0] - x, now[1] - y]);
                worst = Real::max(worst, error / self.tolerances.error);
            }
        }
        worst
    }

    /// The largest error in `stage`, over what is allowed: where a contact slides also a tenth of its velocity, so that it
    /// finds its way to a halt.
    pub(super) fn error(&self, course: &Course<R>) -> R {
        let mut worst = R::ZERO;
        for i in 0..self.step.contacts {
            let mut allowed = self.tolerances.error;
            if course.grip[i] == Grip::Slides {
                allowed = Real::min(allowed, R::from_f64(0.1) * length(self.sideways(&course.u, i)));
            }
            worst = Real::max(worst, length(self.sideways(&course.stage, i)) / allowed);
        }
        worst
    }

    /// A smaller step where `next` is past the end of a phase, else `h`.
    pub(super) fn overshoot(&self, h: R, course: &Course<R>) -> R {
        let mut shorter = h;
        for i in 0..self.step.contacts {
            let (before, after) = (course.u[i], course.next[i]);
            match course.phase[i] {
                // One that touches may begin on the other side of zero.
                Phase::Compressing if after > self.landing(i) => {
                    let part = if before < R::ZERO { before / (before - after) } else { R::from_f64(0.5) };
                    shorter = Real::min(shorter, h * part);
                }
                Phase::Restituting => {
                    let (stored, left) = (course.stored[i], self.left(i, h, course));
                    if left < -self.empty(i, after) {
                        shorter = Real::min(shorter, h * (stored / (stored - left)));
                    }
                }
                _ => {}
            }
        }
        shorter
    }
}

/// The smallest positive `t` with `a t^2 / 2 + u t = s`, for `s > 0`; [`Real::HUGE`] where there is none.
pub fn first_root<R: Real>(a: R, u: R, s: R) -> R {
    let two = R::from_f64(2.0);
    let square = u * u + two * a * s;
    if square < R::ZERO {
        return R::HUGE;
    }
    let below = u + square.sqrt();
    if below > R::ZERO { two * s / below } else { R::HUGE }
}
