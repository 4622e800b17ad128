//! `carom resolve`: all outcomes of a law with finitely many outcomes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::args::ResolveArgs;
use crate::{ContactProblem, Error, ErrorKind, Result, input, interrupts, options, terminal};
use carom_engine::run;
use carom_law::{FiniteLaw, Limits};
use carom_report::{RunRecord, resolved};

pub fn run(args: &ResolveArgs) -> Result<u8> {
    let Some(law) = args.law()? else {
        let applying = applying(&input::load(&args.problem)?);
        return Err(Error::usage(format!("expected a law; these apply: {}", applying.join(", ")))
            .at("--law")
            .hint("`carom compare` resolves all of them, beside the set"));
    };
    if let Some(e) = args.restitution.filter(|_| law.inelastic()) {
        run::inelastic(law.name(), e)?;
    }
    let problem = input::problem_with(&args.problem, args.restitution)?;
    options::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let mut record = RunRecord::resolved(&problem, &law);
    terminal::warn(&record.warnings);
    let stop = interrupts::flag()?;
    let limits = Limits::until(Arc::clone(&stop));
    let found = law.resolve_within(&problem, &limits).map_err(|e| match e.kind {
        ErrorKind::Input if e.excerpt.is_none() => {
            e.in_text(&args.problem.what.to_string_lossy(), "", 0..0)
        }
        _ => e,
    })?;
    terminal::warn(record.warn(found.warnings.clone()));
    if args.json {
        terminal::print_json(&resolved::json(&problem, &record, &found))?;
    } else {
        terminal::print(&resolved::text(&problem, &record, &found))?;
    }
    Ok(if stop.load(Ordering::Relaxed) { terminal::INTERRUPTED } else { terminal::DONE })
}

/// The laws applicable to a problem. A law that takes longer than a second counts as applicable.
fn applying(problem: &ContactProblem) -> Vec<&'static str> {
    let limits = Limits::default().within(Duration::from_secs(1));
    let applies = |name: &&str| {
        let found = FiniteLaw::named(name).map(|law| law.resolve_within(problem, &limits));
        found.is_some_and(|found| found.map_or_else(|e| e.kind == ErrorKind::Interrupted, |_| true))
    };
    FiniteLaw::NAMES.into_iter().filter(applies).collect()
}
