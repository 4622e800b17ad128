//! `carom scenes`: the built-in scenes and motions, and the numbers of scene files.

use std::path::Path;

use carom_core::error::{Error, Result};
use carom_scene::{BUILTIN, Builtin, Document, MOTIONS};
use serde_json::{Value, json};

use crate::args::ScenesArgs;
use crate::{input, terminal};

/// Lists the scenes, or prints one, or its contact problem.
pub fn run(args: &ScenesArgs) -> Result<u8> {
    if let Some(wanted) = &args.name {
        let path = Path::new(wanted);
        let document = Document::open(wanted)?;
        let wanted = &*path.to_string_lossy();
        let set = input::values(&args.set);
        if MOTIONS.iter().any(|motion| motion.name == wanted) {
            // A motion has no parameters: `--set` is refused.
            let text = document.text(&set)?;
            return match args.json {
                true => terminal::print_json(&as_json(wanted, &text)?),
                false => terminal::print(&text),
            }
            .map(|()| terminal::DONE);
        }
        match args.json {
            true => terminal::print_json(&json!(document.problem(&set)?.spec()))?,
            false => match document.text(&set)? {
                text if text.is_empty() => {
                    return Err(Error::usage("this file is no text")
                        .at(wanted)
                        .hint("give --json"));
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
        let list = |scenes: &[Builtin]| -> String {
            scenes
                .iter()
                .map(|scene| format!("{:<width$}  {}\n", scene.name, scene.description))
                .collect()
        };
        terminal::print(&format!(
            "{}\nMotions, for `carom simulate`:\n{}",
            list(BUILTIN),
            list(MOTIONS)
        ))?;
    }
    Ok(terminal::DONE)
}

/// A file in TOML as JSON.
fn as_json(name: &str, text: &str) -> Result<Value> {
    toml::from_str(text).map_err(|error| Error::input(error.to_string()).at(name))
}
