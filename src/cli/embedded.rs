//! The commands for a program that embeds this library, such as the Python package. Arguments are
//! arguments of the command line. Text for stdin is passed in, and text of stdout is returned.
//! Errors are returned, and a flag interrupts.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::args::{AimArgs, Ask, Command, DrawingArgs, by_coordinate};
pub use crate::host::Output;
use crate::{host, options, picture, plot, query, sets};
use carom_analysis::judged::Farthest;
use carom_analysis::proofs::{self, Proofs};
use carom_core::Limits;
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_data::saved::SavedSet;
use carom_engine::Plan;
use carom_engine::run::Run;
use carom_law::Law;
use carom_report::bounds;
use carom_report::pictures::Wanted;
use carom_report::plot::Form;
use carom_report::query::{Beside, answered, reply};
use clap::Parser;
use serde_json::{Value, json};

/// Runs a command with `arguments`, without the name of the program, and with `input` in place of
/// stdin. Returns the text of stdout and the warnings.
pub fn call(arguments: &[String], input: &str, stop: Arc<AtomicBool>) -> Result<Output> {
    let (command, given) = crate::parsed(named(arguments)).map_err(|e| refusal(&e))?;
    let why = "a command within a program has the program's threads";
    options::refuse(why, &[("--threads", given.threads.is_some())])?;
    let (done, output) = host::run(input, stop, || crate::perform(command, &given.options));
    done.map(|_| output)
}

fn named(arguments: &[String]) -> impl Iterator<Item = String> {
    std::iter::once("carom".to_string()).chain(arguments.iter().cloned())
}

/// The flags among some arguments.
fn parsed<T: clap::Args>(arguments: &[String]) -> Result<T> {
    let command = T::augment_args(clap::Command::new("carom"));
    let matches = command.try_get_matches_from(named(arguments));
    matches.and_then(|matches| T::from_arg_matches(&matches)).map_err(|e| refusal(&e))
}

/// The message of the command line about refused arguments, without the usage.
fn refusal(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let what = text.trim_start_matches("error: ").split("\n\nUsage").next().unwrap_or_default();
    Error::usage(what.split("\n\nFor more").next().unwrap_or_default().trim())
}

/// The run specification from arguments of `carom sample`, such as
/// `["rocking-block", "--process=steps"]`.
pub fn asked(arguments: &[String]) -> Result<Run> {
    let words = ["carom", "sample"].map(str::to_string).into_iter();
    let parsed = crate::parsed(words.chain(arguments.iter().cloned()));
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

/// The sources of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The samples alone.
    Samples,
    /// The samples, and the exact set if it is fast to compute.
    Set,
    /// The samples, the exact set, and proofs.
    Proofs,
}

/// Answers a question with arguments of `carom query`, such as
/// `["support", "--direction", "1,0,0"]`. The first question to the exact set computes the set and
/// stores it in `beside`.
pub fn ask(
    SavedSet { set, record }: &SavedSet,
    beside: &OnceLock<Beside>,
    answering: Answering,
    arguments: &[String],
) -> Result<Value> {
    // `carom query WHAT QUESTION`: the set is given, so only the question is parsed.
    let Questions { ask } = Questions::try_parse_from(named(arguments)).map_err(|e| refusal(&e))?;
    let question = query::question(&ask, set.problem())?;
    sets::answerable(record, &question)?;
    let limits = Limits::until(host::stop());
    let known = || beside.get_or_init(|| sets::exact(set, record));
    let reply = match answering {
        Answering::Samples => answered(set, None, None, &question, &limits),
        Answering::Set => answered(set, known().set.as_ref(), None, &question, &limits),
        Answering::Proofs => reply(set, known(), &question, &limits),
    };
    Ok(reply?.json)
}

/// Parses a direction as `carom bound --direction` does; returns its numbers (n).
pub fn direction(problem: &ContactProblem, text: &str) -> Result<Vec<f64>> {
    let found = by_coordinate(text).map_err(|what| Error::usage(what).option("direction"))?;
    let c = found.of(problem, vec![0.0; problem.coordinate_count()], "--direction")?;
    carom_analysis::bounds::check_direction(problem, &c)?;
    Ok(c)
}

/// Proofs of upper bounds for all outcomes of a law, with arguments of `carom bound`, such as
/// `["--direction=1,0,0", "--within=0.05"]`. The law is `None` for forecasts. `farthest`: the most
/// extreme sample, if any. No sample is drawn.
pub fn prove(
    problem: &ContactProblem,
    law: Option<&Law>,
    farthest: Option<Farthest>,
    arguments: &[String],
    stop: &Option<Arc<AtomicBool>>,
) -> Result<Value> {
    let asked: AimArgs = parsed(arguments)?;
    let (law, aim) = (law.ok_or_else(proofs::forecasts)?, asked.aim(problem)?);
    let mut proofs = Proofs::new(
        problem,
        law,
        &aim,
        &asked.kinds(),
        asked.within(),
        &Limits::until(stop.clone()),
    )?;
    let before = aim.value(problem.velocity().as_slice()).ok();
    proofs.withdraw(problem, farthest.map(|farthest| farthest.value), before);
    Ok(json!(bounds::BoundsReport::of(&proofs, before, farthest.as_ref())))
}

/// Refuses contact modes if the samples are forecasts.
pub fn modes(of_forecasts: bool) -> Result<()> {
    sets::with_modes(of_forecasts)
}

/// Draws a set with arguments of `carom plot`, such as `["--axes", "x,theta"]`. Returns the bytes
/// of a file of this name.
pub fn draw(
    saved: &SavedSet,
    plan: Option<&Plan>,
    arguments: &[String],
    name: &Path,
) -> Result<Vec<u8>> {
    let drawing: DrawingArgs = parsed(arguments)?;
    let paths = plan.map_or(Vec::new(), |plan| plot::paths(saved, plan, plot::PATHS));
    let wanted = Wanted { paths, ..picture::wanted(&drawing) };
    plot::drawn(saved, &wanted)?.file(Form::of(name)?, drawing.look.size)
}
