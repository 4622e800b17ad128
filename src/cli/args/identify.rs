use std::ffi::OsString;
use std::path::PathBuf;

use super::asked::{Asked, Flags};
use super::values::{paired, seconds, threads};
use carom_engine::run::Field;
use clap::ValueEnum;

/// The law, its options and the seed: what else a run has is identified or fixed.
#[derive(Clone, Debug)]
pub struct OfLaw;

impl Flags for OfLaw {
    fn have(field: &Field) -> bool {
        !field.laws.is_empty() || ["law", "seed"].contains(&&*field.name)
    }
}

/// The score that is made small.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ScoreArg {
    /// The mean energy score, in the unit of the velocity.
    Energy,
    /// The mean negative logarithm of the density.
    Log,
}

/// Identify from measured impacts what is uncertain: ranges of friction and restitution, noise,
/// which contacts take part and when, where they are.
///
/// Ingredients are tried in turn, and kept where forecasts of tosses that are held out gain.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom identify examples/impacts.json --folds 2 -n 16 -o model.toml"
)]
pub struct IdentifyArgs {
    /// An event file (.json, .toml), or - for stdin.
    pub events: OsString,
    /// Write the model, .toml.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Number of samples of each forecast, up to 1024.
    #[arg(long, short = 'n', value_name = "N", default_value = "64", value_parser = paired)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Number of folds of the tosses, 2 or more.
    #[arg(long, value_name = "K", default_value = "5")]
    pub folds: u32,
    /// The score that is made small.
    #[arg(long, value_enum, default_value = "energy")]
    pub score: ScoreArg,
    /// The ingredients that are tried, such as numbers,gap,inset [default: all but middle,
    /// pose and dress].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub ingredients: Option<Vec<String>>,
    /// Correct bias, scale and spread of the forecasts in the frame of the slip as well.
    #[arg(long)]
    pub dress: bool,
    /// Learn what the forecasts miss by a regression, too: the model's samples are then no
    /// outcomes of the law alone.
    #[arg(long)]
    pub learn_residual: bool,
    /// Only events with so many contacts or more; with 1, those with one contact get numbers of
    /// their own, and the model is for all.
    #[arg(long, value_name = "M", default_value = "2")]
    pub contacts: usize,
    /// Only the events that are flagged clean.
    #[arg(long)]
    pub clean: bool,
    /// Begin no further search after this time in s, up to 3600.
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    #[command(flatten)]
    pub asked: Asked<OfLaw>,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}
