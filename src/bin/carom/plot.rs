//! `carom plot`: pictures of a set, of a hodograph, of an indeterminacy.

use std::process::ExitCode;

use carom::output::{RunRecord, pictures};
use carom::study::require_samples;
use carom::{DarbouxKeller, Engine, FiniteLaw, Hypothesis, Plan, Propagative, Result, Routh};

use crate::args::PlotArgs;
use crate::{input, options, svg, terminal};

/// Samples of a set that is drawn.
const SAMPLES: u64 = 65_536;

/// Steps of a sweep.
const SWEPT: u32 = 120;

/// Draws a sampled set, or what else the options ask for.
pub fn run(args: &PlotArgs) -> Result<ExitCode> {
    svg::writable(&args.out)?;
    let sampled = [
        ("--samples", args.samples.is_some()),
        ("--seed", args.seed.is_some()),
        ("--sampler", args.sampler.is_some()),
    ];
    let facets = ("--facets", args.facets.is_some());
    let hypothesis = ("--hypothesis", args.hypothesis.is_some());
    let law = args.law.as_deref();
    if let Some((parameter, low, high)) = &args.sweep {
        let why = "with --sweep the law is propagative, all of whose outcomes are found";
        let other = ("--law", law.is_some_and(|law| law != Propagative::NAME));
        options::refuse(why, &[other, facets, hypothesis, ("--restitution", args.restitution.is_some())])?;
        options::refuse(why, &sampled)?;
        return sweep(args, parameter, *low, *high);
    }
    let single = DarbouxKeller::NAME;
    if law == Some(single) {
        options::refuse(&format!("the law {single} has one outcome, and no facets"), &[facets])?;
        options::refuse(&format!("the law {single} has one outcome, and no samples"), &sampled)?;
        return hodograph(args);
    }
    let law = law.unwrap_or(Routh::NAME);
    options::refuse(
        &format!("a picture of the law {law} has no such option; one of {single} has"),
        &[hypothesis],
    )?;
    let problem = input::problem_with(&args.problem, args.restitution)?;
    let plan = Plan {
        law: options::with_choices(law, args.facets, args.sampler)?,
        samples: args.samples.unwrap_or(SAMPLES),
        seed: args.seed.unwrap_or(0),
        stop: Some(terminal::interrupts()?),
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    terminal::warn(&record.warnings);
    let (run, samples) =
        engine.collect(&problem, &plan).map_err(|e| input::located(e, &args.problem.what))?;
    require_samples(&run).map_err(|e| input::located(e, &args.problem.what))?;
    terminal::warn(record.conclude(&problem, &run));
    svg::write(&args.out, &pictures::set(&problem, &record, &run, &samples))?;
    Ok(ExitCode::SUCCESS)
}

/// Draws the hodograph of one spatial contact.
fn hodograph(args: &PlotArgs) -> Result<ExitCode> {
    let problem = input::problem_with(&args.problem, args.restitution)?;
    options::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let hypothesis = args.hypothesis.map_or(Hypothesis::Stronge, Into::into);
    let law = DarbouxKeller { hypothesis, restitution: None };
    terminal::warn(&RunRecord::resolved(&problem, &FiniteLaw::DarbouxKeller(law)).warnings);
    let resolved = law.resolve(&problem).map_err(|e| input::located(e, &args.problem.what))?;
    if let Some(outcome) = resolved.outcomes.first() {
        svg::write(&args.out, &pictures::hodograph(&problem, &outcome.details))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws the indeterminacy of the propagative law over a parameter.
fn sweep(args: &PlotArgs, parameter: &str, low: f64, high: f64) -> Result<ExitCode> {
    let document = input::open(&args.problem.what)?;
    let mut name = String::new();
    let mut points = Vec::new();
    for i in 0..=SWEPT {
        let value = low + (high - low) * f64::from(i) / f64::from(SWEPT);
        let mut set = input::values(&args.problem.set);
        set.push((parameter, value));
        let problem = input::with_velocity(document.problem(&set)?, args.problem.velocity.as_ref())?;
        if i == 0 {
            terminal::warn(problem.warnings());
        }
        let resolved =
            Propagative::default().resolve(&problem).map_err(|e| input::located(e, &args.problem.what))?;
        points.push([value, resolved.about.indeterminacy]);
        name = problem.name().to_string();
    }
    svg::write(&args.out, &pictures::sweep(&name, parameter, &points))?;
    Ok(ExitCode::SUCCESS)
}
