//! One solution of an impulse step in its `2 m` unknowns, by iterating over contact modes.

use super::step::StepProblem;
use crate::Real;

/// Workspace of the iterated mixed form.
///
/// One projected Gauss-Seidel sweep gives a first guess of the contact modes. Then two operations
/// alternate: the equations of the current modes are solved, and each contact gets the mode that
/// the natural map `L - proj(L - u+)` selects, until no mode changes. This is a semismooth Newton
/// method, \[QS93\], for `ln - proj_[0,c](ln - u+_n)` and `lt - proj_[-mu ln, mu ln](lt - u+_t)`.
/// Guarantee: none. The method reports whether the modes settled; the caller checks the residual,
/// and uses Lemke's method where they did not settle. Cost: (2m)^3 / 3 flop per round, mostly one
/// or two rounds.
#[derive(Clone, Debug)]
pub struct Mixed<R> {
    modes: Vec<u8>,
    system: Vec<R>,
    unknowns: Vec<(usize, R)>,
    l: Vec<R>,
    u: Vec<R>,
}

const OFF: u8 = 0;
const FULL: u8 = 1;
const ENDING: u8 = 2;
const STICK: u8 = 0;
const PLUS: u8 = 4;
const MINUS: u8 = 8;

/// Most rounds before the method gives up.
const MAX_ROUNDS: usize = 8;

/// Pivots below this many units in the last place of the largest entry count as zero.
const SINGULAR: f64 = 16.0;

impl<R: Real> Mixed<R> {
    /// A workspace for m contacts.
    pub fn new(m: usize) -> Self {
        Mixed {
            modes: vec![OFF; m],
            system: vec![R::ZERO; 2 * m * (2 * m + 1)],
            unknowns: Vec::with_capacity(2 * m),
            l: vec![R::ZERO; 2 * m],
            u: vec![R::ZERO; 2 * m],
        }
    }

    /// Writes the impulse (2m) of the step from `u` (2m) with bounds `c` (m); `false` if the modes
    /// did not settle.
    pub fn solve(&mut self, problem: &StepProblem<R>, u: &[R], c: &[R], l: &mut [R]) -> bool {
        self.l.fill(R::ZERO);
        self.u.copy_from_slice(u);
        self.sweep(problem, c);
        self.settle(problem, u, c, l)
    }

    /// [`Mixed::solve`] from the impulse in `l` instead of a sweep; removes the rounding error of a
    /// solution.
    pub fn refine(&mut self, problem: &StepProblem<R>, u: &[R], c: &[R], l: &mut [R]) -> bool {
        self.l.copy_from_slice(l);
        problem.advance(u, l, &mut self.u);
        self.settle(problem, u, c, l)
    }

    fn settle(&mut self, problem: &StepProblem<R>, u: &[R], c: &[R], l: &mut [R]) -> bool {
        self.modes.fill(u8::MAX);
        for _ in 0..MAX_ROUNDS {
            if !self.classify(problem, c) {
                l.copy_from_slice(&self.l);
                return true;
            }
            self.solve_modes(problem, u, c);
            problem.advance(u, &self.l, &mut self.u);
        }
        false
    }

    /// One projected Gauss-Seidel sweep over the contacts.
    fn sweep(&mut self, problem: &StepProblem<R>, c: &[R]) {
        let m = problem.contacts;
        for i in 0..m {
            let pushed = self.l[i] - self.u[i];
            self.change(problem, i, pushed.clamp(R::ZERO, c[i]));
            let bound = problem.mu[i] * self.l[i];
            let dragged = self.l[m + i] - self.u[m + i];
            self.change(problem, m + i, dragged.clamp(-bound, bound));
        }
    }

    fn change(&mut self, problem: &StepProblem<R>, i: usize, value: R) {
        let k = 2 * problem.contacts;
        let change = value - self.l[i];
        self.l[i] = value;
        for j in 0..k {
            self.u[j] += problem.w[j * k + i] * change;
        }
    }

    /// Sets each contact's mode by the natural map; returns whether a mode changed.
    fn classify(&mut self, problem: &StepProblem<R>, c: &[R]) -> bool {
        let m = problem.contacts;
        let mut changed = false;
        for i in 0..m {
            let pushed = self.l[i] - self.u[i];
            let normal = match pushed {
                _ if pushed <= R::ZERO => OFF,
                _ if pushed >= c[i] => FULL,
                _ => ENDING,
            };
            let bound = problem.mu[i] * self.l[i];
            let dragged = self.l[m + i] - self.u[m + i];
            let tangent = match normal {
                OFF => STICK,
                _ if dragged >= bound => MINUS,
                _ if dragged <= -bound => PLUS,
                _ => STICK,
            };
            changed |= self.modes[i] != normal | tangent;
            self.modes[i] = normal | tangent;
        }
        changed
    }

    /// Solves the equations of the current modes into `self.l`.
    fn solve_modes(&mut self, problem: &StepProblem<R>, u: &[R], c: &[R]) {
        let m = problem.contacts;
        let k = 2 * m;
        self.unknowns.clear();
        for i in 0..m {
            let (normal, tangent) = (self.modes[i] & 3, self.modes[i] & 12);
            let slope = match tangent {
                PLUS => -problem.mu[i],
                MINUS => problem.mu[i],
                _ => R::ZERO,
            };
            self.l[i] = if normal == FULL { c[i] } else { R::ZERO };
            self.l[m + i] = slope * self.l[i];
            if normal == ENDING {
                self.unknowns.push((i, slope));
            }
            if normal != OFF && tangent == STICK {
                self.unknowns.push((m + i, R::ZERO));
            }
        }
        let n = self.unknowns.len();
        let stride = n + 1;
        for (a, &(row, _)) in self.unknowns.iter().enumerate() {
            for (b, &(column, slope)) in self.unknowns.iter().enumerate() {
                let mut entry = problem.w[row * k + column];
                if column < m {
                    entry += problem.w[row * k + m + column] * slope;
                }
                self.system[a * stride + b] = entry;
            }
            let mut sum = u[row];
            for j in 0..k {
                sum += problem.w[row * k + j] * self.l[j];
            }
            self.system[a * stride + n] = -sum;
        }
        eliminate(&mut self.system[..n * stride], n);
        for (a, &(column, slope)) in self.unknowns.iter().enumerate() {
            let x = self.system[a * stride + n];
            self.l[column] += x;
            if column < m {
                self.l[m + column] += slope * x;
            }
        }
    }
}

/// Gauss elimination with partial pivoting of a (n, n+1) system in place; the solution replaces the
/// last column. An unknown without a nonzero pivot is set to zero, and its equation is dropped: so
/// redundant contacts have a candidate solution, which the residual accepts or rejects.
fn eliminate<R: Real>(a: &mut [R], n: usize) {
    let stride = n + 1;
    let zero =
        R::from_f64(SINGULAR * R::EPSILON) * a.iter().fold(R::ZERO, |s, x| Real::max(s, x.abs()));
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * stride + k].abs() > a[pivot * stride + k].abs() {
                pivot = i;
            }
        }
        let regular = a[pivot * stride + k].abs() > zero;
        if !regular {
            for i in 0..n {
                a[i * stride + k] = R::ZERO;
            }
            for j in k..stride {
                a[k * stride + j] = R::ZERO;
            }
            a[k * stride + k] = R::ONE;
            continue;
        }
        for j in k..stride {
            a.swap(k * stride + j, pivot * stride + j);
        }
        for i in 0..n {
            if i == k {
                continue;
            }
            let factor = a[i * stride + k] / a[k * stride + k];
            for j in k..stride {
                let change = factor * a[k * stride + j];
                a[i * stride + j] -= change;
            }
        }
    }
    for k in 0..n {
        a[k * stride + n] = a[k * stride + n] / a[k * stride + k];
    }
}
