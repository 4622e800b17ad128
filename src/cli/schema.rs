//! `carom schema`: the form of files and reports, as JSON Schemas.

use crate::Result;
use crate::run::Run;

use crate::cli::args::{SchemaArg, SchemaArgs};
use crate::cli::terminal;

/// Prints a schema.
pub fn run(args: &SchemaArgs) -> Result<u8> {
    terminal::print(match args.of {
        SchemaArg::Problem => include_str!("../../schemas/problem.json"),
        SchemaArg::Scene => include_str!("../../schemas/scene.json"),
        SchemaArg::Event => include_str!("../../schemas/event.json"),
        SchemaArg::Sample => include_str!("../../schemas/sample.json"),
        SchemaArg::Resolve => include_str!("../../schemas/resolve.json"),
        SchemaArg::Bound => include_str!("../../schemas/bound.json"),
        SchemaArg::Set => include_str!("../../schemas/set.json"),
        SchemaArg::Query => include_str!("../../schemas/query.json"),
        SchemaArg::Replay => include_str!("../../schemas/replay.json"),
        SchemaArg::Compare => include_str!("../../schemas/compare.json"),
        SchemaArg::Reality => include_str!("../../schemas/reality.json"),
        SchemaArg::Guarantee => include_str!("../../schemas/guarantee.json"),
        SchemaArg::Design => include_str!("../../schemas/design.json"),
        SchemaArg::Doctor => include_str!("../../schemas/doctor.json"),
        SchemaArg::Motion => include_str!("../../schemas/motion.json"),
        SchemaArg::Simulate => include_str!("../../schemas/simulate.json"),
        SchemaArg::Run => return terminal::print_json(&Run::schema()).map(|()| terminal::DONE),
    })?;
    Ok(terminal::DONE)
}
