use std::time::Duration;

use super::coordinates::{ByCoordinate, by_coordinate};
use super::problem::ProblemArgs;
use super::values::{hypothesis, kind, samples, seconds, seed, share};
use crate::{ContactProblem, Error, Result};
use carom_analysis::BoundKind;
use carom_analysis::bounds::{Aim, Cost};
use carom_law::Hypothesis;

/// Bound how far an impact can go in a direction of velocities, or how large a cost can become:
/// what samples reach, and what is proved to be out of reach.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom bound rocking-block --direction theta=1\n  carom bound quadruped-trot --direction trunk.z=1 --within 0.1\n  carom bound rocking-block --cost \"abs(theta) + x^2\""
)]
pub struct BoundArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    #[command(flatten)]
    pub asked: AimArgs,
    /// Number of samples beside the bounds [default: 65536, fewer with many contacts].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    /// Spend this share of the samples on a search for outcomes that reach far in the direction, or
    /// in 256 directions.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub explore: Option<f64>,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// What restitution means: stronge (of energies) or poisson (of impulses), for which only the
    /// exact bound holds [default: stronge].
    #[arg(long, value_name = "H", value_parser = hypothesis())]
    pub hypothesis: Option<Hypothesis>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What is bounded, and how.
#[derive(Debug, clap::Args)]
pub struct AimArgs {
    /// The direction c of the largest c.v after the impact: one number for each coordinate,
    /// 1,0,-0.5, or some by name, x=1,theta=-0.5.
    #[arg(long, value_name = "C1,C2,..", value_parser = by_coordinate, allow_negative_numbers = true)]
    #[arg(allow_hyphen_values = true)]
    pub direction: Option<ByCoordinate>,
    /// A cost of the velocities after the impact, "0.5*(x-1)^2 + abs(theta)": numbers, names of
    /// coordinates, + - * / ^, brackets, sqrt, abs, min, max, sin, cos, tan, asin, acos, atan,
    /// atan2.
    #[arg(long, value_name = "EXPR", conflicts_with = "direction", allow_hyphen_values = true)]
    pub cost: Option<String>,
    /// What the bound holds for: exact (the planar law, inelastic or with Poisson's restitution; an
    /// enclosure where the set is not tight), certified (the law in the plane and in space,
    /// inelastic or with Stronge's restitution) or conic (every law that adds no energy) [default:
    /// all that apply and hold, exact ones of up to four contacts, where the set is found and
    /// proved within 20 s].
    #[arg(long, value_name = "KIND", value_parser = kind())]
    pub kind: Option<BoundKind>,
    /// Seconds, above 0 and up to 3600, that the exact set and the certified bound may take
    /// together: of a direction the best certified bound that is found until then, never above the
    /// conic one; of a cost none where it is not found in time. The conic bound and the samples
    /// (-n) take the time they take.
    #[arg(long, value_name = "S", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    pub within: Option<f64>,
}

impl AimArgs {
    pub fn aim(&self, problem: &ContactProblem) -> Result<Aim> {
        if let Some(cost) = &self.cost {
            return Ok(Aim::Cost(Cost::new(problem, cost)?));
        }
        let hint =
            "--direction theta=1 bounds a velocity, --cost \"x^2 + theta^2\" what follows from it";
        let missing = || Error::usage("expected --direction or --cost").hint(hint);
        let direction = self.direction.as_ref().ok_or_else(missing)?;
        let zeros = vec![0.0; problem.coordinate_count()];
        Ok(Aim::Direction(direction.of(problem, zeros, "--direction")?))
    }

    pub fn kinds(&self) -> Vec<BoundKind> {
        self.kind.into_iter().collect()
    }

    pub fn within(&self) -> Option<Duration> {
        self.within.map(Duration::from_secs_f64)
    }
}
