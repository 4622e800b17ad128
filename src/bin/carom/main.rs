//! The command line: parsing and printing only.

mod args;
mod bench;
mod compare;
mod complain;
mod design;
mod doctor;
mod reality;
mod resolve;
mod sample;
mod scenes;

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use carom::scene::Document;
use carom::scene::Format;
use carom::{ContactProblem, Error, Result};
use clap::Parser;

use args::{Args, Command};

/// Done, but more samples were rejected than allowed, or no design was found.
const REJECTED: u8 = 1;

fn main() -> ExitCode {
    // Mesa's device-select layer complains on stderr wherever there is no desktop session.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    let args = Args::parse();
    let done = match args.command {
        Command::Sample(args) => sample::run(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Reality(args) => reality::run(&args),
        Command::Plot(args) => compare::plot(&args),
        Command::Design(args) => design::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => complain::about(&error),
    }
}

/// A flag that Ctrl-C and a termination request raise.
fn interrupts() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed))
        .map_err(|e| Error::usage(format!("cannot listen for interrupts: {e}")))?;
    Ok(stop)
}

/// Writes results to stdout. A reader that has gone away has read all it wanted.
fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::usage(format!("cannot write the results: {e}")).at("stdout"))
        }
        _ => Ok(()),
    }
}

/// Writes results to stdout as JSON.
fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}

/// Prints warnings on stderr.
fn warn(warnings: &[String]) {
    for warning in warnings {
        // There is nowhere left to say that stderr is closed.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
}

/// A scene, a file, or stdin where `what` is `-`: JSON if it starts with a brace, else TOML.
fn open(what: &str) -> Result<Document> {
    if what != "-" {
        return Document::open(what);
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|e| Error::input(e.to_string()).at("stdin"))?;
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    Document::new("stdin", text, format)
}

/// The values that `--set` gives.
fn values(set: &[(String, f64)]) -> Vec<(&str, f64)> {
    set.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// The problem of a scene, a file or stdin, with the values that `--set` gives.
fn load(what: &str, set: &[(String, f64)]) -> Result<ContactProblem> {
    open(what)?.problem(&values(set))
}

/// The same problem with one coefficient of restitution for all contacts.
fn with_restitution(problem: &ContactProblem, e: f64) -> Result<ContactProblem> {
    let restitution = Some(vec![e; problem.contact_count()]);
    problem.clone().with_numbers(restitution, problem.uncertainty().clone())
}

/// Refuses the options given that would do nothing; `why` says so.
fn refuse(why: &str, options: &[(&str, bool)]) -> Result<()> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Error::usage(why).at(*option).hint("leave it out")),
    }
}

/// Refuses a `--hypothesis` about restitution that no contact has.
fn hypothesis_matters(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.restitution().is_none_or(|e| e.iter().all(|&e| e == 0.0)) {
        return Err(no_restitution());
    }
    Ok(())
}

/// The error of a `--hypothesis` without restitution.
fn no_restitution() -> Error {
    Error::usage("no contact has restitution that there could be a hypothesis about")
        .at("--hypothesis")
        .hint("leave it out, or give restitution: --restitution E")
}

/// Refuses a `--restitution` above 0 for an inelastic law.
fn inelastic(law: &str, e: f64) -> Result<()> {
    if e > 0.0 {
        return Err(
            Error::usage(format!("the law {law} is inelastic; expected 0, found {e}")).at("--restitution")
        );
    }
    Ok(())
}
