//! The command line: parsing and printing only.

mod args;
mod bench;
mod bound;
mod compare;
mod complain;
mod completions;
mod design;
mod doctor;
mod ended;
mod guarantee;
mod input;
mod manual;
mod options;
mod plot;
mod query;
mod reality;
mod replay;
mod resolve;
mod sample;
mod scenes;
mod schema;
mod set;
mod svg;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    // Mesa's device-select layer complains on stderr wherever there is no desktop session.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    let args = Args::parse();
    let done = match args.command {
        Command::Sample(args) => sample::run(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Bound(args) => bound::run(&args),
        Command::Guarantee(args) => guarantee::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Reality(args) => reality::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Design(args) => design::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Set(args) => set::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Manual(args) => manual::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => complain::about(&error),
    }
}
