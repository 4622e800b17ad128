//! `carom schema`: the form of files and reports, as JSON Schemas.

use crate::args::{SchemaArg, SchemaArgs};
use crate::benchmark::text as bench;
use crate::doctor::Doctor;
use crate::{Result, terminal};
use carom_core::schema::written;
use carom_data::dataset::{self, Description};
use carom_engine::run::Run;
use carom_report::{
    answer, bounds, compare, design, exact_set, guarantee, identify, motion, reality, replay,
    report, resolved, schema,
};
use serde_json::Value;

pub fn run(args: &SchemaArgs) -> Result<u8> {
    terminal::print(match args.of {
        SchemaArg::Problem => return shown(&carom_scene::schema::problem()),
        SchemaArg::Scene => include_str!("schemas/scene.json"),
        SchemaArg::Event => return shown(&carom_scene::schema::event()),
        SchemaArg::Motion => include_str!("schemas/motion.json"),
        SchemaArg::Resolve => return shown(&schema::found::<resolved::ResolvedReport<'_>>()),
        SchemaArg::Compare => return shown(&schema::sampled::<compare::CompareReport<'_>>()),
        SchemaArg::Identify => return shown(&written::<identify::IdentifyReport<'_>>()),
        SchemaArg::Query => return shown(&schema::answered::<answer::QueryReport<'_>>()),
        SchemaArg::Replay => return shown(&schema::sampled::<replay::Path<'_>>()),
        SchemaArg::Bound => return shown(&schema::sampled::<bounds::BoundsReport<'_>>()),
        SchemaArg::Set => return shown(&schema::found::<exact_set::SetReport<'_>>()),
        SchemaArg::Guarantee => return shown(&written::<guarantee::Promises<'_>>()),
        SchemaArg::Design => return shown(&written::<design::DesignReport<'_>>()),
        SchemaArg::Doctor => return shown(&written::<Doctor>()),
        SchemaArg::Simulate => return shown(&written::<motion::MotionReport<'_>>()),
        SchemaArg::Dataset => return shown(&written::<Description<'_>>()),
        SchemaArg::Sample => return shown(&schema::sampled::<report::SampleReport<'_>>()),
        SchemaArg::Reality => return shown(&schema::sampled::<reality::RealityReport<'_>>()),
        SchemaArg::Plan => return shown(&dataset::schema()),
        SchemaArg::Bench => return shown(&bench::schema()),
        SchemaArg::Run => return shown(&Run::schema()),
    })?;
    Ok(terminal::DONE)
}

fn shown(schema: &Value) -> Result<u8> {
    terminal::print_json(schema).map(|()| terminal::DONE)
}
