use nalgebra::{DMatrix, DVector, Vector3};

use carom_core::cones::newton::{Iterate, newton};
use carom_core::cones::program::minimise;
use carom_core::cones::projection::{natural_map, project};
use carom_core::cones::space::{ConeSpace, RESIDUAL, residual};
use carom_core::{ContactProblem, Limits};

/// Most proximal steps.
const STEPS: usize = 500;
/// The weight of the first proximal step, the factor after a step that was solved, and the factor
/// after one that was not.
const WEIGHT: [f64; 3] = [1e-3, 0.5, 3.0];
/// Smallest and largest weight.
const WEIGHTS: [f64; 2] = [1e-10, 1e4];
/// Size of the equations below which a proximal step is solved.
const SOLVED: f64 = 1e-11;

/// The impulse that minimises `1/2 L' W L + u' L` over the friction cones, dimensionless, and its
/// residual.
///
/// The solver Clarabel proposes one, and Newton's method for the natural map improves it. Where
/// that does not suffice, proximal steps do,
///
/// ```text
/// L <- argmin 1/2 L' W L + u' L + weight/2 |L - L_before|^2,
/// ```
///
/// each solved by Newton's method, which is regular where `weight` is large enough: it grows where
/// a step is not solved. Where no impulse is an optimum, that is returned. A convex program has a
/// solution, and proximal steps converge to one whatever their weights. Guarantee: ends after
/// [`STEPS`] proximal steps with the impulse whose residual was least, earlier where the limits'
/// flag is raised.
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

/// The impulse that minimises the program with `weight |L - l|^2 / 2` added, which exists and is
/// unique.
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
