use std::path::PathBuf;

use super::values::{Shard, shard, share, threads};

/// Make a data set: samples of many states of a problem, in Parquet files.
///
/// A plan says which problem, which ranges of parameters and velocities or which table of them,
/// which law, and how many samples each state has. A run that was interrupted or killed goes on
/// where it was when it is started again. Many machines share the work by --shard; each file has
/// the same bytes whoever makes it.
#[derive(Debug, clap::Args)]
pub struct DatasetArgs {
    /// The plan, .toml or .json.
    pub plan: PathBuf,
    /// The directory of the data set; it is made if there is none.
    #[arg(long, short = 'o', value_name = "DIR", required_unless_present = "dry_run")]
    pub out: Option<PathBuf>,
    /// Make the files whose number leaves the remainder I when divided by N; I from 0 to N - 1.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Say how large the data set becomes and how long it takes, from a few states, and write
    /// nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The share of samples that may be lost before the exit code is 1: of the terminated ones
    /// those not accepted, of all those that did not end.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    pub max_rejected: f64,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<u32>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}
