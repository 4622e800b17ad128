use serde_json::json;

use super::Run;
use carom_core::error::{Error, ErrorKind, Result};
use carom_core::problem::ContactProblem;
use carom_law::Law;

/// Refuses a coefficient of restitution above 0 for an inelastic law.
///
/// # Errors
/// A coefficient above 0.
pub fn inelastic(law: &str, e: f64) -> Result<()> {
    if e > 0.0 {
        let what = format!("the law {law} is inelastic; expected 0, found {e}");
        return Err(Error::usage(what).option("restitution"));
    }
    Ok(())
}

impl Run {
    /// Refuses options without effect on every one of the problems. The problems come from
    /// [`Run::applied`].
    ///
    /// # Errors
    /// An option without effect.
    pub fn check(&self, problems: &[&ContactProblem]) -> Result<()> {
        self.law.check(problems)
    }

    /// Whether the request or a problem sets the step limit; a problem's limit applies to published
    /// steps.
    pub fn sets_limit(&self, problems: &[&ContactProblem]) -> bool {
        let published = |problem: &&ContactProblem| {
            problem.spec().max_steps.is_some() && !self.law.process_on(problem).is_in_blocks()
        };
        match &self.law {
            Law::Routh(law) => law.max_steps.is_some() || problems.iter().any(published),
            other => json!(other).get("max_steps").is_some(),
        }
    }

    /// Whether the request has both a coefficient of restitution and a range of coefficients.
    pub fn has_two_restitutions(&self) -> bool {
        let range = self.uncertainty.as_ref().is_some_and(|ranges| !ranges.restitution.is_empty());
        self.restitution.is_some() && range
    }

    /// A problem with the requested restitution and uncertain numbers, or with the numbers of the
    /// model.
    ///
    /// # Errors
    /// An unread model file; numbers that the law or the problem cannot have.
    pub fn applied(&self, problem: ContactProblem) -> Result<ContactProblem> {
        if let Some(model) = self.known()? {
            return model.on(problem);
        }
        let mut restitution = problem.spec().restitution.clone();
        let mut uncertain = problem.uncertainty().clone();
        if let Some(e) = self.restitution {
            if matches!(self.law, Law::Sequential(_)) && problem.tangents_per_contact() < 2 {
                inelastic(self.law.name(), e)?;
            }
            if self.has_two_restitutions() {
                let what = "--restitution and a range of e in --uncertainty exclude each other";
                return Err(Error::usage(what).option("restitution").hint("leave one of them out"));
            }
            restitution = Some(vec![e; problem.contact_count()]);
            uncertain.restitution.clear();
        }
        if let Some(uncertainty) = &self.uncertainty {
            uncertain = uncertainty.clone();
        }
        problem.with_numbers(restitution, uncertain).map_err(|error| match &error.at {
            Some(at) if at.starts_with("uncertainty") && self.uncertainty.is_some() => {
                Error { kind: ErrorKind::Usage, ..error.option("uncertainty") }
            }
            _ => error,
        })
    }

    /// The problem of [`Run::applied`], checked against idle options.
    ///
    /// # Errors
    /// Errors of [`Run::applied`] and [`Run::check`].
    pub fn on(&self, problem: ContactProblem) -> Result<ContactProblem> {
        let problem = self.applied(problem)?;
        self.check(&[&problem])?;
        Ok(problem)
    }
}
