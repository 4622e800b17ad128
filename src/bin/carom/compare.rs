//! `carom compare`: every law that applies, beside the set.

use std::process::ExitCode;

use carom::output::pictures::{self, Wanted};
use carom::output::{RunRecord, compare};
use carom::{Engine, Plan, Precision, Reach, Result, Routh};

use crate::args::CompareArgs;
use crate::{input, options, picture, terminal};

/// Samples, resolves, compares, reports and draws.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    picture::possible(args.out.as_deref(), &args.drawing)?;
    let (problem, scenery) = input::staged(&args.problem)?;
    let problem = input::restituted(problem, args.restitution)?;
    let plan = Plan {
        samples: args.samples,
        seed: args.seed,
        device: args.device.clone(),
        precision: args.precision.map(Precision::from),
        law: options::with_choices(Routh::NAME, args.facets, args.sampler)?,
        stop: Some(terminal::interrupts()?),
        ..Plan::default()
    };
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    terminal::warn(&record.warnings);
    let comparison = engine.compare(&problem, &plan).map_err(|e| input::located(e, &args.problem.what))?;
    terminal::warn(record.conclude(&problem, &comparison.run));
    if !problem.uncertainty().is_none() {
        let warning = "the set is of uncertain numbers; the laws beside it take them as they are given";
        terminal::warn(record.warn(vec![warning.to_string()]));
    }
    if args.json {
        terminal::print_json(&compare::json(&problem, &record, &comparison))?;
    } else {
        terminal::print(&compare::text(&problem, &record, &comparison))?;
    }
    if let Some(path) = &args.out {
        let wanted = Wanted { scenery, ..picture::wanted(&args.drawing) };
        let exact = Reach::default().soon(&problem)?;
        let drawn = pictures::comparison(&problem, &record, &comparison, exact.as_ref(), &wanted)?;
        picture::write(path, &drawn, args.drawing.size)?;
    }
    Ok(ExitCode::SUCCESS)
}
