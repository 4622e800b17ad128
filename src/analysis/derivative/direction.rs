//! Directions in the inputs of an impact for the differentiation of samples.

use nalgebra::{DMatrix, DVector};

use super::wrt::Wrt;
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_law::{Process, Workspace};

/// Derivative of a problem's inputs by a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// Change of the velocity before the impact (n).
    pub velocity: Vec<f64>,
    pub friction: Vec<f64>,
    pub restitution: Vec<f64>,
    /// Change of the impulse step or block length in N s; 0 if it follows the velocity.
    pub step: f64,
}

impl Direction {
    /// Zero direction: all inputs are constant.
    pub fn none(problem: &ContactProblem) -> Self {
        let m = problem.contact_count();
        Direction {
            velocity: vec![0.0; problem.coordinate_count()],
            friction: vec![0.0; m],
            restitution: vec![0.0; m],
            step: 0.0,
        }
    }

    /// Moves the inputs of a process, prepared for `problem`, by `by` along the direction. The
    /// units remain those for `problem`; so does the impulse step, unless the direction changes it.
    /// Ranges of random draws move too.
    pub fn displace<R: Real>(&self, process: &mut Process<R>, problem: &ContactProblem, by: R) {
        let along = |x: f64| R::from_f64(x) * by;
        let contact_velocity = problem.jacobian() * DVector::from_column_slice(&self.velocity);
        let h = process.rates().map(|rates| rates.step_on(problem));
        let (space, rates, numbers) = process.parts_mut();
        let m = space.step.contacts;
        for i in 0..space.start.len() {
            space.start[i] += along(space.scaling.along(&contact_velocity, i));
        }
        let axes = space.step.axes;
        let scale = |i: usize| space.scaling.sigma[m + i * axes] / space.scaling.sigma[i];
        let friction: Vec<R> = (0..m).map(|i| along(self.friction[i] * scale(i))).collect();
        for (mu, change) in space.step.mu.iter_mut().zip(&friction) {
            *mu += *change;
        }
        if let Some(numbers) = numbers {
            for i in 0..m {
                numbers.mu[i][0] += friction[i];
                numbers.e[i][0] += along(self.restitution[i]);
            }
        }
        if let (Some(rates), Some(h)) = (rates, h) {
            for cap in &mut rates.caps {
                *cap += *cap * along(self.step / h);
            }
        }
        if let Process::Steps(steps) = process
            && self.friction.iter().any(|x| *x != 0.0)
        {
            steps.renew();
        }
    }

    /// Sets the block length to the sample's length in `work` (f64), moved by `by` along the
    /// direction. No effect if all samples have one length.
    pub fn hold_length<R: Real>(&self, process: &mut Process<R>, work: &Workspace<f64>, by: R) {
        if let (Process::Inclusion(process), Workspace::Inclusion(work)) = (process, work) {
            let change = R::from_f64(self.step / process.space.scaling.impulse) * by;
            process.hold_length(R::from_f64(work.lanes[0].state.length) + change);
        }
    }
}

/// Rows that determine the step, see [`Rates::deciding`](carom_core::Rates::deciding).
pub fn deciding<R: Real>(process: &Process<R>, problem: &ContactProblem) -> Vec<(usize, f64)> {
    match process {
        Process::Inclusion(process) if process.adapts => Vec::new(),
        process => process.rates().map_or(Vec::new(), |rates| rates.deciding(problem)),
    }
}

/// Direction of finite differences, and its coordinates in the computed columns (q).
#[derive(Debug)]
pub struct Probe {
    pub direction: Direction,
    pub entries: Vec<f64>,
}

/// Directions of velocity (n,q) that move contacts, orthonormal in the kinetic metric, and the
/// components (q,n) of unit velocities along them. Other directions change no impulse.
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

/// Relative tolerance below which a contact row counts as dependent on others.
const DEPENDENT: f64 = 1e-13;

/// Derivative of the impulse step in N s along a velocity (n), if the step follows the velocity of
/// the problem; at a tie by the first of the determining contacts.
pub fn step_slope(process: &Process<f64>, problem: &ContactProblem, velocity: &[f64]) -> f64 {
    let rows = problem.jacobian() * DVector::from_column_slice(velocity);
    deciding(process, problem).first().map_or(0.0, |(row, slope)| slope * rows[*row])
}

/// Difference quotient of the impulse step for a velocity change of `by` times `v` (n).
pub fn step_change(process: &Process<f64>, problem: &ContactProblem, v: &[f64], by: f64) -> f64 {
    let Some(rates) = process.rates().filter(|_| !deciding(process, problem).is_empty()) else {
        return 0.0;
    };
    let mut moved = problem.clone();
    let there: Vec<f64> =
        problem.velocity().iter().zip(v).map(|(v, change)| v + by * change).collect();
    match moved.set_velocity(&there) {
        Ok(()) if moved.natural_step().is_some() => {
            (rates.step_on(&moved) - rates.step_on(problem)) / by
        }
        _ => step_slope(process, problem, v),
    }
}

/// Finite-difference steps along an oblique direction, outside all planes of symmetry, and along
/// each of the directions (p,q). Each step is about the size of the numbers that it changes.
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
