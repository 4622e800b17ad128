//! The commands for a program that has this library in it, as the Python package has: arguments in
//! the words of the command line, what a command would read from stdin and print to stdout passed
//! in and out, errors returned, interrupts by a flag.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use clap::{Args as _, FromArgMatches, Parser};
use serde_json::Value;

use crate::output::pictures::Wanted;
use crate::output::plot::Form;
use crate::output::query::{Beside, reply};
use crate::output::saved::SavedSet;
use crate::{Error, Plan, Result, Run};

use crate::cli::args::{Ask, Command, DrawingArgs};
pub use crate::cli::host::Output;
use crate::cli::{host, options, picture, plot, query, sets};

/// Runs a command: its `arguments`, without the name of the program, `input` in place of stdin;
/// what it prints to stdout and what it warns of.
///
/// # Errors
/// Those of the command; arguments that the command line would refuse; an interrupted run.
pub fn call(arguments: &[String], input: &str, stop: Arc<AtomicBool>) -> Result<Output> {
    let (command, given) = crate::cli::parsed(named(arguments)).map_err(|e| refusal(&e))?;
    options::refuse(
        "a command within a program has the program's threads",
        &[("--threads", given.threads.is_some())],
    )?;
    let (done, output) = host::run(input, stop, || crate::cli::perform(command, &given.options));
    done.map(|_| output)
}

fn named(arguments: &[String]) -> impl Iterator<Item = String> {
    std::iter::once("carom".to_string()).chain(arguments.iter().cloned())
}

/// The message of the command line for arguments that it refuses, without the usage.
fn refusal(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let what = text.trim_start_matches("error: ").split("\n\nUsage").next().unwrap_or_default();
    Error::usage(what.split("\n\nFor more").next().unwrap_or_default().trim())
}

/// What is asked for in the words of `carom sample`, such as
/// `["rocking-block", "--process=steps"]`.
///
/// # Errors
/// Arguments that the command line would refuse before it looks at the law and the problem.
pub fn asked(arguments: &[String]) -> Result<Run> {
    let words = ["carom", "sample"].map(str::to_string).into_iter();
    let parsed = crate::cli::parsed(words.chain(arguments.iter().cloned()));
    match parsed.map_err(|e| refusal(&e))?.0 {
        Command::Sample(args) => args.how.asked.run(args.samples),
        _ => Err(Error::usage("expected arguments of `carom sample`")),
    }
}

#[derive(Debug, Parser)]
struct Questions {
    #[command(subcommand)]
    ask: Ask,
}

/// The answer to a question in the words of `carom query`, such as
/// `["support", "--direction", "1,0,0"]`. The first question computes the exact set `beside` the
/// samples.
///
/// # Errors
/// Those of `carom query`.
pub fn ask(
    SavedSet { set, record }: &SavedSet,
    beside: &OnceLock<Beside>,
    arguments: &[String],
) -> Result<Value> {
    // `carom query WHAT QUESTION`: the set is already there.
    let Questions { ask } = Questions::try_parse_from(named(arguments)).map_err(|e| refusal(&e))?;
    let question = query::question(&ask, set.problem())?;
    sets::answerable(record, &question)?;
    let beside = beside.get_or_init(|| sets::exact(set, record));
    Ok(reply(set, beside, &question, &host::stop())?.json)
}

/// Refuses the contact modes of forecasts.
///
/// # Errors
/// `of_forecasts`.
pub fn modes(of_forecasts: bool) -> Result<()> {
    sets::with_modes(of_forecasts)
}

/// The picture of a set, in the words of `carom plot`, such as `["--axes", "x,theta"]`: the bytes
/// of a file of this name.
///
/// # Errors
/// Those of `carom plot`.
pub fn draw(
    saved: &SavedSet,
    plan: Option<&Plan>,
    arguments: &[String],
    name: &Path,
) -> Result<Vec<u8>> {
    let command = DrawingArgs::augment_args(clap::Command::new("carom"));
    let matches = command.try_get_matches_from(named(arguments)).map_err(|e| refusal(&e))?;
    let drawing = DrawingArgs::from_arg_matches(&matches).map_err(|e| refusal(&e))?;
    let paths = plan.map_or(Vec::new(), |plan| plot::paths(saved, plan, plot::PATHS));
    let wanted = Wanted { paths, ..picture::wanted(&drawing) };
    plot::drawn(saved, &wanted)?.file(Form::of(name)?, drawing.look.size)
}
