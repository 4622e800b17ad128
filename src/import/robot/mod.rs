//! Robots of other programs as scenes in space: URDF, and MJCF of MuJoCo.
//!
//! [`read`] turns a file into the text of a scene ([`carom_scene::spatial`]). A file with root
//! element `robot` is URDF, a file with root element `mujoco` is MJCF. An element that would change
//! the mass matrix or a contact, but that no scene can express, is an error that points into the
//! file. An element without effect on an impact at one instant is left out with a note.
//! `docs/files.md` lists the supported elements.
//!
//! Notes distinguish elements without effect on an impact from elements that may change one.
//!
//! `roxmltree`, a small XML parser that reports the position of each attribute, reads both formats.
//!
//! A link with children may have mass 0. Cylinders that collide become prisms of 16 sides with
//! their corners on the rims; meshes become their convex hulls, of at most 128 corners.

mod file;
mod hull;
mod links;
mod mesh;
mod mjcf;
mod options;
mod pairs;
mod parts;
mod solid;
mod state;
mod text;
mod urdf;
mod xml;

use std::path::Path;

use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::{Contact, Vector};
use carom_scene::{Cast, Document, Format};
use file::content;
use links::{Motion, Robot, Surface, Wall};
pub use options::Options;
use xml::Element;

/// The most links.
const MOST: usize = 4096;

/// Gaps up to this distance, in m, are reported, as a contact may be intended.
const NEAR: f64 = 2e-3;

/// A robot as a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRobot {
    /// The scene file, in TOML.
    pub scene: String,
    /// Notes for a reader: elements left out, assumptions, a state without contacts.
    pub notes: Vec<String>,
}

/// The scene of a URDF or MJCF file. Meshes and included files are read too.
pub fn read(path: &Path, options: &Options) -> Result<ImportedRobot> {
    parse(path, content(path)?, options)
}

/// [`read`] for the text of a file; other files are searched relative to `path`.
pub fn parse(path: &Path, text: String, options: &Options) -> Result<ImportedRobot> {
    let root = Element::parse(&path.to_string_lossy(), text, true)?;
    let (root_place, is_urdf) = (root.place.clone(), root.name == "robot");
    let mut robot = match root.name.as_str() {
        "robot" => urdf::robot(&root, path, options)?,
        "mujoco" => mjcf::robot(root, path, options)?,
        other => {
            return Err(root
                .error(format!("the root element is <{other}>"))
                .hint("expected <robot> of URDF or <mujoco> of MJCF"));
        }
    };
    if robot.links.len() > MOST {
        return Err(
            root_place.error(format!("{} links; at most {MOST} are possible", robot.links.len()))
        );
    }
    if options.ground {
        if let Some(wall) = robot.walls.first() {
            let what =
                format!("the file has the plane `{}`: --ground adds a second one", wall.name);
            robot.notes.say(what);
        }
        // In URDF the plane has the coefficients of the touching shape; in MJCF it has its own
        // friction.
        let friction = if is_urdf { options.friction } else { options.friction.or(Some(1.0)) };
        let surface = Surface::rubbing(friction, None);
        let (point, normal) = (Vector::zeros(), Vector::z());
        robot.walls.push(Wall { name: "ground".into(), link: None, point, normal, surface });
    }
    state::apply(&mut robot, options)?;
    state::limits(&mut robot);
    let from = path.file_name().map_or("a file".into(), |name| name.to_string_lossy());
    let mut scene = text::text(&robot, &from)?;
    if options.set_down {
        set_down(&mut robot, &scene)?;
        scene = text::text(&robot, &from)?;
    }
    let mut notes = robot.notes.lines();
    let document = Document::new("the scene", scene.clone(), Format::Toml)?;
    if let Some(cast) = document.cast(&[]).map_err(unplaced)? {
        notes.extend(near_misses(&cast));
    }
    if let Err(error) = document.problem(&[]) {
        let hint = error.hint.map_or(String::new(), |hint| format!(" ({hint})"));
        let floats = robot.floats();
        let advice = if robot.walls.is_empty() {
            "; --ground adds the plane z = 0"
        } else if !floats && is_urdf {
            "; the root link is fixed to the world: --floating frees it"
        } else if floats {
            "; --set-down moves a floating robot onto the first plane"
        } else {
            "; --joint moves joints"
        };
        notes.push(format!(
            "in this state there is no contact problem yet: {}{hint}{advice}",
            error.what
        ));
    }
    Ok(ImportedRobot { scene, notes })
}

/// The error without the text of the scene, which the user has not seen.
fn unplaced(error: Error) -> Error {
    Error { excerpt: None, ..error }
}

/// Bodies that come near another body or wall, with no contact or with fewer than possible.
fn near_misses(cast: &Cast) -> Vec<String> {
    let Cast::Spatial { model, position, tolerance } = cast else { return Vec::new() };
    let poses = model.poses(position);
    let mut misses: Vec<(String, f64)> = Vec::new();
    for Contact { first, second, touch } in model.contacts(&poses, NEAR).unwrap_or_default() {
        if touch.gap <= *tolerance {
            continue;
        }
        let pair = format!("`{}` and `{}`", model.surface_name(first), model.bodies()[second].name);
        match misses.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, gap)) => *gap = gap.min(touch.gap),
            None => misses.push((pair, touch.gap)),
        }
    }
    let note = |(pair, gap): (String, f64)| {
        format!(
            "{pair} do not touch where they are {:.2} mm apart: a contact's gap is up to {} mm (`tolerance` of [contact])",
            1e3 * gap,
            1e3 * tolerance
        )
    };
    misses.into_iter().map(note).collect()
}

/// Moves the first floating body onto the first wall.
fn set_down(robot: &mut Robot, scene: &str) -> Result<()> {
    let option = |what: &str| Error::usage(what).option("set_down");
    let document = Document::new("the scene", scene.to_string(), Format::Toml)?;
    let Some(Cast::Spatial { model, position, .. }) = document.cast(&[]).map_err(unplaced)? else {
        return Err(option("the scene is not spatial"));
    };
    let wall = model.walls().first().ok_or_else(|| {
        option("there is no plane to set the robot down on").hint("--ground adds the plane z = 0")
    })?;
    let poses = model.poses(&position);
    let floats =
        |i: usize| model.bodies()[i].joint == carom_mechanics::model::spatial::Joint::Floating;
    let first = (0..poses.len()).find(|&i| floats(i));
    let first = first
        .ok_or_else(|| option("no body floats").hint("--floating frees the root of a URDF file"))?;
    let root = |mut i: usize| {
        while let Some(parent) = model.bodies()[i].parent {
            i = parent;
        }
        i
    };
    let shapes = (0..poses.len()).filter(|&i| root(i) == first);
    let shapes = shapes.flat_map(|i| model.bodies()[i].shapes.iter().map(move |s| (i, s)));
    let gaps = shapes.flat_map(|(i, shape)| {
        wall.touches(&shape.placed(&poses[i])).map(|touch| touch.gap).collect::<Vec<_>>()
    });
    let gap = gaps.fold(f64::INFINITY, f64::min);
    if !gap.is_finite() {
        return Err(option("the floating body and what it carries have no shapes"));
    }
    if let Some(pose) = robot.motions().find_map(Motion::floating) {
        pose.origin -= wall.normal * gap;
    }
    Ok(())
}
