use nalgebra::{DMatrix, DVector, Vector3};

use carom_core::cones::newton::{Iterate, newton};
use carom_core::cones::program::minimise;
use carom_core::cones::projection::{natural_map, project};
use carom_core::cones::space::{ConeSpace, RESIDUAL, residual};
use carom_core::{ContactProblem, Limits};

/// Limit of proximal steps.
const STEPS: usize = 500;
/// The weight of the first proximal step; the factors after a solved and after an unsolved step.
const WEIGHT: [f64; 3] = [1e-3, 0.5, 3.0];
/// Smallest and largest weight.
const WEIGHTS: [f64; 2] = [1e-10, 1e4];
/// Residual below which a proximal step counts as solved.
const SOLVED: f64 = 1e-11;

/// The minimiser of `1/2 L' W L + u' L` over the friction cones, dimensionless, and its residual.
///
/// The solver Clarabel proposes an impulse, and Newton's method for the natural map improves it. If
/// this is insufficient, proximal steps follow,
///
/// ```text
/// L <- argmin 1/2 L' W L + u' L + weight/2 |L - L_before|^2,
/// ```
///
/// each solved by Newton's method, which is regular for sufficiently large `weight`; the weight
/// grows after an unsolved step. If zero impulse is optimal, it is returned. A convex program has a
/// solution, and proximal steps converge to a solution for any weights. Guarantee: ends after
/// [`STEPS`] proximal steps, or once the limits' flag is raised, with the impulse of smallest
/// residual.
pub fn solve(problem: &ContactProblem, space: &ConeSpace, limits: &Limits) -> (Iterate, f64) {
    let judged = |end: &Iterate| residual(problem, &space.impulse(&end.l), violation);
    let nothing = Iterate { l: DVector::zeros(space.u.len()), size: 0.0, steps: 0 };
    if judged(&nothing) == 0.0 {
        return (nothing, 0.0);
    }
    let proposed = minimise(space, &[], limits).unwrap_or_else(|| nothing.l.clone());
    let mut best = newton(space, natural_map, &proposed);
    let mut least = judged(&best);
    let (mut l, mut weight, mut steps) = (proposed, WEIGHT[0], best.steps);
    for _ in 0..STEPS {
        if least <= RESIDUAL || weight > WEIGHTS[1] || !limits.spend(0.0) {
            break;
        }
        let near = near(space, &l, weight);
        steps += near.steps;
        if near.size > SOLVED {
            weight *= WEIGHT[2];
            continue;
        }
        l = near.l.clone();
        weight = (weight * WEIGHT[1]).max(WEIGHTS[0]);
        let sharp = newton(space, natural_map, &l);
        steps += sharp.steps;
        for end in [near, sharp] {
            let found = judged(&end);
            if found < least {
                (least, best) = (found, end);
            }
        }
    }
    (Iterate { steps, ..best }, least)
}

/// The unique minimiser of the program plus `weight |L - l|^2 / 2`.
fn near(space: &ConeSpace, l: &DVector<f64>, weight: f64) -> Iterate {
    let mut close = space.clone();
    close.w += DMatrix::identity(l.len(), l.len()) * weight;
    close.u -= l * weight;
    newton(&close, natural_map, l)
}

/// Distance of a contact from the optimum: `|L - P_K(L - u)|`.
fn violation(mu: f64, l: Vector3<f64>, u: Vector3<f64>) -> f64 {
    (l - project(mu, l - u).0).norm()
}
