//! `carom bench`: how fast this machine samples.

use std::collections::HashSet;
use std::io::{self, IsTerminal};

use crate::args::BenchArgs;
use crate::benchmark::Bench;
use crate::benchmark::text::{self as bench, BenchBaseline, Circumstances, work};
use crate::version::COMMIT;
use crate::{Error, Result, input, interrupts, terminal};
use carom_scene::BUILTIN;
use indicatif::{ProgressBar, ProgressStyle};

/// Most contacts of a default scene; larger scenes take minutes each.
const UNNAMED: usize = 5;
/// Default scenes of fixed work.
const WORKED_ON: [&str; 4] = ["rocking-block", "disk-stack", "cube-on-edge", "quadruped-trot"];

pub fn run(args: &BenchArgs) -> Result<u8> {
    let mut names: Vec<String> = if args.scenes.is_empty() && args.work.is_some() {
        WORKED_ON.map(String::from).to_vec()
    } else if args.scenes.is_empty() {
        BUILTIN.iter().map(|scene| scene.name.to_string()).collect()
    } else {
        args.scenes.clone()
    };
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let opened = |name: String| {
        let problem = input::open(&name)?.problem(&[])?;
        Ok((name, problem))
    };
    let mut scenes = names.into_iter().map(opened).collect::<Result<Vec<_>>>()?;
    if args.scenes.is_empty() && args.work.is_none() {
        scenes.retain(|(_, problem)| problem.contact_count() <= UNNAMED);
    }
    scenes.iter().for_each(|(_, problem)| terminal::warn(problem.warnings()));
    let plan = Bench {
        seconds: args.seconds.unwrap_or(if args.quick { 0.05 } else { 0.5 }),
        quick: args.quick,
        precision: args.precision,
        seed: args.seed,
        within: args.within,
        stop: Some(interrupts::flag()?),
    };
    let baseline = args.baseline.as_deref().map(BenchBaseline::read).transpose()?;
    let now = Circumstances::now(COMMIT.map(String::from));
    let mut devices = Vec::new();
    for device in Bench::devices(&args.device.wanted, args.device.software) {
        let bar = bar();
        let engine = Bench::open(&device)?;
        let name = engine.info().name.clone();
        let tell = |done: f64, what: &str| {
            bar.set_position((1e3 * done) as u64);
            bar.set_message(format!("{name}: {what}"));
        };
        let measured = match args.work {
            None => plan.run(&engine, &scenes, tell),
            Some(samples) => plan.work(&engine, &scenes, samples, tell),
        };
        bar.finish_and_clear();
        devices.push(measured?);
        if devices.iter().any(|device| device.interrupted) {
            break;
        }
    }
    let interrupted = devices.iter().any(|device| device.interrupted);
    let ratios = baseline.as_ref().map(|baseline| baseline.ratios(&devices));
    let cautions = baseline.map(|old| old.cautions(plan.seconds, now.commit.as_deref()));
    terminal::warn(&cautions.unwrap_or_default());
    if args.json {
        terminal::print_json(&bench::json(&plan, &now, &devices, ratios.as_deref()))?;
    } else if args.csv {
        terminal::print(&work::csv(&now, &devices))?;
    } else if args.work.is_some() {
        terminal::print(&work::text(&plan, &now, &devices))?;
    } else {
        terminal::print(&bench::text(&plan, &now, &devices, ratios.as_deref()))?;
    }
    let wrong = work::differences(&devices);
    terminal::warn(&wrong);
    match interrupted {
        true => Err(Error::interrupted()),
        false if ratios.is_some_and(|ratios| ratios.is_empty()) => {
            Err(Error::empty("the baseline has none of these measurements")
                .option("baseline")
                .hint("or it has several such devices, all with other names"))
        }
        false if !wrong.is_empty() => Ok(terminal::REJECTED),
        false => Ok(terminal::DONE),
    }
}

/// A progress bar on stderr, hidden unless stderr is a terminal.
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
