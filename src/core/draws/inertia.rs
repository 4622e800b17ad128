//! Uncertain inertia: the mass matrix of each sample, its inverse and its Delassus matrix.

use nalgebra::{Cholesky, DMatrix};

use crate::problem::MassPart;
use crate::{ContactProblem, Purpose, Real, Scaling, StepProblem, Stream, stream};

/// The mass matrix `M` of a problem with uncertain inertia, and its parts `M_p`.
///
/// A sample has `M' = M + sum_p (s_p - 1) M_p`, with factors `s_p` uniform in their ranges: draw p
/// of step 3 of [`Purpose::Parameter`]. Since `M` is the sum of its parts and factors are above 0,
/// `M'` is positive definite.
#[derive(Clone, Debug)]
pub struct UncertainInertia {
    mass: DMatrix<f64>,
    parts: Vec<MassPart>,
    /// Smallest factor and width of its range, for each part.
    factors: Vec<[f64; 2]>,
    jacobian: DMatrix<f64>,
}

/// The inertia of one sample.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// `M'` (n,n).
    pub mass: DMatrix<f64>,
    /// `M'^-1 J'` (n, (1+d) m).
    pub response: DMatrix<f64>,
    /// Memory for the Cholesky factor of `M'` (n,n).
    factor: DMatrix<f64>,
    /// `J M'^-1 J'`, up to rounding symmetric.
    delassus: DMatrix<f64>,
}

impl UncertainInertia {
    /// The uncertain inertia of `problem`; `None` where its inertia is certain.
    pub fn new(problem: &ContactProblem) -> Option<Self> {
        let parts = problem.mass_parts();
        let ranges = problem.uncertainty().inertia_of(parts.len());
        (!parts.is_empty()).then(|| UncertainInertia {
            mass: problem.mass().clone(),
            parts: parts.to_vec(),
            factors: ranges.iter().map(|[low, high]| [*low, high - low]).collect(),
            jacobian: problem.jacobian().clone(),
        })
    }

    /// Allocates the memory for the inertia of a sample.
    pub fn room(&self) -> Drawn {
        let (rows, n) = self.jacobian.shape();
        Drawn {
            mass: DMatrix::zeros(n, n),
            response: DMatrix::zeros(n, rows),
            factor: DMatrix::zeros(n, n),
            delassus: DMatrix::zeros(rows, rows),
        }
    }

    /// Draws the inertia of a sample. Numbers that overflow become infinite or NaN.
    pub fn draw(&self, stream: &Stream, drawn: &mut Drawn) {
        drawn.mass.copy_from(&self.mass);
        let mut words = [0; 4];
        for (p, (part, [least, width])) in self.parts.iter().zip(&self.factors).enumerate() {
            if p % 4 == 0 {
                words = stream.block(3, Purpose::Parameter, p as u32 / 4);
            }
            let factor = least + width * f64::from(stream::unit(words[p % 4]));
            part.add_to(&mut drawn.mass, factor - 1.0);
        }
        drawn.factor.copy_from(&drawn.mass);
        self.jacobian.transpose_to(&mut drawn.response);
        let room = std::mem::replace(&mut drawn.factor, DMatrix::zeros(0, 0));
        drawn.factor = match Cholesky::new(room) {
            Some(cholesky) => {
                cholesky.solve_mut(&mut drawn.response);
                cholesky.unpack_dirty()
            }
            None => {
                drawn.response.fill(f64::NAN);
                drawn.mass.clone()
            }
        };
        // A product of whole matrices would allocate; this one is computed column by column.
        for (mut to, column) in drawn.delassus.column_iter_mut().zip(drawn.response.column_iter()) {
            to.gemv(1.0, &self.jacobian, &column, 0.0);
        }
    }
}

impl Drawn {
    /// Writes `W' = J M'^-1 J'` into a step problem made dimensionless by `scaling`, with the rows
    /// of `J`.
    pub fn contact_space<R: Real>(&self, scaling: &Scaling, step: &mut StepProblem<R>) {
        let (k, rows) = (step.width(), self.delassus.nrows());
        for i in 0..k.min(rows) {
            for j in 0..k.min(rows) {
                let entry = (self.delassus[(i, j)] + self.delassus[(j, i)]) * 0.5;
                let size = scaling.sigma[i] * scaling.sigma[j];
                step.w[i * k + j] = R::from_f64(entry / scaling.inverse_mass / size);
            }
        }
    }
}
