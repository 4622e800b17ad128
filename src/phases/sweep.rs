//! Projected Gauss-Seidel sweeps over the contacts.

use carom_core::Real;

use crate::array::{add, dot, length, pair};
use crate::contacts::{Friction, Normal};
use crate::range::Problem;
use crate::sample::Sample;

impl<R: Real, const P: usize> Sample<R, P> {
    /// Projected Gauss-Seidel sweeps over the contacts, from the forces in `of.l`; sets the modes
    /// that the resulting forces have.
    pub fn sweep(&mut self, problem: &Problem<'_, R, P>, sweeps: usize) {
        let m = problem.m;
        self.spent += (6 * sweeps * m * P) as u64;
        let mut push = [R::ZERO; P];
        for i in 0..m {
            let cap = self.of.caps[i];
            if cap <= R::ZERO {
                continue;
            }
            let t = m + 2 * i;
            let l = if !self.rests[i] {
                if self.is_pushed(i) { cap } else { R::ZERO }
            } else {
                Real::clamp(self.of.l[i], R::ZERO, cap)
            };
            self.of.l[i] = l;
            let most = problem.mu[i] * l;
            let f = if self.still[i] {
                pair(&self.of.l, t)
            } else {
                let slip = pair(&self.u, t);
                let speed = length(slip);
                self.of.way[i] = slip.map(|x| (R::ZERO - x) / speed);
                self.of.way[i].map(|x| x * most)
            };
            let size = length(f);
            let part = if size > most { most / size } else { R::ONE };
            (self.of.l[t], self.of.l[t + 1]) = (f[0] * part, f[1] * part);
            for j in [i, t, t + 1] {
                add(&mut push, self.of.l[j], &problem.rows[j]);
            }
        }
        for sweep in 0..sweeps {
            for i in 0..m {
                let cap = self.of.caps[i];
                if cap <= R::ZERO || !self.rests[i] && !self.still[i] {
                    continue;
                }
                let t = m + 2 * i;
                let (mu, top) = (problem.mu[i], problem.tops[i]);
                let slips = mu > R::ZERO && top > R::ZERO;
                let before = self.of.l[i];
                if self.rests[i] {
                    let row = &problem.rows[i];
                    let mut own = dot(row, row);
                    if slips && !self.still[i] {
                        let way = self.of.way[i];
                        let follows = way[0] * dot(row, &problem.rows[t])
                            + way[1] * dot(row, &problem.rows[t + 1]);
                        own = Real::max(own + mu * follows, R::from_f64(0.1) * own);
                    }
                    let l = Real::clamp(before - dot(row, &push) / own, R::ZERO, cap);
                    self.of.l[i] = l;
                    add(&mut push, l - before, row);
                    if slips && !self.still[i] {
                        let f = self.of.way[i].map(|x| x * mu * l);
                        for axis in 0..2 {
                            let j = t + axis;
                            add(&mut push, f[axis] - self.of.l[j], &problem.rows[j]);
                            self.of.l[j] = f[axis];
                        }
                    }
                }
                let l = self.of.l[i];
                let mut aim = [R::ZERO; 2];
                let mut size = R::ZERO;
                if slips && self.still[i] {
                    for axis in 0..2 {
                        aim[axis] = self.of.l[t + axis] - dot(&problem.rows[t + axis], &push) / top;
                    }
                    size = length(aim);
                    let part = if size > mu * l { mu * l / size } else { R::ONE };
                    for axis in 0..2 {
                        let j = t + axis;
                        let f = aim[axis] * part;
                        add(&mut push, f - self.of.l[j], &problem.rows[j]);
                        self.of.l[j] = f;
                    }
                }
                if sweep + 1 == sweeps {
                    self.of.normal[i] = match l {
                        _ if !self.rests[i] => self.of.normal[i],
                        l if l <= R::ZERO => Normal::Off,
                        l if l >= cap => Normal::Full,
                        _ => Normal::Held,
                    };
                    if self.of.normal[i] == Normal::Off {
                        self.off(i, m);
                        continue;
                    }
                    self.of.friction[i] = match self.still[i] {
                        _ if !slips => Friction::None,
                        false => Friction::Slide,
                        true if size > mu * l => {
                            self.of.way[i] = aim.map(|x| x / size);
                            Friction::Bound
                        }
                        true => Friction::Stick,
                    };
                }
            }
        }
    }
}
