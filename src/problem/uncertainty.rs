//! The uncertain numbers of an impact.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::{MAX_FRICTION, check_finite};
use crate::error::{Error, Result};

/// Ranges from which each sample draws its own friction, restitution and inertia, and the noise of
/// its velocity.
///
/// A list holds one range `[A, B]` for all contacts (or parts of the mass matrix), or one for each;
/// where it is empty, the problem's own numbers hold. The draws are uniform.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncertainty {
    /// Coefficients of friction, `0 <= A <= B`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction: Vec<[f64; 2]>,
    /// Coefficients of restitution, `0 <= A <= B <= 1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restitution: Vec<[f64; 2]>,
    /// Factors `s_p` of the parts of the mass matrix, `0 < A <= B`: `M' = sum_p s_p M_p`, see
    /// [`ContactProblem::mass_parts`](super::ContactProblem::mass_parts).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inertia: Vec<[f64; 2]>,
    /// Root mean square of a disturbance `d` of the velocity, relative and in the kinetic norm:
    /// `|d|_M = noise |v-|_M`. The disturbance is the same in all directions of this norm, which is
    /// that of the mass matrix as given.
    #[serde(default)]
    pub noise: f64,
}

impl Uncertainty {
    /// Whether nothing is uncertain.
    pub fn is_none(&self) -> bool {
        let ranges = [&self.friction, &self.restitution, &self.inertia];
        ranges.iter().all(|ranges| ranges.is_empty()) && self.noise == 0.0
    }

    /// Whether all samples begin with one kinetic energy.
    pub fn keeps_energy(&self) -> bool {
        self.inertia.is_empty() && self.noise == 0.0
    }

    /// Whether a range allows a coefficient of restitution above 0.
    pub fn bounces(&self) -> bool {
        self.restitution.iter().any(|range| range[1] > 0.0)
    }

    /// The ranges of friction (m); the coefficients `friction` where no ranges are given.
    pub fn friction_of(&self, friction: &[f64]) -> Vec<[f64; 2]> {
        spread(&self.friction, friction)
    }

    /// The ranges of restitution (m); the coefficients `restitution` where no ranges are given.
    pub fn restitution_of(&self, restitution: &[f64]) -> Vec<[f64; 2]> {
        spread(&self.restitution, restitution)
    }

    /// The ranges of the factors of the `parts` parts of the mass matrix.
    pub fn inertia_of(&self, parts: usize) -> Vec<[f64; 2]> {
        spread(&self.inertia, &vec![1.0; parts])
    }

    /// Checks the ranges for a problem of m contacts, with or without tangents, and a mass matrix
    /// of `parts` parts.
    pub(super) fn check(&self, m: usize, frictionless: bool, parts: usize) -> Result<()> {
        ranges(&self.friction, (m, "contacts"), MAX_FRICTION, "uncertainty.friction")?;
        ranges(&self.restitution, (m, "contacts"), 1.0, "uncertainty.restitution")?;
        ranges(
            &self.inertia,
            (parts, "parts of the mass matrix"),
            f64::INFINITY,
            "uncertainty.inertia",
        )?;
        if let Some(p) = self.inertia.iter().position(|range| range[0] <= 0.0) {
            return Err(Error::input(format!(
                "inertia is scaled by factors > 0, found [{}, {}]",
                self.inertia[p][0], self.inertia[p][1]
            ))
            .at(format!("uncertainty.inertia[{p}]")));
        }
        if frictionless && self.friction.iter().any(|range| range[1] > 0.0) {
            return Err(Error::input("a range of friction at contacts without tangent rows")
                .at("uncertainty.friction")
                .hint("add `tangent` rows, or leave the range out"));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(Error::input(format!(
                "noise is a finite number >= 0, found {}",
                self.noise
            ))
            .at("uncertainty.noise"));
        }
        Ok(())
    }
}

impl FromStr for Uncertainty {
    type Err = Error;

    /// Reads `mu=A..B,e=A..B,inertia=A..B,noise=S`, each for all contacts or parts.
    fn from_str(text: &str) -> Result<Self> {
        let mut uncertainty = Uncertainty::default();
        let mut given = Vec::new();
        for part in text.split(',') {
            let expected = || {
                let ranges = "mu=A..B, e=A..B, inertia=A..B with 0 <= A <= B";
                let what = format!(
                    "expected {ranges}, or noise=S with S >= 0, with commas between, found `{part}`"
                );
                Error::usage(what).option("uncertainty")
            };
            let (name, value) = part.split_once('=').ok_or_else(expected)?;
            let number =
                |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            let range = || {
                let (low, high) = value.split_once("..").unwrap_or((value, value));
                let (low, high) =
                    (number(low).ok_or_else(expected)?, number(high).ok_or_else(expected)?);
                if low <= high { Ok(vec![[low, high]]) } else { Err(expected()) }
            };
            let name = name.trim();
            if given.contains(&name) {
                let what = "is given twice; ranges contact by contact belong in the file";
                return Err(Error::usage(format!("`{name}` {what}")).option("uncertainty"));
            }
            given.push(name);
            match name {
                "mu" => uncertainty.friction = range()?,
                "e" => uncertainty.restitution = range()?,
                "inertia" => uncertainty.inertia = range()?,
                "noise" => uncertainty.noise = number(value).ok_or_else(expected)?,
                _ => return Err(expected()),
            }
        }
        Ok(uncertainty)
    }
}

fn spread(ranges: &[[f64; 2]], given: &[f64]) -> Vec<[f64; 2]> {
    match ranges {
        [] => given.iter().map(|&x| [x, x]).collect(),
        [one] => vec![*one; given.len()],
        each => each.to_vec(),
    }
}

fn ranges(ranges: &[[f64; 2]], (m, of): (usize, &str), most: f64, key: &str) -> Result<()> {
    if ranges.len() > 1 && ranges.len() != m {
        return Err(Error::input(format!(
            "{} ranges for {m} {of}; expected {m}, or one for all",
            ranges.len()
        ))
        .at(key));
    }
    for (i, range) in ranges.iter().enumerate() {
        let place = format!("{key}[{i}]");
        check_finite(range, &place)?;
        let [low, high] = *range;
        if !(0.0 <= low && low <= high && high <= most) {
            let bound = if most.is_finite() { format!(" <= {most}") } else { String::new() };
            return Err(Error::input(format!(
                "expected a range [A, B] with 0 <= A <= B{bound}, found [{low}, {high}]"
            ))
            .at(place));
        }
    }
    Ok(())
}
