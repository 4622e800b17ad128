//! The convex relaxation of the simultaneous inelastic impact.

mod solve;

use nalgebra::DVector;
use serde_json::Value;

use crate::sampling::restitution::require_inelastic;
use crate::{Describe, DescribeOutcome};
use carom_core::cones::space::{ConeSpace, RESIDUAL};
use carom_core::{ContactProblem, Limits, Outcome, OutcomeSet, Result, Status};
use solve::solve;

/// The convex relaxation of the simultaneous inelastic impact with circular friction cones:
///
/// ```text
/// L minimises 1/2 L' W L + u' L  over  K = { |lt_i| <= mu_i ln_i },
/// that is  K* contains u+ = u + W L _|_ L in K.
/// ```
///
/// The relaxation omits `mu |u+_t| e_n` from the equations of
/// [`ConeComplementarity`](crate::ConeComplementarity): a contact that slides under load separates
/// with `u+_n = mu |u+_t|`, where Coulomb's law has `u+_n = 0`. If no loaded contact slides, the
/// two laws agree. Source: \[A06\], \[T11\]. Deviation: no stabilisation, no softness. The solver
/// Clarabel proposes an impulse, and Newton's method for the natural map `L - P_K(L - u+)` improves
/// it; if this is insufficient, proximal steps follow. Guarantee: `v+` is unique; `L` is not unique
/// if `W` is singular. The outcome is terminated only if its residual, the largest
/// `|L w - P_K(L w - u+)|` over `max|u-|`, is at most 1e-10, with `w` the mean diagonal entry of
/// the contact's block of `W`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvexRelaxation;

impl ConvexRelaxation {
    /// The law's name.
    pub const NAME: &'static str = "convex-relaxation";

    /// The unique outcome.
    ///
    /// # Errors
    /// A coefficient of restitution above 0.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<ConvexRelaxationDetails>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The outcome, or the iterate with the smallest residual once the limits' flag is raised. The
    /// few steps need no other limit.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<ConvexRelaxationDetails>> {
        require_inelastic(problem, Self::NAME)?;
        let space = ConeSpace::new(problem);
        let (end, residual) = solve(problem, &space, limits);
        let impulse = space.impulse(&end.l);
        let (m, rest) = (problem.contact_count(), problem.rest_velocity::<f64>());
        let pushes: Vec<bool> = (0..m).map(|i| end.l[i] > RESIDUAL).collect();
        let details = ConvexRelaxationDetails { iterations: end.steps, lift: Vec::new() };
        let mut outcome = Outcome { residual, ..Outcome::new(problem, impulse, details) };
        let after = problem.jacobian() * DVector::from_column_slice(&outcome.velocity);
        let lift = |i: usize| if pushes[i] && after[i] > rest { after[i] } else { 0.0 };
        outcome.details.lift = (0..m).map(lift).collect();
        let mut warnings = Vec::new();
        if residual > RESIDUAL {
            outcome.status = Status::Unsolved;
            warnings.push(format!(
                "the convex program was solved to {residual:.1e}, not to {RESIDUAL:.0e}"
            ));
        }
        if outcome.details.lift.iter().any(|&lift| lift > 0.0) {
            let what = "the law is a relaxation of Coulomb's: contacts that slide leave each other";
            warnings.push(what.to_string());
        }
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings).cut(limits))
    }
}

impl Describe for ConvexRelaxation {}

/// Details of an outcome of the convex relaxation.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexRelaxationDetails {
    /// Number of Newton steps that improved the solver's impulse.
    pub iterations: usize,
    /// Normal velocity `u+_n` in m/s of each separating contact under load (m entries); 0 for other
    /// contacts.
    pub lift: Vec<f64>,
}

impl Describe for ConvexRelaxationDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("iterations", self.iterations.into()), ("lift", self.lift.clone().into())]
    }
}

impl DescribeOutcome for ConvexRelaxationDetails {
    fn heading(&self) -> &'static str {
        "pushed off by sliding"
    }

    fn origin(&self, _: &str) -> String {
        let lifted: Vec<String> =
            (0..self.lift.len()).filter(|&i| self.lift[i] > 0.0).map(|i| i.to_string()).collect();
        if lifted.is_empty() {
            "no contact".to_string()
        } else {
            format!("contacts {}", lifted.join(", "))
        }
    }

    fn title(&self) -> String {
        "relaxation".to_string()
    }
}
