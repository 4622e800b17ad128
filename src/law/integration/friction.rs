//! Forces of friction at given normal rates.

use super::course::Course;
use super::{MAX_SWEEPS, Process};
use crate::real::Real;

/// What friction does during a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    Free,
    /// Opposes the sliding velocity of the stage.
    Slides,
    /// Opposes the sliding velocity after the substep, or halts it.
    Steers,
    /// The same from no sliding at all.
    Held,
}

pub fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

impl<R: Real> Process<'_, R> {
    /// Decides what friction does in the next substep; leaves the forces in `first`, the accelerations in `onset`. Whether
    /// a contact has halted.
    pub(super) fn grasp(&self, course: &mut Course<R>) -> bool {
        let m = self.step.contacts;
        let mut halted = false;
        for i in 0..m {
            let [a, _, d] = self.block_of(i);
            let radius = course.mu[i] * course.rate[i];
            let slid = matches!(course.grip[i], Grip::Slides | Grip::Steers);
            course.grip[i] = if radius <= R::ZERO || a + d <= R::ZERO {
                Grip::Free
            } else if length(self.sideways(&course.u, i)) > self.tolerances.halt {
                Grip::Slides
            } else {
                Grip::Held
            };
            halted |= slid && course.grip[i] == Grip::Held;
        }
        course.stage.copy_from_slice(&course.u);
        course.pull.fill(R::ZERO);
        self.forces(course);
        course.first.copy_from_slice(&course.rate);
        course.onset.copy_from_slice(&course.slope);
        halted
    }

    /// Lets friction steer where the direction of sliding settles within a substep of length `h`: its time is
    /// `|u_t| / (mu c W_tt)`, which explicit stages must not exceed.
    pub(super) fn steer(&self, h: R, course: &mut Course<R>) {
        course.pull.fill(R::ZERO);
        for i in 0..self.step.contacts {
            let slip = self.sideways(&course.u, i);
            if matches!(course.grip[i], Grip::Slides | Grip::Steers) {
                let settles = h * course.mu[i] * course.rate[i] * self.top(i) > length(slip);
                course.grip[i] = if settles { Grip::Steers } else { Grip::Slides };
            }
            if matches!(course.grip[i], Grip::Steers | Grip::Held) {
                self.set_sideways(&mut course.pull, i, slip.map(|x| x / h));
            }
        }
    }

    /// The forces of friction at the velocity `stage`, into `rate`, and `slope = W rate`.
    pub(super) fn forces(&self, course: &mut Course<R>) {
        let mut held = false;
        for i in 0..self.step.contacts {
            let slip = self.sideways(&course.stage, i);
            let size = length(slip);
            let radius = course.mu[i] * course.rate[i];
            match course.grip[i] {
                Grip::Free => self.set_sideways(&mut course.rate, i, [R::ZERO; 2]),
                Grip::Slides if size > R::ZERO => {
                    self.set_sideways(&mut course.rate, i, slip.map(|x| -(x / size * radius)));
                }
                Grip::Slides => {}
                Grip::Steers | Grip::Held => held = true,
            }
        }
        for j in 0..self.step.width() {
            course.slope[j] = self.row(j, &course.rate);
        }
        if held {
            self.hold(course);
        }
    }

    /// The forces that hold contacts, or come closest: `min f' W_tt f / 2 + f'(b + pull)` over their discs, contact by
    /// contact. A contact takes the force that stops it where that is in its disc, else a projected gradient.
    pub(super) fn hold(&self, course: &mut Course<R>) {
        let k = self.step.width();
        for _ in 0..MAX_SWEEPS {
            let [mut change, mut size] = [R::ZERO; 2];
            for i in 0..self.step.contacts {
                if !matches!(course.grip[i], Grip::Steers | Grip::Held) {
                    continue;
                }
                let radius = course.mu[i] * course.rate[i];
                let before = self.sideways(&course.rate, i);
                let ([x, y], [p, q]) = (self.sideways(&course.slope, i), self.sideways(&course.pull, i));
                let after = self.hold_one(i, before, [x + p, y + q], radius);
                self.set_sideways(&mut course.rate, i, after);
                let t = self.tangent(i);
                for axis in 0..self.step.axes {
                    let step = after[axis] - before[axis];
                    for j in 0..k {
                        course.slope[j] += self.step.w[j * k + t + axis] * step;
                    }
                    change = Real::max(change, step.abs());
                    size = Real::max(size, after[axis].abs());
                }
                size = Real::max(size, course.rate[i]);
            }
            if change <= self.tolerances.balance * size {
                return;
            }
        }
    }

    /// The better force of contact `i` in a disc, from force `f` and acceleration `slope`.
    pub(super) fn hold_one(&self, i: usize, f: [R; 2], slope: [R; 2], radius: R) -> [R; 2] {
        let [a, b, d] = self.block_of(i);
        let determinant = a * d - b * b;
        if determinant > R::from_f64(16.0 * R::EPSILON) * (a + d) * (a + d) {
            let [x, y] = [d * slope[0] - b * slope[1], a * slope[1] - b * slope[0]];
            let exact = [f[0] - x / determinant, f[1] - y / determinant];
            if length(exact) <= radius {
                return exact;
            }
        }
        let top = self.top(i);
        let moved = [f[0] - slope[0] / top, f[1] - slope[1] / top];
        let size = length(moved);
        if size > radius { moved.map(|x| x / size * radius) } else { moved }
    }
}
