//! `carom extract`: measured impacts from recordings.

use crate::motion::Simulation;
use crate::output::{self, events};
use crate::study::{Extraction, Recording};
use crate::{Error, Result};

use crate::cli::args::ExtractArgs;
use crate::cli::{input, terminal};

/// Reads the motion and the recording, finds the impacts, and writes them.
pub fn run(args: &ExtractArgs) -> Result<u8> {
    args.out.as_deref().map_or(Ok(()), output::writable)?;
    let motion = input::open(&args.what)?.motion_at(&[])?;
    let given = match &motion {
        Simulation::Midpoint(motion) => &**motion,
        Simulation::Inclusion(motion) => motion.given(),
        Simulation::Lgvci(_) => {
            return Err(Error::usage("an elastic body on a plane has no contacts of shapes")
                .at(args.what.to_string_lossy())
                .hint("give a motion of midpoint or inclusion"));
        }
    };
    let name = args.recording.display().to_string();
    let text = std::fs::read_to_string(&args.recording)
        .map_err(|error| Error::input(error.to_string()).at(name.clone()))?;
    let located = |error| input::located(error, &name);
    let recording = Recording::read(&text, &given.mechanism().position_names()).map_err(located)?;
    let &ExtractArgs { frames, jump, speed, gap, .. } = args;
    let how = Extraction { frames, jump, speed, gap };
    let found = recording.impacts(given.mechanism(), given.coefficients(), &how)?;
    if found.is_empty() {
        return Err(Error::empty("no impact was found")
            .at(name)
            .hint("lower --speed or --jump, raise --gap, or fit fewer --frames"));
    }
    terminal::say(&events::text(&found));
    let json = format!("{:#}\n", events::json(&found));
    match &args.out {
        Some(path) => output::write(path, json)?,
        None => terminal::print(&json)?,
    }
    Ok(terminal::DONE)
}
