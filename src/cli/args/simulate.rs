use std::ffi::OsString;
use std::path::PathBuf;

use super::values::{
    angle, device, max_steps, nonnegative, precision, samples, seed, setting, size, speed, threads,
};
use carom_engine::{Device, Precision};
use carom_report::plot::PictureSize;

/// Compute a motion through impacts: of a rigid body that bounces on a plane, or of a mechanism in
/// the plane or in space.
///
/// integrator = "midpoint" moves trees of bodies; any law resolves their impacts. integrator =
/// "inclusion" moves them from event to event through sticking, sliding, impacts without collision
/// and infinitely many impacts. integrator = "lgvci" moves a rigid body, elastic and without
/// friction, by the Lie group variational collision integrator of [TL24]: the energy stays what it
/// is, and the time of every collision is exact to the last digit. It ends early, and says so,
/// where impacts follow each other without end.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom simulate bouncing-rod -o motion.svg\n  carom simulate falling-block --branch 3\n  carom simulate cradle-pendulums --beside order=argmax -o both.svg"
)]
pub struct SimulateArgs {
    /// A built-in motion (see `carom scenes`), a motion file (.toml, .json), or - for stdin.
    pub what: OsString,
    /// Give a parameter of the motion another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// Number of time steps [default: the file's, else 1000].
    #[arg(long, value_name = "K", value_parser = samples, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Mechanisms: each impact is a sample of the law of a model file, which carom identify writes,
    /// under what the model says is uncertain, in place of the file's law; the model's forecasts
    /// are left out.
    #[arg(long, value_name = "FILE")]
    pub model: Option<String>,
    /// Compute N more motions whose attitudes or positions differ a little at first, on all cores,
    /// and report how they part.
    #[arg(long, value_name = "N", value_parser = samples, allow_negative_numbers = true)]
    pub perturb: Option<u64>,
    /// --perturb: the angle in rad by which each is turned, about a random axis of its own
    /// [default: 1e-8, with --shift 0].
    #[arg(long, value_name = "S", requires = "perturb", value_parser = angle, allow_negative_numbers = true)]
    pub spread: Option<f64>,
    /// --perturb: the distance in m by which each is moved, in a random direction of its own
    /// [default: 0].
    #[arg(long, value_name = "S", requires = "perturb", value_parser = nonnegative, allow_negative_numbers = true)]
    pub shift: Option<f64>,
    /// --perturb: the seed of the axes and directions [default: 0].
    #[arg(long, value_name = "S", requires = "perturb", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Compute the same motion with another value of a key of its file, such as order=argmax, or
    /// the motion of another file, draw both on the same axes, and report how far they are apart;
    /// may be repeated.
    #[arg(long, value_name = "KEY=VALUE|FILE", conflicts_with_all = ["perturb", "branch", "out"])]
    pub beside: Vec<String>,
    /// Mechanisms: at each impact at two contacts and more go on with up to K outcomes that lie far
    /// apart: a tree of futures.
    #[arg(long, value_name = "K", value_parser = max_steps, conflicts_with = "perturb")]
    #[arg(allow_negative_numbers = true)]
    pub branch: Option<u32>,
    /// --branch: most branches; beyond, fewer outcomes go on [default: 64].
    #[arg(long, value_name = "B", requires = "branch", value_parser = max_steps, allow_negative_numbers = true)]
    pub max_branches: Option<u32>,
    /// --branch: samples of each impact from which the outcomes are chosen [default: 4096].
    #[arg(long, value_name = "N", requires = "branch", value_parser = max_steps, allow_negative_numbers = true)]
    pub branch_samples: Option<u32>,
    /// --perturb: auto or cpu; a GPU is refused.
    #[arg(long, requires = "perturb", value_parser = device)]
    pub device: Option<Device>,
    /// --perturb: f64; f32 is refused.
    #[arg(long, requires = "perturb", value_parser = precision())]
    pub precision: Option<Precision>,
    /// Threads of the CPU for --perturb [default: one per core].
    #[arg(long, value_name = "N", requires = "perturb", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<u32>,
    /// Write the state after every step to a file, .csv or .parquet; with --perturb those of all
    /// copies at about 100 times, with --branch those of all branches.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw height, coordinates, energies and their error over time, .svg, .png or .pdf.
    #[arg(short = 'o', value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// The size of the picture, 85mm (a column of a paper), 170x90mm or 800x600px; without a height
    /// it follows.
    #[arg(long, value_name = "WxH", value_parser = size, requires = "picture")]
    pub size: Option<PictureSize>,
    /// Write an animated picture of what moves, .svg: it plays in every browser, without scripts.
    #[arg(long, value_name = "FILE")]
    pub animate: Option<PathBuf>,
    /// --animate: seconds of the motion in one second of the film [default: 1].
    #[arg(long, value_name = "F", requires = "animate", value_parser = speed, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}
