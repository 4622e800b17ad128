//! The law of a run with its options; options of other laws are refused.

use super::{LawName, Run};
use crate::error::{Error, Result};
use crate::law::{Law, Orders, Plus, Routh, RouthProcess, Sampler, Solution};

impl Run {
    /// The law that is asked for, with its options.
    ///
    /// # Errors
    /// An option of another law; a number outside its range.
    pub fn law(&self) -> Result<Law> {
        self.refuse_foreign()?;
        self.check_ranges()?;
        let orders = Orders { max_steps: self.max_steps };
        let plus = Plus::default();
        Ok(match self.law {
            LawName::Routh => Law::Routh(Routh {
                process: self.process,
                solution: self.solution.unwrap_or_default(),
                sampler: self.sampler.unwrap_or(self.default_sampler()),
                persist: self.persist,
                step: self.step,
                accuracy: self.accuracy,
                max_steps: self.max_steps,
                facets: self.facets,
                hypothesis: self.hypothesis.unwrap_or_default(),
            }),
            LawName::Sequential => Law::Sequential(orders),
            LawName::Propagative => Law::Propagative(orders),
            LawName::Plus => Law::Plus(Plus {
                theta_max: self.theta_max.unwrap_or(plus.theta_max),
                v_transition: self.v_transition.unwrap_or(plus.v_transition),
                v_plastic: self.v_plastic.unwrap_or(plus.v_plastic),
                v_capture: self.v_capture.unwrap_or(plus.v_capture),
                restitution: None,
            }),
        })
    }

    /// The sampler where none is named: the published algorithm has its own.
    fn default_sampler(&self) -> Sampler {
        let persists = self.persist.is_some_and(|steps| steps > 1);
        let steps = self.process == Some(RouthProcess::Steps) || self.facets.is_some();
        let published = steps || self.process.is_none() && (persists || self.takes_lemke());
        if published { Sampler::Uniform } else { Sampler::default() }
    }

    /// Whether steps are to take the solution that Lemke's method finds.
    pub(super) fn takes_lemke(&self) -> bool {
        self.solution == Some(Solution::Lemke)
    }

    /// Refuses options that the law does not have. What is the law's only choice may be named.
    fn refuse_foreign(&self) -> Result<()> {
        let name = self.law.name();
        let refuse = |why: &str, options: &[(&str, bool)]| match options.iter().find(|(_, is)| *is)
        {
            Some((option, _)) => Err(Error::usage(why).option(*option).hint("leave it out")),
            None => Ok(()),
        };
        let foreign = |of: &str| format!("the law {name} has no such option; it belongs to {of}");
        if self.law != LawName::Plus {
            let options = [
                ("theta_max", self.theta_max.is_some()),
                ("v_transition", self.v_transition.is_some()),
                ("v_plastic", self.v_plastic.is_some()),
                ("v_capture", self.v_capture.is_some()),
            ];
            refuse(&foreign(Plus::NAME), &options)?;
        }
        let why = match self.law {
            LawName::Routh => return Ok(()),
            LawName::Plus => format!("the law {name} has rounds of all contacts, no steps"),
            LawName::Sequential | LawName::Propagative => format!(
                "the law {name} has single impacts, no steps of all contacts; --max-steps limits their number"
            ),
        };
        let draws_rates = self.sampler.is_some_and(|sampler| sampler != Sampler::Uniform);
        let options = [
            ("process", self.process.is_some()),
            ("facets", self.facets.is_some()),
            ("step", self.step.is_some()),
            ("accuracy", self.accuracy.is_some()),
            ("persist", self.persist.is_some()),
            ("sampler", draws_rates),
            ("solution", self.takes_lemke()),
            ("max_steps", self.max_steps.is_some() && self.law == LawName::Plus),
        ];
        refuse(&why, &options)?;
        refuse(&foreign(Routh::NAME), &[("hypothesis", self.hypothesis.is_some())])
    }
}
