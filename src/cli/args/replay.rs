use std::path::PathBuf;

use super::drawing::LookArgs;
use super::law::LawArgs;
use super::problem::ProblemArgs;
use super::values::sample_number;

/// Show how one sample comes about: the path of impulses, step by step.
///
/// The options are those of `carom sample`: with the same ones, sample I here is sample I there. It
/// is computed on the CPU.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  carom replay rocking-block --sample 3 -o path.svg")]
pub struct ReplayArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// The number of the sample, from 0 on.
    #[arg(long, value_name = "I", value_parser = sample_number, allow_negative_numbers = true)]
    pub sample: u64,
    #[command(flatten)]
    pub how: LawArgs,
    /// Draw the contact velocities and the energy along the path, .svg, .png or .pdf.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub look: LookArgs,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}
