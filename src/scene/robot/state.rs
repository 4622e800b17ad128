//! The state that options give.

use super::links::{Motion, Robot};
use super::options::Options;
use crate::error::{Error, Result};
use crate::model::spatial::Attitude;
use crate::scene::fields::suggestion;

const POSE: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];

/// Puts joints and the first floating body where the options say.
pub(super) fn apply(robot: &mut Robot, options: &Options) -> Result<()> {
    let mut joints: Vec<_> = robot.links.iter_mut().flat_map(|link| &mut link.joints).collect();
    for (name, value) in &options.joints {
        let error = |what: String| Error::usage(what).option("joint");
        let names: Vec<String> = joints.iter().filter_map(|joint| joint.name.clone()).collect();
        let found = joints.iter_mut().find(|joint| joint.name.as_ref() == Some(name));
        match found.map(|joint| &mut joint.motion) {
            Some(Motion::Hinge(along) | Motion::Slide(along)) => along.value = *value,
            Some(_) => {
                return Err(error(format!("the joint `{name}` has more than one coordinate"))
                    .hint("--pose places a floating body; else edit the scene"));
            }
            None => {
                return Err(error(format!("no movable joint is called `{name}`"))
                    .hint(suggestion(name, names.iter().map(String::as_str))));
            }
        }
    }
    if options.pose.is_empty() {
        return Ok(());
    }
    let error = |what: String| Error::usage(what).option("pose");
    let Some(pose) = robot.motions().find_map(Motion::floating) else {
        return Err(
            error("no body floats".into()).hint("--floating frees the root link of a URDF file")
        );
    };
    let mut angles = [None; 3];
    for (name, value) in &options.pose {
        match POSE.iter().position(|known| known == name) {
            Some(i @ 0..3) => pose.origin[i] = *value,
            Some(i) => angles[i - 3] = Some(*value),
            None => return Err(error(format!("there is no `{name}`")).hint(suggestion(name, POSE))),
        }
    }
    if angles.iter().any(Option::is_some) {
        let [roll, pitch, yaw] = angles.map(|angle| angle.unwrap_or(0.0));
        pose.attitude = Attitude::from_euler_angles(roll, pitch, yaw);
    }
    Ok(())
}
