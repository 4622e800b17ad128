//! `carom resolve`: all outcomes of a law that has finitely many.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::output::RunRecord;
use crate::output::resolved;
use crate::{Effort, ErrorKind, Result, run};

use crate::cli::args::ResolveArgs;
use crate::cli::{input, interrupts, options, terminal};

/// Loads, resolves and reports.
pub fn run(args: &ResolveArgs) -> Result<u8> {
    let law = args.law()?;
    if let Some(e) = args.restitution.filter(|_| law.inelastic()) {
        run::inelastic(law.name(), e)?;
    }
    let mut problem = input::load(&args.problem)?;
    if let Some(e) = args.restitution {
        problem = input::with_restitution(&problem, e)?;
    }
    options::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let mut record = RunRecord::resolved(&problem, &law);
    terminal::warn(&record.warnings);
    let stop = interrupts::flag()?;
    let effort = Effort::until(Arc::clone(&stop));
    let found = law.resolve_within(&problem, &effort).map_err(|e| match e.kind {
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
