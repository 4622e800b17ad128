//! `carom reality`: predictions against measured impacts.

use std::path::Path;

use crate::args::RealityArgs;
use crate::ended::Ended;
use crate::{Error, Result, input, options, picture, terminal};
use carom_core::event::Event;
use carom_engine::Engine;
use carom_engine::run::{Forecaster, ModelFile, Run};
use carom_forecast::identify::read_model;
use carom_forecast::{Judge, Reality, reality_beside};
use carom_report::{RunRecord, reality};

pub fn run(args: &RealityArgs) -> Result<u8> {
    args.out.as_deref().map_or(Ok(()), picture::writable)?;
    let mut asked = args.how.asked.run(Some(args.samples))?;
    options::refuse("the forecasts of the model are judged", &[("--law-only", asked.law_only)])?;
    // A model's forecasts are scored together with their baselines only.
    let read = |file: ModelFile| read_model(&file, Path::new("")).map(|(model, _)| model);
    let model = asked.model.take().map(read).transpose()?;
    let events = events(args, &asked)?;
    let problems: Vec<_> = events.iter().map(|event| &event.problem).collect();
    asked.check(&problems)?;
    let largest = events.iter().max_by_key(|event| event.problem.contact_count());
    let Some(largest) = largest else { return Err(Error::input("there is no event").at("events")) };
    let plan = options::plan(&asked, &largest.problem)?;
    let engine = Engine::open_for(&largest.problem, &plan)?;
    let name = if args.events == "-" { "stdin".into() } else { args.events.to_string_lossy() };
    let mut record =
        RunRecord::of_events(&name, &events, &plan, engine.info(), engine.precision(&plan));
    let contacts: Vec<usize> = problems.iter().map(|problem| problem.contact_count()).collect();
    record.warn(model.iter().filter_map(|model| model.unfitted(&contacts)).collect());
    terminal::warn(&record.warnings);
    let bar = terminal::bar(events.len() as u64);
    let training = args.training.as_ref().map(|path| input::open(path)?.events()).transpose()?;
    let judge = Judge { training: training.as_deref(), ..Judge::default() };
    let scored = reality_beside(&engine, &events, &plan, &judge, model.as_ref(), || bar.inc(1));
    bar.finish_and_clear();
    let scored = scored.map_err(|e| input::located(e, &args.events))?;
    terminal::warn(record.conclude_events(&scored));
    if args.json {
        terminal::print_json(&reality::json(&record, &events, &scored))?;
    } else {
        terminal::print(&reality::text(&record, &events, &scored))?;
    }
    if let Some(path) = &args.out {
        picture::write(path, &reality::picture(&record, &scored), None)?;
    }
    let samples = args.samples.saturating_mul(events.len() as u64);
    let Reality { terminated, limited, accepted, .. } = scored;
    let ended = Ended { samples, terminated, limited, accepted };
    Ok(ended.verdict(args.how.max_rejected, asked.sets_limit(&problems)))
}

fn events(args: &RealityArgs, asked: &Run) -> Result<Vec<Event>> {
    let mut events = input::open(&args.events)?.events()?;
    let all = events.len();
    events.retain(|event| !args.clean || event.clean == Some(true));
    if args.clean && events.is_empty() {
        return Err(Error::input(format!("none of {all} events is flagged clean"))
            .at("events")
            .hint("leave --clean out, or give events the key `clean = true`")
            .in_text(&args.events.to_string_lossy(), "", 0..0));
    }
    for event in &mut events {
        event.problem = asked.applied(event.problem.clone())?;
    }
    Ok(events)
}
