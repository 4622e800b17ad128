//! The flags of `carom bound`, and the direction that they name.

use carom::{BoundKind, ContactProblem, Error, Result};
use clap::ValueEnum;

use super::values::{samples, seed, setting, share};

/// Bound how far an impact can go in a direction of velocities, or how large a cost can become: what samples reach, and what is
/// proved to be out of reach.
#[derive(Debug, clap::Args)]
pub struct BoundArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json), or - for stdin.
    pub what: String,
    /// The direction c of the largest c.v after the impact: one number for each coordinate, 1,0,-0.5, or some by name,
    /// x=1,theta=-0.5.
    #[arg(long, value_name = "C1,C2,..", value_parser = direction, allow_negative_numbers = true)]
    #[arg(allow_hyphen_values = true, required_unless_present = "cost")]
    pub direction: Option<Direction>,
    /// A cost of the velocities after the impact, "0.5*(x-1)^2 + abs(theta)": numbers, names of coordinates, + - * / ^, brackets,
    /// sqrt, abs, min, max, sin, cos, tan, asin, acos, atan, atan2.
    #[arg(long, value_name = "EXPR", conflicts_with = "direction", allow_hyphen_values = true)]
    pub cost: Option<String>,
    /// What the bound holds for: exact or certified (the planar inelastic law, any order of impulses) or conic (every law
    /// that adds no energy) [default: all that apply].
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<KindArg>,
    /// Number of samples beside the bounds.
    #[arg(long, short = 'n', value_name = "N", default_value = "65536", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Spend this share of the samples on a search for outcomes that reach far in the direction, or in 256 directions.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub explore: Option<f64>,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KindArg {
    Exact,
    Certified,
    Conic,
}

impl From<KindArg> for BoundKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Exact => BoundKind::Exact,
            KindArg::Certified => BoundKind::Certified,
            KindArg::Conic => BoundKind::Conic,
        }
    }
}

/// A direction of velocities, before it is known what the coordinates are.
#[derive(Clone, Debug, PartialEq)]
pub enum Direction {
    /// One number for each coordinate.
    Numbers(Vec<f64>),
    /// Numbers of some coordinates; those of the others are 0.
    Named(Vec<(String, f64)>),
}

impl Direction {
    /// The numbers, one for each coordinate of the problem.
    ///
    /// # Errors
    /// A name that no coordinate has.
    pub fn of(&self, problem: &ContactProblem) -> Result<Vec<f64>> {
        let named = match self {
            Direction::Numbers(numbers) => return Ok(numbers.clone()),
            Direction::Named(named) => named,
        };
        let coordinates = problem.coordinates();
        let mut numbers = vec![0.0; coordinates.len()];
        for (name, number) in named {
            let Some(at) = coordinates.iter().position(|coordinate| coordinate == name) else {
                return Err(Error::usage(format!("no coordinate is called `{name}`"))
                    .at("--direction")
                    .hint(format!("the coordinates are {}", coordinates.join(", "))));
            };
            numbers[at] = *number;
        }
        Ok(numbers)
    }
}

pub fn direction(text: &str) -> Result<Direction, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let number = |text: &str| {
        let x: Option<f64> = text.trim().parse().ok();
        x.filter(|x| x.is_finite()).ok_or_else(|| {
            format!(
                "expected finite numbers, 1,0,-0.5, or names with numbers, x=1,theta=-0.5; found `{text}`"
            )
        })
    };
    if !text.contains('=') {
        return parts.into_iter().map(number).collect::<Result<_, _>>().map(Direction::Numbers);
    }
    let mut named: Vec<(String, f64)> = Vec::new();
    for part in parts {
        let (name, value) = part.rsplit_once('=').unwrap_or((part, ""));
        let entry = (name.trim().to_string(), number(value)?);
        if named.iter().any(|(known, _)| *known == entry.0) {
            return Err(format!("`{}` is given twice", entry.0));
        }
        named.push(entry);
    }
    Ok(Direction::Named(named))
}
