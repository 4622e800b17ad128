//! `carom extract`: measured impacts from recordings.

use std::collections::BTreeSet;

use crate::args::ExtractArgs;
use crate::{Error, Result, input, terminal};
use carom_forecast::recording::Frame;
use carom_forecast::{Extraction, Layout, Recording};
use carom_report::events;

pub fn run(args: &ExtractArgs) -> Result<u8> {
    args.out.as_deref().map_or(Ok(()), carom_data::writable)?;
    let motion = input::open(&args.what)?.motion_at(&[])?;
    let given = motion.given().ok_or_else(|| {
        Error::usage("an elastic body on a plane has no contacts of shapes")
            .at(args.what.to_string_lossy())
            .hint("give a motion of midpoint or inclusion")
    })?;
    let recording = recording(args, &given.mechanism().position_names())?;
    let &ExtractArgs { frames, jump, speed, gap, .. } = args;
    let how = Extraction { frames, jump, speed, gap };
    let at = |error: Error| input::located(error, args.recordings[0].display().to_string());
    terminal::warn(&recording.check(given.mechanism(), &how, args.rate).map_err(at)?);
    let found = recording.impacts(given.mechanism(), given.coefficients(), &how)?;
    if found.is_empty() {
        return Err(Error::empty("no impact was found")
            .at(args.recordings[0].display().to_string())
            .hint("lower --speed or --jump, raise --gap, or fit fewer --frames"));
    }
    terminal::say(&events::text(&found));
    let json = format!("{:#}\n", events::json(&found));
    match &args.out {
        Some(path) => carom_data::write(path, json)?,
        None => terminal::print(&json)?,
    }
    Ok(terminal::DONE)
}

/// The frames of all recordings. A file without toss numbers becomes one toss, with the file's
/// index as its number.
fn recording(args: &ExtractArgs, names: &[String]) -> Result<Recording> {
    let (mut all, mut known) = (Recording { frames: Vec::new() }, BTreeSet::new());
    for (toss, path) in args.recordings.iter().enumerate() {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::input(error.to_string()).at(name.clone()))?;
        let columns = args.columns.clone();
        let layout = Layout { columns, rate: args.rate, toss: toss as f64 };
        let read = Recording::read(&text, names, &layout);
        let read = read.map_err(|error| input::located(error, &name))?;
        let of = |frame: &Frame| frame.toss.to_bits();
        let tosses: BTreeSet<u64> = read.frames.iter().map(of).collect();
        if let Some(twice) = tosses.intersection(&known).next() {
            return Err(Error::input(format!(
                "toss {} is in an earlier file, too",
                f64::from_bits(*twice)
            ))
            .at(name)
            .hint("each toss in one file, or no column toss"));
        }
        known.extend(tosses);
        all.frames.extend(read.frames);
    }
    Ok(all)
}
