use std::path::PathBuf;

use super::drawing::DrawingArgs;
use super::problem::ProblemArgs;
use super::values::{arithmetic, hypothesis, seconds, share};
use carom_analysis::Arithmetic;
use carom_law::Hypothesis;

/// The exact set of outcomes of a planar inelastic impact, of Poisson's restitution, or of friction
/// cones with facets: a union of polytopes.
///
/// For one and two planar inelastic contacts nearly always; for more, up to six, with restitution
/// and with facets where it ends in time. Each polytope comes with the contact states that lead
/// there, and in JSON with the impulses that lead to each of its vertices.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom set box-and-wall -o set.svg\n  carom set rocking-block --restitution 0.5 --hypothesis poisson\n  carom set brick-on-vertex --restitution 0 --facets 8"
)]
pub struct SetArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// Draw a picture, .svg, .png or .pdf.
    #[arg(short = 'o', value_name = "FILE")]
    pub picture: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Picture")]
    pub drawing: DrawingArgs,
    /// Write what --json prints to a file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compute in integers of any size, or in doubles, which takes a tenth of the time and proves
    /// nothing.
    #[arg(long, default_value = "exact", value_parser = arithmetic())]
    pub arithmetic: Arithmetic,
    /// Leave out the check that no motion is missed.
    #[arg(long)]
    pub unchecked: bool,
    /// Seconds that the polytopes may take, and again the check.
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// What restitution means: poisson (of impulses) has an exact set, stronge (of energies) has
    /// none above 0 [default: stronge].
    #[arg(long, value_name = "H", value_parser = hypothesis())]
    pub hypothesis: Option<Hypothesis>,
    /// Facets K of the friction cones of spatial contacts, an even number from 4 to 32: circular
    /// cones have no exact set.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}
