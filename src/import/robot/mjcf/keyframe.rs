//! `<keyframe>`: a state by name.

use super::frames::unit;
use crate::robot::links::{Motion, Robot};
use crate::robot::xml::Element;
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::Vector;
use carom_scene::fields::suggestion;

/// Takes the state of the keyframe of this name.
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
    if let Some(attribute) = key.get("qpos") {
        let numbers = attribute.numbers()?;
        let mut left = numbers.as_slice();
        let mut take = |count: usize| {
            let (taken, rest) = left.split_at_checked(count)?;
            left = rest;
            Some(taken)
        };
        for motion in &mut motions {
            let short = || attribute.error(format!("{} numbers are too few", numbers.len()));
            let no_attitude = || attribute.error("a quaternion has a length > 0");
            match motion {
                Motion::Hinge(along) | Motion::Slide(along) => {
                    along.value = take(1).ok_or_else(short)?[0]
                }
                Motion::Ball { turn, .. } => {
                    let [w, x, y, z] = take(4).ok_or_else(short)? else { return Err(short()) };
                    *turn = unit([*w, *x, *y, *z]).ok_or_else(no_attitude)?;
                }
                Motion::Free { pose, .. } => {
                    let [x, y, z, a, b, c, d] = take(7).ok_or_else(short)? else {
                        return Err(short());
                    };
                    pose.origin = Vector::new(*x, *y, *z);
                    pose.attitude = unit([*a, *b, *c, *d]).ok_or_else(no_attitude)?;
                }
            }
        }
        if !left.is_empty() {
            return Err(attribute.error(format!("{} numbers are too many", numbers.len())));
        }
    }
    if let Some(attribute) = key.get("qvel") {
        let numbers = attribute.numbers()?;
        let count = |motion: &&mut Motion| match motion {
            Motion::Hinge(_) | Motion::Slide(_) => 1,
            Motion::Ball { .. } => 3,
            Motion::Free { .. } => 6,
        };
        let needed: usize = motions.iter().map(count).sum();
        if numbers.len() != needed {
            return Err(
                attribute.error(format!("expected {needed} numbers, found {}", numbers.len()))
            );
        }
        let mut at = 0;
        for motion in &mut motions {
            let vector =
                |k: usize| Vector::new(numbers[at + k], numbers[at + k + 1], numbers[at + k + 2]);
            let here = count(motion);
            match motion {
                Motion::Hinge(along) | Motion::Slide(along) => along.rate = numbers[at],
                Motion::Ball { spin, .. } => *spin = vector(0),
                Motion::Free { velocity, spin, .. } => (*velocity, *spin) = (vector(0), vector(3)),
            }
            at += here;
        }
    }
    Ok(())
}
