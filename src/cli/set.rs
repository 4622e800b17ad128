//! `carom set`: the exact set of outcomes.

use crate::args::SetArgs;
use crate::{Result, input, interrupts, options, picture, terminal};
use carom_analysis::Reach;
use carom_report::pictures::{self, Wanted};
use carom_report::{RunRecord, exact_set};

pub fn run(args: &SetArgs) -> Result<u8> {
    picture::possible(args.picture.as_deref(), &args.drawing)?;
    args.out.as_deref().map_or(Ok(()), carom_data::writable)?;
    let (problem, scenery) = input::staged(&args.problem)?;
    let problem = input::restituted(problem, args.restitution)?;
    options::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    options::facets_matter(args.facets.is_some(), &problem)?;
    let reach = Reach {
        hypothesis: args.hypothesis.unwrap_or_default(),
        facets: args.facets,
        arithmetic: args.arithmetic,
        certify: !args.unchecked,
        seconds: args.seconds,
        stop: Some(interrupts::flag()?),
        ..Reach::default()
    };
    let record = RunRecord::exact(&problem, &reach);
    terminal::warn(&record.warnings);
    let set = terminal::waiting("computing the set", || reach.set(&problem))
        .map_err(|e| input::located(e, &args.problem.what))?;
    let extents = exact_set::extents(&problem, &reach, &set)?;
    let json = exact_set::json(&problem, &record, &set, &extents);
    if let Some(path) = &args.picture {
        let wanted = Wanted { scenery, ..picture::wanted(&args.drawing) };
        let drawn = pictures::exact_set(&problem, &record, &set, &wanted)?;
        picture::write(path, &drawn, args.drawing.look.size)?;
    }
    if let Some(path) = &args.out {
        carom_data::write(path, format!("{json:#}\n"))?;
    }
    match args.json {
        true => terminal::print_json(&json)?,
        false => terminal::print(&exact_set::text(&problem, &record, &set, &extents))?,
    }
    Ok(terminal::DONE)
}
