//! Contact velocities in doubles, for controllers: rounded, and without what rounding cannot tell
//! from 0.

use nalgebra::{DMatrix, DVector};

use super::{Coordinates, ROUNDED_UP, Velocities, twice_energy};
use crate::analysis::reach::rationals::Unsolved;
use crate::lcp::StepProblem;
use crate::polyhedra::{Doubles, Vector};
use crate::problem::ContactProblem;

/// A contact velocity depends on others if what they do not explain of its entry of `W` is at most
/// this part of it.
const DEPENDENT: f64 = 1e-11;

impl Coordinates for Doubles {
    fn velocities(
        problem: &ContactProblem,
        _: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved> {
        let (step, scaling, u) =
            StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
        let m = step.contacts;
        let w = DMatrix::from_row_slice(2 * m, 2 * m, &step.w);
        let (basis, rows) = independent(&w);
        let r = basis.len();
        let vector = |first: f64, rest: &dyn Fn(usize) -> f64| {
            Doubles::new(&std::iter::once(first).chain((0..r).map(rest)).collect::<Vec<_>>())
        };
        let row = |i: usize| vector(0.0, &|k| rows[(i, k)]);
        let edge =
            |i: usize, mu: f64| vector(0.0, &|k| w[(basis[k], i)] + mu * w[(basis[k], m + i)]);
        let energy = twice_energy(problem) * scaling.inverse_mass / scaling.velocity.powi(2);
        let limit = |i: usize| {
            let most = (w[(i, i)] * energy).sqrt() * ROUNDED_UP;
            let side = |sign: f64| vector(most, &|k| sign * rows[(i, k)]);
            (most > 0.0 && most.is_finite()).then(|| [side(1.0), side(-1.0)])
        };
        let limits = (0..2 * m).filter_map(limit).flatten().collect();
        let gram = problem.delassus().select_columns(&basis).select_rows(&basis);
        let inverse = gram.cholesky().ok_or(Unsolved::Indefinite)?.inverse();
        let lift = problem.response().select_columns(&basis) * inverse;
        let size = DVector::from_fn(r, |k, _| scaling.velocity * scaling.sigma[basis[k]]);
        let before = DVector::from_fn(r, |k, _| u[basis[k]]);
        let velocity = problem.velocity().clone();
        Ok(Velocities {
            entries: r + 1,
            start: vector(1.0, &|k| before[k]),
            normal: (0..m).map(row).collect(),
            tangent: (m..2 * m).map(row).collect(),
            edges: (0..m).map(|i| [edge(i, -step.mu[i]), edge(i, step.mu[i])]).collect(),
            response: w.select_rows(&basis),
            friction: step.mu,
            limits,
            scaling,
            outcome: Box::new(move |ray| {
                let near = ray.near();
                let change =
                    DVector::from_fn(r, |k, _| (near[k + 1] / near[0] - before[k]) * size[k]);
                (&velocity + &lift * change).iter().copied().collect()
            }),
        })
    }
}

/// Independent rows of a positive semidefinite matrix, in order, by Cholesky's method with pivots;
/// and the coefficients that give all rows from these.
fn independent(w: &DMatrix<f64>) -> (Vec<usize>, DMatrix<f64>) {
    let size = w.nrows();
    let (mut rest, mut basis) = (w.clone(), Vec::new());
    let part = |rest: &DMatrix<f64>, i: usize| {
        if w[(i, i)] > 0.0 { rest[(i, i)] / w[(i, i)] } else { 0.0 }
    };
    loop {
        let others = (0..size).filter(|i| !basis.contains(i));
        let Some(next) = others.max_by(|a, b| part(&rest, *a).total_cmp(&part(&rest, *b))) else {
            break;
        };
        if part(&rest, next) <= DEPENDENT {
            break;
        }
        let column = rest.column(next) / rest[(next, next)].sqrt();
        rest -= &column * column.transpose();
        basis.push(next);
    }
    basis.sort_unstable();
    let gram = DMatrix::from_fn(basis.len(), basis.len(), |i, j| w[(basis[i], basis[j])]);
    let solver = gram.cholesky();
    let mut rows = DMatrix::zeros(size, basis.len());
    for i in 0..size {
        match (basis.iter().position(|j| *j == i), &solver) {
            (Some(j), _) => rows[(i, j)] = 1.0,
            (None, Some(solver)) => {
                let among = DVector::from_iterator(basis.len(), basis.iter().map(|j| w[(i, *j)]));
                rows.set_row(i, &solver.solve(&among).transpose());
            }
            (None, None) => {}
        }
    }
    (basis, rows)
}
