//! The contact modes of an impulse step, and the step's solution within each combination of modes.

use nalgebra::DMatrix;

use super::step::StepProblem;

/// The mode of a contact's normal impulse in a step.
#[derive(Clone, Copy, PartialEq)]
enum Normal {
    /// `ln = 0`, `u+_n >= 0`.
    Off,
    /// `ln = c`, `u+_n <= 0`.
    Full,
    /// `0 <= ln <= c`, `u+_n = 0`.
    Ending,
}

/// The mode of an active contact's tangential impulse in a step.
#[derive(Clone, Copy, PartialEq)]
enum Tangent {
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
type StepMode = (Normal, Tangent);

/// The possible modes of a contact with friction `mu`: 7, or 3 without friction.
fn modes_of(mu: f64) -> Vec<StepMode> {
    let tangents: &[Tangent] =
        if mu > 0.0 { &[Tangent::Stick, Tangent::Plus, Tangent::Minus] } else { &[Tangent::Free] };
    let mut modes = vec![(Normal::Off, Tangent::Free)];
    for normal in [Normal::Ending, Normal::Full] {
        modes.extend(tangents.iter().map(|&tangent| (normal, tangent)));
    }
    modes
}

/// The step's solution within one combination of modes, affine in `x = (u, c)`. The cone where it
/// holds is a critical region.
#[derive(Clone, Debug)]
pub struct ModeMap {
    /// `L = impulse x`, (2m,3m).
    pub impulse: DMatrix<f64>,
    /// The combination holds where `conditions x >= 0`, (r,3m), each row with largest entry 1.
    pub conditions: DMatrix<f64>,
}

/// Every regular combination of contact modes. There are 7^m combinations, with a factor 3 instead
/// of 7 for a contact without friction.
///
/// Singular combinations are left out. They occur with redundant contacts. Impulses are bounded, so
/// the solutions of such a combination form a polytope, whose vertices are basic solutions; these
/// recur, with the same `u+`, at the edge of a regular combination. A step without any solution is
/// flagged.
pub fn regular_maps(problem: &StepProblem<f64>) -> Vec<ModeMap> {
    let per_contact: Vec<Vec<StepMode>> = problem.mu.iter().map(|&mu| modes_of(mu)).collect();
    let count: usize = per_contact.iter().map(Vec::len).product();
    (0..count).filter_map(|k| solve_modes(problem, &combination(&per_contact, k))).collect()
}

/// Combination number `k` of one entry of each list; the entry of the first list changes fastest.
pub fn combination<T: Copy>(lists: &[impl AsRef<[T]>], mut k: usize) -> Vec<T> {
    let entry = |list: &[T]| {
        let entry = list[k % list.len()];
        k /= list.len();
        entry
    };
    lists.iter().map(AsRef::as_ref).map(entry).collect()
}

/// Solves one combination of modes; `None` if its equations are singular.
///
/// The columns of `E` span the unknown impulses, `K` holds the known impulses per unit of `c`, and
/// `S` selects the velocities that must vanish: `L = E y + K c`, `S (u + W L) = 0`.
fn solve_modes(problem: &StepProblem<f64>, modes: &[StepMode]) -> Option<ModeMap> {
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
