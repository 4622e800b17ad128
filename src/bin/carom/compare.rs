//! `carom compare`: every law that applies, beside the set; `carom plot`: pictures.

use std::path::Path;
use std::process::ExitCode;

use carom::engine::{Engine, Plan, Precision};
use carom::error::{Error, ErrorKind, Result};
use carom::output::{self, compare, pictures, plot::Picture};
use carom::problem::ContactProblem;

use crate::args::{CompareArgs, PlotArgs};

/// Samples, resolves, compares, reports and draws.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let problem = problem(&args.what, args.restitution)?;
    if let Some(path) = &args.out {
        writable(path)?;
    }
    let plan = Plan {
        samples: args.samples,
        seed: args.seed,
        device: args.device.clone(),
        precision: args.precision.map(Precision::from),
        stop: Some(crate::interrupts()?),
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan.device)?;
    let comparison = engine.compare(&problem, &plan).map_err(|e| located(e, &args.what))?;
    if args.json {
        crate::print_json(&compare::json(&problem, &plan, &comparison))?;
    } else {
        crate::print(&compare::text(&problem, &plan, &comparison))?;
    }
    if let Some(path) = &args.out {
        write(path, &pictures::comparison(&problem, &plan, &comparison))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws a sampled set.
pub fn plot(args: &PlotArgs) -> Result<ExitCode> {
    writable(&args.out)?;
    let problem = problem(&args.what, args.restitution)?;
    let plan = Plan {
        law: crate::sample::sampled(&args.law),
        samples: args.samples,
        seed: args.seed,
        stop: Some(crate::interrupts()?),
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan.device)?;
    let (run, samples) = engine.collect(&problem, &plan).map_err(|e| located(e, &args.what))?;
    write(&args.out, &pictures::set(&problem, &plan, &run, &samples))?;
    Ok(ExitCode::SUCCESS)
}

fn problem(what: &str, restitution: Option<f64>) -> Result<ContactProblem> {
    let problem = crate::load(what)?;
    restitution.map_or(Ok(problem.clone()), |e| crate::with_restitution(&problem, e))
}

fn located(error: Error, what: &str) -> Error {
    if error.kind == ErrorKind::Input && error.excerpt.is_none() {
        error.in_text(what, "", 0..0)
    } else {
        error
    }
}

/// Refuses what is no SVG file before anything is computed.
fn writable(path: &Path) -> Result<()> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(()),
        _ => Err(Error::usage("expected the name of an .svg file").at(path.display().to_string())),
    }
}

fn write(path: &Path, picture: &Picture) -> Result<()> {
    output::write_whole(path, &picture.svg()?)
}
