//! The contact problem in coordinates with a Euclidean kinetic metric.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use carom_core::problem::ContactProblem;

/// Problem in `y = C' v` with `M = C C'`, so that `|y| = |v|_M`, with its cone of impulses: `y+ =
/// y- + C^-1 J' L`.
#[derive(Clone, Debug)]
pub struct Whitened {
    factor: Cholesky<f64, Dyn>,
    /// Velocity before the impact in units of `|v-|_M` (n); 0 for a problem at rest.
    pub before: DVector<f64>,
    /// `|v-|_M`.
    pub speed: f64,
    /// Friction cones.
    pub cone: Cones,
}

impl Whitened {
    /// Problem in the coordinates of the Cholesky factor of `M`; `None` if rounding makes `M`
    /// indefinite.
    pub fn new(problem: &ContactProblem) -> Option<Self> {
        let factor = Cholesky::new(problem.mass().clone())?;
        let columns = factor.l().transpose() * problem.response();
        let before = factor.l().transpose() * problem.velocity();
        let speed = before.norm();
        let before = if speed > 0.0 { before / speed } else { before };
        let cone = Cones::new(problem, &columns);
        Some(Whitened { factor, before, speed, cone })
    }

    /// `C^-1 J'` (n, (1+d) m).
    pub fn columns(&self, problem: &ContactProblem) -> DMatrix<f64> {
        self.factor.l().transpose() * problem.response()
    }

    /// `C'` (n,n).
    pub fn factor_transposed(&self) -> DMatrix<f64> {
        self.factor.l().transpose()
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.before.len()
    }

    /// `C^-1 c`: the coefficients of `c.v` in the coordinates `y`.
    pub fn direction(&self, c: &[f64]) -> Option<DVector<f64>> {
        self.factor.l().solve_lower_triangular(&DVector::from_column_slice(c))
    }

    /// The velocity `C^-T z`.
    pub fn velocity(&self, z: &[f64]) -> Option<DVector<f64>> {
        let upper: DMatrix<f64> = self.factor.l().transpose();
        upper.solve_upper_triangular(&DVector::from_column_slice(z))
    }

    /// `M^-1 w`.
    pub fn solve(&self, w: &DVector<f64>) -> DVector<f64> {
        self.factor.solve(w)
    }
}

/// `|c|_{M^-1} |v-|_M`: energy bound on `|c.v|`; computed, not proved.
pub fn energy(problem: &ContactProblem, c: &[f64]) -> f64 {
    let space = Whitened::new(problem);
    space.and_then(|space| Some(space.direction(c)?.norm() * space.speed)).unwrap_or(f64::INFINITY)
}

/// Friction cones in coordinates in which an impulse changes the velocity by `B L`.
///
/// ```text
/// B L = sum_i (b_i l_i + T_i t_i),  |t_i| <= l_i,
/// b_i = B_n,i / size_i,  T_i = mu_i B_t,i / size_i
/// ```
///
/// The scale `size_i` normalises the longest vector among `b_i` and the columns of `T_i`,
/// independent of units and friction.
#[derive(Clone, Debug)]
pub struct Cones {
    /// `b_i` of each contact.
    pub normal: Vec<DVector<f64>>,
    /// Columns of `T_i` of each contact; empty without friction.
    pub tangents: Vec<Vec<DVector<f64>>>,
    /// `size_i` of each contact.
    pub size: Vec<f64>,
}

impl Cones {
    /// Cones from the columns of `B`, normals first.
    pub fn new(problem: &ContactProblem, columns: &DMatrix<f64>) -> Self {
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let column = |k: usize| columns.column(k).into_owned();
        let mut cones = Cones { normal: Vec::new(), tangents: Vec::new(), size: Vec::new() };
        for (i, &mu) in problem.friction().iter().enumerate() {
            let rubbing = if mu > 0.0 { d } else { 0 };
            let tangents: Vec<_> = (0..rubbing).map(|a| column(m + d * i + a) * mu).collect();
            let longest = tangents.iter().map(DVector::norm).fold(column(i).norm(), f64::max);
            cones.normal.push(column(i) / longest);
            cones.tangents.push(tangents.into_iter().map(|t| t / longest).collect());
            cones.size.push(longest);
        }
        cones
    }
}
