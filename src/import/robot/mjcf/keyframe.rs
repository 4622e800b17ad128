//! `<keyframe>`: a state by name.

use super::frames::unit;
use crate::robot::links::{Motion, Robot};
use crate::robot::xml::Element;
use carom_core::error::{Error, Result};
use carom_scene::fields::suggestion;

/// Sets the state of the keyframe of this name.
///
/// `qpos`: free joints have the position of the frame and `w x y z`, ball joints `w x y z`, others
/// one number in rad or m. `qvel`: free joints have the velocity of the frame's origin in the world
/// and the angular velocity along the body's axes, ball joints the latter, others one number.
pub(super) fn apply(root: &Element, name: &str, robot: &mut Robot) -> Result<()> {
    let keys: Vec<&Element> = root.all("keyframe").flat_map(|section| section.all("key")).collect();
    let key = keys.iter().find(|key| key.text("name") == Some(name)).ok_or_else(|| {
        Error::usage(format!("no keyframe is called `{name}`"))
            .option("keyframe")
            .hint(suggestion(name, keys.iter().filter_map(|key| key.text("name"))))
    })?;
    let mut motions: Vec<&mut Motion> = robot.motions().collect();
    // Number of entries; `ball` and `free` entries for such joints, one for others.
    let needed = |motions: &[&mut Motion], ball: usize, free: usize| -> usize {
        let count = |motion: &&mut Motion| match motion {
            Motion::Hinge(_) | Motion::Slide(_) => 1,
            Motion::Ball { .. } => ball,
            Motion::Free { .. } => free,
        };
        motions.iter().map(count).sum()
    };
    if let Some(attribute) = key.get("qpos") {
        let (numbers, needed) = (attribute.numbers()?, needed(&motions, 4, 7));
        let found = numbers.len();
        if found != needed {
            let many = if found < needed { "few" } else { "many" };
            return Err(attribute.error(format!("{found} numbers are too {many}")));
        }
        let mut left = numbers.into_iter();
        let mut next = || left.next().unwrap_or_default();
        let no_attitude = || attribute.error("a quaternion has a length > 0");
        for motion in &mut motions {
            match motion {
                Motion::Hinge(along) | Motion::Slide(along) => along.value = next(),
                Motion::Ball { turn, .. } => {
                    *turn = unit([0; 4].map(|_| next())).ok_or_else(no_attitude)?;
                }
                Motion::Free { pose, .. } => {
                    pose.origin = [0; 3].map(|_| next()).into();
                    pose.attitude = unit([0; 4].map(|_| next())).ok_or_else(no_attitude)?;
                }
            }
        }
    }
    if let Some(attribute) = key.get("qvel") {
        let (numbers, needed) = (attribute.numbers()?, needed(&motions, 3, 6));
        let found = numbers.len();
        if found != needed {
            return Err(attribute.error(format!("expected {needed} numbers, found {found}")));
        }
        let mut left = numbers.into_iter();
        let mut next = || left.next().unwrap_or_default();
        for motion in &mut motions {
            let mut vector = || [0; 3].map(|_| next()).into();
            match motion {
                Motion::Hinge(along) | Motion::Slide(along) => along.rate = next(),
                Motion::Ball { spin, .. } => *spin = vector(),
                Motion::Free { velocity, spin, .. } => (*velocity, *spin) = (vector(), vector()),
            }
        }
    }
    Ok(())
}
