//! URDF: lists of links and joints, assembled into a tree.

mod dialects;
mod geometry;
mod mujoco;

use std::collections::BTreeMap;
use std::path::Path;

use super::links::{Along, Link, Motion, Notes, Pivot, Robot, composed};
use super::options::Options;
use super::parts::{balance, check_masses};
use super::solid::Inertial;
use super::xml::{Attribute, Element};
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::{Attitude, Matrix, Pose, Vector};
use dialects::Dialects;
use geometry::{collision, origin};

/// Elements of a joint without effect on an impact; limits act only where reached.
const HARMLESS: [&str; 5] =
    ["limit", "dynamics", "joint_properties", "calibration", "safety_controller"];
/// Elements of a robot without effect on an impact.
const ASIDE: [&str; 4] = ["author", "ros2_control", "sensor", "version"];

/// The robot of a URDF file; links in the order of the tree, depth first, joints of a link in the
/// order of the file.
pub(super) fn robot(root: &Element, path: &Path, options: &Options) -> Result<Robot> {
    if options.keyframe.is_some() {
        return Err(Error::usage("URDF has no keyframes").option("keyframe"));
    }
    let mut notes = Notes::default();
    let mut balances = false;
    let mut links: BTreeMap<&str, &Element> = BTreeMap::new();
    for link in root.all("link") {
        if links.insert(&link.require("name")?.value, link).is_some() {
            return Err(link.error("a second link of this name"));
        }
    }
    for child in &root.children {
        match child.name.as_str() {
            "link" | "joint" | "material" | "gazebo" => {}
            "mujoco" => balances |= mujoco::read(child, &mut notes)?,
            "transmission" => match rotor(child) {
                true => notes.ignore("inertia of rotors in <transmission>"),
                false => notes.leave_out("<transmission>"),
            },
            aside if ASIDE.contains(&aside) => notes.leave_out(format!("<{aside}>")),
            loops if loops.contains("loop") || loops == "constraint" => {
                return Err(child.error("closed loops are not supported"));
            }
            other => notes.ignore(format!("<{other}>")),
        }
    }
    let mut dialects = Dialects::read(root, options.friction, &mut notes)?;
    let joints = Joints::of(root, &links)?;
    let mut robot = Robot::new(root.text("name"), Vec::new(), Vec::new(), notes);
    // Stack of links to visit, with the joint and the index of the parent.
    let mut waiting = vec![(joints.root(&links, root)?, None)];
    // The frames of fixed links.
    let mut fixed: Vec<Option<Pose>> = Vec::new();
    while let Some((element, above)) = waiting.pop() {
        let i = robot.links.len();
        let base = above.map_or(Some(Pose::world()), |(_, parent)| fixed[parent]);
        let mut link = link(element, above, base, options.floating)?;
        fixed.push(base.filter(|_| link.joints.is_empty()).map(|base| composed(&base, &link.pose)));
        let of_link = dialects.link(element, &mut robot.notes)?;
        for shape in element.all("collision") {
            let surface = dialects.collision(shape, &of_link, element, &mut robot.notes)?;
            link.geoms.push(collision(shape, &called(element), path, surface, &mut robot.notes)?);
        }
        let moves = !link.joints.is_empty();
        if moves && element.one("inertial")?.is_none() {
            robot
                .notes
                .say(format!("{} has no <inertial> and counts as massless", called(element)));
        }
        for child in &element.children {
            match child.name.as_str() {
                "inertial" | "collision" | "contact" => {}
                "visual" | "material" | "sensor" => {
                    robot.notes.leave_out(format!("<{}> of links", child.name))
                }
                other => robot.notes.ignore(format!("<{other}> of links")),
            }
        }
        if let Some((joint, _)) = above {
            let aside = |child: &&Element| HARMLESS[1..].contains(&child.name.as_str());
            for child in joint.children.iter().filter(aside) {
                robot.notes.leave_out(format!("<{}> of joints", child.name));
            }
        }
        robot.links.push(link);
        let children =
            joints.below.get(element.text("name").unwrap_or_default()).into_iter().flatten();
        let next: Vec<_> =
            children.map(|&(joint, child)| (links[child], Some((joint, i)))).collect();
        waiting.extend(next.into_iter().rev());
    }
    robot.combining = dialects.combining();
    if robot.links.iter().any(|link| !link.geoms.is_empty()) {
        dialects.notes(&mut robot.notes);
    }
    if balances {
        balance(&mut robot);
    }
    check_masses(&robot)?;
    Ok(robot)
}

fn called(element: &Element) -> String {
    format!("{} `{}`", element.name, element.text("name").unwrap_or_default())
}

/// Whether a transmission has a rotor, which adds to the mass matrix (in Drake).
fn rotor(transmission: &Element) -> bool {
    let inertia = |child: &Element| matches!(child.name.as_str(), "rotor_inertia" | "rotorInertia");
    transmission.children.iter().any(|child| inertia(child) || rotor(child))
}

/// The joints by parent link, each with its child.
struct Joints<'a> {
    below: BTreeMap<&'a str, Vec<(&'a Element, &'a str)>>,
    above: BTreeMap<&'a str, &'a Element>,
}

impl<'a> Joints<'a> {
    fn of(root: &'a Element, links: &BTreeMap<&'a str, &'a Element>) -> Result<Self> {
        let mut joints = Joints { below: BTreeMap::new(), above: BTreeMap::new() };
        let mut names: BTreeMap<&str, ()> = BTreeMap::new();
        for joint in root.all("joint") {
            if names.insert(&joint.require("name")?.value, ()).is_some() {
                return Err(joint.error("a second joint of this name"));
            }
            let end = |which: &'static str| {
                let element =
                    joint.one(which)?.ok_or_else(|| joint.error(format!("no <{which}>")))?;
                let link = element.require("link")?;
                match links.get_key_value(link.value.as_str()) {
                    Some((name, _)) => Ok(*name),
                    None => Err(link.place.error(format!(
                        "{}: no link `{}`",
                        called(joint),
                        link.value
                    ))),
                }
            };
            let (parent, child) = (end("parent")?, end("child")?);
            if let Some(other) = joints.above.insert(child, joint) {
                return Err(joint.error(format!(
                    "the link `{child}` is the child of {} too; closed loops are not supported",
                    called(other)
                )));
            }
            joints.below.entry(parent).or_default().push((joint, child));
        }
        Ok(joints)
    }

    /// The root link.
    fn root(&self, links: &BTreeMap<&'a str, &'a Element>, file: &Element) -> Result<&'a Element> {
        let mut roots =
            file.all("link").filter(|l| !self.above.contains_key(l.text("name").unwrap_or("")));
        match (roots.next(), roots.next()) {
            (Some(_), Some(second)) => Err(second.error("no joint joins this link to the others")),
            (None, _) if links.is_empty() => Err(file.error("there is no <link>")),
            (None, _) => {
                Err(file.error("every link is the child of a joint: there is a closed loop"))
            }
            (Some(root), None) => {
                let mut reached = 0;
                let mut waiting = vec![root.text("name").unwrap_or_default()];
                while let Some(link) = waiting.pop() {
                    reached += 1;
                    waiting.extend(
                        self.below.get(link).into_iter().flatten().map(|(_, child)| *child),
                    );
                }
                if reached < links.len() {
                    return Err(file.error("some links form a closed loop that hangs on nothing"));
                }
                Ok(links[root.text("name").unwrap_or_default()])
            }
        }
    }
}

/// A link without its shapes; `joint`: its joint and its parent's index; `base`: the parent's frame
/// if fixed.
fn link(
    element: &Element,
    above: Option<(&Element, usize)>,
    base: Option<Pose>,
    floating: bool,
) -> Result<Link> {
    let inertial = element.one("inertial")?.map_or(Ok(Inertial::default()), inertial)?;
    let (pose, joints) = match above {
        Some((joint, _)) => pivot(joint, base)?,
        None if floating => {
            let (name, place, motion) = (None, element.place.clone(), Motion::free(Pose::world()));
            let free = Pivot { name, place, motion, at: Vector::zeros(), armature: 0.0 };
            (Pose::world(), vec![free])
        }
        None => (Pose::world(), Vec::new()),
    };
    let name = element.text("name").unwrap_or_default().to_string();
    let parent = above.map(|(_, parent)| parent);
    Ok(Link { joints, inertial, ..Link::new(name, &element.place, parent, pose) })
}

/// The pose of a joint in its parent's frame, and its pivots; `base`: the parent's frame if fixed.
fn pivot(joint: &Element, base: Option<Pose>) -> Result<(Pose, Vec<Pivot>)> {
    for child in &joint.children {
        match child.name.as_str() {
            "origin" | "parent" | "child" | "axis" => {}
            harmless if HARMLESS.contains(&harmless) => {}
            "mimic" => {
                return Err(child.error(format!("{} mimics another: a constraint", called(joint))));
            }
            other => return Err(joint.error(format!("<{other}> is not supported"))),
        }
    }
    let pose = origin(joint)?;
    let kind = joint.require("type")?;
    let axis = || match joint.one("axis")? {
        Some(axis) => axis.require("xyz")?.direction(),
        None => Ok(Vector::x()),
    };
    let range = match kind.value.as_str() {
        "revolute" | "prismatic" => range(joint)?,
        _ => None,
    };
    let along = || Ok(Along { axis: axis()?, zero: 0.0, value: 0.0, rate: 0.0, range });
    let motion = match kind.value.as_str() {
        "revolute" | "continuous" => Motion::Hinge(along()?),
        "prismatic" => Motion::Slide(along()?),
        "spherical" | "ball" => Motion::Ball { turn: Attitude::identity(), spin: Vector::zeros() },
        "floating" => match base {
            Some(base) => Motion::free(composed(&base, &pose)),
            None => {
                return Err(joint.error("a joint that floats needs a parent that does not move"));
            }
        },
        "fixed" => return Ok((pose, Vec::new())),
        other => {
            return Err(kind
                .error(format!("the joint type `{other}` is not supported"))
                .hint("revolute, continuous, prismatic, spherical, floating, fixed"));
        }
    };
    let name = joint.text("name").map(str::to_string);
    let place = joint.place.clone();
    Ok((pose, vec![Pivot { name, place, motion, at: Vector::zeros(), armature: 0.0 }]))
}

/// The limits of a joint; a missing one is 0, two missing ones mean no limits.
fn range(joint: &Element) -> Result<Option<[f64; 2]>> {
    let Some(limit) = joint.one("limit")? else { return Ok(None) };
    let ends = ["lower", "upper"].map(|end| limit.get(end));
    if ends.iter().all(Option::is_none) {
        return Ok(None);
    }
    let number = |end: Option<&Attribute>| end.map_or(Ok(0.0), Attribute::number);
    Ok(Some([number(ends[0])?, number(ends[1])?]))
}

fn inertial(element: &Element) -> Result<Inertial> {
    let part = |name: &'static str| {
        element
            .one(name)?
            .ok_or_else(|| element.error(format!("there is no <{name}> in <inertial>")))
    };
    let mass = part("mass")?.require("value")?.number()?;
    let inertia = part("inertia")?;
    let entry = |name: &str| inertia.require(name)?.number();
    let (xy, xz, yz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let (xx, yy, zz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
    let inertia = Matrix::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let pose = origin(element)?;
    Ok(Inertial { mass, centre: Vector::zeros(), inertia }.seen(pose.origin, pose.attitude))
}
