//! One segment of the planar law: forces at constant rates of normal impulse, until a contact changes its mode.

use crate::lcp::StepProblem;
use crate::real::Real;

/// Most combinations of modes of three contacts, `7^3`.
pub const OF_THREE: usize = 343;

/// How the force at a contact follows from its velocity. At a velocity that is exactly 0 several modes are possible, and
/// the acceleration decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Normal {
    /// No force: the contact separates, or begins to.
    #[default]
    Off,
    /// The force that keeps the normal velocity at 0, between 0 and the cap.
    Held,
    /// The cap: the contact approaches, or is driven in.
    Full,
}

/// The tangential force, likewise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tangent {
    /// None: without normal force or friction.
    #[default]
    Free,
    /// The force that keeps the tangential velocity at 0, within the friction cone.
    Stick,
    /// `-mu ln`: the contact slides, or begins to.
    Slide,
    /// `+mu ln`: the contact slides backward, or begins to.
    SlideBack,
}

type Mode = (Normal, Tangent);

/// The forces of a segment, and the memory to find them in.
///
/// With the velocity `u` (2m) and the caps `c` (m) of one unit of time, the forces `l = (ln, lt)` satisfy, with
/// `u' = W l`,
///
/// ```text
/// u_n > 0: ln = 0;  u_n < 0: ln = c;  u_n = 0: 0 <= ln <= c,  ln = 0 where u_n' > 0,  ln = c where u_n' < 0;
/// u_t > 0: lt = -mu ln;  u_t < 0: lt = mu ln;  u_t = 0: |lt| <= mu ln,  lt = -+mu ln where +-u_t' > 0.
/// ```
///
/// A contact that gives back has `ln = c` at `u_n >= 0` as well.
///
/// A combination of modes is a linear system for the forces that are not given; it is solved by elimination with complete
/// pivoting. Where it is singular, forces that it leaves free are 0, and it counts only if it holds.
#[derive(Clone, Debug)]
pub struct Segment<R> {
    /// The modes that are possible at each contact (m).
    possible: Vec<Vec<Mode>>,
    /// The combination that is tried (m).
    modes: Vec<Mode>,
    /// The combination of the last segment (m).
    last: Vec<Mode>,
    /// Which contacts give back, and so have their full force at any velocity >= 0 (m).
    pub gives: Vec<bool>,
    /// The combinations of the solutions (m each).
    found: Vec<Mode>,
    /// The distinct solutions: forces and accelerations, each `(l, u')` (4m).
    solutions: Vec<R>,
    /// The linear system: matrix (n,n), right-hand side (n), and which row of the problem each unknown is.
    matrix: Vec<R>,
    right: Vec<R>,
    unknown: Vec<usize>,
    order: Vec<usize>,
    /// Forces and accelerations that are tried (2m).
    l: Vec<R>,
    du: Vec<R>,
}

impl<R: Real> Segment<R> {
    /// The memory for m contacts.
    pub fn new(m: usize) -> Self {
        Segment {
            possible: vec![Vec::with_capacity(7); m],
            modes: vec![Mode::default(); m],
            last: vec![Mode::default(); m],
            gives: vec![false; m],
            found: Vec::new(),
            solutions: Vec::new(),
            matrix: vec![R::ZERO; 4 * m * m],
            right: vec![R::ZERO; 2 * m],
            unknown: Vec::with_capacity(2 * m),
            order: Vec::with_capacity(2 * m),
            l: vec![R::ZERO; 2 * m],
            du: vec![R::ZERO; 2 * m],
        }
    }

    /// Finds all distinct solutions at velocity `u` (2m) with caps `c` (m) in which only contacts that are `free` (m) may
    /// have other modes than in the last segment; returns their number, or `None` where there are more than `most`
    /// combinations to try.
    pub fn solve(
        &mut self,
        step: &StepProblem<R>,
        u: &[R],
        c: &[R],
        free: &[bool],
        most: usize,
    ) -> Option<usize> {
        let m = step.contacts;
        let mut combinations = 1;
        for i in 0..m {
            if free[i] {
                list(step, i, (u[i], u[m + i]), c[i], self.gives[i], &mut self.possible[i]);
            } else {
                self.possible[i].clear();
                self.possible[i].push(self.last[i]);
            }
            combinations *= self.possible[i].len();
            if combinations > most {
                return None;
            }
        }
        self.solutions.clear();
        self.found.clear();
        for number in 0..combinations {
            let mut rest = number;
            for i in 0..m {
                let of = self.possible[i].len();
                self.modes[i] = self.possible[i][rest % of];
                rest /= of;
            }
            if self.forces(step, c) && self.holds(step, u, c) && !self.known() {
                self.keep();
            }
        }
        Some(self.solutions.len() / (4 * m))
    }

    /// Finds the solution with the modes that the forces `l` (2m) have, up to rounding, and whether there is one.
    pub fn solve_near(&mut self, step: &StepProblem<R>, u: &[R], c: &[R], l: &[R]) -> bool {
        let m = step.contacts;
        let near = R::from_f64(R::EPSILON.sqrt());
        let size = near * largest(l);
        for i in 0..m {
            list(step, i, (u[i], u[m + i]), c[i], self.gives[i], &mut self.possible[i]);
            let normal = match l[i] {
                ln if ln <= size => Normal::Off,
                ln if ln >= c[i] - size => Normal::Full,
                _ => Normal::Held,
            };
            let bound = step.mu[i] * l[i];
            let tangent = match l[m + i] {
                lt if lt <= -bound + size => Tangent::Slide,
                lt if lt >= bound - size => Tangent::SlideBack,
                _ => Tangent::Stick,
            };
            let like = |mode: &&Mode| mode.0 == normal && (mode.1 == tangent || mode.1 == Tangent::Free);
            let alike = |mode: &&Mode| mode.0 == normal;
            let possible = &self.possible[i];
            let Some(mode) = possible.iter().find(like).or_else(|| possible.iter().find(alike)) else {
                return false;
            };
            self.modes[i] = *mode;
        }
        self.solutions.clear();
        self.found.clear();
        let holds = self.forces(step, c) && self.holds(step, u, c);
        if holds {
            self.keep();
        }
        holds
    }

    /// Adds a solution.
    fn keep(&mut self) {
        self.solutions.extend_from_slice(&self.l);
        self.solutions.extend_from_slice(&self.du);
        self.found.extend_from_slice(&self.modes);
    }

    /// Chooses solution number `k`, and returns its forces and accelerations (2m each).
    pub fn choose(&mut self, k: usize) -> (&[R], &[R]) {
        let (m, width) = (self.last.len(), self.l.len());
        self.last.copy_from_slice(&self.found[m * k..m * (k + 1)]);
        self.solutions[2 * width * k..2 * width * (k + 1)].split_at(width)
    }

    /// Computes the forces and accelerations of the combination of modes; whether there are such forces.
    fn forces(&mut self, step: &StepProblem<R>, c: &[R]) -> bool {
        let (m, k) = (step.contacts, step.width());
        let Segment { modes, matrix, right, unknown, order, l, du, .. } = self;
        unknown.clear();
        l.fill(R::ZERO);
        for (i, (normal, tangent)) in modes.iter().enumerate() {
            match normal {
                Normal::Off => {}
                Normal::Held => unknown.push(i),
                Normal::Full => l[i] = c[i],
            }
            if *tangent == Tangent::Stick {
                unknown.push(m + i);
            }
        }
        // The sliding friction of a contact whose normal force is unknown moves with it.
        let slope = |i: usize| match modes[i].1 {
            Tangent::Slide => -step.mu[i],
            Tangent::SlideBack => step.mu[i],
            _ => R::ZERO,
        };
        for i in 0..m {
            l[m + i] = slope(i) * l[i];
        }
        let n = unknown.len();
        for a in 0..n {
            let row = &step.w[unknown[a] * k..(unknown[a] + 1) * k];
            let mut given = R::ZERO;
            for j in 0..k {
                given += row[j] * l[j];
            }
            right[a] = -given;
            for b in 0..n {
                let j = unknown[b];
                matrix[a * n + b] = if j < m { row[j] + slope(j) * row[m + j] } else { row[j] };
            }
        }
        if !eliminate(&mut matrix[..n * n], &mut right[..n], order) {
            return false;
        }
        for a in 0..n {
            l[unknown[a]] = right[a];
        }
        for i in 0..m {
            if modes[i].0 == Normal::Held && modes[i].1 != Tangent::Stick {
                l[m + i] = slope(i) * l[i];
            }
        }
        for i in 0..k {
            let row = &step.w[i * k..(i + 1) * k];
            let mut sum = R::ZERO;
            for j in 0..k {
                sum += row[j] * l[j];
            }
            du[i] = sum;
        }
        for row in unknown.iter() {
            du[*row] = R::ZERO;
        }
        l.iter().chain(du.iter()).all(|x| x.is_finite())
    }

    /// Whether the forces satisfy the inequalities of their modes. Accelerations at velocity 0 that are rounding become 0.
    fn holds(&mut self, step: &StepProblem<R>, u: &[R], c: &[R]) -> bool {
        let m = step.contacts;
        let small = R::CONDITION * largest(&self.l);
        for i in 0..m {
            let (normal, tangent) = self.modes[i];
            let ln = self.l[i];
            if u[i] == R::ZERO && self.du[i].abs() <= small {
                self.du[i] = R::ZERO;
            }
            if u[m + i] == R::ZERO && self.du[m + i].abs() <= small {
                self.du[m + i] = R::ZERO;
            }
            let (an, at) = (self.du[i], self.du[m + i]);
            let normal = match normal {
                Normal::Off => u[i] != R::ZERO || c[i] == R::ZERO || an >= R::ZERO,
                Normal::Held => ln >= -small && ln <= c[i] + small,
                Normal::Full => u[i] != R::ZERO || self.gives[i] || an <= R::ZERO,
            };
            let tangent = match tangent {
                Tangent::Free => true,
                Tangent::Stick => self.l[m + i].abs() <= step.mu[i] * ln + small,
                Tangent::Slide => u[m + i] != R::ZERO || at >= R::ZERO,
                Tangent::SlideBack => u[m + i] != R::ZERO || at <= R::ZERO,
            };
            if !(normal && tangent) {
                return false;
            }
        }
        true
    }

    /// Whether a solution with the same acceleration has been found before.
    fn known(&self) -> bool {
        let width = self.l.len();
        let size = largest(&self.l);
        let near = R::from_f64(R::DISTINCT) * size;
        self.solutions
            .chunks_exact(2 * width)
            .any(|solution| self.du.iter().zip(&solution[width..]).all(|(a, b)| (*a - *b).abs() <= near))
    }
}

/// The modes that are possible at a contact with normal and tangential velocity `(un, ut)` and cap `c`, which may give back.
fn list<R: Real>(
    step: &StepProblem<R>,
    i: usize,
    (un, ut): (R, R),
    c: R,
    gives: bool,
    modes: &mut Vec<Mode>,
) {
    let (k, t) = (step.width(), step.contacts + i);
    modes.clear();
    let separates = un > R::ZERO && !gives || c == R::ZERO;
    if separates || un == R::ZERO && !gives {
        modes.push((Normal::Off, Tangent::Free));
    }
    if separates {
        return;
    }
    let smooth = step.mu[i] == R::ZERO || step.w[t * k + t] == R::ZERO;
    let tangents: &[Tangent] = match ut {
        _ if smooth => &[Tangent::Free],
        ut if ut > R::ZERO => &[Tangent::Slide],
        ut if ut < R::ZERO => &[Tangent::SlideBack],
        _ => &[Tangent::Stick, Tangent::Slide, Tangent::SlideBack],
    };
    let normals: &[Normal] =
        if un < R::ZERO || gives { &[Normal::Full] } else { &[Normal::Held, Normal::Full] };
    for normal in normals {
        modes.extend(tangents.iter().map(|tangent| (*normal, *tangent)));
    }
}

/// The largest absolute value.
fn largest<R: Real>(x: &[R]) -> R {
    x.iter().fold(R::ZERO, |size, x| Real::max(size, x.abs()))
}

/// Solves `A x = b` (n) by elimination with complete pivoting; `x` replaces `b`. Unknowns that a singular `A` leaves free
/// are 0. Returns whether the equations that are left hold.
fn eliminate<R: Real>(a: &mut [R], b: &mut [R], order: &mut Vec<usize>) -> bool {
    let n = b.len();
    order.clear();
    order.extend(0..n);
    let scale = Real::max(largest(a), R::ONE);
    let mut rank = n;
    for p in 0..n {
        let (mut best, mut at) = (R::ZERO, (p, p));
        for i in p..n {
            for j in p..n {
                let size = a[i * n + j].abs();
                if size > best {
                    (best, at) = (size, (i, j));
                }
            }
        }
        if best <= R::PIVOT * scale {
            rank = p;
            break;
        }
        let (row, column) = at;
        if row != p {
            for j in 0..n {
                a.swap(p * n + j, row * n + j);
            }
            b.swap(p, row);
        }
        if column != p {
            for i in 0..n {
                a.swap(i * n + p, i * n + column);
            }
            order.swap(p, column);
        }
        for i in p + 1..n {
            let factor = a[i * n + p] / a[p * n + p];
            for j in p..n {
                let other = a[p * n + j];
                a[i * n + j] += -(factor * other);
            }
            let other = b[p];
            b[i] += -(factor * other);
        }
    }
    let size = largest(b);
    if b[rank..].iter().any(|x| x.abs() > R::PIVOT * size) {
        return false;
    }
    b[rank..].fill(R::ZERO);
    for p in (0..rank).rev() {
        let mut sum = b[p];
        for j in p + 1..rank {
            sum += -(a[p * n + j] * b[j]);
        }
        b[p] = sum / a[p * n + p];
    }
    // Back to the order of the unknowns.
    for p in 0..n {
        while order[p] != p {
            let q = order[p];
            b.swap(p, q);
            order.swap(p, q);
        }
    }
    true
}
