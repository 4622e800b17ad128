//! The contact space of a problem in exact rationals.

use dashu_int::{IBig, Sign};

use carom_core::polyhedra::Tableau;
use carom_core::polyhedra::dyadic::{Dyadic, grain, quotient};
use carom_core::problem::ContactProblem;

/// Contact space in exact arithmetic: all numbers follow without rounding from the doubles `M`, `J`
/// and `v` of the problem.
///
/// With `J` the rows of all normals, then of all tangents (K,n), the Delassus matrix is `W = J M^-1
/// J'`, and `u = J v`. With r independent entries `y` of `u`, changes are `u - u- = B (y - y-)` and
/// `v - v- = R (y - y-)` with `B = W_y' W_yy^-1` (K,r) and `R = M^-1 J_y' W_yy^-1` (n,r). Bilateral
/// constraints replace `M^-1` by `P M^-1` and `J v` by `J P v` with `P = I - M^-1 Jb' (Jb M^-1
/// Jb')^+ Jb`.
pub struct Rationals {
    /// `W` (K,K) row by row, times a positive factor.
    pub delassus: Vec<Dyadic>,
    /// `M^-1 J'` (n,K) row by row, times the same factor.
    pub response: Vec<Dyadic>,
    /// Common factor of `delassus` and `response`.
    pub delassus_divisor: IBig,
    /// `u-` (K) times a positive factor.
    pub velocity: Vec<Dyadic>,
    /// Factor of `velocity`.
    pub velocity_divisor: IBig,
    /// Indices of the entries of `u` in `y` (r).
    pub basis: Vec<usize>,
    /// `B` (K,r) row by row, times a positive factor.
    pub rows: Vec<Dyadic>,
    /// `R` (n,r) row by row, times the same factor.
    pub lift: Vec<Dyadic>,
    /// Common factor of `rows` and `lift`.
    pub divisor: IBig,
}

/// Reason why no exact numbers exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// The caller stopped the computation.
    Told,
    /// The mass matrix is not positive definite; in doubles it was.
    Indefinite,
}

impl Rationals {
    /// Exact numbers of a problem; `go_on` returns false to stop.
    ///
    /// Method: the relation `[p; ub; u] = [M Jb' J'; Jb 0 0; J 0 0] [v; lb; l]`, scaled to integers
    /// by powers of two, with [pivots](Tableau) at all `v`, then at a maximal independent subset of
    /// `lb` and `l`. Each next pivot row of `u` has the largest relative Schur complement of its
    /// entry of `W`.
    pub fn new(problem: &ContactProblem, go_on: &dyn Fn() -> bool) -> Result<Self, Unsolved> {
        let Relation { mut tableau, coordinates, unit_v, unit_u, unit_mass } =
            Relation::new(problem);
        let (n, bilateral) = (coordinates.len(), problem.spec().bilateral.len());
        let k = unit_u.len() - bilateral;
        let contact = |i: usize| n + bilateral + i;
        for i in 0..n {
            if !go_on() {
                return Err(Unsolved::Told);
            }
            if tableau.at(i, i).sign() != Sign::Positive || tableau.at(i, i).is_zero() {
                return Err(Unsolved::Indefinite);
            }
            tableau.pivot(i);
            tableau.fix(i);
        }
        let mut divisor = tableau.restart();
        let sizes = tableau.diagonal();
        let mut held = Vec::new();
        while let Some(next) = tableau.best((n..contact(0)).filter(|i| !held.contains(i)), &sizes) {
            tableau.pivot(next);
            held.push(next);
        }
        // u = J v minus the constraint part C ub, with entries C / d of the tableau.
        let before: Vec<Dyadic> = jacobian(problem).map(|row| of_row(row, problem)).collect();
        let velocity_divisor = tableau.divisor().clone();
        let velocity = |i: usize| {
            let own = &Dyadic::new(velocity_divisor.clone(), 0) * &before[bilateral + i];
            held.iter().fold(own, |sum, at| {
                let unit = unit_u[bilateral + i] - unit_u[at - n];
                &sum + &(&Dyadic::new(-tableau.at(contact(i), *at), unit) * &before[at - n])
            })
        };
        let velocity: Vec<Dyadic> = (0..k).map(velocity).collect();
        let (velocity, velocity_divisor) = positive(velocity, velocity_divisor);
        (n..contact(0)).for_each(|i| tableau.fix(i));
        divisor *= tableau.restart();

        let unit = |i: usize| unit_u[bilateral + i];
        let pairs = || (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
        let entry = |(i, j)| {
            Dyadic::new(-tableau.at(contact(i), contact(j)), unit(i) + unit(j) - unit_mass)
        };
        let moved = |i: usize| coordinates.iter().position(|own| *own == i);
        let response = (0..problem.coordinate_count()).flat_map(|i| {
            let (tableau, unit_v) = (&tableau, &unit_v);
            (0..k).map(move |j| match moved(i) {
                Some(at) => {
                    Dyadic::new(-tableau.at(at, contact(j)), unit_v[at] + unit(j) - unit_mass)
                }
                None => Dyadic::of(0.0),
            })
        });
        let (response, _) = positive(response.collect(), divisor.clone());
        let (delassus, delassus_divisor) = positive(pairs().map(entry).collect(), divisor);

        let sizes = tableau.diagonal();
        let mut basis: Vec<usize> = Vec::new();
        while let Some(next) =
            tableau.best((0..k).filter(|i| !basis.contains(i)).map(contact), &sizes)
        {
            tableau.pivot(next);
            basis.push(next - contact(0));
        }
        basis.sort_unstable();
        let divisor = tableau.divisor().clone();
        let row = |i: usize| {
            let own = basis.iter().position(|j| *j == i);
            let (basis, tableau, divisor) = (&basis, &tableau, &divisor);
            (0..basis.len()).map(move |j| match own {
                Some(own) if own == j => Dyadic::new(divisor.clone(), 0),
                Some(_) => Dyadic::of(0.0),
                None => Dyadic::new(
                    tableau.at(contact(i), contact(basis[j])).clone(),
                    unit(i) - unit(basis[j]),
                ),
            })
        };
        let rows: Vec<Dyadic> = (0..k).flat_map(row).collect();
        let lift = (0..problem.coordinate_count()).flat_map(|i| {
            let (tableau, unit_v, basis) = (&tableau, &unit_v, &basis);
            basis.iter().map(move |j| match moved(i) {
                Some(at) => Dyadic::new(tableau.at(at, contact(*j)).clone(), unit_v[at] - unit(*j)),
                None => Dyadic::of(0.0),
            })
        });
        let lift: Vec<Dyadic> = lift.collect();
        let (lift, _) = positive(lift, divisor.clone());
        let (rows, divisor) = positive(rows, divisor);
        Ok(Rationals {
            delassus,
            response,
            delassus_divisor,
            velocity,
            velocity_divisor,
            basis,
            rows,
            lift,
            divisor,
        })
    }

    /// An entry of `W`.
    pub fn delassus(&self, i: usize, j: usize) -> &Dyadic {
        &self.delassus[i * self.velocity.len() + j]
    }
}

/// Whether a contact approaches, in exact arithmetic, by the Jacobian projected on the constraints.
pub fn approaches(problem: &ContactProblem) -> bool {
    let rows = problem.jacobian().row_iter().take(problem.contact_count());
    rows.map(|row| row.iter().copied().collect::<Vec<_>>())
        .any(|row| of_row(&row, problem).sign() < 0)
}

/// Exact linear dependencies of contact velocities: independent vectors `w` (K,) with `w.u = 0` for
/// all velocities that keep the bilateral constraints. Entries of `w` outside `rows` are 0. Each
/// entry is rounded once.
pub fn dependencies(problem: &ContactProblem, rows: &[usize]) -> Vec<Vec<f64>> {
    let held = problem.spec().bilateral.len();
    let exact = |row: &Vec<f64>| row.iter().map(|x| Dyadic::of(*x)).collect::<Vec<_>>();
    let of_row = |row: &Vec<Dyadic>| grain(row.iter());
    let all = jacobian(problem).enumerate();
    let all = all.filter(|(i, _)| *i < held || rows.contains(&(i - held)));
    let all: Vec<Vec<Dyadic>> = all.map(|(_, row)| exact(row)).collect();
    let units: Vec<i64> = all.iter().map(of_row).collect();
    let in_units =
        |(row, unit): (&Vec<Dyadic>, &i64)| row.iter().map(|x| x.in_units(*unit)).collect();
    let whole: Vec<Vec<IBig>> = all.iter().zip(&units).map(in_units).collect();
    let size = all.len();
    let gram = (0..size * size).map(|at| {
        let pairs = whole[at / size].iter().zip(&whole[at % size]);
        let pairs = pairs.filter(|(a, b)| !a.is_zero() && !b.is_zero());
        pairs.fold(IBig::ZERO, |sum, (a, b)| sum + a * b)
    });
    let mut tableau = Tableau::new(size, gram.collect());
    let sizes = tableau.diagonal();
    let mut basis = Vec::new();
    for part in [0..held, held..size] {
        while let Some(next) = tableau.best(part.clone().filter(|i| !basis.contains(i)), &sizes) {
            tableau.pivot(next);
            basis.push(next);
        }
    }
    // u_i = sum_k B_ik u_k over the basis.
    let dependent = (held..size).filter(|i| !basis.contains(i));
    let vector = |i: usize| {
        let mut vector = vec![0.0; problem.jacobian().nrows()];
        for k in basis.iter().copied().filter(|k| *k >= held) {
            let entry = Dyadic::new(-tableau.at(i, k), units[i] - units[k]);
            vector[rows[k - held]] = quotient(&entry, tableau.divisor());
        }
        vector[rows[i - held]] = 1.0;
        vector
    };
    dependent.map(vector).collect()
}

/// `[p; ub; u] = [M Jb' J'; Jb 0 0; J 0 0] [v; lb; l]` in integers, restricted to the coordinates
/// that contacts and constraints can move. All other coordinates follow from `p` alone.
struct Relation {
    tableau: Tableau,
    /// Coordinates that contacts and constraints can move.
    coordinates: Vec<usize>,
    /// Powers of two: `v_j` and `(ub, u)_k` are in units of `2^unit`, the mass matrix in units of
    /// `2^(unit_mass - unit_i - unit_j)`.
    unit_v: Vec<i64>,
    unit_u: Vec<i64>,
    unit_mass: i64,
}

impl Relation {
    fn new(problem: &ContactProblem) -> Self {
        let coordinates = moved(problem);
        // The mass matrix is symmetric but for rounding; the lower triangle counts, as for the
        // problem.
        let mass =
            |i: usize, j: usize| problem.mass()[(coordinates[i.max(j)], coordinates[i.min(j)])];
        let n = coordinates.len();
        let unit_v: Vec<i64> = (0..n).map(|i| -(mass(i, i).log2() / 2.0) as i64).collect();
        let scaled = |i: usize, x: f64| Dyadic::of(x).shifted(unit_v[i]);
        let masses = |i| (0..n).map(|j| scaled(i, mass(i, j)).shifted(unit_v[j])).collect();
        let masses: Vec<Vec<Dyadic>> = (0..n).map(masses).collect();
        let unit_mass = grain(masses.iter().flatten());
        let own = |row: &Vec<f64>| -> Vec<Dyadic> {
            coordinates.iter().enumerate().map(|(i, at)| scaled(i, row[*at])).collect()
        };
        let rows: Vec<Vec<Dyadic>> = jacobian(problem).map(own).collect();
        let unit_u: Vec<i64> = rows.iter().map(|row| grain(row.iter())).collect();
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => masses[i][j].in_units(unit_mass),
            (true, false) => rows[j - n][i].in_units(unit_u[j - n]),
            (false, true) => rows[i - n][j].in_units(unit_u[i - n]),
            (false, false) => IBig::ZERO,
        };
        let size = n + rows.len();
        let entries = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        Relation { tableau: Tableau::new(size, entries), coordinates, unit_v, unit_u, unit_mass }
    }
}

/// Rows of `Jb` and `J` as doubles.
fn jacobian(problem: &ContactProblem) -> impl Iterator<Item = &Vec<f64>> {
    let spec = problem.spec();
    spec.bilateral.iter().chain(&spec.normal).chain(&spec.tangent)
}

fn of_row(row: &[f64], problem: &ContactProblem) -> Dyadic {
    let pairs = row.iter().zip(problem.velocity().iter()).filter(|(a, v)| **a != 0.0 && **v != 0.0);
    pairs.fold(Dyadic::of(0.0), |sum, (a, v)| &sum + &(&Dyadic::of(*a) * &Dyadic::of(*v)))
}

/// Coordinates with entries in `Jb` or `J`, and all coordinates coupled to them by the mass matrix.
fn moved(problem: &ContactProblem) -> Vec<usize> {
    let n = problem.coordinate_count();
    let mut moved: Vec<bool> = (0..n).map(|j| jacobian(problem).any(|row| row[j] != 0.0)).collect();
    let mut open: Vec<usize> = (0..n).filter(|j| moved[*j]).collect();
    while let Some(i) = open.pop() {
        for j in (0..n).filter(|j| problem.mass()[(i, *j)] != 0.0) {
            if !std::mem::replace(&mut moved[j], true) {
                open.push(j);
            }
        }
    }
    (0..n).filter(|j| moved[*j]).collect()
}

/// Numbers over a divisor, with a positive divisor.
fn positive(numbers: Vec<Dyadic>, divisor: IBig) -> (Vec<Dyadic>, IBig) {
    match divisor.sign() {
        Sign::Positive => (numbers, divisor),
        Sign::Negative => (numbers.iter().map(|x| -x).collect(), -divisor),
    }
}
