//! Contact velocities in doubles, for controllers. Values below rounding error count as 0.

use nalgebra::{DMatrix, DVector};

use super::{Coordinates, ROUNDED_UP, Sums, Units, Velocities, contacts, stores, twice_energy};
use crate::reach::rationals::Unsolved;
use carom_core::lcp::Facets;
use carom_core::polyhedra::{Doubles, Vector};
use carom_core::problem::ContactProblem;

/// Relative Schur complement below which a row of `W` counts as dependent.
const DEPENDENT: f64 = 1e-11;

impl Coordinates for Doubles {
    fn velocities(
        problem: &ContactProblem,
        facets: Option<&Facets>,
        _: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved> {
        let units = Units::new(problem);
        let (m, count) = (problem.contact_count(), units.sigma.len());
        // W^_ij = W_ij / (max W sigma_i sigma_j), velocities in units of `velocity sigma_i`.
        let size = units.velocity / units.impulse;
        let w = DMatrix::from_fn(count, count, |i, j| {
            problem.delassus()[(i, j)] / size / (units.sigma[i] * units.sigma[j])
        });
        let u = DVector::from_fn(count, |i, _| {
            problem.contact_velocity()[i] / units.velocity / units.sigma[i]
        });
        let (basis, rows) = independent(&w);
        let (r, stores) = (basis.len(), stores(problem));
        let sums = Rounded {
            rows: DMatrix::from_fn(count, r, |i, k| rows[(i, k)] * units.sigma[i]),
            response: DMatrix::from_fn(r, count, |k, j| w[(basis[k], j)] * units.sigma[j]),
            stores,
        };
        let vector = |first: f64, rest: &dyn Fn(usize) -> f64| {
            let rest = (0..r).map(rest).chain((0..stores).map(|_| 0.0));
            Doubles::new(&std::iter::once(first).chain(rest).collect::<Vec<_>>())
        };
        let row = |i: usize| vector(0.0, &|k| rows[(i, k)]);
        let energy = twice_energy(problem) / size / units.impulse.powi(2);
        let limit = |i: usize| {
            let most = (w[(i, i)] * energy).sqrt() * ROUNDED_UP;
            let side = |sign: f64| vector(most, &|k| sign * rows[(i, k)]);
            (most > 0.0 && most.is_finite()).then(|| [side(1.0), side(-1.0)])
        };
        let limits = if stores == 0 { 0..count } else { 0..0 };
        let gram = problem.delassus().select_columns(&basis).select_rows(&basis);
        let inverse = gram.cholesky().ok_or(Unsolved::Indefinite)?.inverse();
        let lift = problem.response().select_columns(&basis) * inverse;
        let scale = DVector::from_fn(r, |k, _| units.velocity * units.sigma[basis[k]]);
        let before = DVector::from_fn(r, |k, _| u[basis[k]]);
        let velocity = problem.velocity().clone();
        Ok(Velocities {
            entries: 1 + r + stores,
            start: vector(1.0, &|k| before[k]),
            normal: (0..m).map(row).collect(),
            tangent: (m..count).map(row).collect(),
            contacts: contacts(problem, facets, &sums),
            limits: limits.filter_map(limit).flatten().collect(),
            impulse: units.impulse,
            outcome: Box::new(move |ray| {
                let near = ray.near();
                let change =
                    DVector::from_fn(r, |k, _| (near[k + 1] / near[0] - before[k]) * scale[k]);
                (&velocity + &lift * change).iter().copied().collect()
            }),
        })
    }
}

struct Rounded {
    /// `u` as a linear function of `y` (K,r), in one unit.
    rows: DMatrix<f64>,
    /// Change of `y` per impulse (r,K), in one unit.
    response: DMatrix<f64>,
    stores: usize,
}

impl Rounded {
    fn vector(&self, along: impl Fn(usize) -> f64, stored: impl Fn(usize) -> f64) -> Doubles {
        let entries = (0..self.rows.ncols()).map(along).chain((0..self.stores).map(stored));
        Doubles::new(&std::iter::once(0.0).chain(entries).collect::<Vec<_>>())
    }
}

impl Sums<Doubles> for Rounded {
    fn velocity(&self, terms: &[(usize, f64)]) -> Doubles {
        self.vector(|k| terms.iter().map(|(j, a)| a * self.rows[(*j, k)]).sum(), |_| 0.0)
    }

    fn store(&self, at: usize) -> Doubles {
        self.vector(|_| 0.0, |j| f64::from(u8::from(at == j)))
    }

    fn change(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> Doubles {
        let rounded = self.rounded(terms, stored);
        let r = self.rows.ncols();
        self.vector(|k| rounded[k], |j| rounded[r + j])
    }

    fn rounded(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> DVector<f64> {
        let r = self.rows.ncols();
        DVector::from_fn(r + self.stores, |k, _| match stored {
            _ if k < r => terms.iter().map(|(j, a, b)| a * b * self.response[(k, *j)]).sum(),
            Some((at, part)) if r + at == k => part,
            _ => 0.0,
        })
    }
}

/// Independent rows of a positive semidefinite matrix, ascending, by pivoted Cholesky; and the
/// coefficients of all rows in this basis.
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
