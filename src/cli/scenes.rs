//! `carom scenes`: the built-in scenes and motions, and the numbers of scene files.

use std::path::Path;

use crate::args::ScenesArgs;
use crate::{Error, Result, input, terminal};
use carom_scene::{BUILTIN, Builtin, Document, MOTIONS};
use serde_json::{Value, json};

pub fn run(args: &ScenesArgs) -> Result<u8> {
    let set = input::values(&args.set);
    if let Some(wanted) = &args.name {
        let document = Document::open(wanted)?;
        let wanted = &*Path::new(wanted).to_string_lossy();
        let is_motion = MOTIONS.iter().any(|motion| motion.name == wanted);
        match (is_motion, args.json) {
            // Motions have no parameters: `--set` is refused.
            (true, true) => terminal::print_json(&as_json(wanted, &document.text(&set)?)?)?,
            (true, false) => terminal::print(&document.text(&set)?)?,
            (false, true) => terminal::print_json(&json!(document.problem(&set)?.spec()))?,
            (false, false) => match document.text(&set)? {
                text if text.is_empty() => {
                    let none = Error::usage("this file is no text");
                    return Err(none.at(wanted).hint("give --json"));
                }
                text => terminal::print(&text)?,
            },
        }
    } else if args.json {
        let list = |scenes: &[Builtin]| -> Vec<Value> {
            let entry = |s: &Builtin| json!({ "name": s.name, "description": s.description });
            scenes.iter().map(entry).collect()
        };
        terminal::print_json(&json!({
            "schema_version": 1, "scenes": list(BUILTIN), "motions": list(MOTIONS),
        }))?;
    } else {
        let width = BUILTIN.iter().chain(MOTIONS).map(|scene| scene.name.len()).max().unwrap_or(0);
        let line = |s: &Builtin| format!("{:<width$}  {}\n", s.name, s.description);
        let list = |scenes: &[Builtin]| scenes.iter().map(line).collect::<String>();
        let (scenes, motions) = (list(BUILTIN), list(MOTIONS));
        terminal::print(&format!("{scenes}\nMotions, for `carom simulate`:\n{motions}"))?;
    }
    Ok(terminal::DONE)
}

fn as_json(name: &str, text: &str) -> Result<Value> {
    toml::from_str(text).map_err(|error| Error::input(error.to_string()).at(name))
}
