//! `carom design`: parameters for which the order of impacts does not matter.

use std::path::Path;

use crate::args::DesignArgs;
use crate::{Error, Result, input, terminal};
use carom_report::design as report;
use carom_scene::design::{Design, design};
use carom_scene::{Document, Format};
use serde_json::json;

pub fn run(args: &DesignArgs) -> Result<u8> {
    let document = input::open(&args.what)?;
    if let Some(path) = &args.out {
        same_syntax(path, &document)?;
    }
    terminal::warn(document.problem(&input::values(&args.set))?.warnings());
    let found = design(&document, &input::values(&args.set), args.spread)?;
    let accepted = found.fault.is_none();
    if let Some(path) = args.out.as_ref().filter(|_| accepted) {
        carom_data::write(path, &text(&document, &found)?)?;
    }
    if args.json {
        terminal::print_json(&json!(report::DesignReport::new(&found)))?;
    } else {
        terminal::print(&report::text(&found))?;
    }
    if accepted {
        return Ok(terminal::DONE);
    }
    if let Some(path) = &args.out {
        terminal::say(&format!("no design was found; {} is not written", path.display()));
    }
    Ok(terminal::REJECTED)
}

fn text(document: &Document, found: &Design) -> Result<String> {
    let values: Vec<_> =
        found.after.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect();
    document.text(&values)
}

/// Refuses a file whose extension contradicts the syntax of the document.
fn same_syntax(path: &Path, document: &Document) -> Result<()> {
    let extension = match document.format() {
        Format::Toml => "toml",
        Format::Json => "json",
    };
    if path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
        return Ok(());
    }
    Err(Error::usage(format!("expected a name that ends in .{extension}, the syntax of the scene"))
        .at(path.display().to_string()))
}
