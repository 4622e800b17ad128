//! A prepared problem in a precision chosen at run time, for interfaces such as Python and C.
//! Kernels of either precision are compiled here once, not again in each interface package.

use super::prepared::Prepared;
use crate::run::{Plan, Precision};
use carom_core::error::Result;
use carom_core::outcome::{Samples, Tolerance};
use carom_core::problem::ContactProblem;

/// A [`Prepared`] problem in the precision of its plan, f64 by default.
#[derive(Clone, Debug)]
pub enum PreparedImpact {
    /// In single precision.
    F32(Box<Prepared<f32>>),
    /// In double precision.
    F64(Box<Prepared<f64>>),
}

/// Calls a method in either precision.
macro_rules! either {
    ($of:expr, $prepared:ident => $call:expr) => {
        match $of {
            PreparedImpact::F32($prepared) => $call,
            PreparedImpact::F64($prepared) => $call,
        }
    };
}

impl PreparedImpact {
    /// Prepares a problem.
    ///
    /// # Errors
    /// Errors of [`Prepared::new`].
    pub fn new(problem: &ContactProblem, plan: &Plan) -> Result<Self> {
        Ok(match plan.precision {
            Some(Precision::F32) => {
                PreparedImpact::F32(Box::new(Prepared::<f32>::new(problem, plan)?))
            }
            _ => PreparedImpact::F64(Box::new(Prepared::<f64>::new(problem, plan)?)),
        })
    }

    /// See [`Prepared::velocity`].
    ///
    /// # Errors
    /// Errors of [`Prepared::velocity`].
    pub fn velocity(&mut self, velocity: &[f64]) -> Result<()> {
        either!(self, prepared => prepared.velocity(velocity))
    }

    /// Sets another seed.
    pub fn seed(&mut self, seed: u64) {
        either!(self, prepared => prepared.seed(seed));
    }

    /// See [`Prepared::reserve`].
    pub fn reserve(&mut self, count: usize) {
        either!(self, prepared => prepared.reserve(count));
    }

    /// See [`Prepared::sample`].
    pub fn sample(&mut self, first: u64, count: usize) -> &Samples {
        either!(self, prepared => prepared.sample(first, count))
    }

    /// See [`Prepared::sample_into`].
    pub fn sample_into(&mut self, first: u64, count: usize, samples: &mut Samples) {
        either!(self, prepared => prepared.sample_into(first, count, samples));
    }

    /// See [`Prepared::sample_from`].
    ///
    /// # Errors
    /// Errors of [`Prepared::sample_from`].
    pub fn sample_from(
        &mut self,
        numbers: &[u64],
        velocities: &[f64],
        each: &mut dyn FnMut(usize, &Samples),
    ) -> Result<()> {
        either!(self, prepared => prepared.sample_from(numbers, velocities, each))
    }

    /// The problem, with the current velocity.
    pub fn current(&self) -> &ContactProblem {
        either!(self, prepared => prepared.current())
    }

    /// See [`Prepared::tolerance`].
    pub fn tolerance(&self) -> Tolerance {
        either!(self, prepared => prepared.tolerance())
    }
}
