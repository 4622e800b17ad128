//! `carom identify`: a model of uncertain numbers, from measured impacts.

use std::path::Path;

use crate::args::{IdentifyArgs, ScoreArg};
use crate::{Error, Result, input, interrupts, terminal};
use carom_core::event::Event;
use carom_forecast::identify::{Criterion, Identify, Ingredient};
use carom_report::identify::{IdentifyReport, text};
use serde_json::json;

pub fn run(args: &IdentifyArgs) -> Result<u8> {
    args.out.as_deref().map_or(Ok(()), carom_data::writable)?;
    let asked = args.asked.run(Some(args.samples))?;
    let events = events(args)?;
    let problems: Vec<_> = events.iter().map(|event| &event.problem).collect();
    asked.law.check(&problems)?;
    let identify = Identify {
        law: asked.law.clone(),
        points: args.samples as usize,
        folds: args.folds as usize,
        seed: asked.seed,
        criterion: match args.score {
            ScoreArg::Energy => Criterion::Energy,
            ScoreArg::Log => Criterion::Log,
        },
        ingredients: ingredients(args)?,
        residual: args.learn_residual,
        seconds: args.seconds,
    };
    let stop = interrupts::flag()?;
    let bar = terminal::bar(identify.searches(&events) as u64);
    let found = identify.run(&events, Some(&stop), || bar.inc(1));
    bar.finish_and_clear();
    let mut found = found.map_err(|error| input::located(error, &args.events))?;
    let path = Path::new(&args.events);
    found.model.source = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    terminal::warn(&found.warnings());
    if let Some(path) = &args.out {
        carom_data::write(path, found.model.text()?)?;
    }
    match args.json {
        true => terminal::print_json(&json!(IdentifyReport::new(&identify, &found)))?,
        false => terminal::print(&text(&identify, &found))?,
    }
    Ok(terminal::DONE)
}

/// The requested ingredients of the model. The ingredient `numbers` is always included: without it
/// there is no model.
fn ingredients(args: &IdentifyArgs) -> Result<Vec<Ingredient>> {
    let names: Vec<&str> = Ingredient::ALL.into_iter().map(Ingredient::name).collect();
    if let Some(wrong) = args.ingredients.iter().flatten().find(|of| !names.contains(&of.as_str()))
    {
        return Err(Error::usage(format!("{wrong} is no ingredient"))
            .at("--ingredients")
            .hint(format!("there are {}", names.join(", "))));
    }
    let asked = |of: &Ingredient| match (of, &args.ingredients) {
        (Ingredient::Numbers, _) => true,
        (Ingredient::Dress, None) => args.dress,
        (of, None) => !of.is_on_request(),
        (of, Some(names)) => {
            names.iter().any(|name| name == of.name()) || args.dress && *of == Ingredient::Dress
        }
    };
    Ok(Ingredient::ALL.into_iter().filter(asked).collect())
}

fn events(args: &IdentifyArgs) -> Result<Vec<Event>> {
    let mut events = input::open(&args.events)?.events()?;
    let all = events.len();
    events.retain(|event| event.problem.contact_count() >= args.contacts);
    events.retain(|event| !args.clean || event.clean == Some(true));
    if events.is_empty() {
        let least = args.contacts;
        let what =
            format!("none of {all} events has {least} contacts or more and the flags asked for");
        return Err(Error::input(what)
            .at("events")
            .hint("--contacts 1 takes impacts at one contact, and without --clean all are taken")
            .in_text(&args.events.to_string_lossy(), "", 0..0));
    }
    Ok(events)
}
