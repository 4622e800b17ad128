//! Problems from scenes, files and stdin.

use std::ffi::OsStr;
use std::io;

use crate::args::{ByCoordinate, ProblemArgs};
use crate::{Error, ErrorKind, Result, host};
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_scene::{Cast, Document, Format, Scenery};

/// The option with the velocity before the impact.
pub const VELOCITY: &str = "--velocity";

/// Opens a scene, a file, or stdin if `what` is `-`. Text of stdin that starts with a brace is
/// JSON, else TOML.
pub fn open(what: impl AsRef<OsStr>) -> Result<Document> {
    if what.as_ref() != "-" {
        return Document::open(what);
    }
    let stdin = || io::read_to_string(io::stdin());
    let text = match host::input() {
        Some(text) => text,
        None => stdin().map_err(|e| Error::input(e.to_string()).at("stdin"))?,
    };
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    Document::new("stdin", text, format)
}

pub fn values(set: &[(String, f64)]) -> Vec<(&str, f64)> {
    set.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// The problem of a scene, a file or stdin, with the values of the command line.
pub fn load(args: &ProblemArgs) -> Result<ContactProblem> {
    replaced(open(&args.what)?.problem(&values(&args.set))?, args)
}

pub fn replaced(problem: ContactProblem, args: &ProblemArgs) -> Result<ContactProblem> {
    let problem = match &args.friction {
        Some(friction) => with_friction(&problem, friction)?,
        None => problem,
    };
    with_velocity(problem, args.velocity.as_ref(), VELOCITY)
}

/// The problem with one coefficient of friction for all contacts, or one for each.
pub fn with_friction(problem: &ContactProblem, friction: &[f64]) -> Result<ContactProblem> {
    let friction = match friction {
        [all] => vec![*all; problem.contact_count()],
        _ => friction.to_vec(),
    };
    let spec = ProblemSpec { friction: Some(friction), ..problem.spec().clone() };
    ContactProblem::new(spec).map_err(|error| Error::usage(error.what).at("--friction"))
}

/// The problem, with bodies and walls of the scene, if any.
pub fn staged(args: &ProblemArgs) -> Result<(ContactProblem, Option<Scenery>)> {
    let (document, set) = (open(&args.what)?, values(&args.set));
    let problem = replaced(document.problem(&set)?, args)?;
    let scenery = document.scenery(&set, &problem)?;
    Ok((problem, scenery))
}

pub fn cast(args: &ProblemArgs) -> Result<Cast> {
    let cast = open(&args.what)?.cast(&values(&args.set))?;
    cast.ok_or_else(|| {
        Error::input("this file has no bodies that could be animated")
            .at(&*args.what.to_string_lossy())
            .hint("give a scene; `carom scenes` lists some")
    })
}

pub fn with_velocity(
    mut problem: ContactProblem,
    given: Option<&ByCoordinate>,
    option: &str,
) -> Result<ContactProblem> {
    if let Some(given) = given {
        let velocity = given.of(&problem, problem.velocity().as_slice().to_vec(), option)?;
        problem.set_velocity(&velocity).map_err(|error| Error::usage(error.what).at(option))?;
    }
    Ok(problem)
}

pub fn with_restitution(problem: &ContactProblem, e: f64) -> Result<ContactProblem> {
    let restitution = Some(vec![e; problem.contact_count()]);
    problem.clone().with_numbers(restitution, problem.uncertainty().clone())
}

/// Adds the file name to an error of a problem or its set.
pub fn located(error: Error, what: impl AsRef<OsStr>) -> Error {
    if matches!(error.kind, ErrorKind::Input | ErrorKind::Empty) && error.excerpt.is_none() {
        error.in_text(&what.as_ref().to_string_lossy(), "", 0..0)
    } else {
        error
    }
}

pub fn problem_with(args: &ProblemArgs, restitution: Option<f64>) -> Result<ContactProblem> {
    restituted(load(args)?, restitution)
}

pub fn restituted(problem: ContactProblem, restitution: Option<f64>) -> Result<ContactProblem> {
    match restitution {
        Some(e) => with_restitution(&problem, e),
        None => Ok(problem),
    }
}
