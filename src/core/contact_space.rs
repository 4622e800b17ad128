//! The dimensionless contact space of a problem, the input of every process.

use crate::{ContactProblem, Error, Facets, Real, Result, Scaling, StepProblem};

/// Factor on [`ContactProblem::rest_velocity`] while a sample is computed. The velocity recomputed
/// from its impulse has different rounding errors, and then still counts as at rest.
const AT_REST: f64 = 1.0 - 1e-4;

/// The contact space of a problem, made dimensionless by [`Scaling`].
///
/// Impulses and velocities have the K = [`StepProblem::width`] rows of the step problem;
/// [`Scaling::parts`] converts them to impulses and velocities of the contact problem.
#[derive(Clone, Debug)]
pub struct ContactSpace<R> {
    /// The step problem: scaled Delassus matrix, friction, row scales.
    pub step: StepProblem<R>,
    /// Contact velocity before the impact (K).
    pub start: Vec<R>,
    /// Thresholds (m), negative: contact i approaches if its normal velocity is below `rest[i]`.
    pub rest: Vec<R>,
    /// The scales that turn dimensionless numbers into SI units.
    pub scaling: Scaling,
    /// Most steps of a sample, at least 1.
    pub max_steps: u32,
}

impl<R: Real> ContactSpace<R> {
    /// The contact space of a dimensionless step problem, without a velocity.
    pub fn new(step: &StepProblem<f64>, scaling: Scaling, max_steps: u32) -> Result<Self> {
        if max_steps == 0 {
            return Err(Error::usage("a step limit is at least 1, found 0").at("max_steps"));
        }
        Ok(ContactSpace {
            start: vec![R::ZERO; step.width()],
            rest: vec![R::ZERO; step.contacts],
            step: step.cast(),
            scaling,
            max_steps,
        })
    }

    /// Sets the velocity before the impact from `problem`, in the first `rows` rows; the other rows
    /// stay 0. Does not allocate.
    pub fn approach(&mut self, problem: &ContactProblem, rows: usize) {
        let u = problem.contact_velocity();
        self.scaling.rescale(u);
        let rest = AT_REST * problem.rest_velocity::<R>() / self.scaling.velocity;
        for (i, start) in self.start.iter_mut().enumerate().take(rows) {
            *start = R::from_f64(self.scaling.along(u, i));
        }
        for (rest_of_row, sigma) in self.rest.iter_mut().zip(&self.scaling.sigma) {
            *rest_of_row = R::from_f64(-rest / sigma);
        }
    }
}

/// The facets of a law's friction cones on a problem: `asked` if given, else `default`; `None` on a
/// planar problem.
pub fn facets_on(
    problem: &ContactProblem,
    asked: Option<u32>,
    default: u32,
) -> Result<Option<Facets>> {
    if problem.tangents_per_contact() == 2 {
        return Facets::new(asked.unwrap_or(default)).map(Some);
    }
    if asked.is_none() {
        return Ok(None);
    }
    let what = "friction cones have facets in spatial problems; this one is not";
    Err(Error::usage(what).at("facets").hint("leave --facets out"))
}

/// Refuses a problem outside the range of single precision: its velocities, the impulses that stop
/// them, `max|u-| / sqrt(W_ii max W_jj)`, and its energy must lie between 1e-30 and 1e30, or be 0.
pub fn require_range<R: Real>(problem: &ContactProblem) -> Result<()> {
    if R::EPSILON <= f64::EPSILON {
        return Ok(());
    }
    let w = problem.delassus();
    let largest = (0..w.nrows()).map(|i| w[(i, i)]).fold(0.0, f64::max);
    let speed = problem.contact_velocity().amax();
    let rows = (0..w.nrows()).filter(|&i| w[(i, i)] > 0.0);
    let impulses = rows.map(|i| speed / w[(i, i)].sqrt() / largest.sqrt());
    let energy = problem.kinetic_energy(problem.velocity().as_slice());
    let others = [("velocity", problem.velocity().amax()), ("kinetic energy", energy)];
    let mut numbers = impulses.map(|impulse| ("impulse", impulse)).chain(others);
    match numbers.find(|(_, x)| *x != 0.0 && !(1e-30..=1e30).contains(x)) {
        None => Ok(()),
        Some((what, x)) => Err(Error::input(format!(
            "single precision is for numbers between 1e-30 and 1e30; this problem has a {what} of about {x:.0e}"
        ))
        .at("precision")
        .hint("take --precision f64, or units in which masses, lengths and velocities are of ordinary size")),
    }
}
