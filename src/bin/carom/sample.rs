//! `carom sample`: the outcomes of an impact.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use carom::output;
use carom::output::RunRecord;
use carom::output::report;
use carom::{
    ContactProblem, Engine, Error, ErrorKind, Hypothesis, Law, Orders, Plan, Precision, ProcessKind,
    Propagative, Result, Routh, Run, Sampler, Sequential, Solution, Status,
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{LawArgs, SampleArgs};
use crate::compare::located;

/// Loads, samples, writes and reports.
pub fn run(args: &SampleArgs) -> Result<ExitCode> {
    let problem = with_options(&args.how, crate::load(&args.what, &args.set)?)?;
    let plan = plan(&args.how, args.samples)?;
    effective(&args.how, &plan.law, &[&problem])?;
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    crate::warn(&record.warnings);
    let run = sample(args, &engine, &problem, &plan, &record).map_err(|e| located(e, &args.what))?;
    crate::warn(record.conclude(&problem, &run));
    if args.json {
        crate::print_json(&report::json(&problem, &record, &run))?;
    } else {
        crate::print(&report::text(&problem, &record, &run))?;
    }
    if args.explain {
        explain(&run);
    }
    let summary = &run.summary;
    let ended = Ended {
        samples: summary.samples,
        terminated: summary.terminated(),
        limited: summary.count(Status::StepLimit),
        accepted: summary.accepted,
    };
    Ok(ended.verdict(args.how.max_rejected, sets_limit(&args.how, &[&problem])))
}

/// How many samples ended, and how.
pub struct Ended {
    pub samples: u64,
    pub terminated: u64,
    pub limited: u64,
    pub accepted: u64,
}

impl Ended {
    /// The exit code; says on stderr why it is not 0. Of the samples as many are to end, and of those that end as many to be
    /// accepted, as `allowed` leaves. A limit that is `set` is a result for those that reach it, but not for all.
    pub fn verdict(&self, allowed: f64, set: bool) -> ExitCode {
        let Ended { samples, terminated, limited, accepted } = *self;
        let lost = samples - terminated - if set { limited } else { 0 };
        let mut failed = terminated == 0;
        for (count, of, which, fault) in [
            (lost, samples, "samples", "did not end"),
            (terminated - accepted, terminated, "terminated samples", "were not accepted"),
        ] {
            let share = if of == 0 { 0.0 } else { count as f64 / of as f64 };
            if share > allowed {
                failed = true;
                let (share, allowed) = (100.0 * share, 100.0 * allowed);
                let _ = writeln!(
                    io::stderr(),
                    "{count} of {of} {which} ({share:.3} %) {fault}; --max-rejected allows {allowed:.3} %"
                );
            }
        }
        if failed { ExitCode::from(crate::REJECTED) } else { ExitCode::SUCCESS }
    }
}

/// Whether the command line or a file sets the limit on steps.
pub fn sets_limit(how: &LawArgs, problems: &[&ContactProblem]) -> bool {
    let by_file = || problems.iter().any(|problem| problem.spec().max_steps.is_some());
    how.max_steps.is_some() || matches!(sampled(&how.law), Law::Routh(_)) && by_file()
}

/// What the command line asks for; the number of threads is set, and interrupts are listened to, from here on.
pub fn plan(how: &LawArgs, samples: u64) -> Result<Plan> {
    if let Some(threads) = how.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global();
        pool.map_err(|e| Error::usage(format!("cannot start {threads} threads: {e}")).at("--threads"))?;
    }
    Ok(Plan {
        law: law(how)?,
        samples,
        seed: how.seed,
        device: how.device.clone(),
        precision: how.precision.map(Precision::from),
        solver: how.solver,
        stop: Some(crate::interrupts()?),
        ..Plan::default()
    })
}

/// The law of a name that the command line takes, with its defaults and with facets where they are asked for.
pub fn with_facets(name: &str, facets: Option<u32>) -> Result<Law> {
    match sampled(name) {
        Law::Routh(law) => Ok(Law::Routh(Routh { facets, ..law })),
        law if facets.is_none() => Ok(law),
        _ => {
            Err(Error::usage(format!("the law {name} has no such option; it belongs to routh"))
                .at("--facets"))
        }
    }
}

/// The law of a name that the command line takes, with its defaults.
pub fn sampled(name: &str) -> Law {
    match name {
        Sequential::NAME => Law::Sequential(Orders::default()),
        Propagative::NAME => Law::Propagative(Orders::default()),
        _ => Law::default(),
    }
}

/// The law that the command line names, with its options.
fn law(args: &LawArgs) -> Result<Law> {
    let law = match sampled(&args.law) {
        Law::Routh(_) => {
            return Ok(Law::Routh(Routh {
                solution: args.solution.map_or(Solution::Random, Into::into),
                sampler: args.sampler,
                persist: args.persist,
                step: args.step,
                max_steps: args.max_steps,
                facets: args.facets,
                hypothesis: args.hypothesis.map_or(Hypothesis::Stronge, Into::into),
            }));
        }
        Law::Sequential(_) => Law::Sequential(Orders { max_steps: args.max_steps }),
        Law::Propagative(_) => Law::Propagative(Orders { max_steps: args.max_steps }),
    };
    let name = law.name();
    crate::refuse(
        &format!(
            "the law {name} has single impacts, no steps of all contacts; --max-steps limits their number"
        ),
        &[
            ("--facets", args.facets.is_some()),
            ("--step", args.step.is_some()),
            ("--persist", args.persist.is_some()),
            ("--sampler", args.sampler != Sampler::Uniform),
            ("--solution", takes_lemke(args)),
        ],
    )?;
    let why = format!("the law {name} has no such option; it belongs to routh");
    crate::refuse(&why, &[("--hypothesis", args.hypothesis.is_some())])?;
    Ok(law)
}

/// Refuses the options given that would do nothing on any of the problems.
pub fn effective(how: &LawArgs, law: &Law, problems: &[&ContactProblem]) -> Result<()> {
    if how.hypothesis.is_some() && problems.iter().all(|problem| law.hypothesis_on(problem).is_none()) {
        return Err(crate::no_restitution());
    }
    let integrated = |problem: &&ContactProblem| law.process_on(problem) == ProcessKind::Inclusion;
    if takes_lemke(how) && problems.iter().all(integrated) {
        let spatial = problems.iter().any(|problem| problem.tangents_per_contact() == 2);
        return Err(Error::usage("an inclusion is integrated here; it has no steps with several solutions")
            .at("--solution")
            .hint(if spatial { "leave it out, or take steps: --facets K" } else { "leave it out" }));
    }
    Ok(())
}

/// Whether steps are to take the solution that Lemke's method finds.
fn takes_lemke(how: &LawArgs) -> bool {
    how.solution.map(Solution::from) == Some(Solution::Lemke)
}

/// Says on stderr how steps were solved, and why so.
fn explain(run: &Run) {
    let mut stderr = io::stderr();
    let _ = writeln!(stderr, "solver: {}", run.solver);
    for line in &run.why {
        let _ = writeln!(stderr, "  {line}");
    }
    let rate = run.summary.samples as f64 / run.seconds_kernel.max(1e-9);
    let (build, kernel) = (1e3 * run.seconds_build, 1e3 * run.seconds_kernel);
    let _ = writeln!(
        stderr,
        "  {build:.1} ms to prepare, {kernel:.1} ms to sample and check: {rate:.3e} samples/s"
    );
}

/// The problem with the restitution that the command line asks for.
pub fn with_options(how: &LawArgs, problem: ContactProblem) -> Result<ContactProblem> {
    let (mut restitution, mut uncertain) =
        (problem.spec().restitution.clone(), problem.uncertainty().clone());
    if let Some(e) = how.restitution {
        if how.law == Sequential::NAME {
            crate::inelastic(&how.law, e)?;
        }
        if how.uncertainty.as_ref().is_some_and(|uncertainty| !uncertainty.restitution.is_empty()) {
            return Err(Error::usage("--restitution and a range of e in --uncertainty exclude each other")
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

/// Samples, with a file where one is asked for and a bar where someone looks.
fn sample(
    args: &SampleArgs,
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
    record: &RunRecord,
) -> Result<Run> {
    let mut file = args.out.as_deref().map(|path| output::create(path, problem, record)).transpose()?;

    let bar = bar(plan.samples);
    let sampled = match &mut file {
        Some(file) => engine.sample(problem, plan, |samples| {
            bar.inc(samples.len() as u64);
            file.write(samples)
        }),
        None => engine.summarize(problem, plan, |count| bar.inc(count)),
    };
    bar.finish_and_clear();
    let run = sampled?;
    if let Some(file) = file {
        file.finish()?;
    }
    Ok(run)
}

/// A bar on stderr, hidden unless that is a terminal.
pub fn bar(length: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
