//! `carom import`: robots and problems of other programs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::args::ImportArgs;
use crate::{ContactProblem, Error, Result, input, options, terminal};
use carom_import::robot;
use carom_import::siconos::{self, ImportedProblem};
use serde_json::json;

const LARGEST: u64 = 1 << 30;
pub fn run(args: &ImportArgs) -> Result<u8> {
    let name = args.file.display().to_string();
    let failed = |e: std::io::Error| Error::input(e.to_string()).at(name.clone());
    args.out.as_deref().map_or(Ok(()), carom_data::writable)?;
    let metadata = std::fs::metadata(&args.file).map_err(failed)?;
    if metadata.is_dir() || metadata.len() > LARGEST {
        return Err(Error::input("expected a file of up to 1 GB").at(name));
    }
    if has_extension(&args.file, &["urdf", "xml", "mjcf"]) {
        return robot(args);
    }
    let of_robots = [
        ("--joint", !args.joint.is_empty()),
        ("--velocity", !args.velocity.is_empty()),
        ("--pose", !args.pose.is_empty()),
        ("--keyframe", args.keyframe.is_some()),
        ("--floating", args.floating),
        ("--ground", args.ground),
        ("--set-down", args.set_down),
        ("--friction", args.friction.is_some()),
    ];
    options::refuse("this is for robots, .urdf and .xml", &of_robots)?;
    if has_extension(&args.file, &["json", "toml", "npz"]) {
        return Err(Error::input("this is a scene or a problem already")
            .at(name.clone())
            .hint(format!("`carom sample {name}` samples its outcomes")));
    }
    let mut bytes = Vec::new();
    let file = File::open(&args.file).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::input("expected a file of up to 1 GB").at(name));
    }
    let title =
        args.file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let located = |error| input::located(error, &name);
    let ImportedProblem { spec, warnings } = parse(bytes, &title).map_err(located)?;
    let problem = ContactProblem::new(spec).map_err(located)?;
    terminal::warn(&warnings);
    let json = format!("{:#}\n", json!(problem.spec()));
    args.out
        .as_ref()
        .map_or_else(|| terminal::print(&json), |path| carom_data::write(path, &json))?;
    Ok(terminal::DONE)
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| extensions.contains(&&extension[..]))
}

fn robot(args: &ImportArgs) -> Result<u8> {
    let options = robot::Options {
        joints: args.joint.clone(),
        velocity: args.velocity.clone(),
        pose: args.pose.clone(),
        keyframe: args.keyframe.clone(),
        floating: args.floating,
        ground: args.ground,
        friction: args.friction,
        set_down: args.set_down,
    };
    let robot::ImportedRobot { scene, notes } = robot::read(&args.file, &options)?;
    terminal::warn(&notes);
    match &args.out {
        Some(path) if path.extension().is_some_and(|extension| extension == "json") => {
            return Err(Error::usage("a robot becomes a scene in TOML")
                .at(path.display().to_string())
                .hint("name it .toml; `carom scenes FILE.toml --json` prints the numbers"));
        }
        Some(path) => carom_data::write(path, scene)?,
        None => terminal::print(&scene)?,
    }
    Ok(terminal::DONE)
}

fn parse(bytes: Vec<u8>, title: &str) -> Result<ImportedProblem> {
    if bytes.starts_with(b"\x89HDF\r\n\x1a\n") {
        return carom_import::fclib::read(bytes, title);
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::input("this is neither text nor HDF5")
            .hint("expected .urdf, .xml, a .dat file of Siconos, or an HDF5 file of FCLib")
    })?;
    siconos::read(&text, title)
}
