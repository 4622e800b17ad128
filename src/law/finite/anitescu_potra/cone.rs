//! The solutions of one combination of contact modes: the points of a cone.

use nalgebra::{DMatrix, DVector};

use super::ContactMode;
use carom_core::StepProblem;
use carom_core::lcp::cone;

/// Largest distance of a point of a cone from `-u`, relative to `|u|`.
const ON_CONE: f64 = 1e-10;

/// The solutions of one combination of modes: `x >= 0` with `A x = b`. The entries of `x` are
/// impulses along the edges of the friction cones, and the free velocities after the impact
/// (slacks).
pub struct SolutionCone {
    a: DMatrix<f64>,
    b: DVector<f64>,
    /// The impulse (2m) of each column; 0 for a slack.
    edges: DMatrix<f64>,
    /// The change of contact velocity (2m) per unit of each column.
    response: DMatrix<f64>,
}

impl SolutionCone {
    /// The cone of a combination of modes (m), at contact velocity `u` (2m).
    pub fn new(step: &StepProblem<f64>, u: &[f64], modes: &[ContactMode]) -> SolutionCone {
        let m = step.contacts;
        let mut edges: Vec<DVector<f64>> = Vec::new();
        let mut slacks: Vec<(usize, f64)> = Vec::new();
        let mut rows: Vec<usize> = Vec::new();
        for (i, &mode) in modes.iter().enumerate() {
            let mu = step.mu[i];
            let mut edge = |ln: f64, lt: f64| {
                let mut edge = DVector::zeros(2 * m);
                edge[i] = ln;
                edge[m + i] = lt;
                edges.push(edge / mu.max(1.0));
            };
            rows.push(i);
            match mode {
                ContactMode::Off => slacks.push((i, -1.0)),
                ContactMode::Stick => {
                    edge(1.0, mu);
                    edge(1.0, -mu);
                    if mu > 1.0 {
                        // The sum of the two edges, whose normal parts are small relative to the
                        // tangential parts.
                        edge(mu, 0.0);
                    }
                }
                ContactMode::Slide => edge(1.0, -mu),
                ContactMode::SlideBack => edge(1.0, mu),
            }
            if mode != ContactMode::Off && mu > 0.0 {
                rows.push(m + i);
                match mode {
                    ContactMode::Slide => slacks.push((m + i, -1.0)),
                    ContactMode::SlideBack => slacks.push((m + i, 1.0)),
                    ContactMode::Off | ContactMode::Stick => {}
                }
            }
        }
        edges.resize(edges.len() + slacks.len(), DVector::zeros(2 * m));
        let edges = DMatrix::from_columns(&edges);
        let response = DMatrix::from_row_slice(2 * m, 2 * m, &step.w) * &edges;
        let mut a = response.select_rows(&rows);
        let first = a.ncols() - slacks.len();
        for (k, (row, sign)) in slacks.into_iter().enumerate() {
            let row = rows.iter().position(|&r| r == row).unwrap_or(0);
            a[(row, first + k)] = sign;
        }
        let b = DVector::from_iterator(rows.len(), rows.iter().map(|&row| -u[row]));
        SolutionCone { a, b, edges, response }
    }

    /// All columns.
    pub fn all(&self) -> Vec<usize> {
        (0..self.a.ncols()).collect()
    }

    /// The impulse (2m) of a point.
    pub fn impulse(&self, x: &DVector<f64>) -> Vec<f64> {
        (&self.edges * x).as_slice().to_vec()
    }

    /// A point with zeros outside the given columns, if one exists.
    pub fn point(&self, columns: &[usize]) -> Option<DVector<f64>> {
        let (y, distance) = cone::nonnegative(&self.a.select_columns(columns), &self.b);
        let mut x = DVector::zeros(self.a.ncols());
        for (k, &j) in columns.iter().enumerate() {
            x[j] = y[k];
        }
        (distance <= ON_CONE * self.b.norm()).then_some(x)
    }

    /// An orthonormal basis of the null space of the given columns of `A`, as columns.
    fn null_space(&self, columns: &[usize]) -> DMatrix<f64> {
        let a = self.a.select_columns(columns);
        let n = columns.len();
        // The decomposition has all directions only if the matrix has at least as many rows as
        // columns.
        let svd = a.clone().resize_vertically(a.nrows().max(n), 0.0).svd(false, true);
        let least = 1e-9 * svd.singular_values.amax();
        let directions = svd.v_t.map(|v_t| v_t.transpose()).unwrap_or_else(|| DMatrix::zeros(n, 0));
        let null: Vec<usize> =
            (0..directions.ncols()).filter(|&k| svd.singular_values[k] <= least).collect();
        directions.select_columns(&null)
    }

    /// Whether points on these columns can differ in `v+`, beyond rounding.
    pub fn moves(&self, columns: &[usize]) -> bool {
        (self.response.select_columns(columns) * self.null_space(columns)).amax() > 1e-7
    }

    /// The columns that depend linearly on the others.
    pub fn dependent(&self, columns: &[usize]) -> Vec<usize> {
        let null = self.null_space(columns);
        (0..columns.len()).filter(|&k| null.row(k).amax() > 1e-7).map(|k| columns[k]).collect()
    }
}
