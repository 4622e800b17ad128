//! The directions along which samples are differentiated.

use nalgebra::{DMatrix, DVector};

use super::direction::{Direction, deciding};
use super::wrt::Wrt;
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_law::Process;

/// A direction of finite differences, and its entries in the columns that are computed (q).
#[derive(Debug)]
pub struct Probe {
    pub direction: Direction,
    pub entries: Vec<f64>,
}

/// The directions of velocity (n,q) that move contacts, orthonormal in the kinetic metric, and the
/// parts (q,n) that unit velocities have along them. Along others no impulse changes.
pub fn moving(problem: &ContactProblem) -> Result<(DMatrix<f64>, Option<DMatrix<f64>>)> {
    let factor = problem.mass().clone().cholesky().map(|mass| mass.l());
    let broken = || Error::input("the mass matrix is not positive definite").at("mass");
    let factor = factor.ok_or_else(broken)?;
    let rows = factor.solve_lower_triangular(&problem.jacobian().transpose()).ok_or_else(broken)?;
    let decomposed = rows.svd(true, false);
    let least = DEPENDENT * decomposed.singular_values.max();
    let axes: Vec<_> = (decomposed.u.iter())
        .flat_map(|u| u.column_iter().zip(&decomposed.singular_values))
        .filter(|(_, size)| **size > least)
        .map(|(axis, _)| axis.into_owned())
        .collect();
    let n = problem.coordinate_count();
    let whitened = DMatrix::from_fn(n, axes.len(), |a, k| axes[k][a]);
    let axes = factor.transpose().solve_upper_triangular(&whitened).ok_or_else(broken)?;
    let parts = axes.transpose() * problem.mass();
    Ok((axes, Some(parts)))
}

/// Rows of contacts that depend on others up to this part of the largest are none of their own.
const DEPENDENT: f64 = 1e-13;

/// The change of the impulse step in N s with a velocity (n), where the step follows the velocity
/// of the problem; by the first of several contacts that decide on it.
pub fn step_slope(process: &Process<f64>, problem: &ContactProblem, velocity: &[f64]) -> f64 {
    let rows = problem.jacobian() * DVector::from_column_slice(velocity);
    deciding(process, problem).first().map_or(0.0, |(row, slope)| slope * rows[*row])
}

/// The difference quotient of the impulse step where the velocity changes by `by` times a velocity
/// (n).
pub fn step_change(
    process: &Process<f64>,
    problem: &ContactProblem,
    velocity: &[f64],
    by: f64,
) -> f64 {
    let Some(rates) = process.rates().filter(|_| !deciding(process, problem).is_empty()) else {
        return 0.0;
    };
    let mut moved = problem.clone();
    let there: Vec<f64> =
        problem.velocity().iter().zip(velocity).map(|(v, change)| v + by * change).collect();
    match moved.set_velocity(&there) {
        Ok(()) if moved.natural_step().is_some() => {
            (rates.step_on(&moved) - rates.step_on(problem)) / by
        }
        _ => step_slope(process, problem, velocity),
    }
}

/// Steps of finite differences along an oblique direction, which no plane of symmetry contains, and
/// along each of the directions (p,q). Each step is about the size of the numbers that it changes.
pub fn probes(problem: &ContactProblem, wrt: Wrt, axes: &DMatrix<f64>) -> Vec<Probe> {
    let q = axes.ncols();
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let size = |k: usize| match wrt {
        Wrt::Velocity if speed > 0.0 => speed,
        Wrt::Friction if problem.friction()[k] > 0.0 => problem.friction()[k],
        Wrt::Step => problem.natural_step().unwrap_or(1.0),
        _ => 1.0,
    };
    let turn = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let share = |k: usize| turn(k) / (k as f64 + std::f64::consts::SQRT_2);
    let oblique = (0..q).map(|k| share(k) * size(k)).collect();
    let along = |column: usize| (0..q).map(|k| if k == column { size(k) } else { 0.0 }).collect();
    let probe = |entries: Vec<f64>| {
        let change = axes * DVector::from_column_slice(&entries);
        Probe { direction: wrt.direction(problem, change.as_slice()), entries }
    };
    // The oblique direction is the first.
    std::iter::once(oblique).chain((0..q).map(along)).map(probe).collect()
}
