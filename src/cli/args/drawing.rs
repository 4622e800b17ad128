use std::path::PathBuf;

use super::asked::OfPicture;
use super::compliant::CompliantArgs;
use super::law::LawArgs;
use super::problem::ProblemArgs;
use super::values::{
    HELP_DRAWN_LAW, beside_law, drawn_law, kind, outcomes, samples, share, size, sweep,
};
use carom_analysis::BoundKind;
use carom_report::plot::PictureSize;

/// How a picture looks.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DrawingArgs {
    /// The axes of a panel of the picture, instead of those chosen: names of coordinates, or
    /// CONTACT.normal, CONTACT.tangent; may be repeated.
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, conflicts_with = "panels")]
    pub axes: Vec<String>,
    #[command(flatten)]
    pub look: LookArgs,
}

/// The parts and the size of a picture.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct LookArgs {
    /// The panels of the picture, in this order, separated by commas: scene, velocity, contacts or
    /// the name of a contact; of a path normal, tangential, energy; of a course normal, tangential,
    /// impulse, depth; of one spatial contact hodograph, impulse.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub panels: Vec<String>,
    /// The size of the picture, 85mm (a column of a paper), 170x90mm or 800x600px; without a height
    /// it is at most as high as wide, and shows the panels that have room.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<PictureSize>,
    /// The title of the picture.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub title: Option<String>,
}

/// Draw a set of outcomes, the course of one outcome, the hodograph of one spatial contact, or how
/// much the order of reflections matters, or how much energy they lose, over the values of a
/// parameter.
///
/// A panel shows the two coordinates on which the set is largest, and one for each contact its
/// normal velocity against the tangential: where it sticks (0, 0), slides (normal 0) or lifts
/// (above). With up to four planar contacts the exact set is behind the samples, where it is found
/// within seconds.
#[derive(Debug, clap::Args)]
#[command(mut_arg("law", |law| law.value_parser(drawn_law).help(HELP_DRAWN_LAW)))]
#[command(mut_arg("what", |what| what.value_name("SET|WHAT").help(
    "A file of samples (.parquet, .npz), or what to sample: a built-in scene, a scene or problem file, or - for stdin")))]
#[command(
    after_help = "Examples:\n  carom plot rocking-block -o set.svg\n  carom plot rocking-block --animate moves.svg"
)]
pub struct PlotArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// The picture, .svg, .png or .pdf.
    #[arg(long, short = 'o', value_name = "FILE", required_unless_present = "animate")]
    pub out: Option<PathBuf>,
    /// Write an animated picture of a scene, .svg: bodies come in and leave with outcomes that lie
    /// far apart, in about four seconds.
    #[arg(long, value_name = "FILE")]
    pub animate: Option<PathBuf>,
    /// --animate: at most so many outcomes [default: 6].
    #[arg(long, value_name = "K", requires = "animate", value_parser = outcomes, allow_negative_numbers = true)]
    pub outcomes: Option<usize>,
    #[command(flatten, next_help_heading = "Picture")]
    pub drawing: DrawingArgs,
    /// Paths of samples from before the impact to the outcome, drawn light under the outcomes
    /// [default: 12].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub paths: Option<usize>,
    /// Shade the velocities that impacts pass through on the way to their outcomes: all of them
    /// where the exact set is known, else those of 300 samples.
    #[arg(long)]
    pub on_the_way: bool,
    /// Draw a proved bound around the outcomes too; certified may take minutes.
    #[arg(long, value_name = "KIND", value_parser = kind())]
    pub bound: Option<BoundKind>,
    /// Instead of the set: xi of the propagative law over the values of a parameter of the scene;
    /// with --law darboux-keller hodographs for these values, or over friction, restitution or
    /// slip, the direction of sliding in degrees.
    #[arg(long, value_name = "NAME=A..B", value_parser = sweep)]
    pub sweep: Option<(String, f64, f64)>,
    /// --sweep: instead of xi the share of the energy that is lost, with each of these coefficients
    /// of restitution: 1,0.7,0.
    #[arg(long, value_name = "E1,E2,..", value_delimiter = ',', value_parser = share, requires = "sweep")]
    #[arg(allow_negative_numbers = true)]
    pub loss: Vec<f64>,
    /// --sweep with --law darboux-keller: number of hodographs [default: 15].
    #[arg(long, value_name = "K", requires = "sweep", value_parser = outcomes, allow_negative_numbers = true)]
    pub curves: Option<usize>,
    /// --law plus or compliant: the course of the other one too, in broken lines.
    #[arg(long, value_name = "LAW", value_parser = beside_law)]
    pub beside: Option<String>,
    /// Number of samples of a set [default: 65536, fewer with many contacts].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    #[command(flatten)]
    pub how: LawArgs<OfPicture>,
    #[command(flatten, next_help_heading = "Options of compliant")]
    pub compliant: CompliantArgs,
}
