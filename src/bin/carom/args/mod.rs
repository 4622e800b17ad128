//! The flags, and the numbers in them.

mod bound;
mod coordinates;
mod problem;
mod resolve;
mod set;
mod values;

use std::path::PathBuf;

use carom::{Device, Precision, Sampler, Solution, StepSolver, Uncertainty};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use bound::BoundArgs;
pub use coordinates::ByCoordinate;
pub use problem::ProblemArgs;
pub use resolve::ResolveArgs;
pub use set::SetArgs;
pub use values::{Devices, HypothesisArg, ProcessArg};
use values::{
    device, devices, drawn_law, law, max_steps, sampler, samples, seconds, seed, setting, share, solver,
    spread, step, sweep, threads, uncertainty,
};

/// The set of velocities with which a robot or a pile of objects can leave a simultaneous frictional impact.
#[derive(Debug, Parser)]
#[command(name = "carom", version, arg_required_else_help = true)]
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
    Bound(BoundArgs),
    Guarantee(GuaranteeArgs),
    Design(DesignArgs),
    Scenes(ScenesArgs),
    Compare(CompareArgs),
    Reality(RealityArgs),
    Plot(PlotArgs),
    Bench(BenchArgs),
    Doctor(DoctorArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Manual(ManualArgs),
}

/// Sample the outcomes of an impact and check every one.
///
/// The report lists the contact modes that were met. Their shares are the sampler's, no probabilities; modes that it did not
/// meet may occur as well, and another sampler, step or process has other shares.
#[derive(Debug, clap::Args)]
pub struct SampleArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Number of samples: 65536, 1e6, 10k, 1M [default: 65536].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    #[command(flatten)]
    pub how: LawArgs,
    /// Draw until few samples of the sampler lie farther than R (over |v-|_M, in the kinetic metric) from all earlier ones:
    /// at most --samples, or 16 M where that is not given.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub until_radius: Option<f64>,
    /// --until-radius: with which confidence [default: 0.95].
    #[arg(long, value_name = "C", requires = "until_radius", allow_negative_numbers = true)]
    pub confidence: Option<f64>,
    /// --until-radius: which share of the samples may lie farther [default: 0.01].
    #[arg(long, value_name = "M", requires = "until_radius", allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Spend this share of the samples, the last ones, on a search for outcomes that reach far in 256 directions: samples that
    /// take over the draws of the farthest ones and change some.
    #[arg(long, value_name = "SHARE", conflicts_with = "until_radius", allow_negative_numbers = true)]
    pub explore: Option<f64>,
    /// Say on stderr how steps are solved, what that costs, and why.
    #[arg(long)]
    pub explain: bool,
    /// Write every sample to a file, .parquet or .npz.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The law that is sampled, its options, and where.
#[derive(Debug, clap::Args)]
pub struct LawArgs {
    /// The impact law: routh (the set), or single impacts in random order: sequential (inelastic, with friction) or
    /// propagative (reflections, without).
    #[arg(long, default_value = "routh", value_parser = law)]
    pub law: String,
    /// Seed: the same seed gives the same samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to compute: auto (a GPU if there is one, else the CPU), cpu, gpu, or part of an adapter's name.
    #[arg(long, default_value = "auto", value_parser = device)]
    pub device: Device,
    /// Precision: f32 or f64 [default: f32 on a GPU, f64 on the CPU].
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionArg>,
    /// How routh is computed: exact (planar, without a time step), inclusion (integrated) or steps (the published algorithm)
    /// [default: steps with --facets, --persist or --solution lemke; else exact for planar problems, and inclusion in space
    /// and with planar --hypothesis poisson].
    #[arg(long, value_enum)]
    pub process: Option<ProcessArg>,
    /// Which solution of a step to take where it has several: random, or lemke (the one that Lemke's method finds)
    /// [default: random].
    #[arg(long, value_enum)]
    pub solution: Option<SolutionArg>,
    /// How the CPU solves steps or segments: tree, table, cache, chart or scalar [default: the fastest that applies].
    #[arg(long, value_name = "S", value_parser = solver)]
    pub solver: Option<StepSolver>,
    /// How impulse rates are drawn: coverage (few contacts at a time, blocks of all lengths: fewest samples cover the set; with
    /// steps a file's step limit counts fourfold), uniform (as published), sobol (uniform by scrambled Sobol points), or a mix
    /// by share, such as uniform:0.2,coverage:0.8 [default: uniform with --process steps, --facets, --persist or
    /// --solution lemke, else coverage].
    #[arg(long, value_name = "S", value_parser = sampler)]
    pub sampler: Option<Sampler>,
    /// Steps: draw impulse rates afresh for every N steps only [default: 1]. The other processes keep them for a block, see
    /// --step.
    #[arg(long, value_name = "N", value_parser = max_steps, allow_negative_numbers = true)]
    pub persist: Option<u32>,
    /// Impulse step in N s: the impulse over which one draw of the rates lasts. A smaller step averages the rates and shrinks
    /// what is met; it does not refine the set [default: the largest that stops one contact; with steps the file's].
    #[arg(long, value_name = "H", value_parser = step, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// How accurate the inclusion is, a part of max|u-|: 1e-8 .. 0.1 [default: 1e-4]. In f32 not below about 1e-5.
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
    /// Limit on the steps of a sample [default: the file's, else 1000], on its segments with --process exact and substeps with
    /// --process inclusion [default: 20000], or on its single impacts [default: 1000].
    #[arg(long, value_name = "K", value_parser = max_steps, allow_negative_numbers = true)]
    pub max_steps: Option<u32>,
    /// Spatial problems: facets K of the friction cones, an even number from 4 to 32.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// The share of samples that may be lost before the exit code is 1: of the terminated ones those not accepted, of all
    /// those that did not end. Where --max-steps or the file sets the limit, samples that reach it are not counted as lost,
    /// unless all do.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    pub max_rejected: f64,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// routh with restitution: what its coefficient is a ratio of: stronge (energies) or poisson (impulses)
    /// [default: stronge].
    #[arg(long, value_enum, value_name = "H")]
    pub hypothesis: Option<HypothesisArg>,
    /// routh: ranges that every sample draws friction and restitution of each contact from, and factors of the masses and
    /// moments of inertia, and noise of the velocity relative to |v-|_M, such as
    /// mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01; instead of the file's.
    #[arg(long, value_name = "mu=A..B,e=A..B,inertia=A..B,noise=S", value_parser = uncertainty)]
    pub uncertainty: Option<Uncertainty>,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,
}

/// Score predictions against measured impacts: how far from what was measured, with sets how large.
#[derive(Debug, clap::Args)]
pub struct RealityArgs {
    /// An event file (.json, .toml), or - for stdin.
    pub events: String,
    /// Number of samples of each event.
    #[arg(long, short = 'n', value_name = "N", default_value = "4096", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    #[command(flatten)]
    pub how: LawArgs,
    /// Only the events that are flagged clean.
    #[arg(long)]
    pub clean: bool,
    /// Draw a picture, .svg.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Set every law that applies beside the set, in a table and a picture.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Draw a picture, .svg.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Number of samples of the set.
    #[arg(long, short = 'n', value_name = "N", default_value = "65536", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to compute: auto, cpu, gpu, or part of an adapter's name.
    #[arg(long, default_value = "auto", value_parser = device)]
    pub device: Device,
    /// Precision: f32 or f64 [default: f32 on a GPU, f64 on the CPU].
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionArg>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Spatial problems: facets K of the friction cones, an even number from 4 to 32.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// How impulse rates are drawn: coverage, uniform, sobol, or a mix by share, such as uniform:0.2,coverage:0.8
    /// [default: uniform with --facets, else coverage].
    #[arg(long, value_name = "S", value_parser = sampler)]
    pub sampler: Option<Sampler>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Move the free parameters of a scene by as little as possible to where the order of impacts does not matter.
#[derive(Debug, clap::Args)]
pub struct DesignArgs {
    /// A built-in scene (see `carom scenes`), a scene file (.toml, .json), or - for stdin.
    pub what: String,
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

/// Say what theorems promise of the published steps on a problem: how soon they end, how many samples leave no gap.
#[derive(Debug, clap::Args)]
pub struct GuaranteeArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Draw the set of outcomes, the hodograph of one spatial contact, or how much the order of reflections matters over the values of a parameter.
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// The picture, .svg.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: PathBuf,
    /// Instead of the set: xi of the propagative law over the values of a parameter.
    #[arg(long, value_name = "NAME=A..B", value_parser = sweep)]
    pub sweep: Option<(String, f64, f64)>,
    /// The impact law: routh, sequential or propagative; or darboux-keller, for the hodograph of its outcome
    /// [default: routh].
    #[arg(long, value_parser = drawn_law)]
    pub law: Option<String>,
    /// darboux-keller: stronge, poisson or newton [default: stronge].
    #[arg(long, value_enum, value_name = "H")]
    pub hypothesis: Option<HypothesisArg>,
    /// Number of samples of a set [default: 65536].
    #[arg(long, short = 'n', value_name = "N", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: Option<u64>,
    /// Seed of the samples [default: 0].
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Spatial problems: facets K of the friction cones, an even number from 4 to 32.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// How impulse rates are drawn: coverage, uniform, sobol, or a mix by share, such as uniform:0.2,coverage:0.8
    /// [default: uniform with --facets, else coverage].
    #[arg(long, value_name = "S", value_parser = sampler)]
    pub sampler: Option<Sampler>,
}

/// List the built-in scenes, or print one, as a scene file or as the contact problem that follows from it.
#[derive(Debug, clap::Args)]
pub struct ScenesArgs {
    /// The scene to print.
    pub name: Option<String>,
    /// Print it with another value of a parameter; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "name")]
    pub set: Vec<(String, f64)>,
    /// List as JSON; with a name, print the scene's contact problem as JSON, which is a problem file.
    #[arg(long)]
    pub json: bool,
}

/// Measure samples per second, beside the peaks of this machine, and latencies.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Scenes: built-in ones or files [default: every built-in scene].
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Where: auto (the CPU and every hardware adapter), cpu, gpu, part of an adapter's name, or all (software too).
    #[arg(long, default_value = "auto", value_parser = devices)]
    pub device: Devices,
    /// Precision: f32 or f64 [default: both where the device has them].
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionArg>,
    /// Seconds of each measurement, up to 3600 [default: 0.5; 0.05 with --quick].
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Only the default law and the solver it takes, for a short time each.
    #[arg(long)]
    pub quick: bool,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Say what this machine can compute on, and what `--device auto` would use.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Print the JSON Schema (draft 2020-12) of a kind of file, or of what a command prints with --json.
#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// Files: problem, scene, event; reports: sample, resolve, bound, set.
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PrecisionArg {
    F32,
    F64,
}

impl From<PrecisionArg> for Precision {
    fn from(precision: PrecisionArg) -> Self {
        match precision {
            PrecisionArg::F32 => Precision::F32,
            PrecisionArg::F64 => Precision::F64,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SolutionArg {
    Random,
    Lemke,
}

impl From<SolutionArg> for Solution {
    fn from(solution: SolutionArg) -> Self {
        match solution {
            SolutionArg::Random => Solution::Random,
            SolutionArg::Lemke => Solution::Lemke,
        }
    }
}
