//! The command line: parsing and printing only.

mod args;
mod bench;
pub mod benchmark;
mod bound;
mod compare;
mod complain;
mod completions;
mod dataset;
mod design;
mod doctor;
pub mod embedded;
mod ended;
mod extract;
mod gallery;
mod guarantee;
mod host;
mod identify;
mod import;
mod input;
mod interrupts;
mod manual;
mod merge;
mod options;
mod picture;
mod plot;
mod programs;
mod query;
mod reality;
mod replay;
mod resolve;
mod sample;
mod scenes;
mod schema;
mod set;
mod sets;
mod simulate;
mod terminal;
mod version;

use std::ffi::OsString;

use args::{Args, Command};
use carom_core::error::{Error, ErrorKind, Result};
use carom_core::problem::ContactProblem;
use carom_engine::threads;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use serde_json::json;

/// Runs the command of `arguments`, which begin with the program's name; returns its exit code.
/// Prints results to stdout and errors to stderr. Wrong arguments end the process with code 2, and
/// `--help` ends it with code 0.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let (command, given) = parsed(arguments).unwrap_or_else(|error| error.exit());
    let done = started(&command, given.threads).and_then(|()| perform(command, &given.options));
    done.unwrap_or_else(|error| {
        if error.kind == ErrorKind::Empty && given.options.iter().any(|option| option == "--json") {
            // With stdout closed, the message still appears on stderr.
            let _ = terminal::print_json(&json!({ "schema_version": 1, "error": error.what }));
        }
        complain::about(&error)
    })
}

fn started(command: &Command, threads: Option<u32>) -> Result<()> {
    use Command::{Completions, Manual, Programs, Scenes, Schema};
    match command {
        Scenes(_) | Schema(_) | Completions(_) | Manual(_) | Programs(_) => Ok(()),
        _ => threads::start(threads.map(|threads| threads as usize)),
    }
}

struct Given {
    /// The options, with their dashes.
    options: Vec<String>,
    threads: Option<u32>,
}

fn parsed(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<(Command, Given), clap::Error> {
    let matches = Args::command().try_get_matches_from(arguments)?;
    Ok((Args::from_arg_matches(&matches)?.command, given(&matches)))
}

fn perform(command: Command, given: &[String]) -> Result<u8> {
    match command {
        Command::Sample(mut args) => {
            picture::sort(&mut args.out, &mut args.picture)?;
            sample::run(&args)
        }
        Command::Resolve(args) => resolve::run(&args),
        Command::Bound(args) => bound::run(&args),
        Command::Guarantee(args) => guarantee::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Reality(args) => reality::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Identify(args) => identify::run(&args),
        Command::Gallery(args) => gallery::run(&args),
        Command::Plot(args) => plot::run(&args, given),
        Command::Dataset(args) => dataset::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Design(args) => design::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Query(args) => query::run(&args, given),
        Command::Replay(args) => replay::run(&args),
        Command::Set(mut args) => {
            picture::sort(&mut args.out, &mut args.picture)?;
            set::run(&args)
        }
        Command::Simulate(mut args) => {
            picture::sort(&mut args.out, &mut args.picture)?;
            simulate::run(&args)
        }
        Command::Import(args) => import::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Manual(args) => manual::run(&args),
        Command::Programs(args) => programs::run(&args),
    }
}

/// The options and threads that the command line sets, for the record of the command.
fn given(matches: &ArgMatches) -> Given {
    let (program, mut given) = (Args::command(), Given { options: Vec::new(), threads: None });
    let (mut command, mut matches) = (&program, matches);
    // Questions are nested commands.
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { break };
        (command, matches) = (found, inner);
        for argument in command.get_arguments() {
            let source = matches.value_source(argument.get_id().as_str());
            let long = argument.get_long().filter(|_| source == Some(ValueSource::CommandLine));
            given.options.extend(long.map(|long| format!("--{long}")));
        }
        let threads = matches.try_get_one("threads").ok().flatten().copied();
        given.threads = given.threads.or(threads);
    }
    given
}
