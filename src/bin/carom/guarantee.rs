//! `carom guarantee`: what theorems promise of a problem.

use std::process::ExitCode;

use carom::output::guarantee;
use carom::{Result, guarantee as promised};

use crate::args::GuaranteeArgs;
use crate::{input, terminal};

/// Loads, evaluates and reports.
pub fn run(args: &GuaranteeArgs) -> Result<ExitCode> {
    let problem = input::load(&args.problem)?;
    terminal::warn(problem.warnings());
    let found = promised(&problem);
    if args.json {
        terminal::print_json(&guarantee::json(&problem, &found))?;
    } else {
        terminal::print(&guarantee::text(&problem, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}
