//! `carom scenes`: the built-in scenes.

use std::process::ExitCode;

use carom::scene;
use carom::scene::BUILTIN;
use carom::scene::Document;
use carom::{Error, Result};
use serde_json::{Value, json};

use crate::args::ScenesArgs;
use crate::{input, terminal};

/// Lists the scenes, or prints one, or its contact problem.
pub fn run(args: &ScenesArgs) -> Result<ExitCode> {
    if let Some(wanted) = &args.name {
        if scene::builtin(wanted).is_none() {
            return Err(unknown(wanted));
        }
        let document = Document::open(wanted)?;
        let set = input::values(&args.set);
        match args.json {
            true => terminal::print_json(&json!(document.problem(&set)?.spec()))?,
            false => terminal::print(&document.text(&set)?)?,
        }
    } else if args.json {
        let scenes: Vec<Value> = (BUILTIN.iter())
            .map(|scene| json!({ "name": scene.name, "description": scene.description }))
            .collect();
        terminal::print_json(&json!({ "schema_version": 1, "scenes": scenes }))?;
    } else {
        let width = BUILTIN.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
        let lines = BUILTIN.iter().map(|scene| format!("{:<width$}  {}\n", scene.name, scene.description));
        terminal::print(&lines.collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(wanted: &str) -> Error {
    let near = (BUILTIN.iter())
        .map(|scene| (strsim::jaro_winkler(wanted, scene.name), scene.name))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match near {
        Some((_, name)) => format!("is it `{name}`?"),
        None => "`carom scenes` lists them".to_string(),
    };
    Error::input("no built-in scene of this name").at(wanted).hint(hint)
}
