//! The planar inelastic law in dimensionless contact velocities: which impulses it allows where.

use nalgebra::{DMatrix, DVector};

use crate::law::bounds::whitened::Whitened;
use crate::problem::ContactProblem;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// `u_n >= 0`: no impulse.
    Open,
    /// `u_n <= 0`, `u_t >= 0`, or no friction: it pushes along `W (e_n - mu e_t)`.
    Forward,
    /// `u_n <= 0`, `u_t <= 0`: along `W (e_n + mu e_t)`.
    Back,
    /// `u_n <= 0`, `u_t = 0`: along both, so that `u_t` stays 0.
    Stick,
}

/// The directions in which the law changes the contact velocity.
///
/// Coordinates `k`: the normals of all contacts, then the tangents of those with friction; velocities `u_k / (S_k |v-|_M)` with
/// `S_k = sqrt W_kk`, so that no number depends on units.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Number m of contacts.
    pub contacts: usize,
    /// The coordinate of each contact's tangent, if it has friction.
    pub tangent: Vec<Option<usize>>,
    /// The row of the contact Jacobian of each coordinate.
    pub row: Vec<usize>,
    /// `S_k`.
    pub scale: Vec<f64>,
    /// The velocity before the impact.
    pub start: DVector<f64>,
    /// The directions of each contact, sliding forward and back, per unit of normal impulse times `|v-|_M`; one without friction.
    pub push: Vec<Vec<DVector<f64>>>,
    /// The largest number that an entry of a contact's directions is made from.
    pub reach: Vec<f64>,
    /// `C^-1 J_k' / S_k` of each coordinate: see [`Whitened`].
    pub columns: DMatrix<f64>,
    /// Rows orthogonal to all velocities that occur.
    pub never: Vec<DVector<f64>>,
}

/// Singular values of the unit columns below this count as 0.
const SINGULAR: f64 = 1e-9;

impl Cells {
    /// Of a planar or frictionless problem with `|v-|_M` > 0.
    pub fn new(problem: &ContactProblem, space: &Whitened) -> Self {
        let m = problem.contact_count();
        let mut row: Vec<usize> = (0..m).collect();
        let mut tangent = vec![None; m];
        for i in (0..m).filter(|&i| problem.friction()[i] > 0.0 && problem.tangents_per_contact() == 1) {
            tangent[i] = Some(row.len());
            row.push(m + i);
        }
        let w = problem.delassus();
        let root = |k: usize| w[(k, k)].sqrt();
        let scale: Vec<f64> = row.iter().map(|&k| if root(k) > 0.0 { root(k) } else { 1.0 }).collect();
        let of_row = |k: usize| DVector::from_fn(row.len(), |l, _| w[(row[l], k)] / scale[l]);
        let start = |l: usize| problem.contact_velocity()[row[l]] / (scale[l] * space.speed);
        let push = (0..m)
            .map(|i| match tangent[i] {
                None => vec![of_row(i)],
                Some(_) => {
                    [-1.0, 1.0].map(|sign| of_row(i) + of_row(m + i) * (sign * problem.friction()[i])).into()
                }
            })
            .collect();
        let reach = (0..m)
            .map(|i| root(i) + tangent[i].map_or(0.0, |_| problem.friction()[i] * root(m + i)))
            .collect();
        let whitened = space.columns(problem);
        let columns = DMatrix::from_fn(space.dimension(), row.len(), |r, l| whitened[(r, row[l])] / scale[l]);
        let never = orthogonal(&columns);
        Cells {
            contacts: m,
            start: DVector::from_fn(row.len(), |l, _| start(l)),
            tangent,
            row,
            scale,
            push,
            reach,
            columns,
            never,
        }
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.row.len()
    }

    /// The directions of contact i in a state.
    pub fn pushes(&self, i: usize, state: State) -> &[DVector<f64>] {
        let all = &self.push[i][..];
        match state {
            State::Open => &[],
            State::Forward => &all[..1],
            State::Back => &all[all.len() - 1..],
            State::Stick => all,
        }
    }
}

/// Unit vectors that are orthogonal to the rows of `columns`.
fn orthogonal(columns: &DMatrix<f64>) -> Vec<DVector<f64>> {
    let gram = columns.transpose() * columns;
    let eigen = gram.symmetric_eigen();
    let singular = |k: &usize| eigen.eigenvalues[*k] < SINGULAR;
    (0..columns.ncols()).filter(singular).map(|k| eigen.eigenvectors.column(k).into_owned()).collect()
}
