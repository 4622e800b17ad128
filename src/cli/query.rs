//! `carom query`: questions to a set.

use crate::args::{Ask, ByCoordinate, QueryArgs};
use crate::{ContactProblem, Error, Result, host, input, options, sets, terminal};
use carom_analysis::bounds::Cost;
use carom_core::Limits;
use carom_data::saved::SavedSet;
use carom_report::query::{Question, reply};
use serde_json::Value;

/// Most representatives: each is compared with all samples.
const REPRESENTATIVES: u64 = 4096;
/// Numbers with a larger magnitude are refused: their squares overflow.
const LARGEST: f64 = 1e140;

pub fn run(args: &QueryArgs, given: &[String]) -> Result<u8> {
    let asking = args.ask.asking();
    let SavedSet { set, record } = match sets::read(&args.what)? {
        Some(saved) => {
            const ASKED: [&str; 7] =
                ["--direction", "--cost", "--velocity", "--eps", "--count", "--gap", "--json"];
            let idle = given.iter().map(|option| (&option[..], !ASKED.contains(&&option[..])));
            options::refuse("a file has its samples already", &idle.collect::<Vec<_>>())?;
            saved
        }
        None => sample(args)?,
    };
    let question = question(&args.ask, set.problem())?;
    sets::answerable(&record, &question)?;
    let look = || reply(&set, &sets::exact(&set, &record), &question, &Limits::until(host::stop()));
    let answer = terminal::waiting("looking", look).map_err(|e| input::located(e, &args.what))?;
    if asking.json {
        terminal::print_json(&with(record, answer.json))?;
    } else {
        let head = format!("set         {} samples of {}\n", set.len(), set.problem().name());
        terminal::print(&(head + &answer.text))?;
    }
    Ok(terminal::DONE)
}

/// Samples the set. Invalid questions are refused before a long run.
fn sample(args: &QueryArgs) -> Result<SavedSet> {
    let asking = args.ask.asking();
    let problem = input::open(&args.what)?.problem(&input::values(&asking.set))?;
    let problem = input::with_velocity(problem, asking.before.as_ref(), "--before")?;
    let mut asked = asking.how.asked.modelled(asking.samples)?;
    // Questions concern the set of the law, not forecasts.
    asked.law_only |= asked.model.is_some();
    let problem = asked.on(problem)?;
    let plan = options::plan(&asked, &problem)?;
    question(&args.ask, &problem)?;
    sets::sample(&problem, &plan, &args.what)
}

pub fn question(ask: &Ask, problem: &ContactProblem) -> Result<Question> {
    Ok(match ask {
        Ask::Support { direction, .. } => {
            let c = direction.of(problem, vec![0.0; problem.coordinate_count()], "--direction")?;
            carom_analysis::bounds::check_direction(problem, &c)?;
            Question::Support(c)
        }
        Ask::Worst { cost, .. } => Question::Worst(Cost::new(problem, cost)?),
        Ask::Distance { velocity, .. } => Question::Distance(velocity_of(velocity, problem)?),
        Ask::Contains { velocity, eps, .. } => {
            Question::Contains(velocity_of(velocity, problem)?, positive(*eps, "--eps")?)
        }
        Ask::Extents { .. } => Question::Extents,
        Ask::Modes { .. } => Question::Modes,
        Ask::Representatives { count, .. } if *count > REPRESENTATIVES => {
            let what = format!("at most {REPRESENTATIVES} representatives");
            return Err(Error::usage(what).at("--count"));
        }
        Ask::Representatives { count, .. } => Question::Representatives(*count as usize),
        Ask::Clusters { gap, .. } => Question::Clusters(positive(*gap, "--gap")?),
        Ask::Invariants { .. } => Question::Invariants,
    })
}

/// A velocity with NaN for unnamed coordinates, which are unconstrained.
fn velocity_of(velocity: &ByCoordinate, problem: &ContactProblem) -> Result<Vec<f64>> {
    let (n, option) = (problem.coordinate_count(), "--velocity");
    let numbers = velocity.of(problem, vec![f64::NAN; n], option)?;
    match numbers.iter().find(|x| x.abs() > LARGEST) {
        None => Ok(numbers),
        Some(x) => {
            let what = format!("a velocity of {x:e} is too large to be compared");
            Err(Error::usage(what).at(option))
        }
    }
}

fn positive(x: f64, at: &str) -> Result<f64> {
    let wrong = || Error::usage(format!("expected a number above 0, found {x}")).at(at);
    Some(x).filter(|x| *x > 0.0 && x.is_finite()).ok_or_else(wrong)
}

/// The record of the run without its description of columns, and the answer.
fn with(mut record: Value, answer: Value) -> Value {
    if let (Value::Object(record), Value::Object(answer)) = (&mut record, answer) {
        record.remove("problem");
        record.remove("status");
        record.remove("mode");
        record.extend(answer);
    }
    record
}
