//! What is not known exactly about an impact.

use serde::{Deserialize, Serialize};

use super::check_finite;
use crate::error::{Error, Result};

/// Ranges that each sample draws its own numbers from, contact by contact, and noise of the state.
///
/// A list of ranges `[A, B]` has one for all contacts or one per contact; an empty one leaves the problem's numbers as they
/// are. The draws are uniform.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uncertainty {
    /// Coefficients of friction, `0 <= A <= B`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction: Vec<[f64; 2]>,
    /// Coefficients of restitution, `0 <= A <= B <= 1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restitution: Vec<[f64; 2]>,
    /// Root mean square of a disturbance `d` of the velocity, in the kinetic norm and relative to it:
    /// `|d|_M = noise |v-|_M`, the same in all directions of that norm.
    #[serde(default)]
    pub noise: f64,
}

impl Uncertainty {
    /// Whether nothing is uncertain.
    pub fn is_none(&self) -> bool {
        self.friction.is_empty() && self.restitution.is_empty() && self.noise == 0.0
    }

    /// Whether some contact may bounce, where without ranges it would not.
    pub fn bounces(&self) -> bool {
        self.restitution.iter().any(|range| range[1] > 0.0)
    }

    /// The ranges of friction (m) around given coefficients.
    pub fn friction_of(&self, friction: &[f64]) -> Vec<[f64; 2]> {
        spread(&self.friction, friction)
    }

    /// The ranges of restitution (m) around given coefficients.
    pub fn restitution_of(&self, restitution: &[f64]) -> Vec<[f64; 2]> {
        spread(&self.restitution, restitution)
    }

    /// Checks the ranges for a problem of m contacts, with or without tangents.
    pub(super) fn check(&self, m: usize, frictionless: bool) -> Result<()> {
        ranges(&self.friction, m, f64::INFINITY, "uncertainty.friction")?;
        ranges(&self.restitution, m, 1.0, "uncertainty.restitution")?;
        if frictionless && self.friction.iter().any(|range| range[1] > 0.0) {
            return Err(Error::input("a range of friction at contacts without tangent rows")
                .at("uncertainty.friction")
                .hint("add `tangent` rows, or leave the range out"));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(Error::input(format!("noise is a finite number >= 0, found {}", self.noise))
                .at("uncertainty.noise"));
        }
        Ok(())
    }
}

fn spread(ranges: &[[f64; 2]], given: &[f64]) -> Vec<[f64; 2]> {
    match ranges {
        [] => given.iter().map(|&x| [x, x]).collect(),
        [one] => vec![*one; given.len()],
        each => each.to_vec(),
    }
}

fn ranges(ranges: &[[f64; 2]], m: usize, most: f64, key: &str) -> Result<()> {
    if ranges.len() > 1 && ranges.len() != m {
        return Err(Error::input(format!(
            "{} ranges for {m} contacts; expected {m}, or one for all",
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
