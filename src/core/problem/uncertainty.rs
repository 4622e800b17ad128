use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::{MAX_FRICTION, check_finite};
use crate::{Error, Result};

/// Ranges from which each sample draws its own friction, restitution and inertia, the noise of its
/// velocity, and what is not known of its pose: which contacts take part, where they are, and how
/// they lean.
///
/// A list holds one range `[A, B]` for all contacts (or parts of the mass matrix, or tangents), or
/// one for each; where it is empty, the problem's own numbers hold. The draws from ranges are
/// uniform. With an uncertain pose each sample is one of a problem of its own, see
/// [`Poses`](super::Poses).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncertainty {
    /// Coefficients of friction, `0 <= A <= B`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(inner(range(min = 0))))]
    pub friction: Vec<[f64; 2]>,
    /// Coefficients of restitution, `0 <= A <= B <= 1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(inner(range(min = 0))))]
    pub restitution: Vec<[f64; 2]>,
    /// Factors `s_p` of the parts of the mass matrix, `0 < A <= B`: `M' = sum_p s_p M_p`, see
    /// [`ContactProblem::mass_parts`](super::ContactProblem::mass_parts).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(inner(range(min = 0))))]
    pub inertia: Vec<[f64; 2]>,
    /// Root mean square of a disturbance `d` of the velocity, relative and in the kinetic norm:
    /// `|d|_M = noise |v-|_M`. The disturbance is the same in all directions of this norm, which is
    /// that of the mass matrix as given.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// The largest gap in m, beyond the smallest gap of the sample, of a contact that takes part in
    /// the first impact; without it, all contacts take part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub gap: Option<f64>,
    /// The largest gap in m, beyond the smallest one, of a contact that closes late: beyond `gap`,
    /// where it approaches after the first impact, in a second impact of all these contacts.
    /// Contacts beyond it take no part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub late: Option<f64>,
    /// Length in m, `0 <= A <= B`, by which all contact points of a sample lie inside: towards the
    /// projection of the mass centre of the body that touches, along the tangent plane, and not
    /// beyond it.
    #[serde(default, skip_serializing_if = "none")]
    #[schemars(inner(range(min = 0)))]
    pub inset: [f64; 2],
    /// Further length in m, `0 <= A <= B`, by which the contact points of an edge lie inside: where
    /// a body strikes a flat surface at two points and more in one impact.
    #[serde(default, skip_serializing_if = "none")]
    #[schemars(inner(range(min = 0)))]
    pub edge: [f64; 2],
    /// Standard deviation in m of a normal displacement of each contact point along each of its
    /// tangents.
    #[serde(default, skip_serializing_if = "zero")]
    #[schemars(range(min = 0))]
    pub shift: f64,
    /// Standard deviation in rad of a normal rotation of each body that can turn about its mass
    /// centre, about each axis: arms and gaps change; normals and the mass matrix stay.
    #[serde(default, skip_serializing_if = "zero")]
    #[schemars(range(min = 0))]
    pub attitude: f64,
    /// Angles in rad, `A <= B` within (-1.5, 1.5), by which the normals of all contacts of a sample
    /// lean towards their first, or first and second, tangent; one range is for all tangents, which
    /// draw their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slope: Vec<[f64; 2]>,
}

/// Largest tilt of a normal, in rad.
const STEEPEST: f64 = 1.5;

fn zero(x: &f64) -> bool {
    *x == 0.0
}

fn none(range: &[f64; 2]) -> bool {
    *range == [0.0; 2]
}

impl Uncertainty {
    /// Whether nothing is uncertain.
    pub fn is_none(&self) -> bool {
        !self.draws_numbers() && !self.poses()
    }

    /// Whether friction, restitution, inertia or the velocity is uncertain.
    pub fn draws_numbers(&self) -> bool {
        let ranges = [&self.friction, &self.restitution, &self.inertia];
        ranges.iter().any(|ranges| !ranges.is_empty()) || self.noise != 0.0
    }

    /// Whether the pose is uncertain or differs from the problem's.
    pub fn poses(&self) -> bool {
        self.gap.is_some() || self.late.is_some() || !self.slope.is_empty() || self.moves_points()
    }

    /// Whether contact points move on their bodies.
    pub fn moves_points(&self) -> bool {
        !none(&self.inset) || !none(&self.edge) || self.shift != 0.0 || self.attitude != 0.0
    }

    /// Whether all samples share one pose, which may differ from the problem's.
    pub fn has_one_pose(&self) -> bool {
        let width = |[low, high]: &[f64; 2]| high > low;
        self.shift == 0.0
            && self.attitude == 0.0
            && !self.slope.iter().chain([&self.inset, &self.edge]).any(width)
    }

    /// The given ranges, with their names on the command line.
    pub fn ranges(&self) -> Vec<(&'static str, Vec<[f64; 2]>)> {
        let length = |range: [f64; 2]| if none(&range) { Vec::new() } else { vec![range] };
        let all = [
            ("mu", self.friction.clone()),
            ("e", self.restitution.clone()),
            ("inertia", self.inertia.clone()),
            ("inset", length(self.inset)),
            ("edge", length(self.edge)),
            ("slope", self.slope.clone()),
        ];
        all.into_iter().filter(|(_, ranges)| !ranges.is_empty()).collect()
    }

    /// The given sizes, with their names on the command line.
    pub fn sizes(&self) -> Vec<(&'static str, f64)> {
        let above = |x: f64| (x > 0.0).then_some(x);
        let all = [
            ("noise", above(self.noise)),
            ("gap", self.gap),
            ("late", self.late),
            ("shift", above(self.shift)),
            ("attitude", above(self.attitude)),
        ];
        all.into_iter().filter_map(|(name, size)| Some((name, size?))).collect()
    }

    /// The uncertainty without the pose.
    pub fn of_numbers(&self) -> Self {
        Uncertainty {
            friction: self.friction.clone(),
            restitution: self.restitution.clone(),
            inertia: self.inertia.clone(),
            noise: self.noise,
            ..Uncertainty::default()
        }
    }

    /// The ranges of the angles towards `tangents` tangents.
    pub fn slope_of(&self, tangents: usize) -> Vec<[f64; 2]> {
        spread(&self.slope, &vec![0.0; tangents])
    }

    /// Whether all samples start with one kinetic energy.
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
        let of_mass = (parts, "parts of the mass matrix");
        ranges(&self.inertia, of_mass, f64::INFINITY, "uncertainty.inertia")?;
        if let Some(p) = self.inertia.iter().position(|range| range[0] <= 0.0) {
            let [low, high] = self.inertia[p];
            let what = format!("inertia is scaled by factors > 0, found [{low}, {high}]");
            return Err(Error::input(what).at(format!("uncertainty.inertia[{p}]")));
        }
        if frictionless && self.friction.iter().any(|range| range[1] > 0.0) {
            return Err(Error::input("a range of friction at contacts without tangent rows")
                .at("uncertainty.friction")
                .hint("add `tangent` rows, or leave the range out"));
        }
        for (key, x) in [
            ("noise", Some(self.noise)),
            ("gap", self.gap),
            ("late", self.late),
            ("shift", Some(self.shift)),
            ("attitude", Some(self.attitude)),
        ] {
            if let Some(x) = x.filter(|x| !(x.is_finite() && *x >= 0.0)) {
                return Err(Error::input(format!("{key} is a finite number >= 0, found {x}"))
                    .at(format!("uncertainty.{key}")));
            }
        }
        for (range, key) in [(self.inset, "inset"), (self.edge, "edge")] {
            ranges(&[range], (1, "lengths"), f64::INFINITY, &format!("uncertainty.{key}"))?;
        }
        Ok(())
    }

    /// Checks the angles for contacts of `tangents` tangents.
    pub(super) fn check_slope(&self, tangents: usize) -> Result<()> {
        let count = self.slope.len();
        if count > tangents.max(1) || tangents == 0 && count > 0 {
            let what = format!("{count} ranges of the slope at contacts with {tangents} tangents");
            return Err(Error::input(what)
                .at("uncertainty.slope")
                .hint("one range is for all tangents, and each tangent may have its own"));
        }
        let within = |[low, high]: &[f64; 2]| -STEEPEST < *low && low <= high && *high < STEEPEST;
        match self.slope.iter().position(|range| !within(range)) {
            None => Ok(()),
            Some(k) => Err(Error::input(format!(
                "expected a range [A, B] of angles with -{STEEPEST} < A <= B < {STEEPEST}, found [{}, {}]",
                self.slope[k][0], self.slope[k][1]
            ))
            .at(format!("uncertainty.slope[{k}]"))),
        }
    }
}

/// The syntax of an uncertainty on the command line.
const WORDS: &str = "mu=A..B, e=A..B, inertia=A..B, inset=A..B, edge=A..B with 0 <= A <= B, slope=A..B, or \
                     noise=S, gap=S, late=S, shift=S, attitude=S with S >= 0, with commas between";

impl FromStr for Uncertainty {
    type Err = Error;

    /// Reads `mu=A..B,e=A..B,inertia=A..B,noise=S,gap=S,late=S,inset=A..B,edge=A..B,shift=S,
    /// attitude=S,slope=A..B`, each for all contacts, parts or tangents.
    fn from_str(text: &str) -> Result<Self> {
        let mut uncertainty = Uncertainty::default();
        let mut given = Vec::new();
        for part in text.split(',') {
            let expected =
                || Error::usage(format!("expected {WORDS}, found `{part}`")).option("uncertainty");
            let (name, value) = part.split_once('=').ok_or_else(expected)?;
            let name = name.trim();
            let least = if name == "slope" { f64::NEG_INFINITY } else { 0.0 };
            let number = |text: &str| {
                let number = text.trim().parse::<f64>().ok();
                number.filter(|x| x.is_finite() && *x >= least).ok_or_else(expected)
            };
            let range = || {
                let (low, high) = value.split_once("..").unwrap_or((value, value));
                let range = [number(low)?, number(high)?];
                if range[0] <= range[1] { Ok(range) } else { Err(expected()) }
            };
            if given.contains(&name) {
                let what = "is given twice; ranges contact by contact belong in the file";
                return Err(Error::usage(format!("`{name}` {what}")).option("uncertainty"));
            }
            given.push(name);
            match name {
                "mu" => uncertainty.friction = vec![range()?],
                "e" => uncertainty.restitution = vec![range()?],
                "inertia" => uncertainty.inertia = vec![range()?],
                "noise" => uncertainty.noise = number(value)?,
                "gap" => uncertainty.gap = Some(number(value)?),
                "late" => uncertainty.late = Some(number(value)?),
                "inset" => uncertainty.inset = range()?,
                "edge" => uncertainty.edge = range()?,
                "shift" => uncertainty.shift = number(value)?,
                "attitude" => uncertainty.attitude = number(value)?,
                "slope" => uncertainty.slope = vec![range()?],
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
        let what = format!("{} ranges for {m} {of}; expected {m}, or one for all", ranges.len());
        return Err(Error::input(what).at(key));
    }
    for (i, range) in ranges.iter().enumerate() {
        let place = format!("{key}[{i}]");
        check_finite(range, &place)?;
        let [low, high] = *range;
        if !(0.0 <= low && low <= high && high <= most) {
            let bound = if most.is_finite() { format!(" <= {most}") } else { String::new() };
            let what =
                format!("expected a range [A, B] with 0 <= A <= B{bound}, found [{low}, {high}]");
            return Err(Error::input(what).at(place));
        }
    }
    Ok(())
}
