//! Parts of a mass matrix, each scaled by an uncertain factor.

use nalgebra::DMatrix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::check_finite;
use crate::{Error, Result};

/// Relative tolerance for the symmetry and semidefiniteness of parts, and for their sum.
const SLACK: f64 = 1e-9;

/// A part of a mass matrix, in the rows and columns of some coordinates: for example the mass of a
/// body, or its moment of inertia.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schema::without_null)]
pub struct MassPart {
    /// The coordinates, counted from 0 (k).
    #[schemars(length(min = 1))]
    pub coordinates: Vec<usize>,
    /// The part of the mass matrix at these coordinates (k,k), symmetric positive semidefinite.
    #[schemars(length(min = 1))]
    pub mass: Vec<Vec<f64>>,
}

impl MassPart {
    /// One part of a body's inertia. `columns`: coordinates, each with the vector `v_a`, the motion
    /// of the body at unit rate; the entries of the part are `scale v_a . v_b`. Coordinates that do
    /// not move the body are left out; `None` if none moves it.
    pub fn of<V>(columns: &[(usize, V)], product: impl Fn(&V, &V) -> f64) -> Option<MassPart> {
        let moving: Vec<&(usize, V)> =
            columns.iter().filter(|(_, v)| product(v, v) > 0.0).collect();
        let row = |(_, a): &&(usize, V)| moving.iter().map(|(_, b)| product(a, b)).collect();
        let part = MassPart {
            coordinates: moving.iter().map(|(coordinate, _)| *coordinate).collect(),
            mass: moving.iter().map(row).collect(),
        };
        (!part.coordinates.is_empty()).then_some(part)
    }

    /// Adds `factor` times the part to a mass matrix (n,n).
    pub fn add_to(&self, mass: &mut DMatrix<f64>, factor: f64) {
        for (&i, row) in self.coordinates.iter().zip(&self.mass) {
            for (&j, entry) in self.coordinates.iter().zip(row) {
                mass[(i, j)] += factor * entry;
            }
        }
    }

    /// The matrix (k,k), if coordinates and entries are valid.
    fn checked(&self, n: usize) -> Result<DMatrix<f64>> {
        let k = self.coordinates.len();
        if let Some(i) = self.coordinates.iter().position(|&i| i >= n) {
            let found = self.coordinates[i];
            let what = format!("coordinate {found} of a problem with {n}, counted from 0");
            return Err(Error::input(what).at(format!("coordinates[{i}]")));
        }
        if (1..k).any(|i| self.coordinates[..i].contains(&self.coordinates[i])) {
            return Err(Error::input("a coordinate is listed twice").at("coordinates"));
        }
        if k == 0 || self.mass.len() != k || self.mass.iter().any(|row| row.len() != k) {
            let expected =
                format!("expected as many rows of as many numbers as there are coordinates, {k}");
            return Err(Error::input(expected).at("mass"));
        }
        for (i, row) in self.mass.iter().enumerate() {
            check_finite(row, &format!("mass[{i}]"))?;
        }
        let matrix = DMatrix::from_fn(k, k, |i, j| self.mass[i][j]);
        let size = matrix.amax();
        let lowest = (&matrix + matrix.transpose()).symmetric_eigenvalues().min();
        if (&matrix - matrix.transpose()).amax() > SLACK * size || lowest < -SLACK * size {
            return Err(Error::input("not symmetric positive semidefinite").at("mass"));
        }
        Ok(matrix)
    }
}

/// The parts of a mass matrix. Without `given` parts, coordinates that the matrix couples, directly
/// or through others, form a part, and so do uncoupled coordinates of equal inertia, such as the
/// displacements of one body.
pub(super) fn parts(given: &[MassPart], mass: &DMatrix<f64>) -> Result<Vec<MassPart>> {
    if given.is_empty() {
        return Ok(own_parts(mass));
    }
    let mut left = mass.clone();
    for (p, part) in given.iter().enumerate() {
        part.checked(mass.nrows()).map_err(|error| {
            let at = error.at.clone().unwrap_or_default();
            error.at(format!("mass_parts[{p}].{at}"))
        })?;
        part.add_to(&mut left, -1.0);
    }
    for i in 0..mass.nrows() {
        for j in 0..=i {
            if left[(i, j)].abs() > SLACK * (mass[(i, i)] * mass[(j, j)]).sqrt() {
                let (entry, sum) = (mass[(i, j)], mass[(i, j)] - left[(i, j)]);
                let what = format!("the parts add up to {sum}, not to mass[{i}][{j}] = {entry}");
                return Err(Error::input(what).at("mass_parts"));
            }
        }
    }
    Ok(given.to_vec())
}

fn own_parts(mass: &DMatrix<f64>) -> Vec<MassPart> {
    let n = mass.nrows();
    let alone: Vec<bool> = (0..n).map(|a| (0..n).all(|b| a == b || mass[(a, b)] == 0.0)).collect();
    let mut group: Vec<usize> = (0..n).collect();
    for a in 0..n {
        for b in 0..a {
            let (x, y) = (mass[(a, a)], mass[(b, b)]);
            let alike = alone[a] && alone[b] && (x - y).abs() <= SLACK * x;
            if mass[(a, b)] != 0.0 || alike {
                let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let part = |first: usize| {
        let coordinates: Vec<usize> = (0..n).filter(|&a| group[a] == first).collect();
        let row = |&a: &usize| coordinates.iter().map(|&b| mass[(a, b)]).collect();
        MassPart { mass: coordinates.iter().map(row).collect(), coordinates }
    };
    (0..n).filter(|&a| group[a] == a).map(part).collect()
}
