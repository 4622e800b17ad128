//! `carom reality`: predictions against measured impacts.

use std::io::{self, Write};
use std::process::ExitCode;

use carom::engine::Engine;
use carom::error::{Error, Result};
use carom::output::{RunRecord, reality};
use carom::study::Event;

use crate::args::RealityArgs;
use crate::compare::{located, writable, write};
use crate::sample;

/// Loads, samples every event, scores, reports and draws.
pub fn run(args: &RealityArgs) -> Result<ExitCode> {
    if let Some(path) = &args.out {
        writable(path)?;
    }
    let events = events(args)?;
    let problems: Vec<_> = events.iter().map(|event| &event.problem).collect();
    let plan = sample::plan(&args.how, args.samples)?;
    sample::effective(&args.how, &plan.law, &problems)?;
    let largest = events.iter().max_by_key(|event| event.problem.contact_count());
    let Some(largest) = largest else { return Err(Error::input("there is no event").at("events")) };
    let engine = Engine::open_for(&largest.problem, &plan)?;
    let bar = sample::bar(events.len() as u64);
    let scored = engine.reality(&events, &plan, || bar.inc(1));
    bar.finish_and_clear();
    let scored = scored.map_err(|e| located(e, &args.events))?;
    let name = if args.events == "-" { "stdin" } else { &args.events };
    let record = RunRecord::of_events(name, &problems, &plan, &scored.device, scored.precision);
    if args.json {
        crate::print_json(&reality::json(&record, &events, &scored))?;
    } else {
        crate::print(&reality::text(&record, &events, &scored))?;
    }
    if let Some(path) = &args.out {
        write(path, &reality::picture(&record, &scored))?;
    }
    let empty = scored.set.iter().filter(|score| score.points == 0).count();
    if empty > 0 {
        // There is nowhere left to say that stderr is closed.
        let _ = writeln!(
            io::stderr(),
            "warning: {empty} events have no accepted sample; they count as infinitely far, and their sets as of size 0"
        );
    }
    Ok(sample::verdict(scored.terminated, scored.accepted, args.how.max_rejected))
}

/// The events that the command line asks for, with the restitution it asks for.
fn events(args: &RealityArgs) -> Result<Vec<Event>> {
    let mut events = crate::open(&args.events)?.events()?;
    if args.clean {
        let all = events.len();
        events.retain(|event| event.clean == Some(true));
        if events.is_empty() {
            return Err(Error::input(format!("none of {all} events is flagged clean"))
                .at("events")
                .hint("leave --clean out, or give events the key `clean = true`")
                .in_text(&args.events, "", 0..0));
        }
    }
    let odd: Vec<&Event> = events.iter().filter(|event| !event.problem.warnings().is_empty()).collect();
    if let Some(first) = odd.first() {
        // The events of one setup mostly have the same warnings.
        crate::warn(
            &format!("events[{}], the first of {} with warnings: ", first.number, odd.len()),
            first.problem.warnings(),
        );
    }
    for event in &mut events {
        event.problem = sample::with_options(&args.how, event.problem.clone())?;
    }
    Ok(events)
}
