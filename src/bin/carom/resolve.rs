//! `carom resolve`: all outcomes of a law that has finitely many.

use std::process::ExitCode;

use carom::output::RunRecord;
use carom::output::resolved;
use carom::{ErrorKind, Result};

use crate::args::ResolveArgs;

/// Loads, resolves and reports.
pub fn run(args: &ResolveArgs) -> Result<ExitCode> {
    let law = args.law()?;
    if let Some(e) = args.restitution.filter(|_| law.inelastic()) {
        crate::inelastic(law.name(), e)?;
    }
    let mut problem = crate::load(&args.what, &args.set)?;
    if let Some(e) = args.restitution {
        problem = crate::with_restitution(&problem, e)?;
    }
    crate::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let mut record = RunRecord::resolved(&problem, &law);
    crate::warn(&record.warnings);
    let found = law.resolve(&problem).map_err(|e| match e.kind {
        ErrorKind::Input if e.excerpt.is_none() => e.in_text(&args.what, "", 0..0),
        _ => e,
    })?;
    crate::warn(record.warn(found.warnings.clone()));
    if args.json {
        crate::print_json(&resolved::json(&problem, &record, &found))?;
    } else {
        crate::print(&resolved::text(&problem, &record, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}
