//! `carom bench`: how fast this machine samples.

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::process::Command;

use crate::output::bench::{self, Baseline, Circumstances};
use crate::scene;
use crate::scene::BUILTIN;
use crate::{Bench, Error, Precision, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::BenchArgs;
use crate::cli::terminal;

/// Measures and reports; of the built-in scenes the planar ones, unless others are named.
pub fn run(args: &BenchArgs) -> Result<u8> {
    let mut names: Vec<String> = if args.scenes.is_empty() {
        BUILTIN.iter().map(|scene| scene.name.to_string()).collect()
    } else {
        args.scenes.clone()
    };
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let scenes = names.into_iter().map(|name| scene::load(&name).map(|problem| (name, problem)));
    let mut scenes = scenes.collect::<Result<Vec<_>>>()?;
    if args.scenes.is_empty() {
        scenes.retain(|(_, problem)| problem.tangents_per_contact() < 2);
    }
    scenes.iter().for_each(|(_, problem)| terminal::warn(problem.warnings()));
    let plan = Bench {
        seconds: args.seconds.unwrap_or(if args.quick { 0.05 } else { 0.5 }),
        quick: args.quick,
        precision: args.precision.map(Precision::from),
        seed: args.seed,
        stop: Some(terminal::interrupts()?),
    };
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let now = Circumstances::now(commit());
    let mut devices = Vec::new();
    for engine in Bench::devices(&args.device.wanted, args.device.software)? {
        let bar = bar();
        let name = engine.info().name.clone();
        let measured = plan.run(&engine, &scenes, |done, what| {
            bar.set_position((1e3 * done) as u64);
            bar.set_message(format!("{name}: {what}"));
        });
        bar.finish_and_clear();
        let measured = measured?;
        let interrupted = measured.interrupted;
        devices.push(measured);
        if interrupted {
            break;
        }
    }
    let ratios = baseline.map(|baseline| baseline.ratios(&devices));
    if args.json {
        terminal::print_json(&bench::json(&plan, &now, &devices, ratios.as_deref()))?;
    } else {
        terminal::print(&bench::text(&plan, &now, &devices, ratios.as_deref()))?;
    }
    if devices.iter().any(|device| device.interrupted) {
        Err(Error::interrupted())
    } else {
        Ok(terminal::DONE)
    }
}

/// The commit that was built, where the build was told; else that of the current directory.
fn commit() -> Option<String> {
    if let Some(commit) = option_env!("CAROM_COMMIT") {
        return Some(commit.to_string());
    }
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}

/// A bar on stderr, hidden unless that is a terminal.
fn bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} %  {msg}") {
        bar.set_style(style);
    }
    bar
}
