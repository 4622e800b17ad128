//! `carom plot`: pictures of a set, of a hodograph, of an indeterminacy.

use std::path::Path;
use std::process::ExitCode;

use carom::output::saved::SavedSet;
use carom::output::{RunRecord, pictures};
use carom::study::SampledSet;
use carom::{DarbouxKeller, FiniteLaw, Hypothesis, Propagative, Result};
use serde_json::Value;

use crate::args::{DrawingArgs, PlotArgs};
use crate::{input, options, picture, sets, terminal};

/// Steps of a sweep.
const SWEPT: u32 = 120;

/// Draws a set, or what else the options ask for; `given` are the options on the command line.
pub fn run(args: &PlotArgs, given: &[String]) -> Result<ExitCode> {
    picture::writable(&args.out)?;
    let only = |why: &str, of: &[&str]| {
        let known = [&["--out", "--size", "--title"], of].concat();
        let idle: Vec<_> = given.iter().map(|option| (&option[..], !known.contains(&&option[..]))).collect();
        options::refuse(why, &idle)
    };
    if let Some((parameter, low, high)) = &args.sweep {
        let why = "with --sweep the law is propagative, all of whose outcomes are found";
        options::refuse(
            why,
            &[("--law", given.iter().any(|option| option == "--law") && args.how.law != Propagative::NAME)],
        )?;
        only(why, &["--sweep", "--law", "--set", "--velocity"])?;
        return sweep(args, parameter, *low, *high);
    }
    if args.how.law == DarbouxKeller::NAME {
        let why = format!("the law {} has one outcome, of one contact", DarbouxKeller::NAME);
        only(&why, &["--law", "--set", "--velocity", "--hypothesis", "--restitution"])?;
        return hodograph(args);
    }
    let SavedSet { set, record } = match sets::read(&args.problem.what)? {
        Some(saved) => {
            only("a file has its samples already", &["--axes"])?;
            saved
        }
        None => sample(args)?,
    };
    draw(&set, &record, &args.out, &args.drawing)?;
    Ok(ExitCode::SUCCESS)
}

/// Draws a set, and the exact one behind it, if that is soon known.
pub fn draw(set: &SampledSet, record: &Value, path: &Path, drawing: &DrawingArgs) -> Result<()> {
    let exact = sets::exact(set, record)?;
    let drawn = pictures::set(set, exact.as_ref(), record, &picture::wanted(drawing))?;
    picture::write(path, &drawn, drawing)
}

/// Samples the set.
fn sample(args: &PlotArgs) -> Result<SavedSet> {
    let problem = options::with_options(&args.how, input::load(&args.problem)?)?;
    let plan = options::plan(&args.how, args.samples.unwrap_or(sets::SAMPLES))?;
    options::effective(&args.how, &plan.law, &[&problem])?;
    sets::sample(&problem, &plan, &args.problem.what)
}

/// Draws the hodograph of one spatial contact.
fn hodograph(args: &PlotArgs) -> Result<ExitCode> {
    let problem = input::problem_with(&args.problem, args.how.restitution)?;
    options::hypothesis_matters(args.how.hypothesis.is_some(), &problem)?;
    let hypothesis = args.how.hypothesis.map_or(Hypothesis::Stronge, Into::into);
    let law = DarbouxKeller { hypothesis, restitution: None };
    terminal::warn(&RunRecord::resolved(&problem, &FiniteLaw::DarbouxKeller(law)).warnings);
    let resolved = law.resolve(&problem).map_err(|e| input::located(e, &args.problem.what))?;
    if let Some(outcome) = resolved.outcomes.first() {
        titled(args, pictures::hodograph(&problem, &outcome.details))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a picture under the title that is asked for.
fn titled(args: &PlotArgs, mut drawn: carom::output::plot::Picture) -> Result<()> {
    drawn.title = args.drawing.title.clone().unwrap_or(drawn.title);
    picture::write(&args.out, &drawn, &args.drawing)
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
    titled(args, pictures::sweep(&name, parameter, &points))?;
    Ok(ExitCode::SUCCESS)
}
