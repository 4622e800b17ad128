//! `carom schema`: JSON Schemas of files and reports.

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
use carom_scene::schema as files;

pub fn run(args: &SchemaArgs) -> Result<u8> {
    terminal::print_json(&match args.of {
        SchemaArg::Problem => files::problem(),
        SchemaArg::Scene => files::scene(),
        SchemaArg::Event => files::event(),
        SchemaArg::Motion => files::motion(),
        SchemaArg::Resolve => schema::found::<resolved::ResolvedReport<'_>>(),
        SchemaArg::Compare => schema::sampled::<compare::CompareReport<'_>>(),
        SchemaArg::Identify => written::<identify::IdentifyReport<'_>>(),
        SchemaArg::Query => schema::answered::<answer::QueryReport<'_>>(),
        SchemaArg::Replay => schema::sampled::<replay::Path<'_>>(),
        SchemaArg::Bound => schema::sampled::<bounds::BoundsReport<'_>>(),
        SchemaArg::Set => schema::found::<exact_set::SetReport<'_>>(),
        SchemaArg::Guarantee => written::<guarantee::Promises<'_>>(),
        SchemaArg::Design => written::<design::DesignReport<'_>>(),
        SchemaArg::Doctor => written::<Doctor>(),
        SchemaArg::Simulate => written::<motion::MotionReport<'_>>(),
        SchemaArg::Dataset => written::<Description<'_>>(),
        SchemaArg::Sample => schema::sampled::<report::SampleReport<'_>>(),
        SchemaArg::Reality => schema::sampled::<reality::RealityReport<'_>>(),
        SchemaArg::Plan => dataset::schema(),
        SchemaArg::Bench => bench::schema(),
        SchemaArg::Run => Run::schema(),
    })?;
    Ok(terminal::DONE)
}
