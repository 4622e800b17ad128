//! The contact problem in coordinates in which the kinetic metric is the Euclidean one.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use carom_core::problem::ContactProblem;

/// A problem in `y = C' v` with `M = C C'`, so that `|y| = |v|_M`, and its cone of impulses:
/// `y+ = y- + C^-1 J' L`.
#[derive(Clone, Debug)]
pub struct Whitened {
    factor: Cholesky<f64, Dyn>,
    /// The velocity before the impact over `|v-|_M` (n); 0 where that is 0.
    pub before: DVector<f64>,
    /// `|v-|_M`.
    pub speed: f64,
    /// The friction cones.
    pub cone: Cones,
}

impl Whitened {
    /// The problem in the coordinates of the factor of `M`, unless rounding makes `M` indefinite.
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

    /// `C^-1 c`, which is to `y` what `c` is to `v`.
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

/// `|c|_{M^-1} |v-|_M`: how far energy lets `c.v` go, to both sides; computed, not proved.
pub fn energy(problem: &ContactProblem, c: &[f64]) -> f64 {
    let space = Whitened::new(problem);
    space.and_then(|space| Some(space.direction(c)?.norm() * space.speed)).unwrap_or(f64::INFINITY)
}

/// The friction cones, in coordinates in which an impulse changes the velocity by `B L`.
///
/// ```text
/// B L = sum_i (b_i l_i + T_i t_i),  |t_i| <= l_i,
/// b_i = B_n,i / size_i,  T_i = mu_i B_t,i / size_i
/// ```
///
/// The sizes make the longest of `b_i` and the columns of `T_i` a unit vector, whatever the units
/// and the friction.
#[derive(Clone, Debug)]
pub struct Cones {
    /// `b_i` of each contact.
    pub normal: Vec<DVector<f64>>,
    /// The columns of `T_i` of each contact: none where there is no friction.
    pub tangents: Vec<Vec<DVector<f64>>>,
    /// `size_i` of each contact.
    pub size: Vec<f64>,
}

impl Cones {
    /// The cones from the columns of `B`, the normals first.
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
