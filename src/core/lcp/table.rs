//! All solutions of an impulse step, from a table of the affine maps of its contact modes.

use nalgebra::DMatrix;

use super::modes::ModeMap;
use super::step::StepProblem;
use crate::Real;

/// Affine maps of a step problem's combinations of contact modes, in the precision of a kernel.
///
/// For a fixed problem the solution of a step within a combination is `L = F x`, `x = (u, c)`, and
/// holds where `G x >= 0` ([`ModeMap`]). Layout, shared with `shaders/lcp/table.wgsl`: `spans`
/// holds (first row, number of rows) of each combination, `conditions` the rows of all `G` (3m
/// each), `impulses` all `F` (2m,3m), row by row.
#[derive(Clone, Debug)]
pub struct ModeTable<R> {
    /// (first condition row, number of rows) of each combination.
    pub spans: Vec<[u32; 2]>,
    /// Condition rows, 3m numbers each.
    pub conditions: Vec<R>,
    /// Impulse maps, 6 m^2 numbers each.
    pub impulses: Vec<R>,
    /// Largest violation of a condition: [`Real::CONDITION`] times the size of `x`.
    pub tolerance: R,
}

impl<R: Real> ModeTable<R> {
    /// Largest number of contacts with a table: its size grows like 7^m.
    pub const MAX_CONTACTS: usize = 3;

    /// The table of the affine `maps` of a step problem. `caps` (m): largest occurring bounds `c`.
    pub fn new(maps: &[ModeMap], caps: &[f64]) -> Self {
        let mut table = ModeTable {
            spans: Vec::new(),
            conditions: Vec::new(),
            impulses: Vec::new(),
            tolerance: R::ZERO,
        };
        table.set_caps(caps.iter().copied());
        let mut first = 0;
        for map in maps {
            let rows = map.conditions.nrows() as u32;
            table.spans.push([first, rows]);
            first += rows;
            let by_row = |matrix: &DMatrix<f64>| matrix.transpose().map(R::from_f64);
            table.conditions.extend(by_row(&map.conditions).iter());
            table.impulses.extend(by_row(&map.impulse).iter());
        }
        table
    }

    /// Sets the largest occurring bounds `c`.
    pub fn set_caps(&mut self, caps: impl Iterator<Item = f64>) {
        self.tolerance = R::from_f64(caps.fold(1.0, f64::max)) * R::CONDITION;
    }

    /// Whether combination `k` holds at `x` (3m).
    #[inline]
    pub fn holds(&self, k: usize, x: &[R]) -> bool {
        let [first, rows] = self.spans[k].map(|n| n as usize);
        let conditions = &self.conditions[first * x.len()..(first + rows) * x.len()];
        conditions.chunks_exact(x.len()).all(|row| dot(row, x) >= -self.tolerance)
    }

    /// Writes the impulse (2m) of combination `k` at `x = (u, c)` (3m), clipped to its bounds.
    /// Twin: `shaders/lcp/table.wgsl::modes_impulse`.
    pub fn impulse(&self, problem: &StepProblem<R>, k: usize, x: &[R], l: &mut [R]) {
        let size = l.len() * x.len();
        let rows = self.impulses[k * size..(k + 1) * size].chunks_exact(x.len());
        for (l, row) in l.iter_mut().zip(rows.clone()) {
            *l = dot(row, x);
        }
        if problem.mu.iter().any(|mu| mu.slope() != 0.0) {
            // The rows belong to the value of mu. With friction at its bound, a change of mu acts
            // like an external impulse.
            let kick = problem.friction_change(l);
            let mut moved = x.to_vec();
            problem.advance(&x[..l.len()], &kick, &mut moved[..l.len()]);
            for ((l, row), kick) in l.iter_mut().zip(rows).zip(&kick) {
                *l = dot(row, &moved) + *kick;
            }
        }
        problem.clamp_impulse(&x[l.len()..], l);
    }

    /// Collects the distinct solutions of the step from `x = (u, c)` (3m) into `found`.
    /// Twin: `shaders/lcp/table.wgsl::modes_solve`.
    pub fn solve(&self, problem: &StepProblem<R>, x: &[R], found: &mut Solutions<R>) {
        let (u, c) = x.split_at(2 * problem.contacts);
        found.count = 0;
        found.ambiguous = false;
        for k in 0..self.spans.len() {
            if !self.holds(k, x) {
                continue;
            }
            self.impulse(problem, k, x, &mut found.impulse);
            problem.advance(u, &found.impulse, &mut found.u_plus);
            let residual = problem.residual(c, &found.impulse, &found.u_plus);
            if residual <= R::from_f64(R::RESIDUAL) {
                found.insert(problem, k, residual);
            }
        }
    }
}

/// `a . b`
#[inline]
fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for (x, y) in a.iter().zip(b) {
        sum += *x * *y;
    }
    sum
}

/// Weight of entry i of `u+` in the sort key of solutions.
pub fn key_weight<R: Real>(i: usize) -> R {
    R::from_f64(1.0 / (i as f64 + std::f64::consts::SQRT_2))
}

/// The distinct solutions of one step, in an order that depends on the solutions alone.
///
/// Two solutions are distinct when their `u+` differ by more than [`Real::DISTINCT`] `max|u-|` in
/// some entry; whenever `u+` differs, so does `v+`, since `W x = 0` exactly where `M^-1 J' x = 0`.
/// Of solutions that are not distinct, the one with the smallest residual is kept. They are ordered
/// by one fixed weighted sum of their `u+`, so that a rank drawn from a sample's stream selects the
/// same solution in every precision. Where two solutions are closer than that distance, but farther
/// apart than rounding errors ([`Real::AMBIGUOUS`]), single precision cannot count them, and
/// [`Solutions::ambiguous`] is set.
#[derive(Clone, Debug)]
pub struct Solutions<R> {
    /// Number of distinct solutions.
    pub count: usize,
    /// Whether two solutions are too close to decide in this precision whether they are distinct.
    pub ambiguous: bool,
    /// The velocities `u+` of the solutions, 2m numbers each.
    pub velocities: Vec<R>,
    /// The combinations of modes of the solutions.
    pub combinations: Vec<usize>,
    /// The residuals of the solutions.
    pub residuals: Vec<R>,
    keys: Vec<R>,
    u_plus: Vec<R>,
    impulse: Vec<R>,
}

impl<R: Real> Solutions<R> {
    /// A workspace for every combination of modes of m contacts.
    pub fn new(m: usize) -> Self {
        let most = 7usize.pow(m.min(ModeTable::<R>::MAX_CONTACTS) as u32);
        Solutions {
            count: 0,
            ambiguous: false,
            velocities: vec![R::ZERO; most * 2 * m],
            combinations: vec![0; most],
            residuals: vec![R::ZERO; most],
            keys: vec![R::ZERO; most],
            u_plus: vec![R::ZERO; 2 * m],
            impulse: vec![R::ZERO; 2 * m],
        }
    }

    /// Adds the solution in the workspace, unless an equal one is known.
    fn insert(&mut self, problem: &StepProblem<R>, combination: usize, residual: R) {
        let width = self.u_plus.len();
        let mut slot = self.count;
        for k in 0..self.count {
            let mut distance = R::ZERO;
            for i in 0..width {
                let difference =
                    (self.velocities[k * width + i] - self.u_plus[i]) * problem.sigma[i];
                distance = Real::max(distance, difference.abs());
            }
            if distance <= R::from_f64(R::DISTINCT) {
                self.ambiguous |= distance > R::AMBIGUOUS;
                if residual >= self.residuals[k] {
                    return;
                }
                slot = k;
                break;
            }
        }
        let mut key = R::ZERO;
        for i in 0..width {
            key += key_weight::<R>(i) * self.u_plus[i] * problem.sigma[i];
            self.velocities[slot * width + i] = self.u_plus[i];
        }
        self.combinations[slot] = combination;
        self.residuals[slot] = residual;
        self.keys[slot] = key;
        self.count = self.count.max(slot + 1);
    }

    /// The index of the solution of rank `rank` in sorted order; `rank < count`.
    /// Twin: `shaders/lcp/table.wgsl::solutions_pick`.
    pub fn pick(&self, rank: usize) -> usize {
        let keys = &self.keys[..self.count];
        let before = |k: usize| {
            let earlier = |&j: &usize| keys[j] < keys[k] || keys[j] == keys[k] && j < k;
            (0..keys.len()).filter(earlier).count()
        };
        (0..keys.len()).find(|&k| before(k) == rank).unwrap_or(0)
    }

    /// The `u+` (2m) of solution `k`.
    pub fn velocity(&self, k: usize) -> &[R] {
        let width = self.u_plus.len();
        &self.velocities[k * width..(k + 1) * width]
    }
}
