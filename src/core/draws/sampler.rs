//! Samplers, the distributions of relative rates; and mixes of samplers by share.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Purpose, Result, Stream};

/// How the relative rates of a step or block are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Sampler {
    /// Independent and uniform on `[0, 1)`, drawn again at every step, as in \[HP23\].
    Uniform,
    /// Uniform as well, but by Sobol's points, scrambled by the seed: sample i has point i, and
    /// each rate of each step is a dimension of its own. Rates beyond the last dimension are
    /// independent. See [`crate::rng::sobol`].
    Sobol,
    /// Only a random subset of the contacts, of random size, has rates above 0. The length of a
    /// step or block varies between a quarter of its default and sixteen times that, and its
    /// logarithm is nearly uniform. Covers the set with fewer samples.
    #[default]
    Coverage,
    /// Each sample draws one of the other samplers.
    Mix(Shares),
}

/// The shares of samples that use [`Sampler::Uniform`], [`Sampler::Sobol`] and
/// [`Sampler::Coverage`], in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares([f64; 3]);

/// The samplers that a mix may have, in the order of its shares.
const PURE: [Sampler; 3] = [Sampler::Uniform, Sampler::Sobol, Sampler::Coverage];

/// The longest step of [`Sampler::Coverage`] relative to the impulse step.
pub const LONGEST: f64 = 16.0;

/// Range of the random integer that chooses a sampler.
pub const WHOLE: u32 = 1 << 24;

impl Sampler {
    /// The mix of pure samplers with their shares, which are divided by their sum.
    ///
    /// # Errors
    /// No sampler, one that is named twice or is a mix itself, a share that is not a finite number
    /// above 0.
    pub fn mix(parts: &[(Sampler, f64)]) -> Result<Self> {
        let mut shares = [0.0; 3];
        for (sampler, share) in parts {
            let Some(at) = PURE.iter().position(|pure| pure == sampler) else {
                return Err(Error::usage("a mix has samplers, no mixes").at("sampler"));
            };
            if !(share.is_finite() && *share > 0.0) {
                let what =
                    format!("the share of {sampler} is a finite number above 0, found {share}");
                return Err(Error::usage(what).at("sampler"));
            }
            if shares[at] > 0.0 {
                let what = format!("the sampler {sampler} is named twice");
                return Err(Error::usage(what).at("sampler"));
            }
            shares[at] = *share;
        }
        match parts {
            [] => Err(Error::usage("a mix has at least one sampler").at("sampler")),
            [(sampler, _)] => Ok(*sampler),
            _ => Ok(Sampler::Mix(Shares(shares))),
        }
    }

    /// Thresholds of the choice among the samplers. A uniform integer below [`WHOLE`] chooses
    /// [`Sampler::Uniform`] below the first threshold, else [`Sampler::Sobol`] below the second
    /// one, else [`Sampler::Coverage`].
    pub fn below(self) -> [u32; 2] {
        match self {
            Sampler::Uniform => [WHOLE, WHOLE],
            Sampler::Sobol => [0, WHOLE],
            Sampler::Coverage => [0, 0],
            Sampler::Mix(Shares([uniform, sobol, coverage])) => {
                let largest = uniform.max(sobol).max(coverage);
                let [uniform, sobol, coverage] =
                    [uniform, sobol, coverage].map(|share| share / largest);
                let sum = uniform + sobol + coverage;
                let part = |sum_below: f64| (sum_below / sum * f64::from(WHOLE)).round() as u32;
                [part(uniform), part(uniform + sobol)]
            }
        }
    }

    /// The pure sampler of a sample, by draw 0 of step 0 of [`Purpose::Sampler`]. Twin:
    /// `shaders/law/draws/rates.wgsl::sampler_of`.
    #[inline]
    pub fn of(self, stream: &Stream) -> Self {
        let Sampler::Mix(_) = self else { return self };
        let number = stream.draw(0, Purpose::Sampler, 0) >> 8;
        match self.below().map(|below| number < below) {
            [true, _] => Sampler::Uniform,
            [_, true] => Sampler::Sobol,
            _ => Sampler::Coverage,
        }
    }

    /// Whether a sample may use the sampler `other`.
    pub fn may_use(self, other: Sampler) -> bool {
        match self {
            Sampler::Mix(Shares(shares)) => {
                PURE.iter().zip(shares).any(|(pure, s)| *pure == other && s > 0.0)
            }
            sampler => sampler == other,
        }
    }

    /// The longest and the shortest step relative to the impulse step: the limits of
    /// [`stretch`](super::rates::stretch).
    pub fn lengths(self) -> [f64; 2] {
        if self.may_use(Sampler::Coverage) { [LONGEST, 1.0 / 4.0] } else { [1.0, 1.0] }
    }
}

/// The name that the command line and the files use.
impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sampler::Uniform => f.pad("uniform"),
            Sampler::Sobol => f.pad("sobol"),
            Sampler::Coverage => f.pad("coverage"),
            Sampler::Mix(Shares(shares)) => {
                let parts = PURE.iter().zip(shares).filter(|(_, share)| **share > 0.0);
                let parts: Vec<String> =
                    parts.map(|(name, share)| format!("{name}:{share}")).collect();
                f.pad(&parts.join(","))
            }
        }
    }
}

impl FromStr for Sampler {
    type Err = Error;

    /// `NAME`, or `NAME:SHARE,NAME:SHARE,...`.
    fn from_str(text: &str) -> Result<Self> {
        let of_name = |name: &str| {
            let found = PURE.into_iter().find(|sampler| sampler.to_string() == name);
            found.ok_or_else(|| unknown(name))
        };
        if !text.contains([':', ',']) {
            return of_name(text.trim());
        }
        let mut parts = Vec::new();
        for part in text.split(',') {
            let (name, share) = part.split_once(':').unwrap_or((part, ""));
            let sampler = of_name(name.trim())?;
            let share = share.trim().parse::<f64>().map_err(|_| {
                let what =
                    format!("expected a share, such as {sampler}:0.5, found `{}`", part.trim());
                Error::usage(what).at("sampler")
            })?;
            parts.push((sampler, share));
        }
        Sampler::mix(&parts)
    }
}

impl TryFrom<String> for Sampler {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Sampler> for String {
    fn from(sampler: Sampler) -> Self {
        sampler.to_string()
    }
}

fn unknown(name: &str) -> Error {
    let names = PURE.map(|sampler| sampler.to_string());
    let close = |known: &&String| strsim::damerau_levenshtein(name, known) <= 3;
    let near =
        names.iter().filter(close).min_by_key(|known| strsim::damerau_levenshtein(name, known));
    let known = format!("uniform, sobol, coverage or shares of them, such as {EXAMPLE}");
    let perhaps = near.map_or(String::new(), |near| format!(", perhaps {near}"));
    Error::usage(format!("no such sampler as `{name}`{perhaps}; expected {known}")).at("sampler")
}

const EXAMPLE: &str = "uniform:0.2,coverage:0.8";
