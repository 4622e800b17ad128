//! All solutions of an impulse step, from the affine maps of its contact modes.

use nalgebra::DMatrix;

use super::step::StepProblem;
use crate::real::Real;

/// What the normal impulse of a contact does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normal {
    /// `ln = 0`, `u+_n >= 0`.
    Off,
    /// `ln = c`, `u+_n <= 0`.
    Full,
    /// `0 <= ln <= c`, `u+_n = 0`.
    Ending,
}

/// What the tangential impulse of an active contact does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// `|lt| <= mu ln`, `u+_t = 0`.
    Stick,
    /// `lt = -mu ln`, `u+_t >= 0`.
    Plus,
    /// `lt = mu ln`, `u+_t <= 0`.
    Minus,
    /// `lt = 0`: a contact without friction.
    Free,
}

/// The mode of one contact in one step; an `Off` contact is always `Free`.
pub type Mode = (Normal, Tangent);

/// The modes a contact with friction `mu` can be in: 7, or 3 without friction.
fn modes_of(mu: f64) -> Vec<Mode> {
    let tangents: &[Tangent] =
        if mu > 0.0 { &[Tangent::Stick, Tangent::Plus, Tangent::Minus] } else { &[Tangent::Free] };
    let mut modes = vec![(Normal::Off, Tangent::Free)];
    for normal in [Normal::Ending, Normal::Full] {
        modes.extend(tangents.iter().map(|&tangent| (normal, tangent)));
    }
    modes
}

/// The step's solution within one combination of modes: affine in `x = (u, c)`.
struct ModeMap {
    /// `L = impulse x`, (2m,3m).
    impulse: DMatrix<f64>,
    /// The combination holds where `conditions x >= 0`, (r,3m), each row with largest entry 1.
    conditions: DMatrix<f64>,
}

/// Solves one combination of modes; `None` where its equations are singular.
///
/// With the columns of `E` spanning the impulses left free, `K` the known ones per unit of `c` and `S`
/// selecting the velocities that must vanish: `L = E y + K c`, `S (u + W L) = 0`.
fn solve_modes(problem: &StepProblem<f64>, modes: &[Mode]) -> Option<ModeMap> {
    let m = problem.contacts;
    let w = DMatrix::from_row_slice(2 * m, 2 * m, &problem.w);
    let mut free: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut zero: Vec<usize> = Vec::new();
    let mut known = DMatrix::zeros(2 * m, 3 * m);
    for (i, &(normal, tangent)) in modes.iter().enumerate() {
        let mu = problem.mu[i];
        let slope = match tangent {
            Tangent::Plus => -mu,
            Tangent::Minus => mu,
            Tangent::Stick | Tangent::Free => 0.0,
        };
        match normal {
            Normal::Off => {}
            Normal::Full => {
                known[(i, 2 * m + i)] = 1.0;
                known[(m + i, 2 * m + i)] = slope;
            }
            Normal::Ending => {
                let size = 1.0 / mu.max(1.0);
                free.push(vec![(i, size), (m + i, slope * size)]);
                zero.push(i);
            }
        }
        if normal != Normal::Off && tangent == Tangent::Stick {
            free.push(vec![(m + i, 1.0)]);
            zero.push(m + i);
        }
    }
    let k = free.len();
    let mut basis = DMatrix::zeros(2 * m, k);
    for (j, column) in free.iter().enumerate() {
        for &(i, x) in column {
            basis[(i, j)] = x;
        }
    }
    let mut start = &w * &known;
    for i in 0..2 * m {
        start[(i, i)] += 1.0;
    }
    let mut impulse = known;
    if k > 0 {
        let wb = &w * &basis;
        let a = DMatrix::from_fn(k, k, |i, j| wb[(zero[i], j)]);
        let b = DMatrix::from_fn(k, 3 * m, |i, j| -start[(zero[i], j)]);
        let lu = a.full_piv_lu();
        let pivots = lu.u().diagonal().map(f64::abs);
        let regular = pivots.min() > 1e-9 * pivots.max();
        if !regular {
            return None;
        }
        impulse += &basis * lu.solve(&b)?;
    }
    let mut velocity = &w * &impulse;
    for i in 0..2 * m {
        velocity[(i, i)] += 1.0;
    }
    let noise = 1e-12 * impulse.amax().max(1.0);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut holds = |row: Vec<f64>| {
        let size = row.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if size > noise {
            rows.push(row.iter().map(|x| x / size).collect());
        }
    };
    let entries = |matrix: &DMatrix<f64>, i: usize, sign: f64| -> Vec<f64> {
        matrix.row(i).iter().map(|x| sign * x).collect()
    };
    for (i, &(normal, tangent)) in modes.iter().enumerate() {
        match normal {
            Normal::Off => holds(entries(&velocity, i, 1.0)),
            Normal::Full => holds(entries(&velocity, i, -1.0)),
            Normal::Ending => {
                holds(entries(&impulse, i, 1.0));
                let mut rest = entries(&impulse, i, -1.0);
                rest[2 * m + i] += 1.0;
                holds(rest);
            }
        }
        match tangent {
            Tangent::Stick => {
                for sign in [1.0, -1.0] {
                    let tangential = entries(&impulse, m + i, sign);
                    let normal = impulse.row(i);
                    let mu = problem.mu[i];
                    let row = tangential.iter().zip(normal.iter());
                    holds(row.map(|(lt, ln)| (mu * ln + lt) / mu.max(1.0)).collect());
                }
            }
            Tangent::Plus => holds(entries(&velocity, m + i, 1.0)),
            Tangent::Minus => holds(entries(&velocity, m + i, -1.0)),
            Tangent::Free => {}
        }
    }
    let conditions = DMatrix::from_fn(rows.len(), 3 * m, |i, j| rows[i][j]);
    Some(ModeMap { impulse, conditions })
}

/// Every regular combination of contact modes of a step problem, as affine maps.
///
/// For a fixed problem the solution of a step within a combination is `L = F x`, `x = (u, c)`, and holds where
/// `G x >= 0`. There are 7^m combinations, 3 instead of 7 for a contact without friction. Singular ones are
/// left out: where contacts are redundant their solutions recur, with the same `u+`, at the edge of a regular
/// combination; a step that finds none is flagged, never passed over.
/// Layout, shared with `shaders/lcp/modes.wgsl`: `spans` holds (first row, number of rows) of each combination,
/// `conditions` the rows of all `G` (3m each), `impulses` all `F` (2m,3m), row by row.
#[derive(Clone, Debug)]
pub struct ModeTable<R> {
    /// (first condition row, number of rows) of each combination.
    pub spans: Vec<[u32; 2]>,
    /// Condition rows, 3m numbers each.
    pub conditions: Vec<R>,
    /// Impulse maps, 6 m^2 numbers each.
    pub impulses: Vec<R>,
    /// How far below zero a condition may lie: [`Real::CONDITION`] times the size of `x`.
    pub tolerance: R,
}

impl<R: Real> ModeTable<R> {
    /// Largest number of contacts for which a table is affordable.
    pub const MAX_CONTACTS: usize = 3;

    /// Solves every combination of modes in f64. `caps` (m) are the largest `c` that will be asked for.
    pub fn new(problem: &StepProblem<f64>, caps: &[f64]) -> Self {
        let per_contact: Vec<Vec<Mode>> = problem.mu.iter().map(|&mu| modes_of(mu)).collect();
        let count: usize = per_contact.iter().map(Vec::len).product();
        let size = caps.iter().fold(1.0, |a: f64, &c| a.max(c));
        let mut table = ModeTable {
            spans: Vec::new(),
            conditions: Vec::new(),
            impulses: Vec::new(),
            tolerance: R::from_f64(size) * R::CONDITION,
        };
        let width = 3 * problem.contacts as u32;
        for combination in 0..count {
            let mut rest = combination;
            let modes: Vec<Mode> = per_contact
                .iter()
                .map(|choices| {
                    let mode = choices[rest % choices.len()];
                    rest /= choices.len();
                    mode
                })
                .collect();
            let Some(map) = solve_modes(problem, &modes) else { continue };
            let first = table.conditions.len() as u32 / width;
            table.spans.push([first, map.conditions.nrows() as u32]);
            for row in map.conditions.row_iter() {
                table.conditions.extend(row.iter().map(|&x| R::from_f64(x)));
            }
            for row in map.impulse.row_iter() {
                table.impulses.extend(row.iter().map(|&x| R::from_f64(x)));
            }
        }
        table
    }

    /// Whether combination `k` holds at `x` (3m).
    #[inline]
    fn holds(&self, k: usize, x: &[R]) -> bool {
        let [first, rows] = self.spans[k].map(|n| n as usize);
        let conditions = &self.conditions[first * x.len()..(first + rows) * x.len()];
        conditions.chunks_exact(x.len()).all(|row| dot(row, x) >= -self.tolerance)
    }

    /// Writes the impulse (2m) of combination `k` at `x = (u, c)` (3m), moved into its bounds.
    /// Twin: `shaders/lcp/modes.wgsl::modes_impulse`.
    pub fn impulse(&self, problem: &StepProblem<R>, k: usize, x: &[R], l: &mut [R]) {
        let size = l.len() * x.len();
        for (l, row) in l.iter_mut().zip(self.impulses[k * size..(k + 1) * size].chunks_exact(x.len())) {
            *l = dot(row, x);
        }
        problem.clamp_impulse(&x[l.len()..], l);
    }

    /// Collects the distinct solutions of the step from `x = (u, c)` (3m) into `found`.
    /// Twin: `shaders/lcp/modes.wgsl::modes_solve`.
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

#[inline]
fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for (x, y) in a.iter().zip(b) {
        sum += *x * *y;
    }
    sum
}

/// Weight of entry i of `u+` in the order of solutions.
pub fn key_weight<R: Real>(i: usize) -> R {
    R::from_f64(1.0 / (i as f64 + std::f64::consts::SQRT_2))
}

/// The distinct solutions of one step, with an order that depends on the solutions alone.
///
/// Two solutions are distinct when their `u+` differ by more than [`Real::DISTINCT`] `max|u-|` in some entry;
/// `u+` and `v+` distinguish alike, since `W x = 0` exactly where `M^-1 J' x = 0`. Of solutions that are not
/// distinct the one with the smallest residual stands for all. Their order is that of one fixed weighted sum of
/// their `u+`, so that a rank drawn from a sample's stream means the same in every precision. Where two
/// solutions are closer than that distance but farther apart than rounding explains ([`Real::AMBIGUOUS`]), single
/// precision cannot count them, and says so.
#[derive(Clone, Debug)]
pub struct Solutions<R> {
    /// Number of distinct solutions.
    pub count: usize,
    /// Whether two solutions are too close for this precision to say whether they are one.
    pub ambiguous: bool,
    /// Their `u+`, 2m numbers each.
    pub velocities: Vec<R>,
    /// The combinations of modes they come from.
    pub combinations: Vec<usize>,
    /// Their residuals.
    pub residuals: Vec<R>,
    keys: Vec<R>,
    u_plus: Vec<R>,
    impulse: Vec<R>,
}

impl<R: Real> Solutions<R> {
    /// Room for every combination of modes of m contacts.
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

    /// Adds the solution in the workspace unless it is there already.
    fn insert(&mut self, problem: &StepProblem<R>, combination: usize, residual: R) {
        let width = self.u_plus.len();
        let mut slot = self.count;
        for k in 0..self.count {
            let mut distance = R::ZERO;
            for i in 0..width {
                let difference = (self.velocities[k * width + i] - self.u_plus[i]) * problem.sigma[i];
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

    /// The index of the solution of rank `rank` in their order; `rank < count`.
    /// Twin: `shaders/lcp/modes.wgsl::solutions_pick`.
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
