//! MJCF of MuJoCo, as documented at mujoco.readthedocs.io (version 4).

mod bodies;
mod compiler;
mod contact;
mod defaults;
mod frames;
mod geoms;
mod include;
mod joints;
mod keyframe;
mod meshes;

use std::path::Path;

use super::links::{Notes, Robot};
use super::options::Options;
use super::parts::{balance, check_masses};
use super::xml::Element;
use bodies::Reader;
use carom_core::error::{Error, Result};
use compiler::Compiler;
use contact::named;
use defaults::{Defaults, no_armature};
use meshes::Meshes;

/// Sections that concern only appearance or computation.
const SILENT: [&str; 8] =
    ["asset", "compiler", "custom", "default", "keyframe", "size", "statistic", "visual"];

/// The robots of an MJCF file: bodies depth first, in the order of the file. The first link is the
/// world.
pub(super) fn robot(mut root: Element, path: &Path, options: &Options) -> Result<Robot> {
    if options.floating {
        return Err(Error::usage("MJCF says itself what floats").option("floating"));
    }
    if options.friction.is_some() && !options.ground {
        return Err(Error::usage("MJCF has friction of its own; edit the scene").option("friction"));
    }
    include::expand(&mut root, path)?;
    let compiler = Compiler::read(&root)?;
    let defaults = Defaults::read(&root)?;
    let meshes = Meshes::new(&root, &defaults, &compiler, path)?;
    let mut notes = Notes::default();
    for section in &root.children {
        check(section, &mut notes)?;
    }
    let mut reader = Reader::new(&compiler, &defaults, meshes, named(&root)?, notes);
    for world in root.all("worldbody") {
        reader.world(world)?;
    }
    reader.finish()?;
    let Reader { links, walls, geoms, notes, .. } = reader;
    let mut robot = Robot::new(root.text("model"), links, walls, notes);
    robot.touches_base = true;
    contact::read(&root, &defaults, &geoms, &mut robot)?;
    if let Some(name) = &options.keyframe {
        keyframe::apply(&root, name, &mut robot)?;
    }
    if compiler.balances {
        balance(&mut robot);
    }
    check_masses(&robot)?;
    Ok(robot)
}

/// Refuses settings that would change the mass matrix or contacts; notes the irrelevant ones.
fn check(section: &Element, notes: &mut Notes) -> Result<()> {
    match section.name.as_str() {
        silent if SILENT.contains(&silent) => Ok(()),
        "worldbody" | "contact" => Ok(()),
        "option" => {
            for left_out in ["impratio", "noslip_iterations"] {
                if section.get(left_out).is_some() {
                    notes.ignore(format!("`{left_out}`"));
                }
            }
            section.children.iter().filter(|child| child.name == "flag").try_for_each(flag)
        }
        "equality" => section.children.iter().try_for_each(|constraint| {
            if constraint.text("active") == Some("false") {
                notes.leave_out("inactive equality constraints");
                return Ok(());
            }
            Err(constraint
                .error("equality constraints, such as those of closed loops, are not supported")
                .hint("a problem file has them as `bilateral`; `active=\"false\"` leaves one out"))
        }),
        "actuator" | "tendon" => section.children.iter().try_for_each(|child| {
            notes.leave_out(format!("{}s", section.name));
            if section.name == "tendon" && child.get("range").is_some() {
                notes.ignore("limits of tendons");
            }
            no_armature(child)
        }),
        "sensor" => {
            section.children.iter().for_each(|_| notes.leave_out("sensors"));
            Ok(())
        }
        "deformable" if section.children.iter().all(|child| child.name == "skin") => Ok(()),
        "extension" => {
            notes.ignore("plugins");
            Ok(())
        }
        other => Err(section.error(format!("<{other}> is not supported"))),
    }
}

/// Refuses flags that change the set of contacts.
fn flag(flags: &Element) -> Result<()> {
    let changes = [
        ("contact", "disable"),
        ("constraint", "disable"),
        ("filterparent", "disable"),
        ("override", "enable"),
    ];
    let changed =
        changes.iter().find_map(|(name, value)| flags.get(name).filter(|a| a.value == *value));
    changed.map_or(Ok(()), |attribute| {
        Err(attribute.error("this changes contacts and is not supported"))
    })
}
