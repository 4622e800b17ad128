use super::asked::{Asked, Flags, OfRun};
use super::values::{share, threads};

/// The law that is sampled, its options, and where.
#[derive(Debug, clap::Args)]
pub struct LawArgs<F: Flags = OfRun> {
    #[command(flatten)]
    pub asked: Asked<F>,
    /// The share of samples that may be lost before the exit code is 1: of the terminated ones
    /// those not accepted, of all those that did not end. Where --max-steps or the file sets the
    /// limit, samples that reach it are not counted as lost, unless all do.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    pub max_rejected: f64,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,
}
