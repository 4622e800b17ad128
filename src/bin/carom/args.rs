//! The flags, and the numbers in them.

use std::path::PathBuf;

use carom::engine::{Device, Precision, StepSolver};
use carom::law::propagative::Kind;
use carom::law::{AnitescuPotra, DarbouxKeller, Hypothesis, Propagative, Sampler, Sequential, Solution};
use clap::{Parser, Subcommand, ValueEnum};

/// The set of velocities with which a robot or a pile of objects can leave a simultaneous frictional impact.
#[derive(Debug, Parser)]
#[command(name = "carom", version, arg_required_else_help = true)]
#[command(after_help = "Results go to stdout, progress and messages to stderr.\n\
    Exit: 0 done; 1 done, but too many samples rejected or no design found; 2 usage; 3 bad input; 4 no such device or precision;\n\
    130 interrupted.")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Sample(SampleArgs),
    Resolve(ResolveArgs),
    Design(DesignArgs),
    Scenes(ScenesArgs),
    Compare(CompareArgs),
    Plot(PlotArgs),
    Bench(BenchArgs),
    Doctor(DoctorArgs),
}

/// Sample the outcomes of an impact and check every one.
#[derive(Debug, clap::Args)]
pub struct SampleArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json), or - for stdin.
    pub what: String,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// The impact law: routh (the set), or single impacts in random order: sequential (inelastic, with friction) or
    /// propagative (reflections, without).
    #[arg(long, default_value = "routh", value_parser = law)]
    pub law: String,
    /// Number of samples: 65536, 1e6, 10k, 1M.
    #[arg(long, short = 'n', value_name = "N", default_value = "65536", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Seed: the same seed gives the same samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to compute: auto (a GPU if there is one, else the CPU), cpu, gpu, or part of an adapter's name.
    #[arg(long, default_value = "auto", value_parser = device)]
    pub device: Device,
    /// Precision: f32 or f64 [default: f32 on a GPU, f64 on the CPU].
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionArg>,
    /// Which solution of a step to take where it has several: random, or lemke (the one that Lemke's method finds).
    #[arg(long, value_enum, default_value = "random")]
    pub solution: SolutionArg,
    /// How the CPU solves steps: tree, table, cache or scalar [default: the fastest that applies].
    #[arg(long, value_name = "S", value_parser = solver)]
    pub solver: Option<StepSolver>,
    /// Say on stderr how steps are solved, what that costs, and why.
    #[arg(long)]
    pub explain: bool,
    /// How impulse rates are drawn: uniform.
    #[arg(long, default_value = "uniform", value_parser = sampler)]
    pub sampler: Sampler,
    /// Impulse step in N s [default: the file's, else the largest that stops one contact].
    #[arg(long, value_name = "H", value_parser = step, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Step limit of a sample (routh), or limit on its single impacts, 1000 unless given [default: the file's, else 1000].
    #[arg(long, value_name = "K", value_parser = max_steps, allow_negative_numbers = true)]
    pub max_steps: Option<u32>,
    /// Exit with 1 if a larger share of the terminated samples is not accepted.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    pub max_rejected: f64,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// Write every sample to a file, .parquet or .npz.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,
}

/// Find the outcomes of an impact law that has finitely many, all of them.
#[derive(Debug, clap::Args)]
pub struct ResolveArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json), or - for stdin.
    pub what: String,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// The impact law: anitescu-potra (all contacts at once), sequential (one after the other), propagative
    /// (elastic reflections in every order) or darboux-keller (one spatial contact, with friction and restitution).
    #[arg(long, value_name = "LAW", value_parser = finite_law)]
    pub law: String,
    /// sequential: the contact to begin with, counted from 0; the others follow in order [default: each in turn].
    #[arg(long, value_name = "K", value_parser = contact, allow_negative_numbers = true)]
    pub start: Option<usize>,
    /// sequential: the order in which the contacts are looked at, again and again: 1,0,2.
    #[arg(long, value_name = "I,J,..", value_delimiter = ',', value_parser = contact, conflicts_with = "start")]
    #[arg(allow_negative_numbers = true)]
    pub order: Option<Vec<usize>>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// propagative: list only the minimal or only the admissible sequences [default: both].
    #[arg(long, value_enum, value_name = "WHICH")]
    pub sequences: Option<SequencesArg>,
    /// propagative: length of the longest sequence [default: two contacts: the bound; more: what 1e5 sequences allow].
    #[arg(long, value_name = "L", value_parser = max_steps, allow_negative_numbers = true)]
    pub max_length: Option<u32>,
    /// darboux-keller: what the coefficient of restitution is a ratio of: stronge (energies), poisson (impulses) or
    /// newton (velocities) [default: stronge].
    #[arg(long, value_enum, value_name = "H")]
    pub hypothesis: Option<HypothesisArg>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Set every law that applies beside the set, in a table and a picture.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json), or - for stdin.
    pub what: String,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
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

/// Draw the set of outcomes, the hodograph of one spatial contact, or how much the order of reflections matters over the values of a parameter.
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// A built-in scene (see `carom scenes`), a scene or problem file (.toml, .json), or - for stdin.
    pub what: String,
    /// The picture, .svg.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: PathBuf,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// Instead of the set: xi of the propagative law over the values of a parameter.
    #[arg(long, value_name = "NAME=A..B", value_parser = sweep)]
    pub sweep: Option<(String, f64, f64)>,
    /// The impact law: routh, sequential or propagative; or darboux-keller, for the hodograph of its outcome.
    #[arg(long, default_value = "routh", value_parser = drawn_law)]
    pub law: String,
    /// darboux-keller: stronge, poisson or newton [default: stronge].
    #[arg(long, value_enum, value_name = "H")]
    pub hypothesis: Option<HypothesisArg>,
    /// Number of samples.
    #[arg(long, short = 'n', value_name = "N", default_value = "65536", value_parser = samples)]
    #[arg(allow_negative_numbers = true)]
    pub samples: u64,
    /// Seed of the samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
}

/// List the built-in scenes, or print one.
#[derive(Debug, clap::Args)]
pub struct ScenesArgs {
    /// The scene to print.
    pub name: Option<String>,
    /// Print it with another value of a parameter; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "name")]
    pub set: Vec<(String, f64)>,
    /// List as JSON.
    #[arg(long, conflicts_with = "name")]
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

/// The devices of `carom bench`.
#[derive(Clone, Debug)]
pub struct Devices {
    /// Which; `Auto`: the CPU and the adapters.
    pub wanted: Device,
    /// Whether `Auto` takes software adapters too.
    pub software: bool,
}

/// Say what this machine can compute on, and what `--device auto` would use.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HypothesisArg {
    Stronge,
    Poisson,
    Newton,
}

impl From<HypothesisArg> for Hypothesis {
    fn from(hypothesis: HypothesisArg) -> Self {
        match hypothesis {
            HypothesisArg::Stronge => Hypothesis::Stronge,
            HypothesisArg::Poisson => Hypothesis::Poisson,
            HypothesisArg::Newton => Hypothesis::Newton,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SequencesArg {
    Minimal,
    Admissible,
}

impl From<SequencesArg> for Kind {
    fn from(sequences: SequencesArg) -> Self {
        match sequences {
            SequencesArg::Minimal => Kind::Minimal,
            SequencesArg::Admissible => Kind::Admissible,
        }
    }
}

fn setting(text: &str) -> Result<(String, f64), String> {
    let expected = || "expected NAME=VALUE, such as theta=90".to_string();
    let (name, value) = text.split_once('=').ok_or_else(expected)?;
    let value: f64 = value.trim().parse().map_err(|_| expected())?;
    if value.is_finite() { Ok((name.trim().to_string(), value)) } else { Err(expected()) }
}

fn sweep(text: &str) -> Result<(String, f64, f64), String> {
    let expected = || "expected NAME=A..B with A < B, such as theta=60..180".to_string();
    let (name, range) = text.split_once('=').ok_or_else(expected)?;
    let (low, high) = range.split_once("..").ok_or_else(expected)?;
    let bound = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    match (bound(low), bound(high)) {
        (Some(low), Some(high)) if low < high => Ok((name.trim().to_string(), low, high)),
        _ => Err(expected()),
    }
}

fn spread(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s >= 0.0 => Ok(s),
        _ => Err("expected a finite number >= 0".to_string()),
    }
}

fn finite_law(text: &str) -> Result<String, String> {
    const BUILT: [&str; 4] = [AnitescuPotra::NAME, Sequential::NAME, Propagative::NAME, DarbouxKeller::NAME];
    let expected = BUILT.join(", ");
    match text {
        _ if BUILT.contains(&text) => Ok(text.to_string()),
        "routh" => Err(format!(
            "the law routh has a set of outcomes: see `carom sample`; expected one of {expected}"
        )),
        "plus" | "compliant" => Err(format!("the law {text} is not built yet; expected one of {expected}")),
        _ => Err(format!("no such law; expected one of {expected}")),
    }
}

fn contact(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| "expected the number of a contact, counted from 0".to_string())
}

fn law(text: &str) -> Result<String, String> {
    match text {
        "routh" | "sequential" | "propagative" => Ok(text.to_string()),
        _ => Err("no such law; expected one of routh, sequential, propagative".to_string()),
    }
}

fn drawn_law(text: &str) -> Result<String, String> {
    match text {
        DarbouxKeller::NAME => Ok(text.to_string()),
        _ => law(text).map_err(|e| format!("{e}, {}", DarbouxKeller::NAME)),
    }
}

fn sampler(text: &str) -> Result<Sampler, String> {
    match text {
        "uniform" => Ok(Sampler::Uniform),
        "sobol" | "coverage" => Err(format!("the sampler {text} is not built yet; expected uniform")),
        _ => Err("no such sampler; expected uniform".to_string()),
    }
}

fn solver(text: &str) -> Result<StepSolver, String> {
    let names = StepSolver::ALL.map(StepSolver::name);
    let solver = StepSolver::ALL.into_iter().find(|solver| solver.name() == text);
    solver.ok_or_else(|| format!("no such solver; expected one of {}", names.join(", ")))
}

fn device(text: &str) -> Result<Device, String> {
    match text.trim() {
        "" => Err("expected auto, cpu, gpu or part of an adapter's name (see `carom doctor`)".to_string()),
        "auto" => Ok(Device::Auto),
        "cpu" => Ok(Device::Cpu),
        "gpu" => Ok(Device::Gpu),
        name => Ok(Device::Named(name.to_string())),
    }
}

fn devices(text: &str) -> Result<Devices, String> {
    if text.trim() == "all" {
        return Ok(Devices { wanted: Device::Auto, software: true });
    }
    Ok(Devices { wanted: device(text)?, software: false })
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 3600.0 => Ok(s),
        _ => Err("expected a number above 0, up to 3600, in s".to_string()),
    }
}

/// A whole number from 1 to 2^63 - 1, with an exponent or one of k, M, G.
fn samples(text: &str) -> Result<u64, String> {
    let expected = "expected a whole number from 1 to 2^63 - 1, such as 65536, 1e6, 10k or 1M".to_string();
    if let Ok(number) = text.parse::<u64>() {
        return if (1..1 << 63).contains(&number) { Ok(number) } else { Err(expected) };
    }
    let number = match text.char_indices().next_back() {
        Some((at, 'k')) => format!("{}e3", &text[..at]),
        Some((at, 'M')) => format!("{}e6", &text[..at]),
        Some((at, 'G')) => format!("{}e9", &text[..at]),
        _ => text.to_string(),
    };
    match number.parse::<f64>() {
        Ok(x) if x.fract() == 0.0 && x >= 1.0 && x < (1_u64 << 63) as f64 => Ok(x as u64),
        _ => Err(expected),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number from 0 to 2^64 - 1".to_string())
}

fn max_steps(text: &str) -> Result<u32, String> {
    let steps = samples(text).ok().and_then(|steps| u32::try_from(steps).ok());
    steps.ok_or_else(|| "expected a whole number from 1 to 2^32 - 1, such as 1000 or 1e5".to_string())
}

fn threads(text: &str) -> Result<u32, String> {
    let threads = text.parse().ok().filter(|threads| (1..=4096).contains(threads));
    threads.ok_or_else(|| "expected a whole number from 1 to 4096".to_string())
}

fn step(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(h) if h.is_finite() && h > 0.0 => Ok(h),
        _ => Err("expected a finite number > 0, in N s".to_string()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("expected a number in [0, 1]".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_counts_are_whole_numbers() {
        for (text, number) in [
            ("65536", 65_536),
            ("1e6", 1_000_000),
            ("1M", 1_000_000),
            ("10k", 10_000),
            ("2.3M", 2_300_000),
            ("1.5k", 1500),
            ("3G", 3_000_000_000),
            ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775807", (1 << 63) - 1),
        ] {
            assert_eq!(samples(text), Ok(number), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "1.5",
            "1.0001k",
            "1e-3",
            "1e19",
            "9223372036854775808",
            "NaN",
            "inf",
            "1kk",
            "k",
            "1e3k",
        ] {
            assert!(samples(text).is_err(), "{text}");
        }
    }
}
