//! What the options of the command line mean for problems, laws and plans; options that would do
//! nothing are refused.

use crate::{
    ContactProblem, Error, ErrorKind, Hypothesis, Law, Orders, Plan, Plus, Precision, ProcessKind,
    Result, Routh, Sampler, Sequential, Solution,
};

use crate::cli::args::{LawArgs, ProcessArg};
use crate::cli::interrupts;

/// Refuses the options given that would do nothing; `why` says so.
pub fn refuse(why: &str, options: &[(&str, bool)]) -> Result<()> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Error::usage(why).at(*option).hint("leave it out")),
    }
}

/// Refuses a `--hypothesis` about restitution that no contact has.
pub fn hypothesis_matters(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.restitution().is_none_or(|e| e.iter().all(|&e| e == 0.0)) {
        return Err(no_restitution());
    }
    Ok(())
}

/// The error of a `--hypothesis` without restitution.
pub fn no_restitution() -> Error {
    Error::usage("no contact has restitution that there could be a hypothesis about")
        .at("--hypothesis")
        .hint("leave it out, or give restitution: --restitution E")
}

/// Refuses a `--restitution` above 0 for an inelastic law.
pub fn inelastic(law: &str, e: f64) -> Result<()> {
    if e > 0.0 {
        return Err(Error::usage(format!("the law {law} is inelastic; expected 0, found {e}"))
            .at("--restitution"));
    }
    Ok(())
}

/// Whether the command line or a file sets the limit on steps; a file's is one on published steps
/// alone.
pub fn sets_limit(how: &LawArgs, law: &Law, problems: &[&ContactProblem]) -> bool {
    let counts = |problem: &&ContactProblem| {
        let blocks = matches!(law.process_on(problem), ProcessKind::Exact | ProcessKind::Inclusion);
        problem.spec().max_steps.is_some() && !blocks
    };
    how.max_steps.is_some() || how.law == Routh::NAME && problems.iter().any(counts)
}

/// What the command line asks for; interrupts are listened to from here on.
pub fn plan(how: &LawArgs, samples: u64) -> Result<Plan> {
    Ok(Plan { stop: Some(interrupts::flag()?), ..uninterrupted(how, samples)? })
}

/// What the command line asks for, where nobody interrupts it.
pub fn uninterrupted(how: &LawArgs, samples: u64) -> Result<Plan> {
    Ok(Plan {
        law: law(how)?,
        samples,
        seed: how.seed,
        device: how.device.clone(),
        precision: how.precision.map(Precision::from),
        solver: how.solver,
        ..Plan::default()
    })
}

/// The law of a name that the command line takes, with facets and a sampler where they are asked
/// for.
pub fn with_choices(name: &str, facets: Option<u32>, sampler: Option<Sampler>) -> Result<Law> {
    match Law::named(name).unwrap_or_default() {
        Law::Routh(law) => {
            let sampler = sampler.unwrap_or(default_sampler(facets.is_some()));
            Ok(Law::Routh(Routh { facets, sampler, ..law }))
        }
        law => {
            refuse(
                &foreign(name, Routh::NAME),
                &[("--facets", facets.is_some()), ("--sampler", draws_rates(sampler))],
            )?;
            Ok(law)
        }
    }
}

/// The sampler where none is named: the published algorithm has its own.
fn default_sampler(published: bool) -> Sampler {
    if published { Sampler::Uniform } else { Sampler::default() }
}

/// Whether a sampler is named that orders of single impacts do not have.
fn draws_rates(sampler: Option<Sampler>) -> bool {
    sampler.is_some_and(|sampler| sampler != Sampler::Uniform)
}

/// The law that the command line names, with its options.
pub fn law(args: &LawArgs) -> Result<Law> {
    let law = match Law::named(&args.law).unwrap_or_default() {
        Law::Plus(_) => Law::Plus(args.plus.law()),
        Law::Routh(_) => {
            refuse(&foreign(&args.law, Plus::NAME), &args.plus.given())?;
            let persists = args.persist.is_some_and(|steps| steps > 1);
            let steps = args.process == Some(ProcessArg::Steps) || args.facets.is_some();
            let published = steps || args.process.is_none() && (persists || takes_lemke(args));
            return Ok(Law::Routh(Routh {
                process: args.process.map(Into::into),
                solution: args.solution.map_or(Solution::Random, Into::into),
                sampler: args.sampler.unwrap_or(default_sampler(published)),
                persist: args.persist,
                step: args.step,
                accuracy: args.accuracy,
                max_steps: args.max_steps,
                facets: args.facets,
                hypothesis: args.hypothesis.map_or(Hypothesis::Stronge, Into::into),
            }));
        }
        Law::Sequential(_) => Law::Sequential(Orders { max_steps: args.max_steps }),
        Law::Propagative(_) => Law::Propagative(Orders { max_steps: args.max_steps }),
    };
    let name = law.name();
    let why = match law {
        Law::Plus(_) => format!("the law {name} has rounds of all contacts, no steps"),
        _ => {
            refuse(&foreign(name, Plus::NAME), &args.plus.given())?;
            format!(
                "the law {name} has single impacts, no steps of all contacts; --max-steps limits their number"
            )
        }
    };
    let limited = args.max_steps.is_some() && matches!(law, Law::Plus(_));
    refuse(
        &why,
        &[
            ("--process", args.process.is_some()),
            ("--facets", args.facets.is_some()),
            ("--step", args.step.is_some()),
            ("--accuracy", args.accuracy.is_some()),
            ("--persist", args.persist.is_some()),
            ("--sampler", draws_rates(args.sampler)),
            ("--solution", takes_lemke(args)),
            ("--max-steps", limited),
        ],
    )?;
    refuse(&foreign(name, Routh::NAME), &[("--hypothesis", args.hypothesis.is_some())])?;
    Ok(law)
}

/// Why an option of another law is refused.
fn foreign(law: &str, of: &str) -> String {
    format!("the law {law} has no such option; it belongs to {of}")
}

/// Refuses the options given that would do nothing on any of the problems.
pub fn effective(how: &LawArgs, law: &Law, problems: &[&ContactProblem]) -> Result<()> {
    if how.hypothesis.is_some()
        && problems.iter().all(|problem| law.hypothesis_on(problem).is_none())
    {
        return Err(no_restitution());
    }
    let other = |problem: &&ContactProblem| {
        matches!(law.process_on(problem), ProcessKind::Inclusion | ProcessKind::Exact)
    };
    if let Some(first) = problems.first().filter(|_| takes_lemke(how) && problems.iter().all(other))
    {
        let process = law.process_on(first).word();
        let what = format!(
            "the process `{process}` has no steps whose solution Lemke's method could find"
        );
        return Err(Error::usage(what)
            .at("--solution")
            .hint("leave it out, or take steps: --process steps, in space --facets K"));
    }
    let integrated = |problem: &&ContactProblem| law.process_on(problem) == ProcessKind::Inclusion;
    if let Some(first) =
        problems.first().filter(|_| how.accuracy.is_some() && !problems.iter().any(integrated))
    {
        let process = law.process_on(first).word();
        return Err(Error::usage(format!(
            "the process `{process}` has no accuracy that could be chosen"
        ))
        .at("--accuracy")
        .hint("leave it out, or take --process inclusion"));
    }
    Ok(())
}

/// Whether steps are to take the solution that Lemke's method finds.
fn takes_lemke(how: &LawArgs) -> bool {
    how.solution.map(Solution::from) == Some(Solution::Lemke)
}

/// The problem with the restitution that the command line asks for.
pub fn with_options(how: &LawArgs, problem: ContactProblem) -> Result<ContactProblem> {
    let (mut restitution, mut uncertain) =
        (problem.spec().restitution.clone(), problem.uncertainty().clone());
    if let Some(e) = how.restitution {
        if how.law == Sequential::NAME && problem.tangents_per_contact() < 2 {
            inelastic(&how.law, e)?;
        }
        if how.uncertainty.as_ref().is_some_and(|uncertainty| !uncertainty.restitution.is_empty()) {
            return Err(Error::usage(
                "--restitution and a range of e in --uncertainty exclude each other",
            )
            .at("--restitution")
            .hint("leave one of them out"));
        }
        restitution = Some(vec![e; problem.contact_count()]);
        uncertain.restitution.clear();
    }
    if let Some(uncertainty) = &how.uncertainty {
        uncertain = uncertainty.clone();
    }
    problem.with_numbers(restitution, uncertain).map_err(|error| match &error.at {
        Some(at) if at.starts_with("uncertainty") && how.uncertainty.is_some() => {
            Error { kind: ErrorKind::Usage, ..error.at("--uncertainty") }
        }
        _ => error,
    })
}
