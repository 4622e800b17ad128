//! `carom query`: questions to a set.

use std::path::Path;
use std::process::ExitCode;

use carom::output::RunRecord;
use carom::output::query::{Question, reply};
use carom::output::saved::{self, SavedSet};
use carom::study::{SampledSet, require_samples};
use carom::{ContactProblem, Cost, Engine, Error, Law, Precision, Reach, Result};
use serde_json::{Value, json};

use crate::args::{Ask, ByCoordinate, QueryArgs};
use crate::{input, options, terminal};

/// Samples of a set that is not in a file.
const SAMPLES: u64 = 65_536;

/// Reads or samples the set, and answers.
pub fn run(args: &QueryArgs) -> Result<ExitCode> {
    let asking = args.ask.asking();
    let path = Path::new(&args.what);
    let SavedSet { set, record } = match saved::is_saved(path) {
        true => read(args, path)?,
        false => sample(args)?,
    };
    let question = question(&args.ask, set.problem())?;
    let inelastic = record["law"] == json!("routh") && record["process"] != json!("steps");
    let exact = if inelastic { Reach::default().soon(set.problem())? } else { None };
    let answer = reply(&set, exact.as_ref(), &question).map_err(|e| input::located(e, &args.what))?;
    if asking.json {
        terminal::print_json(&with(record, answer.json))?;
    } else {
        let head = format!("set         {} samples of {}\n", set.len(), set.problem().name());
        terminal::print(&(head + &answer.text))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the set from a file.
fn read(args: &QueryArgs, path: &Path) -> Result<SavedSet> {
    let asking = args.ask.asking();
    let given = [("--set", !asking.set.is_empty()), ("--samples", asking.samples.is_some())];
    options::refuse("a file has its samples already", &given)?;
    saved::read(path)
}

/// Samples the set.
fn sample(args: &QueryArgs) -> Result<SavedSet> {
    let asking = args.ask.asking();
    let problem =
        options::with_options(&asking.how, input::open(&args.what)?.problem(&input::values(&asking.set))?)?;
    let plan = options::plan(&asking.how, asking.samples.unwrap_or(SAMPLES))?;
    options::effective(&asking.how, &plan.law, &[&problem])?;
    let engine = Engine::open_for(&problem, &plan)?;
    let precision = engine.precision(&plan);
    let mut record = RunRecord::new(&problem, &plan, engine.info(), precision);
    terminal::warn(&record.warnings);
    // A wrong question is refused before a long run.
    question(&args.ask, &problem)?;
    let mut set = match precision {
        Precision::F32 => SampledSet::new::<f32>(&problem)?,
        Precision::F64 => SampledSet::new::<f64>(&problem)?,
    };
    let residual = residual(&plan.law, &problem, precision)?;
    let bar = terminal::bar(plan.samples);
    let run = engine.sample(&problem, &plan, |samples| {
        bar.inc(samples.len() as u64);
        set.add(samples, residual);
        Ok(())
    });
    bar.finish_and_clear();
    let run = run.map_err(|e| input::located(e, &args.what))?;
    require_samples(&run).map_err(|e| input::located(e, &args.what))?;
    terminal::warn(record.conclude(&problem, &run));
    Ok(SavedSet { set, record: json!(record) })
}

/// The largest residual of an accepted sample.
fn residual(law: &Law, problem: &ContactProblem, precision: Precision) -> Result<f64> {
    let prepared = law.prepare::<f64>(problem)?;
    Ok(match precision {
        Precision::F32 => prepared.most_residual::<f32>(),
        Precision::F64 => prepared.most_residual::<f64>(),
    })
}

/// The question that the command line asks.
fn question(ask: &Ask, problem: &ContactProblem) -> Result<Question> {
    Ok(match ask {
        Ask::Support { direction, .. } => {
            let c = direction.of(problem, vec![0.0; problem.coordinate_count()], "--direction")?;
            carom::check_direction(problem, &c)?;
            Question::Support(c)
        }
        Ask::Worst { cost, .. } => Question::Worst(Cost::new(problem, cost)?),
        Ask::Distance { velocity, .. } => Question::Distance(velocity_of(velocity, problem)?),
        Ask::Contains { velocity, eps, .. } => {
            Question::Contains(velocity_of(velocity, problem)?, positive(*eps, "--eps")?)
        }
        Ask::Extents { .. } => Question::Extents,
        Ask::Modes { .. } => Question::Modes,
        Ask::Representatives { count, .. } => {
            Question::Representatives(usize::try_from(*count).unwrap_or(usize::MAX))
        }
        Ask::Clusters { gap, .. } => Question::Clusters(positive(*gap, "--gap")?),
        Ask::Invariants { .. } => Question::Invariants,
    })
}

/// A velocity, all of whose coordinates are given.
fn velocity_of(velocity: &ByCoordinate, problem: &ContactProblem) -> Result<Vec<f64>> {
    let (n, option) = (problem.coordinate_count(), "--velocity");
    let numbers = velocity.of(problem, vec![f64::NAN; n], option)?;
    match numbers.iter().position(|x| x.is_nan()) {
        None => Ok(numbers),
        Some(at) => Err(Error::usage(format!("there is no number for `{}`", problem.coordinates()[at]))
            .at(option)
            .hint(format!("the coordinates are {}", problem.coordinates().join(", ")))),
    }
}

fn positive(x: f64, at: &str) -> Result<f64> {
    if x > 0.0 && x.is_finite() {
        return Ok(x);
    }
    Err(Error::usage(format!("expected a number above 0, found {x}")).at(at))
}

/// The record of the run, without what a file says of its columns, and the answer.
fn with(mut record: Value, answer: Value) -> Value {
    if let (Value::Object(record), Value::Object(answer)) = (&mut record, answer) {
        record.remove("problem");
        record.remove("status");
        record.extend(answer);
    }
    record
}
