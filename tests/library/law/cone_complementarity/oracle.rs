//! The conditions of both laws, from the numbers of the problem alone.

use super::*;

/// One contact after the impact: velocities over `max|u-|`, impulses times `w` over `max|u-|`.
pub struct After {
    pub mu: f64,
    pub ln: f64,
    pub lt: [f64; 2],
    pub un: f64,
    pub ut: [f64; 2],
}

pub fn size([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// What each contact does, and how far a velocity is from `v- + M^-1 J' L`, over `|v-|`.
pub fn after(problem: &ContactProblem, impulse: &[f64], velocity: &[f64]) -> (Vec<After>, f64) {
    let spec = problem.spec();
    let (n, m) = (spec.velocity.len(), spec.normal.len());
    let d = spec.tangent.len() / m;
    let rows: Vec<&Vec<f64>> = spec.normal.iter().chain(&spec.tangent).collect();
    let jacobian = DMatrix::from_fn(rows.len(), n, |i, j| rows[i][j]);
    let inverse = DMatrix::from_fn(n, n, |i, j| spec.mass[i][j]).try_inverse().unwrap();
    let delassus = &jacobian * &inverse * jacobian.transpose();
    let before = vector(&spec.velocity);
    let u = &jacobian * &before;
    let l = vector(impulse);
    let reached = &before + &inverse * jacobian.transpose() * &l;
    let drift = (reached - vector(velocity)).norm() / before.norm();
    let (z, unit) = (&u + &delassus * &l, u.amax());
    let contacts = (0..m).map(|i| {
        let own: Vec<usize> = [i].into_iter().chain((0..d).map(|a| m + d * i + a)).collect();
        let w = own.iter().map(|&row| delassus[(row, row)]).sum::<f64>() / own.len() as f64;
        let pair = |x: &dyn Fn(usize) -> f64| {
            [own.get(1).map_or(0.0, |&row| x(row)), own.get(2).map_or(0.0, |&row| x(row))]
        };
        After {
            mu: spec.friction.as_ref().map_or(0.0, |mu| mu[i]),
            ln: l[i] * w / unit,
            lt: pair(&|row| l[row] * w / unit),
            un: z[i] / unit,
            ut: pair(&|row| z[row] / unit),
        }
    });
    (contacts.collect(), drift)
}

impl After {
    /// The residual that the file formats promise.
    pub fn residual(&self) -> f64 {
        let After { mu, ln, lt, un, ut } = *self;
        let y = [lt[0] - ut[0], lt[1] - ut[1]];
        let shrink = if size(y) > mu * ln { mu * ln / size(y) } else { 1.0 };
        let off = [lt[0] - shrink * y[0], lt[1] - shrink * y[1]];
        ln.min(un).abs().max(size(off))
    }

    /// The worst of the law's conditions one by one: complementarity, cone, and friction that
    /// dissipates the most. Products are over the larger of their factors.
    pub fn worst(&self) -> f64 {
        let After { mu, ln, lt, un, ut } = *self;
        let least = -mu * ln * size(ut);
        let power = lt[0] * ut[0] + lt[1] * ut[1];
        // No friction of the disk dissipates more.
        for k in 0..64 {
            let (sin, cos) = (k as f64 * std::f64::consts::TAU / 64.0).sin_cos();
            assert!(mu * ln * (cos * ut[0] + sin * ut[1]) >= least - 1e-12 * (1.0 + least.abs()));
        }
        let product = (ln * un).abs() / ln.abs().max(un.abs()).max(1e-300);
        let lost = (power - least).abs() / (mu * ln).max(size(ut)).max(1e-300);
        [-ln, -un, product, size(lt) - mu * ln, lost].into_iter().fold(0.0, f64::max)
    }

    /// The worst condition of the convex program: `L` in the cone, `u` in the dual, `L.u = 0`.
    pub fn worst_of_program(&self) -> f64 {
        let After { mu, ln, lt, un, ut } = *self;
        let product = ln * un + lt[0] * ut[0] + lt[1] * ut[1];
        let largest = ln.max(size(lt)).max(un.abs()).max(size(ut)).max(1e-300);
        [-ln, size(lt) - mu * ln, (mu * size(ut) - un) / mu.hypot(1.0), product.abs() / largest]
            .into_iter()
            .fold(0.0, f64::max)
    }
}

/// All impulses `(ln, lt)` at one spatial contact alone that end its approach: each zero of the
/// part of `u_t` across `e` along a fine circle of directions `e` in which friction `-mu ln e`
/// might act, and the one that sticks.
pub fn one_contact(w: &DMatrix<f64>, mu: f64, u: &DVector<f64>) -> Vec<[f64; 3]> {
    const POINTS: usize = 20_000;
    let stick = w.clone().lu().solve(&-u).unwrap();
    let mut found = Vec::new();
    if size([stick[1], stick[2]]) <= mu * stick[0] {
        found.push([stick[0], stick[1], stick[2]]);
    }
    let slides = |angle: f64| {
        let (e, f) = (angle.cos(), angle.sin());
        let ln = -u[0] / (w[(0, 0)] - mu * (w[(0, 1)] * e + w[(0, 2)] * f));
        let l = DVector::from_vec(vec![ln, -mu * ln * e, -mu * ln * f]);
        let z = u + w * &l;
        (ln, z[1] * f - z[2] * e, z[1] * e + z[2] * f)
    };
    for k in 0..POINTS {
        let [mut a, mut b] = [k, k + 1].map(|k| k as f64 * std::f64::consts::TAU / POINTS as f64);
        let (first, second) = (slides(a), slides(b));
        if first.0 <= 0.0 || second.0 <= 0.0 || (first.1 > 0.0) == (second.1 > 0.0) {
            continue;
        }
        for _ in 0..60 {
            let c = 0.5 * (a + b);
            if (slides(c).1 > 0.0) == (first.1 > 0.0) { a = c } else { b = c }
        }
        let (ln, _, along) = slides(a);
        if along >= 0.0 {
            found.push([ln, -mu * ln * a.cos(), -mu * ln * a.sin()]);
        }
    }
    found
}

/// The velocity `u+` of the convex program by projected gradients, accelerated.
pub fn by_gradients(problem: &ContactProblem, steps: usize) -> DVector<f64> {
    let (w, u) = (problem.delassus(), problem.contact_velocity());
    let m = problem.contact_count();
    let rate = 1.0 / w.symmetric_eigenvalues().amax();
    let project = |l: &mut DVector<f64>| {
        for i in 0..m {
            let (mu, n, t) = (problem.friction()[i], l[i], [l[m + 2 * i], l[m + 2 * i + 1]]);
            let s = size(t);
            if s > mu * n {
                let on_edge = ((n + mu * s) / (1.0 + mu * mu)).max(0.0);
                l[i] = on_edge;
                for a in 0..2 {
                    l[m + 2 * i + a] = if s > 0.0 { t[a] / s * mu * on_edge } else { 0.0 };
                }
            }
        }
    };
    let (mut l, mut y, mut weight) = (DVector::zeros(u.len()), DVector::zeros(u.len()), 1.0_f64);
    for _ in 0..steps {
        let gradient = u + w * &y;
        let mut next = &y - &gradient * rate;
        project(&mut next);
        // Restarts where the last move goes uphill.
        if gradient.dot(&(&next - &l)) > 0.0 {
            weight = 1.0;
        }
        let heavier = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
        y = &next + (&next - &l) * ((weight - 1.0) / heavier);
        (l, weight) = (next, heavier);
    }
    u + w * l
}
