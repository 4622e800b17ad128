//! `carom replay`: the path of one sample.

use crate::args::ReplayArgs;
use crate::{Result, input, options, picture, terminal};
use carom_engine::{Device, Engine, Replay};
use carom_report::{RunRecord, replay};

pub fn run(args: &ReplayArgs) -> Result<u8> {
    picture::looks(args.out.as_deref(), &args.look)?;
    let mut asked = args.how.asked.modelled(Some(1))?;
    // The path leads to the outcome of the law.
    asked.law_only |= asked.model.is_some();
    let problem = asked.on(input::load(&args.problem)?)?;
    let mut plan = options::plan(&asked, &problem)?;
    // The precision of `carom sample` with equal options.
    let precision = Engine::open_for(&problem, &plan)?.precision(&plan);
    (plan.precision, plan.device) = (Some(precision), Device::Cpu);
    let engine = Engine::cpu("one sample is followed there");
    let record = RunRecord::new(&problem, &plan, engine.info(), precision);
    terminal::warn(&record.warnings);
    let path = Replay::new(&problem, &plan, precision, args.sample)
        .map_err(|error| input::located(error, &args.problem.what))?;
    if let Some(out) = &args.out {
        let mut drawn = replay::picture(&problem, &record, args.sample, &path);
        drawn.title = args.look.title.clone().unwrap_or(drawn.title);
        picture::write(out, &drawn.chosen(&args.look.panels)?, args.look.size)?;
    }
    match args.json {
        true => terminal::print_json(&replay::json(&problem, &record, args.sample, &path))?,
        false => terminal::print(&replay::text(&problem, &record, args.sample, &path))?,
    }
    Ok(terminal::DONE)
}
