//! The exchange of modes that disagree with forces or accelerations.

use carom_core::Real;

use crate::array::{dot, length, pair};
use crate::contacts::{Friction, Normal};
use crate::range::Problem;
use crate::sample::Sample;

/// Tolerance of a mode's force or acceleration, relative to the largest force.
const SLACK: f64 = 1e-8;

impl<R: Real, const P: usize> Sample<R, P> {
    /// Exchanges modes that violate the complementarity conditions, all `together` or only the one
    /// with the largest violation; returns whether any did.
    pub fn exchange(&mut self, problem: &Problem<'_, R, P>, together: bool) -> bool {
        let m = problem.m;
        let slack = R::from_f64(SLACK) * self.most;
        let mut worst = (R::ZERO, None);
        let mut any = false;
        for i in 0..m {
            if self.of.caps[i] <= R::ZERO {
                continue;
            }
            let Some((size, normal, friction)) = self.contradicted(problem, i, slack) else {
                continue;
            };
            any = true;
            if together {
                self.change(problem, i, normal, friction);
            } else if size > worst.0 {
                worst = (size, Some((i, normal, friction)));
            }
        }
        if let (_, Some((i, normal, friction))) = worst {
            self.change(problem, i, normal, friction);
        }
        any
    }

    /// The violation of complementarity by contact `i`, and the modes that would remove it; `None`
    /// where there is no violation.
    fn contradicted(
        &self,
        problem: &Problem<'_, R, P>,
        i: usize,
        slack: R,
    ) -> Option<(R, Normal, Friction)> {
        let t = problem.m + 2 * i;
        let (l, z, cap) = (self.first[i], self.onset[i], self.of.caps[i]);
        let (normal, friction) = (self.of.normal[i], self.of.friction[i]);
        match normal {
            Normal::Off if self.rests[i] && z < R::ZERO - slack => {
                // If friction of a sticking contact lifts it, the contact slides.
                let slides = self.still[i] && self.pressed[i];
                let friction = if slides { Friction::Bound } else { friction };
                return Some((R::ZERO - z, self.pressed(problem, i), friction));
            }
            Normal::Full if self.rests[i] && z > slack => {
                return Some((z, Normal::Held, friction));
            }
            Normal::Held if l < R::ZERO - slack => {
                return Some((R::ZERO - l, Normal::Off, friction));
            }
            Normal::Held if l > cap + slack => return Some((l - cap, Normal::Full, friction)),
            Normal::Off => return None,
            _ => {}
        }
        let (f, a) = (pair(&self.first, t), pair(&self.onset, t));
        match friction {
            Friction::Stick => {
                let over = length(f) - problem.mu[i] * l;
                (over > slack).then_some((over, normal, Friction::Bound))
            }
            Friction::Bound => {
                let way = self.of.way[i];
                let with = a[0] * way[0] + a[1] * way[1];
                (with > slack).then_some((with, normal, Friction::Stick))
            }
            _ => None,
        }
    }

    /// The normal mode of a contact at rest whose normal acceleration points into the surface.
    fn pressed(&self, problem: &Problem<'_, R, P>, i: usize) -> Normal {
        if self.still[i] {
            return Normal::Held;
        }
        let t = problem.m + 2 * i;
        let slip = pair(&self.u, t);
        let speed = length(slip);
        let row = &problem.rows[i];
        let follows =
            slip[0] * dot(row, &problem.rows[t]) + slip[1] * dot(row, &problem.rows[t + 1]);
        let own = dot(row, row) - problem.mu[i] * follows / speed;
        if own > R::ZERO { Normal::Held } else { Normal::Full }
    }

    fn change(
        &mut self,
        problem: &Problem<'_, R, P>,
        i: usize,
        normal: Normal,
        friction: Friction,
    ) {
        let t = problem.m + 2 * i;
        if normal == Normal::Off {
            self.off(i, problem.m);
            return;
        }
        if self.of.normal[i] == Normal::Off {
            self.pressed[i] = true;
            if friction == Friction::Bound {
                let z = pair(&self.onset, t);
                let size = Real::max(length(z), R::from_f64(1e-30));
                self.of.way[i] = z.map(|x| (R::ZERO - x) / size);
            }
        }
        if self.of.normal[i] != normal {
            self.of.l[i] = match self.of.normal[i] {
                Normal::Off => R::ZERO,
                _ => self.of.caps[i],
            };
            self.of.normal[i] = normal;
        }
        if friction == Friction::Bound && self.of.friction[i] == Friction::Stick {
            let f = pair(&self.first, t);
            let size = length(f);
            self.of.way[i] = f.map(|x| x / size);
        }
        self.of.friction[i] = friction;
        self.of.friction[i] = self.friction(problem, i);
    }
}
