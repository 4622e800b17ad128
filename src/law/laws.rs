//! The laws that can be sampled.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::routh::options::Routh;
use crate::finite::plus::Plus;
use crate::finite::propagative::Propagative;
use crate::finite::sequential::Sequential;
use crate::sampling::compiled::Compiled;
use crate::sampling::process::Process;
use crate::sampling::restitution::Hypothesis;
use crate::sampling::sampled::SampledLaw;
use carom_core::contact_space::require_range;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;

/// Defines [`Law`], with one variant per law and its options. A law dereferences to its
/// [`SampledLaw`].
macro_rules! laws {
    ($($(#[$doc:meta])* $law:ident($options:ty),)+) => {
        /// The impact laws that can be sampled, with their options.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "law", rename_all = "kebab-case")]
        pub enum Law {
            $($(#[$doc])* $law($options),)+
        }

        impl Law {
            /// The names of all laws.
            pub const NAMES: &[&'static str] = &[$(<$options>::NAME),+];

            /// The law of a name, with its defaults.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(<$options>::NAME => Some(Law::$law(<$options>::default())),)+
                    _ => None,
                }
            }

            /// The law's name, as the command line and the files write it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Law::$law(_) => <$options>::NAME,)+
                }
            }

            /// Checks that the law applies to a problem, and prepares the data common to all
            /// samples.
            ///
            /// # Errors
            /// A property of the problem or an option that the law does not support; an uncertain
            /// pose, see [`Poses`](carom_core::problem::Poses).
            pub fn prepare<R: Compiled>(&self, problem: &ContactProblem) -> Result<Process<R>> {
                (R::compiled().prepare)(self, problem)
            }

            pub(crate) fn prepare_in<R: Real>(
                &self,
                problem: &ContactProblem,
            ) -> Result<Process<R>> {
                problem.refuse_pose("a law is prepared for")?;
                require_range::<R>(problem)?;
                match self {
                    $(Law::$law(law) => law.prepare(problem),)+
                }
            }

            /// The options of a run on `problem`, by their names in JSON; `null`: the option does
            /// not apply.
            pub fn options_on(&self, problem: &ContactProblem) -> Map<String, Value> {
                let (solution, sampler) = self.choices();
                let common = json!({
                    "solution": solution.name(),
                    "sampler": sampler.to_string(),
                    "persist": self.persistence(),
                    "facets": self.facets(),
                    "hypothesis": self.hypothesis_on(problem).map(Hypothesis::name),
                    "step": self.step_on(problem),
                    "accuracy": self.accuracy_on(problem),
                    "max_steps": self.max_steps_on(problem),
                });
                let mut options = Map::new();
                for fields in [json!(self), common] {
                    options.extend(fields.as_object().cloned().unwrap_or_default());
                }
                for of_run in ["law", "process"] {
                    options.remove(of_run);
                }
                options
            }

            /// Refuses options without effect on every one of the problems.
            ///
            /// # Errors
            /// An option without effect.
            pub fn check(&self, problems: &[&ContactProblem]) -> Result<()> {
                if problems.is_empty() { Ok(()) } else { (**self).check(problems) }
            }
        }

        impl Deref for Law {
            type Target = dyn SampledLaw;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Law::$law(law) => law,)+
                }
            }
        }

        $(impl From<$options> for Law {
            fn from(law: $options) -> Self {
                Law::$law(law)
            }
        })+
    };
}

laws! {
    /// The set-valued Routh law: all orders of impulses. \[HP23\]
    Routh(Routh),
    /// Single impacts with friction, one contact after the other in random order.
    Sequential(Sequential),
    /// Reflections, one contact after the other in random order. \[SM14\]
    Propagative(Propagative),
    /// Rounds of compression and expansion: one outcome for each draw of uncertain numbers.
    /// \[USD15\]
    Plus(Plus),
}

impl Default for Law {
    fn default() -> Self {
        Law::Routh(Routh::default())
    }
}
