//! The flags of a problem.

use std::ffi::OsString;

use super::coordinates::{ByCoordinate, by_coordinate};
use super::values::{nonnegative, setting};

/// The problem, and what of it is replaced.
#[derive(Debug, clap::Args)]
pub struct ProblemArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json, .npz), or -
    /// for stdin.
    pub what: OsString,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// The velocity before the impact, instead of the file's: one number for each coordinate,
    /// 0.3,-1,0.4, or some by name, x=0.3,theta=-1, where the others keep theirs.
    #[arg(long, value_name = "V1,V2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
    pub velocity: Option<ByCoordinate>,
    /// The coefficient of friction of all contacts, or of each, instead of the file's.
    #[arg(long, value_name = "MU,..", value_delimiter = ',', value_parser = nonnegative, allow_negative_numbers = true)]
    pub friction: Option<Vec<f64>>,
}
