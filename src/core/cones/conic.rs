//! Convex programs with second-order cones, handed to the solver Clarabel.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolution, DefaultSolver, IPSolver, SupportedConeT};
use nalgebra::DMatrix;

pub use crate::Limits;

/// A convex program in the variables `x`, built constraint by constraint.
///
/// ```text
/// minimise x' P x / 2 + q.x  subject to  s_k = b_k - a_k.x,  each group of rows s in its cone
/// ```
///
/// The caller verifies the solution.
#[derive(Clone, Debug, Default)]
pub struct ConicProgram {
    objective: Vec<f64>,
    quadratic: Option<DMatrix<f64>>,
    rows: Vec<Vec<(usize, f64)>>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    limits: Limits,
}

/// The solution of the solver.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The variables.
    pub x: Vec<f64>,
    /// The multipliers of the rows, in the order in which the rows were added.
    pub dual: Vec<f64>,
}

/// One row `b - a.x`: the entries of `a` by variable, and `b`.
pub type ConicRow = (Vec<(usize, f64)>, f64);

impl ConicProgram {
    /// A program that minimises `objective.x`, without constraints; a raised flag stops its
    /// solution.
    pub fn minimise(objective: Vec<f64>, limits: &Limits) -> Self {
        ConicProgram { objective, limits: limits.clone(), ..ConicProgram::default() }
    }

    /// Adds `x' P x / 2` to the objective, with `P` symmetric and positive semidefinite.
    pub fn quadratic(&mut self, p: DMatrix<f64>) {
        self.quadratic = Some(p);
    }

    /// Adds the constraint `b - a.x >= 0` for each row.
    pub fn nonnegative(&mut self, rows: Vec<ConicRow>) {
        self.push(SupportedConeT::NonnegativeConeT(rows.len()), rows);
    }

    /// Adds the constraint `s_0 >= |(s_1, s_2, ...)|` on the rows `s`.
    pub fn round(&mut self, rows: Vec<ConicRow>) {
        self.push(SupportedConeT::SecondOrderConeT(rows.len()), rows);
    }

    fn push(&mut self, cone: SupportedConeT<f64>, rows: Vec<ConicRow>) {
        if rows.is_empty() {
            return;
        }
        self.cones.push(cone);
        for (row, right) in rows {
            self.rows.push(row);
            self.right.push(right);
        }
    }

    /// The last iterate of the solver, of any accuracy; `None` without a finite iterate, and if the
    /// flag is raised. The solver reads the flag at each iteration.
    pub fn solve(&self) -> Option<Solved> {
        if self.limits.stopped() {
            return None;
        }
        let (rows, columns) = (self.rows.len(), self.objective.len());
        let (mut of_row, mut of_column, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in self.rows.iter().enumerate() {
            for &(j, value) in row.iter().filter(|(_, value)| *value != 0.0) {
                of_row.push(i);
                of_column.push(j);
                values.push(value);
            }
        }
        let matrix = CscMatrix::new_from_triplets(rows, columns, of_row, of_column, values);
        let quadratic = match &self.quadratic {
            Some(p) => upper_triangle(p),
            None => CscMatrix::zeros((columns, columns)),
        };
        let settings = DefaultSettings {
            verbose: false,
            max_iter: 200,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        let (cost, right, cones) = (&self.objective, &self.right, &self.cones);
        let solver = DefaultSolver::new(&quadratic, cost, &matrix, right, cones, settings);
        let mut solver = solver.ok()?;
        let over = self.limits.watch();
        solver.set_termination_callback(move |_| over());
        solver.solve();
        if self.limits.stopped() {
            return None;
        }
        let DefaultSolution { x, z: dual, .. } = solver.solution;
        (x.len() == columns && x.iter().chain(&dual).all(|x| x.is_finite()))
            .then_some(Solved { x, dual })
    }
}

/// The entries on and above the diagonal, column by column.
fn upper_triangle(p: &DMatrix<f64>) -> CscMatrix<f64> {
    let n = p.ncols();
    let starts = (0..=n).map(|j| j * (j + 1) / 2).collect();
    let places = || (0..n).flat_map(|j| (0..=j).map(move |i| (i, j)));
    let (rows, values) = (places().map(|(i, _)| i).collect(), places().map(|at| p[at]).collect());
    CscMatrix::new(n, n, starts, rows, values)
}

/// Relative tolerance of the solver; rounding errors may stop it earlier.
const TOLERANCE: f64 = 1e-10;
