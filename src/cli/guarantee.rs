//! `carom guarantee`: what theorems promise of a problem.

use crate::output::guarantee;
use crate::{Result, guarantee_until};

use crate::cli::args::GuaranteeArgs;
use crate::cli::{input, interrupts, terminal};

/// Loads, evaluates and reports.
pub fn run(args: &GuaranteeArgs) -> Result<u8> {
    let problem = input::load(&args.problem)?;
    terminal::warn(problem.warnings());
    let found = guarantee_until(&problem, &Some(interrupts::flag()?))?;
    if args.json {
        terminal::print_json(&guarantee::json(&problem, &found))?;
    } else {
        terminal::print(&guarantee::text(&problem, &found))?;
    }
    Ok(terminal::DONE)
}
