//! `carom compare`: every law that applies, beside the set; `carom plot`: pictures.

use std::path::Path;
use std::process::ExitCode;

use carom::output;
use carom::output::RunRecord;
use carom::output::compare;
use carom::output::pictures;
use carom::output::plot::Picture;
use carom::study::require_samples;
use carom::{
    ContactProblem, DarbouxKeller, Engine, Error, ErrorKind, FiniteLaw, Hypothesis, Plan, Precision,
    Propagative, Result,
};

use crate::args::{CompareArgs, PlotArgs};

/// Samples of a set that is drawn.
const SAMPLES: u64 = 65_536;

/// Steps of a sweep.
const SWEPT: u32 = 120;

/// Samples, resolves, compares, reports and draws.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    if let Some(path) = &args.out {
        writable(path)?;
    }
    let problem = problem(&args.what, &args.set, args.restitution)?;
    let plan = Plan {
        samples: args.samples,
        seed: args.seed,
        device: args.device.clone(),
        precision: args.precision.map(Precision::from),
        law: crate::sample::with_facets("routh", args.facets)?,
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    crate::warn(&record.warnings);
    let comparison = engine.compare(&problem, &plan).map_err(|e| located(e, &args.what))?;
    crate::warn(record.conclude(&problem, &comparison.run));
    if args.json {
        crate::print_json(&compare::json(&problem, &record, &comparison))?;
    } else {
        crate::print(&compare::text(&problem, &record, &comparison))?;
    }
    if let Some(path) = &args.out {
        write(path, &pictures::comparison(&problem, &record, &comparison))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws a sampled set, or what else the options ask for.
pub fn plot(args: &PlotArgs) -> Result<ExitCode> {
    writable(&args.out)?;
    let sampled = [("--samples", args.samples.is_some()), ("--seed", args.seed.is_some())];
    let facets = ("--facets", args.facets.is_some());
    let hypothesis = ("--hypothesis", args.hypothesis.is_some());
    let law = args.law.as_deref();
    if let Some((parameter, low, high)) = &args.sweep {
        let why = "with --sweep the law is propagative, all of whose outcomes are found";
        let other = ("--law", law.is_some_and(|law| law != Propagative::NAME));
        crate::refuse(why, &[other, facets, hypothesis, ("--restitution", args.restitution.is_some())])?;
        crate::refuse(why, &sampled)?;
        return sweep(args, parameter, *low, *high);
    }
    let single = DarbouxKeller::NAME;
    if law == Some(single) {
        crate::refuse(&format!("the law {single} has one outcome, and no facets"), &[facets])?;
        crate::refuse(&format!("the law {single} has one outcome, and no samples"), &sampled)?;
        return hodograph(args);
    }
    let law = law.unwrap_or("routh");
    crate::refuse(&format!("the law {law} has no such option; it belongs to {single}"), &[hypothesis])?;
    let problem = problem(&args.what, &args.set, args.restitution)?;
    let plan = Plan {
        law: crate::sample::with_facets(law, args.facets)?,
        samples: args.samples.unwrap_or(SAMPLES),
        seed: args.seed.unwrap_or(0),
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    crate::warn(&record.warnings);
    let (run, samples) = engine.collect(&problem, &plan).map_err(|e| located(e, &args.what))?;
    require_samples(&run).map_err(|e| located(e, &args.what))?;
    crate::warn(record.conclude(&problem, &run));
    write(&args.out, &pictures::set(&problem, &record, &run, &samples))?;
    Ok(ExitCode::SUCCESS)
}

/// Draws the hodograph of one spatial contact.
fn hodograph(args: &PlotArgs) -> Result<ExitCode> {
    let problem = problem(&args.what, &args.set, args.restitution)?;
    crate::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let hypothesis = args.hypothesis.map_or(Hypothesis::Stronge, Into::into);
    let law = DarbouxKeller { hypothesis, restitution: None };
    crate::warn(&RunRecord::resolved(&problem, &FiniteLaw::DarbouxKeller(law)).warnings);
    let resolved = law.resolve(&problem).map_err(|e| located(e, &args.what))?;
    if let Some(outcome) = resolved.outcomes.first() {
        write(&args.out, &pictures::hodograph(&problem, &outcome.details))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws the indeterminacy of the propagative law over a parameter.
fn sweep(args: &PlotArgs, parameter: &str, low: f64, high: f64) -> Result<ExitCode> {
    let document = crate::open(&args.what)?;
    let mut name = String::new();
    let mut points = Vec::new();
    for i in 0..=SWEPT {
        let value = low + (high - low) * f64::from(i) / f64::from(SWEPT);
        let mut set = crate::values(&args.set);
        set.push((parameter, value));
        let problem = document.problem(&set)?;
        if i == 0 {
            crate::warn(problem.warnings());
        }
        let resolved = Propagative::default().resolve(&problem).map_err(|e| located(e, &args.what))?;
        points.push([value, resolved.about.indeterminacy]);
        name = problem.name().to_string();
    }
    write(&args.out, &pictures::sweep(&name, parameter, &points))?;
    Ok(ExitCode::SUCCESS)
}

fn problem(what: &str, set: &[(String, f64)], restitution: Option<f64>) -> Result<ContactProblem> {
    let problem = crate::load(what, set)?;
    restitution.map_or(Ok(problem.clone()), |e| crate::with_restitution(&problem, e))
}

/// An error of a problem or its set, with the file it is from.
pub fn located(error: Error, what: &str) -> Error {
    if matches!(error.kind, ErrorKind::Input | ErrorKind::Empty) && error.excerpt.is_none() {
        error.in_text(what, "", 0..0)
    } else {
        error
    }
}

/// Refuses what is no SVG file, or cannot be written, before anything is computed.
pub fn writable(path: &Path) -> Result<()> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => output::writable(path),
        _ => Err(Error::usage("expected the name of an .svg file").at(path.display().to_string())),
    }
}

/// Writes a picture, under its name once it is whole.
pub fn write(path: &Path, picture: &Picture) -> Result<()> {
    output::write(path, &picture.svg()?)
}
