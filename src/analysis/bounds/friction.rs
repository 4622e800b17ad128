//! The friction cones of all contacts, as unit vectors.

use nalgebra::{DMatrix, DVector};

use carom_core::problem::ContactProblem;

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
