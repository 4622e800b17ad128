//! `carom guarantee`: guarantees of theorems for a problem.

use crate::args::GuaranteeArgs;
use crate::{Error, Result, input, interrupts, terminal};
use carom_analysis::bounds::proof::length;
use carom_analysis::guarantee::guarantee_until;
use carom_core::Limits;
use carom_report::guarantee::{Promises, text};
use serde_json::json;

pub fn run(args: &GuaranteeArgs) -> Result<u8> {
    let problem = input::load(&args.problem)?;
    terminal::warn(problem.warnings());
    let acceleration = args.acceleration.as_ref().map(|given| {
        let zero = vec![0.0; problem.coordinate_count()];
        let acceleration = given.of(&problem, zero, "--acceleration")?;
        Ok::<f64, Error>(length(problem.mass(), &acceleration.into()))
    });
    let acceleration = acceleration.transpose()?;
    let found = guarantee_until(&problem, &Limits::until(interrupts::flag()?))?;
    if args.json {
        terminal::print_json(&json!(Promises::new(&problem, &found, acceleration)))?;
    } else {
        terminal::print(&text(&problem, &found, acceleration))?;
    }
    Ok(terminal::DONE)
}
