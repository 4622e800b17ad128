//! `carom schema`: the form of files and reports, as JSON Schemas.

use serde_json::{Value, json};

use crate::benchmark::text as bench;
use carom_core::error::Result;
use carom_engine::run::{Field, Run};
use carom_law::Law;
use carom_report::{
    answer, bounds, compare, design, exact_set, guarantee, identify, motion, reality, replay,
    report, resolved, schema,
};

use crate::args::{SchemaArg, SchemaArgs};
use crate::doctor::Doctor;
use crate::terminal;

/// Prints a schema.
pub fn run(args: &SchemaArgs) -> Result<u8> {
    terminal::print(match args.of {
        SchemaArg::Problem => include_str!("schemas/problem.json"),
        SchemaArg::Scene => include_str!("schemas/scene.json"),
        SchemaArg::Event => include_str!("schemas/event.json"),
        SchemaArg::Motion => include_str!("schemas/motion.json"),
        SchemaArg::Resolve => return shown(&schema::found::<resolved::ResolvedReport<'_>>()),
        SchemaArg::Compare => return shown(&schema::sampled::<compare::CompareReport<'_>>()),
        SchemaArg::Identify => return shown(&schema::of::<identify::IdentifyReport<'_>>()),
        SchemaArg::Query => return shown(&schema::answered::<answer::QueryReport<'_>>()),
        SchemaArg::Replay => return shown(&schema::sampled::<replay::Path<'_>>()),
        SchemaArg::Bound => return shown(&schema::sampled::<bounds::BoundsReport<'_>>()),
        SchemaArg::Set => return shown(&schema::found::<exact_set::SetReport<'_>>()),
        SchemaArg::Guarantee => return shown(&schema::of::<guarantee::Promises<'_>>()),
        SchemaArg::Design => return shown(&schema::of::<design::DesignReport<'_>>()),
        SchemaArg::Doctor => return shown(&schema::of::<Doctor>()),
        SchemaArg::Simulate => return shown(&schema::of::<motion::MotionReport<'_>>()),
        SchemaArg::Sample => return shown(&schema::sampled::<report::SampleReport<'_>>()),
        SchemaArg::Reality => return shown(&schema::sampled::<reality::RealityReport<'_>>()),
        SchemaArg::Dataset => include_str!("schemas/dataset.json"),
        SchemaArg::Plan => {
            return shown(&with_law(include_str!("schemas/plan.json")));
        }
        SchemaArg::Bench => return shown(&bench::schema()),
        SchemaArg::Run => return shown(&Run::schema()),
    })?;
    Ok(terminal::DONE)
}

fn shown(schema: &Value) -> Result<u8> {
    terminal::print_json(schema).map(|()| terminal::DONE)
}

/// The schema of a plan, whose table `law` has the options of the laws.
fn with_law(plan: &str) -> Value {
    let mut schema: Value = serde_json::from_str(plan).unwrap_or_default();
    let of_law = &mut schema["properties"]["law"]["properties"];
    for field in Field::all().iter().filter(|field| field.is_in_table()) {
        of_law[&field.name] = field.schema.clone();
    }
    of_law["name"]["enum"] = json!(Law::NAMES);
    // A plan writes ranges as a problem file does.
    let problem: Value =
        serde_json::from_str(include_str!("schemas/problem.json")).unwrap_or_default();
    of_law["uncertainty"] = problem["properties"]["uncertainty"].clone();
    schema["$defs"] = problem["$defs"].clone();
    schema
}
