//! The flags, and the numbers in them.

mod asked;
mod bound;
mod compliant;
mod coordinates;
mod dataset;
mod drawing;
mod identify;
mod law;
mod problem;
mod query;
mod replay;
mod resolve;
mod set;
mod simulate;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use carom_analysis::Wrt;
use carom_engine::{Device, Precision};
use carom_law::Sampler;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use bound::{AimArgs, BoundArgs};
use carom_forecast::Extraction;
pub use coordinates::{ByCoordinate, by_coordinate};
pub use dataset::DatasetArgs;
pub use drawing::{DrawingArgs, LookArgs, PlotArgs};
pub use identify::{IdentifyArgs, ScoreArg};
pub use law::LawArgs;
pub use problem::ProblemArgs;
pub use query::{Ask, QueryArgs};
pub use replay::ReplayArgs;
pub use resolve::ResolveArgs;
pub use set::SetArgs;
pub use simulate::SimulateArgs;
pub use values::{Devices, Shard};
use values::{
    device, devices, nonnegative, positive, precision, range, sample, sampler, samples, seconds,
    seed, setting, shard, share, spread, wrt,
};

/// The set of velocities with which a robot or a pile of objects can leave a simultaneous
/// frictional impact.
#[derive(Debug, Parser)]
#[command(name = "carom", version = crate::version::version(), arg_required_else_help = true)]
#[command(after_help = "Results go to stdout, progress and messages to stderr.\n\
    Exit: 0 done; 1 done, but too many samples rejected or without an end, or no design found; 2 usage; 3 bad input; 4 no such device or precision;\n\
    130 interrupted.")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Sample(SampleArgs),
    Resolve(ResolveArgs),
    Set(SetArgs),
    Simulate(SimulateArgs),
    Query(QueryArgs),
    Replay(ReplayArgs),
    Bound(BoundArgs),
    Guarantee(GuaranteeArgs),
    Design(DesignArgs),
    Dataset(DatasetArgs),
    Merge(MergeArgs),
    Scenes(ScenesArgs),
    Import(ImportArgs),
    Compare(CompareArgs),
    Reality(RealityArgs),
    Extract(ExtractArgs),
    Identify(IdentifyArgs),
    Plot(PlotArgs),
    Gallery(GalleryArgs),
    Bench(BenchArgs),
    Doctor(DoctorArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Manual(ManualArgs),
    #[command(hide = true)]
    Programs(ProgramsArgs),
}

/// Sample the outcomes of an impact and check every one.
///
/// The report lists the contact modes that were met. Their shares are the sampler's, no
/// probabilities; modes that it did not meet may occur as well, and another sampler, step or
/// process has other shares.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom sample rocking-block\n  carom sample box-and-wall -n 1e5 --out samples.parquet -o samples.svg\n  carom sample robot.toml --law sequential --velocity z=-1\n  carom sample problem.json --uncertainty mu=0.2..0.4 --json"
)]
pub struct SampleArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// Number of samples: 65536, 1e6, 10k, 1M [default: 65536, fewer with many contacts].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    /// The number of the first sample: the samples that a longer run has from this number on
    /// [default: 0].
    #[arg(long, value_name = "K", value_parser = sample, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["shard", "until_radius", "explore", "aim"])]
    pub first: Option<u64>,
    /// Part I of the samples in N parts, for as many processes or machines; I from 0 to N - 1.
    /// `carom merge` makes one of what they write.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    #[arg(conflicts_with_all = ["until_radius", "explore", "aim"])]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub how: LawArgs,
    /// Draw until few samples of the sampler lie farther than R (over |v-|_M, in the kinetic
    /// metric) from all earlier ones: at most --samples, or 16 M where that is not given.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub until_radius: Option<f64>,
    /// --until-radius: with which confidence [default: 0.95].
    #[arg(long, value_name = "C", requires = "until_radius", allow_negative_numbers = true)]
    pub confidence: Option<f64>,
    /// --until-radius: which share of the samples may lie farther [default: 0.01].
    #[arg(long, value_name = "M", requires = "until_radius", allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Spend this share of the samples, the last ones, on a search for outcomes that reach far in
    /// 256 directions: samples that take over the draws of the farthest ones and change some.
    #[arg(
        long,
        value_name = "SHARE",
        conflicts_with = "until_radius",
        allow_negative_numbers = true
    )]
    pub explore: Option<f64>,
    /// Spend this share of the samples, the last ones, on parts of the exact set that the others do
    /// not come near: samples that take over the draws of the nearest ones and change some. Of
    /// planar inelastic problems.
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["until_radius", "explore"])]
    #[arg(allow_negative_numbers = true)]
    pub aim: Option<f64>,
    /// Say on stderr how steps are solved, what that costs, and why.
    #[arg(long)]
    pub explain: bool,
    /// Write every sample to a file, .parquet or .npz.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// --out: the derivative of each outcome with respect to the velocity before the impact,
    /// friction, restitution or the impulse step, with the draws of the sample held; computed on
    /// the CPU in f64.
    #[arg(long, value_name = "OF", requires = "out", num_args = 0..=1, require_equals = true, default_missing_value = "velocity")]
    #[arg(value_parser = wrt(), conflicts_with_all = ["explore", "aim"])]
    pub jacobian: Option<Wrt>,
    /// Draw a picture, .svg, .png or .pdf; of more than a million samples it shows the first
    /// million.
    #[arg(short = 'o', value_name = "FILE")]
    pub picture: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Picture")]
    pub drawing: DrawingArgs,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Make one run of its parts: of reports or of files of samples that `carom sample` wrote with
/// --shard or --first.
///
/// The parts may come in any order; together they have the samples of one run, each once.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom sample rocking-block -n 1M --shard 0/2 --json > 0.json\n  carom sample rocking-block -n 1M --shard 1/2 --json > 1.json\n  carom merge 0.json 1.json"
)]
pub struct MergeArgs {
    /// Reports of `carom sample --json`, or files of samples, .npz or .parquet: all of one kind.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The report or the file of samples of the whole run [default for reports: stdout].
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Score predictions against measured impacts: how far from what was measured, with sets how large.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  carom reality examples/impacts.json -n 512")]
pub struct RealityArgs {
    /// An event file (.json, .toml), or - for stdin.
    pub events: OsString,
    /// Number of samples of each event.
    #[arg(long, short = 'n', value_name = "N", default_value = "4096", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    #[command(flatten)]
    pub how: LawArgs,
    /// Only the events that are flagged clean.
    #[arg(long)]
    pub clean: bool,
    /// Fit the baselines to the events of this file; otherwise to the other tosses, in five folds.
    #[arg(long, value_name = "EVENTS")]
    pub training: Option<OsString>,
    /// Draw a picture, .svg, .png or .pdf.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Make an event file from a recording: positions over time become velocities before and after
/// each impact.
///
/// The recording is a table (.csv) with the columns time (s) and the positions of the motion, as
/// `carom simulate --out` writes them, and toss where there are several. Free motion is fitted to
/// the frames on both sides of each impact; the contacts are those of the shapes at that time.
/// Units that do not fit gravity or the bodies are refused.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom simulate tossed-brick --out brick.csv\n  carom extract tossed-brick brick.csv -o events.json"
)]
pub struct ExtractArgs {
    /// A motion file, or a built-in motion: bodies, walls, gravity, friction.
    pub what: OsString,
    /// The recordings, .csv; each is a toss of its own, or has the column toss.
    #[arg(value_name = "RECORDING", required = true)]
    pub recordings: Vec<PathBuf>,
    /// The event file [default: stdout].
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The names of the columns of a table without a heading, such as
    /// time,cube.x,cube.y,cube.z,cube.qw,cube.qx,cube.qy,cube.qz; those of other names are left
    /// alone.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// Frames per second, of a table without the column time.
    #[arg(long, value_name = "HZ", value_parser = positive, allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// Number of frames on each side of an impact to which free motion is fitted, 3 or more.
    #[arg(long, value_name = "K", default_value_t = Extraction::default().frames)]
    #[arg(allow_negative_numbers = true)]
    pub frames: usize,
    /// Least jump of the velocity, over the velocity before, in the kinetic norm.
    #[arg(long, value_name = "X", default_value_t = Extraction::default().jump, value_parser = nonnegative)]
    #[arg(allow_negative_numbers = true)]
    pub jump: f64,
    /// Least speed at which a contact approaches, m/s.
    #[arg(long, value_name = "V", default_value_t = Extraction::default().speed, value_parser = nonnegative)]
    #[arg(allow_negative_numbers = true)]
    pub speed: f64,
    /// Largest gap of a contact at the time of the impact, m.
    #[arg(long, value_name = "G", default_value_t = Extraction::default().gap, value_parser = nonnegative)]
    #[arg(allow_negative_numbers = true)]
    pub gap: f64,
}

/// Set every law that applies beside the set, in a table and a picture.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  carom compare box-and-wall -o laws.svg")]
pub struct CompareArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// Draw a picture, .svg, .png or .pdf.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Picture")]
    pub drawing: DrawingArgs,
    /// Number of samples of the set [default: 65536, fewer with many contacts].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to compute: auto, cpu, gpu, or part of an adapter's name; NAME#K for number K of
    /// several.
    #[arg(long, default_value = "auto", value_parser = device)]
    pub device: Device,
    /// Precision: f32 or f64 [default: f32 on a GPU, f64 on the CPU].
    #[arg(long, value_parser = precision())]
    pub precision: Option<Precision>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Spatial problems: facets K of the friction cones, an even number from 4 to 32.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// How impulse rates are drawn: coverage, uniform, sobol, or a mix by share, such as
    /// uniform:0.2,coverage:0.8 [default: uniform with --facets, else coverage].
    #[arg(long, value_name = "S", value_parser = sampler)]
    pub sampler: Option<Sampler>,
    /// Two contacts: compliant contact too, with stiffnesses of these ratios, the first contact's
    /// over the second's, such as 1e-5..1e5, eleven of them.
    #[arg(long, value_name = "A..B", value_parser = range, allow_hyphen_values = true)]
    pub compliant_ratios: Option<(f64, f64)>,
    /// Compliant contact too, with the first coordinate that is an angle turned by these angles in
    /// degrees, such as -0.01..0.01, eleven of them: contacts strike one after the other.
    #[arg(long, value_name = "A..B", value_parser = range, allow_hyphen_values = true)]
    pub compliant_angles: Option<(f64, f64)>,
    /// Only these laws beside the set, separated by commas.
    #[arg(long, value_name = "LAWS", value_delimiter = ',')]
    pub laws: Vec<String>,
    /// -o: draw the samples of this file beside the set, .npz or .parquet: of another law, process
    /// or step.
    #[arg(long, value_name = "SET", requires = "out")]
    pub beside: Option<PathBuf>,
    /// -o: draw how this many samples get there [default: 0].
    #[arg(long, value_name = "N", requires = "out")]
    pub paths: Option<usize>,
    /// -o: shade the velocities that impacts pass through on the way to their outcomes, all of them
    /// where the exact set is known, else those of 300 samples; and draw the way of the laws
    /// beside the set.
    #[arg(long, requires = "out")]
    pub on_the_way: bool,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Move the free parameters of a scene by as little as possible to where the order of impacts does
/// not matter.
#[derive(Debug, clap::Args)]
pub struct DesignArgs {
    /// A built-in scene (see `carom scenes`), a scene file (.toml, .json), or - for stdin.
    pub what: OsString,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// Write the scene with the values found, in the syntax of the one given.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The velocities that xi is given over lie within this, relative, of the scene's.
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = spread, allow_negative_numbers = true)]
    pub spread: f64,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Say what theorems promise of the published steps on a problem: how soon they end, how many
/// samples leave no gap.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  carom guarantee rocking-block")]
pub struct GuaranteeArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// How forces that are no contact's change the velocity in 1 s, such as block.y=-9.81, or one
    /// number for each coordinate: for the rate at which time advances.
    #[arg(long, value_name = "A1,A2,..", value_parser = by_coordinate, allow_hyphen_values = true)]
    pub acceleration: Option<ByCoordinate>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// List the built-in scenes and motions, or print one, or a scene file: as a file, or as the
/// contact problem that follows.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom scenes\n  carom scenes rocking-block --set height=1.5 --json"
)]
pub struct ScenesArgs {
    /// The scene or the motion to print, or a scene file (.toml, .json).
    pub name: Option<OsString>,
    /// Print it with another value of a parameter; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "name")]
    pub set: Vec<(String, f64)>,
    /// List as JSON; with a name, print the scene's contact problem, which is a problem file, or
    /// the motion as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Measure samples per second, beside the peaks of this machine, and latencies.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  carom bench rocking-block --device cpu --quick")]
pub struct BenchArgs {
    /// Scenes: built-in ones, files, or - for stdin [default: every built-in one of up to 5
    /// contacts].
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Where: auto (the CPU and every hardware adapter), cpu, gpu, part of an adapter's name, or
    /// all (software too).
    #[arg(long, default_value = "auto", value_parser = devices)]
    pub device: Devices,
    /// Precision: f32 or f64 [default: both where the device has them].
    #[arg(long, value_parser = precision())]
    pub precision: Option<Precision>,
    /// Seconds of each measurement, up to 3600 [default: 0.5; 0.05 with --quick].
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Only the default law and the solver it takes, for a short time each.
    #[arg(long)]
    pub quick: bool,
    /// Instead: the time of N samples of each scene with all checks, such as 1e9, and a hash of how
    /// they end [scenes: a planar and a spatial one with few contacts and with more; f32].
    #[arg(long, value_name = "N", value_parser = samples, conflicts_with_all = ["baseline", "quick", "seconds"])]
    pub work: Option<u64>,
    /// With --work: of each scene only the largest tenth, hundredth, .. of the samples that should
    /// take at most S seconds.
    #[arg(long, value_name = "S", requires = "work", value_parser = seconds, allow_negative_numbers = true)]
    pub within: Option<f64>,
    /// With --work: a row for each device and scene, with names of columns.
    #[arg(long, requires = "work", conflicts_with = "json")]
    pub csv: bool,
    /// Say how much faster this is than a report of `--json` that was written before.
    #[arg(long, value_name = "OLD.json")]
    pub baseline: Option<PathBuf>,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Say what this machine can compute on, and what `--device auto` would use.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom doctor\n  carom doctor --require gpu && carom bench --device gpu"
)]
pub struct DoctorArgs {
    /// Exit with 4 unless there is this adapter: gpu (hardware, no software one), or NAME or NAME#K
    /// as of --device.
    #[arg(long, value_name = "GPU")]
    pub require: Option<String>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Print the JSON Schema (draft 2020-12) of a kind of file, or of what a command prints with
/// --json.
#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// Files: problem, scene, event, motion, plan, dataset, run; reports: sample, resolve, bound,
    /// set, query, replay, compare, reality, identify, guarantee, design, doctor, simulate, bench.
    #[arg(value_enum, value_name = "OF")]
    pub of: SchemaArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaArg {
    Problem,
    Scene,
    Event,
    Sample,
    Resolve,
    Bound,
    Set,
    Query,
    Replay,
    Compare,
    Reality,
    Identify,
    Guarantee,
    Design,
    Doctor,
    Motion,
    Simulate,
    /// The plan of a data set.
    Plan,
    /// What a data set is: `dataset.json`.
    Dataset,
    Bench,
    /// What a run is asked for.
    Run,
}

/// Make a scene of a robot (URDF, or MJCF of MuJoCo), or a problem file of a contact problem of
/// Siconos (.dat) or FCLib (.hdf5).
///
/// The root element of a robot's file says which format it is. What a scene cannot say is an error;
/// what has no effect on an impact is left out, and a warning says so. The problems of Siconos and
/// FCLib are u = W r + q with circular friction cones: the mass matrix becomes the unit matrix, and
/// the Jacobian a factor of W: W = J J', q = J v.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom import robot.urdf --floating --ground --set-down -o robot.toml\n  carom import robot.urdf --floating --ground --joint 'shank_*=-0.6' --velocity z=-1"
)]
pub struct ImportArgs {
    /// The file: .urdf or .xml; or as Siconos's frictionContact_printInFile writes it; or an HDF5
    /// file of FCLib.
    pub file: PathBuf,
    /// The scene file, .toml, or the problem file, .json [default: stdout].
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Robots: the position of a joint in rad or m, knee=0.6; of all joints that are called so,
    /// '*thigh*=0.6'; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub joint: Vec<(String, f64)>,
    /// Robots: velocities before the impact, of joints, knee=-1, in rad/s or m/s, and of the first
    /// floating body, x=0.5,z=-1,pitch=0.2: of its origin in the world, and along its axes.
    #[arg(long, value_name = "NAME=VALUE,..", value_parser = setting, value_delimiter = ',')]
    #[arg(allow_hyphen_values = true)]
    pub velocity: Vec<(String, f64)>,
    /// Robots: where the first floating body is, such as x=0,z=0.4,pitch=0.1; x, y, z in m, roll,
    /// pitch, yaw in rad.
    #[arg(long, value_name = "POSE", value_parser = setting, value_delimiter = ',')]
    pub pose: Vec<(String, f64)>,
    /// MJCF: take the state of this keyframe; --joint and --pose change it.
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,
    /// URDF: the root link floats [default: it is fixed to the world].
    #[arg(long)]
    pub floating: bool,
    /// Robots: add the plane z = 0.
    #[arg(long)]
    pub ground: bool,
    /// Robots: move the first floating body along the normal of the first plane until a shape of
    /// the robot touches it.
    #[arg(long)]
    pub set_down: bool,
    /// Friction of URDF shapes, in place of what the file has for Bullet, Drake or Gazebo, and of
    /// the plane of --ground [default: the file's, else 1].
    #[arg(long, value_name = "MU", value_parser = nonnegative, allow_negative_numbers = true)]
    pub friction: Option<f64>,
}

/// Draw the sets of [HP23] Figs. 9 to 14 again, as a page that opens without a network.
///
/// Each figure has the exact set, samples from event to event, samples of the published steps, and
/// the paper's numbers beside those of both.
#[derive(Debug, clap::Args)]
pub struct GalleryArgs {
    /// The directory of the page, index.html, and of its pictures; it is made if there is none.
    #[arg(long, short = 'o', value_name = "DIR")]
    pub out: PathBuf,
    /// Number of samples of each set.
    #[arg(long, short = 'n', value_name = "N", value_parser = samples, default_value = "65536")]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Print what a shell reads to complete commands and options.
///
/// bash: `carom completions bash > ~/.local/share/bash-completion/completions/carom`;
/// fish: `carom completions fish > ~/.config/fish/completions/carom.fish`;
/// zsh: into a file `_carom` of a directory of `$fpath`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print a page of the manual, for `man`: `carom manual > carom.1 && man ./carom.1`.
#[derive(Debug, clap::Args)]
pub struct ManualArgs {
    /// The command that the page is about [default: the program as a whole].
    pub command: Option<String>,
}

/// Write the programs of the GPU engine, WGSL, and a list of them, index.json, into a folder.
#[derive(Debug, clap::Args)]
pub struct ProgramsArgs {
    /// The folder; it is made if there is none.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}
