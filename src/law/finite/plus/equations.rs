//! The linear equations of an interval, and their solution of least norm.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use carom_core::equations::least_norm;
use carom_core::{ContactProblem, Limits};

/// Overhead of a solution, in multiplications.
const SOLUTION: usize = 5000;

/// The equation for the normal impulse of a contact.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// The normal impulse brings the normal velocity to 0.
    Stops,
    /// The normal impulse is given, in N s.
    Given(f64),
    /// The normal impulse brings the velocity along `s`, opposite to the friction, to 0.
    Halts,
}

/// The equation for the tangential impulse of a contact.
#[derive(Clone, Copy, Debug)]
pub enum Friction {
    /// The tangential impulse is `-mu s` times the normal impulse, with `s` a unit vector; 0 for a
    /// frictionless contact.
    Along([f64; 2]),
    /// The tangential impulse brings the tangential velocity to `-c` times the impulse, with
    /// `c >= 0` in 1/kg; `c = 0` for rolling.
    Held(f64),
}

/// A contact with an impulse.
#[derive(Clone, Copy, Debug)]
pub struct Acting {
    pub contact: usize,
    pub load: Load,
    pub friction: Friction,
}

/// The data of the equations.
#[derive(Clone, Copy, Debug)]
pub struct IntervalEquations<'a> {
    /// The Delassus matrix `W` ((1+d) m,(1+d) m).
    pub delassus: &'a DMatrix<f64>,
    /// The contacts' coefficients of friction (m).
    pub friction: &'a [f64],
    /// Number d of tangents per contact.
    pub axes: usize,
    /// The limits that account for the cost of solutions.
    pub limits: &'a Limits,
}

impl<'a> IntervalEquations<'a> {
    pub fn new(problem: &'a ContactProblem, limits: &'a Limits) -> Self {
        IntervalEquations {
            delassus: problem.delassus(),
            friction: problem.friction(),
            axes: problem.tangents_per_contact(),
            limits,
        }
    }

    /// The change of a contact's normal velocity per unit of normal impulse at contact i with
    /// proportional friction, 1/kg.
    pub fn effect(&self, i: usize) -> f64 {
        self.delassus[(i, i)] + self.friction[i] * self.tangential_effect(i)
    }

    /// The change of a contact's tangential velocity per unit of tangential impulse at contact i,
    /// 1/kg: the mean over all directions.
    pub fn tangential_effect(&self, i: usize) -> f64 {
        let rows = self.tangents(i);
        let count = rows.len().max(1) as f64;
        rows.map(|row| self.delassus[(row, row)]).sum::<f64>() / count
    }

    /// The rows of the tangents of contact i.
    pub fn tangents(&self, i: usize) -> Range<usize> {
        let (m, d) = (self.friction.len(), self.axes);
        m + d * i..m + d * (i + 1)
    }

    /// The tangential part of contact i of an impulse or velocity; the second entry is 0 with one
    /// tangent.
    pub fn tangential(&self, x: &DVector<f64>, i: usize) -> [f64; 2] {
        let rows = self.tangents(i);
        std::array::from_fn(|t| if t < rows.len() { x[rows.start + t] } else { 0.0 })
    }

    /// The impulse `pi` ((1+d) m) of least norm that satisfies the equations of the contacts
    /// `acting`, from contact velocity `u`; in least squares if they are inconsistent.
    ///
    /// ```text
    /// min |pi|  with   W_n pi = -u_n  or  pi_n given  or  s'(u_t + W_t pi) = 0,
    ///                  W_t pi + c pi_t = -u_t  or  pi_t = -mu s pi_n
    /// ```
    ///
    /// Source: \[USD15\] Table 1. Deviation: given impulses, and friction along `s`, are
    /// substituted, so that they hold exactly even if the equations of the velocities are
    /// inconsistent; the latter have rows of unit length.
    pub fn impulse(&self, u: &DVector<f64>, acting: &[Acting]) -> DVector<f64> {
        let k = u.len();
        // Two factorisations with a column per row of an acting contact, and their response.
        self.limits.spend(((1 + self.axes) * acting.len() * k * (k + 4) + SOLUTION) as f64);
        let unit = |row: usize| DVector::from_fn(k, |i, _| f64::from(u8::from(i == row)));
        let (mut columns, mut groups) = (Vec::new(), Vec::new());
        let mut given = DVector::zeros(k);
        for &Acting { contact: i, load, friction } in acting {
            let mut load_and_friction = unit(i);
            match friction {
                Friction::Along(s) => {
                    for (row, s) in self.tangents(i).zip(s) {
                        load_and_friction[row] = -self.friction[i] * s;
                    }
                }
                Friction::Held(compliance) => {
                    columns.extend(self.tangents(i).map(unit));
                    groups.push((
                        DMatrix::identity(self.axes, self.axes),
                        self.tangents(i),
                        compliance,
                    ));
                }
            }
            match load {
                Load::Stops => {
                    columns.push(load_and_friction.normalize());
                    groups.push((DMatrix::identity(1, 1), i..i + 1, 0.0));
                }
                Load::Halts => {
                    columns.push(load_and_friction.normalize());
                    let Friction::Along(s) = friction else { continue };
                    groups.push((
                        DMatrix::from_row_slice(1, self.axes, &s[..self.axes]),
                        self.tangents(i),
                        0.0,
                    ));
                }
                Load::Given(load) => given.axpy(load, &load_and_friction, 1.0),
            }
        }
        if columns.is_empty() {
            return given;
        }
        let basis = DMatrix::from_columns(&columns);
        let (response, moved) = (self.delassus * &basis, u + self.delassus * &given);
        let count = groups.iter().map(|(parts, ..)| parts.nrows()).sum();
        let (mut matrix, mut wanted) =
            (DMatrix::zeros(count, basis.ncols()), DVector::zeros(count));
        let mut first = 0;
        for (parts, rows, compliance) in groups {
            let (from, count, size) = (rows.start, rows.len(), parts.nrows());
            let block =
                &parts * (response.rows(from, count) + basis.rows(from, count) * compliance);
            let length = Some(block.norm()).filter(|&length| length > 0.0).unwrap_or(1.0);
            matrix.rows_mut(first, size).copy_from(&(block / length));
            wanted.rows_mut(first, size).copy_from(&(parts * moved.rows(from, count) / -length));
            first += size;
        }
        basis * least_norm(matrix, &wanted) + given
    }
}
