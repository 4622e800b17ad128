//! Newton's method for piecewise smooth equations, one group of equations per contact.

use std::ops::AddAssign;

use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};

use super::space::ConeSpace;

/// The equations of one contact: values, and derivatives by impulse and velocity.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// The values, all 0 in a solution.
    pub value: Vector3<f64>,
    /// The derivatives by the impulse.
    pub by_impulse: Matrix3<f64>,
    /// The derivatives by the velocity.
    pub by_velocity: Matrix3<f64>,
}

/// The equations of a contact as a function of its friction, impulse and velocity.
pub type ContactEquations = fn(f64, Vector3<f64>, Vector3<f64>) -> Local;

/// The result of an iteration.
#[derive(Clone, Debug)]
pub struct Iterate {
    /// The impulse (K), dimensionless.
    pub l: DVector<f64>,
    /// Largest residual of the equations.
    pub size: f64,
    /// Number of steps.
    pub steps: usize,
}

/// Most steps from one start.
pub const MAX_STEPS: usize = 60;
/// Residual below which the equations are solved.
const SOLVED: f64 = 1e-14;
/// Residual below which rounding errors may prevent a further decrease.
const ROUNDING: f64 = 1e-12;
/// Damping below which a step is undamped; damping above which the iteration gives up.
const DAMPING: [f64; 2] = [1e-9, 1e3];
/// Damping from which on the step is computed by the normal equations.
const NORMAL: f64 = 1e-4;
/// The derivatives are regular if all pivots exceed this fraction of the largest derivative.
const REGULAR: f64 = 1e-6;
/// Number of last residual norms in the nonmonotone acceptance test: a step may exceed the last
/// norm, but not the largest one.
const MEMORY: usize = 5;

/// Solves `F(L, u + W L) = 0` from a start; returns the best iterate.
///
/// A step minimises `|F + G d|^2 + delta^2 |d|^2`, `G = A + B W`, with `A` and `B` the derivatives
/// by impulse and velocity; where `W` is singular the damping `delta` keeps `d` finite. The damping
/// falls after accepted steps, and rises until a step makes `|F|` smaller than the largest of the
/// last values. Where the damping is least and `G` is far from singular, the step is undamped.
/// Source: \[QS93\]; damping after Levenberg and Marquardt. Cost: an LU factorisation of (K,K) a
/// step, with damping a QR factorisation of (2K,K). Guarantee: ends after [`MAX_STEPS`] steps. The
/// field `size` is the residual at the end.
pub fn newton(space: &ConeSpace, equations: ContactEquations, start: &DVector<f64>) -> Iterate {
    let mut l = start.clone();
    let (mut f, mut g) = assemble(space, equations, &l);
    let mut best = Iterate { l: l.clone(), size: f.amax(), steps: 0 };
    let mut last = [f.norm(); MEMORY];
    let mut damping = DAMPING[0];
    for steps in 1..=MAX_STEPS {
        if best.size <= SOLVED {
            break;
        }
        let most = last.iter().copied().fold(0.0, f64::max);
        let next = loop {
            let plain = if damping == DAMPING[0] { plain_step(&f, &g) } else { None };
            let next = plain.or_else(|| step(&f, &g, damping)).map(|d| {
                let next = &l + d;
                (assemble(space, equations, &next), next)
            });
            if let Some(next) = next.filter(|((f, _), _)| f.norm() < most * (1.0 - 1e-4)) {
                damping = (damping / 10.0).max(DAMPING[0]);
                break Some(next);
            }
            damping = (10.0 * damping).max(1e-4);
            if damping > DAMPING[1] || best.size <= ROUNDING {
                break None;
            }
        };
        best.steps = steps;
        let Some(next) = next else { break };
        ((f, g), l) = next;
        last[steps % MEMORY] = f.norm();
        if f.amax() < best.size {
            best = Iterate { l: l.clone(), size: f.amax(), steps };
        }
    }
    best
}

/// Whether the linearised equations have further solutions near a solution, with another velocity.
pub fn moves(space: &ConeSpace, equations: ContactEquations, l: &DVector<f64>) -> bool {
    let g = assemble(space, equations, l).1;
    if g.clone().col_piv_qr().r().diagonal().iter().all(|pivot| pivot.abs() > REGULAR * g.amax()) {
        return false;
    }
    let svd = g.svd(false, true);
    let least = 1e-9 * svd.singular_values.amax();
    let Some(directions) = svd.v_t else { return false };
    let null = (0..l.len()).filter(|&k| svd.singular_values[k] <= least);
    null.into_iter().any(|k| (&space.w * directions.row(k).transpose()).amax() > 1e-7)
}

/// The values `F` (K) at an impulse, and their derivatives `G` (K,K).
fn assemble(
    space: &ConeSpace,
    equations: ContactEquations,
    l: &DVector<f64>,
) -> (DVector<f64>, DMatrix<f64>) {
    let u = space.after(l);
    let k = u.len();
    let (mut f, mut g) = (DVector::zeros(k), DMatrix::zeros(k, k));
    for i in 0..space.contacts() {
        let (mu, l, u) = (space.mu[i], space.part(l, i), space.part(&u, i));
        let local = match space.sliding[i] {
            Some(way) => sliding(mu, way, l, u),
            None => equations(mu, l, u),
        };
        for (a, row) in space.rows(i).enumerate() {
            f[row] = local.value[a];
            for (b, column) in space.rows(i).enumerate() {
                g[(row, column)] += local.by_impulse[(a, b)];
                let weight = local.by_velocity[(a, b)];
                if weight != 0.0 {
                    (0..k).for_each(|j| g[(row, j)] += weight * space.w[(column, j)]);
                }
            }
        }
    }
    (f, g)
}

/// The equations `ln = max(0, ln - u_n)`, `lt = -mu ln d` of a contact that slides along `d`.
fn sliding(mu: f64, way: Vector2<f64>, l: Vector3<f64>, u: Vector3<f64>) -> Local {
    let friction = Vector3::new(0.0, mu * way[0], mu * way[1]);
    let mut at = Local {
        value: l + friction * l[0],
        by_impulse: Matrix3::identity(),
        by_velocity: Matrix3::zeros(),
    };
    at.by_impulse.column_mut(0).add_assign(&friction);
    if l[0] > u[0] {
        at.value[0] = u[0];
        (at.by_impulse[(0, 0)], at.by_velocity[(0, 0)]) = (0.0, 1.0);
    }
    at
}

/// The undamped step, if the derivatives are regular.
fn plain_step(f: &DVector<f64>, g: &DMatrix<f64>) -> Option<DVector<f64>> {
    let lu = g.clone().lu();
    let least = REGULAR * g.amax();
    let pivots = (0..f.len()).all(|k| lu.lu_internal()[(k, k)].abs() > least);
    if pivots { lu.solve(&-f) } else { None }
}

/// The damped step: by the normal equations if the damping is large enough for their accuracy, else
/// by a QR factorisation.
fn step(f: &DVector<f64>, g: &DMatrix<f64>, damping: f64) -> Option<DVector<f64>> {
    let k = f.len();
    let finite = |d: DVector<f64>| Some(d).filter(|d| d.iter().all(|d| d.is_finite()));
    if damping >= NORMAL {
        let mut square = g.tr_mul(g);
        (0..k).for_each(|i| square[(i, i)] += damping * damping);
        return square.cholesky().map(|factor| factor.solve(&-g.tr_mul(f))).and_then(finite);
    }
    let mut rows = DMatrix::zeros(2 * k, k);
    rows.rows_mut(0, k).copy_from(g);
    rows.rows_mut(k, k).fill_diagonal(damping);
    let mut right = DVector::zeros(2 * k);
    right.rows_mut(0, k).copy_from(&-f);
    let qr = rows.qr();
    qr.q_tr_mul(&mut right);
    qr.r().solve_upper_triangular(&right.rows(0, k).into_owned()).and_then(finite)
}
