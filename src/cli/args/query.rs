use std::ffi::OsString;

use super::coordinates::{ByCoordinate, by_coordinate};
use super::law::LawArgs;
use super::values::{samples, setting};
use clap::Subcommand;

/// Ask a set of outcomes: how far it reaches, what is possible, what does not depend on the order
/// of impacts.
///
/// The set is a file that `carom sample --out` has written, or it is sampled first. With one or two
/// planar inelastic contacts the exact set answers as well.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom query box-and-wall contains --velocity theta=0.3\n  carom query box-and-wall worst --cost \"theta^2\" -n 1e4\n  carom query samples.parquet modes"
)]
pub struct QueryArgs {
    /// A file of samples (.parquet, .npz), or what to sample: a built-in scene, a scene or problem
    /// file, or - for stdin.
    #[arg(value_name = "SET|WHAT")]
    pub what: OsString,
    #[command(subcommand)]
    pub ask: Ask,
}

/// How the set comes about, if it is not in a file.
#[derive(Debug, clap::Args)]
pub struct Asking {
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// The velocity before the impact, instead of the file's: one number for each coordinate, or
    /// some by name.
    #[arg(long, value_name = "V1,V2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
    pub before: Option<ByCoordinate>,
    /// Number of samples, if there is no file of them [default: 65536, fewer with many contacts].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples, allow_negative_numbers = true)]
    pub samples: Option<u64>,
    #[command(flatten)]
    pub how: LawArgs,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Ask {
    /// The largest c.v after the impact, and the sample that attains it.
    Support {
        /// The direction c: one number for each coordinate, 1,0,-0.5, or some by name,
        /// x=1,theta=-0.5.
        #[arg(long, value_name = "C1,C2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
        direction: ByCoordinate,
        #[command(flatten)]
        asking: Asking,
    },
    /// The largest cost after the impact, and the sample that has it.
    Worst {
        /// The cost, "0.5*(x-1)^2 + abs(theta)": numbers, names of coordinates, + - * / ^,
        /// brackets, sqrt, abs, min, max, sin, cos, tan, asin, acos, atan, atan2.
        #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
        cost: String,
        #[command(flatten)]
        asking: Asking,
    },
    /// How far a velocity is from the nearest sample, and from the hull of all.
    Distance {
        /// The velocity: one number for each coordinate, 1,0,-0.5, or by name, x=1,theta=-0.5,
        /// where the others may be anything.
        #[arg(long, value_name = "V1,V2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
        velocity: ByCoordinate,
        #[command(flatten)]
        asking: Asking,
    },
    /// Whether a velocity after the impact is possible.
    Contains {
        /// The velocity: one number for each coordinate, 1,0,-0.5, or by name, x=1,theta=-0.5,
        /// where the others may be anything.
        #[arg(long, value_name = "V1,V2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
        velocity: ByCoordinate,
        /// How near the set must come, in the kinetic metric over |v-|_M.
        #[arg(long, value_name = "E", default_value = "0.01", allow_negative_numbers = true)]
        eps: f64,
        #[command(flatten)]
        asking: Asking,
    },
    /// The least and the greatest velocity of each coordinate.
    Extents {
        #[command(flatten)]
        asking: Asking,
    },
    /// What the contacts can do after the impact.
    Modes {
        #[command(flatten)]
        asking: Asking,
    },
    /// A few samples that stand for all, and how far the others are from them.
    Representatives {
        /// How many.
        #[arg(long, value_name = "K", default_value = "8", value_parser = samples, allow_negative_numbers = true)]
        count: u64,
        #[command(flatten)]
        asking: Asking,
    },
    /// The parts into which the set falls.
    Clusters {
        /// Samples that are this near are in the same part, in the kinetic metric over |v-|_M.
        #[arg(long, value_name = "G", default_value = "0.05", allow_negative_numbers = true)]
        gap: f64,
        #[command(flatten)]
        asking: Asking,
    },
    /// The directions of velocity in which the set is thin: what does not depend on the order of
    /// impacts.
    Invariants {
        #[command(flatten)]
        asking: Asking,
    },
}

impl Ask {
    pub fn asking(&self) -> &Asking {
        match self {
            Ask::Support { asking, .. } | Ask::Worst { asking, .. } => asking,
            Ask::Distance { asking, .. } | Ask::Contains { asking, .. } => asking,
            Ask::Representatives { asking, .. } | Ask::Clusters { asking, .. } => asking,
            Ask::Extents { asking } | Ask::Modes { asking } | Ask::Invariants { asking } => asking,
        }
    }
}
