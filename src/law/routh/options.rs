//! The set-valued Routh law and its options. \[HP23\]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Hypothesis;
use carom_core::draws::rates::Length;
use carom_core::named;
use carom_core::{ContactProblem, Error, Result, Sampler};

/// The choice among several solutions of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Solution {
    /// Uniform among the distinct `v+` of the step for up to three planar contacts; otherwise the
    /// solution that Lemke's method finds with a random covering vector. Both are drawn from the
    /// sample's own stream. Random covering vectors do not find every solution: they find none of
    /// index -1, and only one of the three of the scene `ramone`.
    #[default]
    Random,
    /// The solution that lexicographic Lemke finds with a covering vector of ones. This choice
    /// misses most of the set where steps have several solutions: on the compass gait it finds a
    /// single point.
    Lemke,
}

impl Solution {
    /// The name that the command line and the files use.
    pub fn name(self) -> &'static str {
        match self {
            Solution::Random => "random",
            Solution::Lemke => "lemke",
        }
    }
}

named! {
    /// The process that computes samples of the Routh law.
    #[derive(Deserialize, JsonSchema)]
    pub enum RouthProcess {
        /// Steps of impulse, each a complementarity problem: the published algorithm.
        Steps = "steps",
        /// From event to event, without a time step: planar problems, inelastic or with Stronge's
        /// coefficients of restitution, with certain or uncertain numbers. An older
        /// name is `exact`.
        #[serde(alias = "exact")]
        Events = "events",
        /// A differential inclusion over normal impulse, integrated: planar and spatial problems.
        Inclusion = "inclusion",
    }
}

/// The set-valued Routh law.
///
/// Algorithm 1: while a contact approaches, draw relative rates `p` uniform on `[0, 1)^m`, find an
/// impulse increment with `ln <= h p` that obeys Coulomb's law and is inelastic with respect to the
/// velocity at the end of the step ([`StepProblem`](carom_core::lcp::StepProblem)), and apply it.
/// Source: \[HP23\] Sec. 5, (72)-(75). Deviations: the solution of a step is chosen by
/// [`Solution`], because Assumption 6 (uniqueness) fails on most examples; a contact approaches if
/// `u_n < -rest`, see [`ContactProblem::rest_velocity`], instead of an absolute 1e-8.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Routh {
    /// How it is computed. By default `steps` where facets are asked for, and where a planar
    /// problem without restitution and uncertain numbers has Lemke's solution, rates that persist
    /// over steps or a last step; else `events` for planar problems, except with Poisson's
    /// hypothesis; else `inclusion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<RouthProcess>,
    /// How rates are drawn: `coverage` (few contacts at a time, blocks of all lengths: fewest
    /// samples cover the set; with steps a problem's step limit counts fourfold), `uniform` (as
    /// published), `sobol` (uniform by scrambled Sobol points), or a mix by share, such as
    /// `uniform:0.2,coverage:0.8`. By default `uniform` where steps are taken as published, else
    /// `coverage`, for facets too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<Sampler>,
    /// The impulse over which one draw of the rates lasts, in N s. A smaller step averages the
    /// rates and shrinks what is met; it does not refine the set. By default the largest that stops
    /// one contact, or about the impulse that stops the whole impact where that is more; with steps
    /// the problem's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// The impulse over which one draw of the rates lasts, over the largest that stops one contact;
    /// instead of `step`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub block: Option<f64>,
    /// The limit on the steps of a sample, by default the problem's, else 1000; on its segments
    /// with `events` and on its substeps with `inclusion`, by default 20000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// Steps: a sample at the step limit takes one more step, in which every contact may accrue
    /// this impulse in N s, and is kept if no contact approaches then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub last_step: Option<f64>,
    /// Spatial problems: facets of the friction cones, an even number from 4 to 32; by default
    /// cones are circular.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facets: Option<u32>,
    /// How many steps share one draw of the rates: step s uses draw s / N, rounded down; 1 by
    /// default. The other processes keep rates for a block, see `step`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub persist: Option<u32>,
    /// Which solution of a step is taken where it has several.
    #[serde(skip_serializing_if = "is_random")]
    pub solution: Solution,
    /// How accurate the inclusion is, a part of `max|u-|` in (0, 0.1]; 1e-4 by default. Single
    /// precision reaches about 1e-5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// What a coefficient of restitution is a ratio of; `stronge` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<Hypothesis>,
}

fn is_random(solution: &Solution) -> bool {
    *solution == Solution::Random
}

impl Routh {
    /// The law's name.
    pub const NAME: &'static str = "routh";

    /// The default limit on segments of the event process or substeps of the inclusion, per sample.
    pub const SEGMENTS: u32 = 20_000;

    /// The default limit on steps.
    pub const STEPS: u32 = 1000;

    /// The default accuracy of the inclusion.
    pub const ACCURACY: f64 = 1e-4;

    /// The published algorithm: steps with uniform rates.
    pub fn steps() -> Self {
        Routh { process: Some(RouthProcess::Steps), ..Routh::default() }
    }

    /// The sampler of the rates. The published algorithm draws uniform rates.
    pub fn sampler(&self) -> Sampler {
        let steps = self.process == Some(RouthProcess::Steps);
        let published = steps || self.process.is_none() && self.is_published();
        let default = if published { Sampler::Uniform } else { Sampler::default() };
        self.sampler.unwrap_or(default)
    }

    /// Whether an option of the published algorithm is set.
    pub fn is_published(&self) -> bool {
        self.persistence() != 1 || self.solution == Solution::Lemke || self.last_step.is_some()
    }

    /// Whether steps have the length of blocks: with facets, unless published steps are requested
    /// by name.
    pub fn reaches(&self) -> bool {
        self.facets.is_some() && self.process.is_none() && !self.is_published()
    }

    /// The length of a step or block.
    pub(super) fn length(&self) -> Length {
        Length { impulse: self.step, block: self.block }
    }

    /// The meaning of a coefficient of restitution.
    pub fn hypothesis(&self) -> Hypothesis {
        self.hypothesis.unwrap_or_default()
    }

    /// The limit on segments of the event process, or substeps of the inclusion.
    pub fn segments(&self) -> u32 {
        self.max_steps.unwrap_or(Self::SEGMENTS)
    }

    /// The limit on steps. A problem's own limit applies to steps of full length; if steps may be
    /// shorter by some factor, the limit is larger by this factor.
    pub fn steps_on(&self, problem: &ContactProblem) -> u32 {
        let shortest = self.sampler().lengths()[1];
        let allowed = problem.spec().max_steps.map(|most| (f64::from(most) / shortest) as u32);
        self.max_steps.or(allowed).unwrap_or(Self::STEPS)
    }

    /// The accuracy of the inclusion, relative to `max|u-|`.
    ///
    /// # Errors
    /// A number outside (0, 0.1].
    pub fn accuracy(&self) -> Result<f64> {
        let accuracy = self.accuracy.unwrap_or(Self::ACCURACY);
        if accuracy > 0.0 && accuracy <= 0.1 {
            return Ok(accuracy);
        }
        Err(Error::usage(format!("an accuracy is a number in (0, 0.1], found {accuracy}"))
            .at("accuracy"))
    }

    /// Number of steps that share one draw of the rates.
    pub fn persistence(&self) -> u32 {
        self.persist.unwrap_or(1)
    }

    /// Refuses rates that persist over several steps, for processes whose rates persist over
    /// blocks.
    ///
    /// # Errors
    /// [`Routh::persist`] other than 1.
    pub fn require_blocks(&self) -> Result<()> {
        match self.persistence() {
            1 => Ok(()),
            0 => Err(Error::usage("rates persist over at least 1 step, found 0").at("persist")),
            _ => Err(Error::usage(
                "rates persist for a block of impulse as it is, except in the process `steps`",
            )
            .at("persist")
            .hint(
                "take a longer block, --step H, and leave --persist out; or take --process steps",
            )),
        }
    }

    /// Whether contacts store impulse (Poisson's hypothesis) instead of work (Stronge's).
    ///
    /// # Errors
    /// Newton's hypothesis.
    pub(crate) fn poisson(&self) -> Result<bool> {
        if self.hypothesis() == Hypothesis::Newton {
            let what = "Newton's hypothesis is for single contacts; several may gain energy by it";
            return Err(Error::usage(what)
                .at("hypothesis")
                .hint("take stronge, with which energy never rises"));
        }
        Ok(self.hypothesis() == Hypothesis::Poisson)
    }
}
