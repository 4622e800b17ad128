use super::links::{Along, Motion, Pivot, Robot};
use super::options::Options;
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::Attitude;
use carom_scene::fields::{is_like, suggestion};

/// Tolerance of joint limits, in rad or m, for rounded decimals.
const AT_LIMIT: f64 = 1e-9;
const POSE: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];

/// Sets the positions and velocities of joints and of the first floating body from the options.
pub(super) fn apply(robot: &mut Robot, options: &Options) -> Result<()> {
    for (option, given) in
        [("joint", &options.joints), ("velocity", &options.velocity), ("pose", &options.pose)]
    {
        let twice =
            (1..given.len()).find(|&i| given[..i].iter().any(|(name, _)| *name == given[i].0));
        if let Some(i) = twice {
            return Err(Error::usage(format!("`{}` is given twice", given[i].0)).option(option));
        }
    }
    let floats = robot.floats();
    for (name, value) in &options.joints {
        along(robot, name, "joint", &[], |along| along.value = *value)?;
    }
    for (name, rate) in &options.velocity {
        let part = POSE.iter().position(|known| known == name);
        let joint = robot.links.iter().flat_map(|link| &link.joints);
        let is_joint = joint.clone().any(|joint| joint.name.as_ref() == Some(name));
        let mut motions = robot.motions();
        match (
            part.filter(|_| !is_joint),
            motions.find(|motion| matches!(motion, Motion::Free { .. })),
        ) {
            (Some(i), Some(Motion::Free { velocity, spin, .. })) => match i {
                0..3 => velocity[i] = *rate,
                _ => spin[i - 3] = *rate,
            },
            _ => {
                drop(motions);
                let more: &[&str] = if floats { &POSE } else { &[] };
                along(robot, name, "velocity", more, |along| along.rate = *rate)?;
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

/// Notes joints at their limits, as limits act during an impact.
pub(super) fn limits(robot: &mut Robot) {
    let mut reached = Vec::new();
    for joint in robot.links.iter().flat_map(|link| &link.joints) {
        let (Motion::Hinge(along) | Motion::Slide(along)) = joint.motion else { continue };
        let Some([low, high]) = along.range else { continue };
        let slack = AT_LIMIT * (1.0 + along.value.abs());
        if along.value <= low + slack || along.value >= high - slack {
            reached.push(format!("`{}`", joint.name.as_deref().unwrap_or("a joint")));
        } else {
            robot.notes.leave_out("limits of joints that are not reached");
        }
    }
    if !reached.is_empty() {
        let list = reached.join(", ");
        robot.notes.ignore(format!("limits of joints that are reached: {list}"));
    }
}

/// Changes the joints with one coordinate whose names match `name`, which may contain `*`; `more`:
/// further names that the option knows.
fn along(
    robot: &mut Robot,
    name: &str,
    option: &str,
    more: &[&str],
    change: impl Fn(&mut Along),
) -> Result<()> {
    let mut joints: Vec<_> = robot.links.iter_mut().flat_map(|link| &mut link.joints).collect();
    let names: Vec<String> = joints.iter().filter_map(|joint| joint.name.clone()).collect();
    let is_meant = |joint: &&mut &mut Pivot| {
        joint.name.as_ref().is_some_and(|known| known == name || is_like(name, known))
    };
    let error = |what: String| Error::usage(what).option(option);
    let mut found = 0;
    for joint in joints.iter_mut().filter(is_meant) {
        match &mut joint.motion {
            Motion::Hinge(along) | Motion::Slide(along) => change(along),
            _ if name.contains('*') => continue,
            _ => {
                return Err(error(format!("the joint `{name}` has more than one coordinate"))
                    .hint("--pose places a floating body; else edit the scene"));
            }
        }
        found += 1;
    }
    if found == 0 {
        return Err(error(format!("no movable joint is called `{name}`"))
            .hint(suggestion(name, names.iter().map(String::as_str).chain(more.iter().copied()))));
    }
    Ok(())
}
