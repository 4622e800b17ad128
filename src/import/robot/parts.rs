//! The bodies of a scene for the links of a robot.
//!
//! A link with several joints becomes a chain of bodies with one joint each; all but the last are
//! massless. The origin of a body is its joint. A link without joints is fixed to its nearest
//! moving ancestor, and so are its children's joints. Shapes whose collision parameters differ from
//! the first shapes of their link get a massless body of their own.

use std::collections::BTreeSet;

use super::links::{Along, Form, Geom, Link, Motion, Robot, Touching, composed};
use super::solid::Inertial;
use super::text::{quaternion, vector};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Matrix, Pose, Vector, inertia_fault};

/// Advice for moments of inertia that violate `A + B >= C`.
const BALANCE: &str = "<compiler balanceinertia=\"true\"/>, in URDF within <mujoco> in <robot>, takes the \
                       mean of the three, as MuJoCo does";

pub(super) struct Part {
    pub name: String,
    /// The parent body; `None` for the world.
    pub parent: Option<usize>,
    pub anchor: Vector,
    /// The attitude at joint position zero; floating and ball joints have theirs in the state.
    pub offset: Attitude,
    /// The kind of the joint, and its axis and state as lines of the scene.
    pub joint: (&'static str, String),
    pub armature: f64,
    pub inertial: Inertial,
    pub forms: Vec<Form>,
    pub coordinates: Vec<String>,
    /// Source link; indices of its shapes on this body.
    pub link: usize,
    pub geoms: Vec<usize>,
}

/// The nearest moving ancestor of each link.
pub(super) struct Welds {
    /// The nearest ancestor with joints, or the link itself; `None`: the link is fixed to the
    /// world.
    pub root: Vec<Option<usize>>,
    /// The frame of each link in the frame of its root, or in the world.
    pub pose: Vec<Pose>,
}

impl Welds {
    pub fn of(links: &[Link]) -> Welds {
        let mut welds = Welds { root: Vec::new(), pose: Vec::new() };
        for (i, link) in links.iter().enumerate() {
            if link.joints.is_empty() {
                let (root, pose) = welds.carrier(link);
                welds.root.push(root);
                welds.pose.push(pose);
            } else {
                welds.root.push(Some(i));
                welds.pose.push(Pose::world());
            }
        }
        welds
    }

    /// The nearest moving ancestor of a link, and the link's frame in its frame, with the link's
    /// joints at zero.
    pub fn carrier(&self, link: &Link) -> (Option<usize>, Pose) {
        match link.parent {
            None => (None, link.pose),
            Some(parent) => (self.root[parent], composed(&self.pose[parent], &link.pose)),
        }
    }
}

#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// A unique name: the name, with a number appended if taken.
    pub fn take(&mut self, name: &str) -> String {
        let name = if name.is_empty() || name == "world" { "scenery" } else { name };
        let mut new = name.to_string();
        let mut number = 2;
        while !self.0.insert(new.clone()) {
            new = format!("{name} {number}");
            number += 1;
        }
        new
    }
}

pub(super) fn parts(robot: &Robot, welds: &Welds, names: &mut Names) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    // For each moving link, its body, and the body's origin in the link's frame.
    let mut main: Vec<Option<(usize, Vector)>> = vec![None; robot.links.len()];
    for (i, link) in robot.links.iter().enumerate() {
        check(link)?;
        let (carrier, pose) = welds.carrier(link);
        let (parent, origin) = match carrier.and_then(|root| main[root]) {
            Some((parent, origin)) => (Some(parent), origin),
            None => (None, Vector::zeros()),
        };
        let pose = Pose { origin: pose.origin - origin, ..pose };
        let mut classes = classes(robot, i);
        // A fixed link needs no mass.
        let inertial = if welds.root[i].is_some() { link.inertial } else { Inertial::default() };
        let (first, origin) = if link.joints.is_empty() {
            if inertial.mass == 0.0 && classes.iter().all(Vec::is_empty) {
                continue;
            }
            let name = names.take(&link.name);
            parts.push(Part::new(name, parent, (pose.origin, pose.attitude), i));
            (parts.len() - 1, Vector::zeros())
        } else {
            main[i] = Some(chain(link, i, parent, &pose, names, &mut parts));
            main[i].unwrap_or_default()
        };
        let body = &mut parts[first];
        body.inertial = Inertial { centre: inertial.centre - origin, ..inertial };
        for (k, class) in classes.drain(..).enumerate() {
            if k > 0 {
                let name = names.take(&format!("{}/shapes", link.name));
                let seat = (Vector::zeros(), Attitude::identity());
                parts.push(Part::new(name, Some(first), seat, i));
            }
            let at = if k == 0 { first } else { parts.len() - 1 };
            parts[at].forms = class.iter().map(|&g| link.geoms[g].form.about(origin)).collect();
            parts[at].geoms = class;
        }
    }
    Ok(parts)
}

/// The shapes of a link by collision parameters; the first group may be empty.
fn classes(robot: &Robot, i: usize) -> Vec<Vec<usize>> {
    let geoms = &robot.links[i].geoms;
    let mut classes: Vec<Vec<usize>> = vec![Vec::new()];
    for (g, geom) in geoms.iter().enumerate() {
        let alike = |other: &Geom| !geom.named && !other.named && other.surface == geom.surface;
        let place = classes.iter().position(|class| match class.first() {
            Some(&first) => alike(&geoms[first]),
            None => !geom.named,
        });
        match place {
            Some(place) => classes[place].push(g),
            None => classes.push(vec![g]),
        }
    }
    classes
}

/// Adds the bodies of a link's joints; the last body is the link. Also returns its origin in the
/// link's frame.
fn chain(
    link: &Link,
    i: usize,
    parent: Option<usize>,
    pose: &Pose,
    names: &mut Names,
    parts: &mut Vec<Part>,
) -> (usize, Vector) {
    let (mut parent, mut frame, mut origin) = (parent, *pose, Vector::zeros());
    let last = link.joints.len() - 1;
    for (k, joint) in link.joints.iter().enumerate() {
        let plain = match (&joint.name, k) {
            (_, k) if k == last => link.name.clone(),
            (Some(own), _) => format!("{}/{own}", link.name),
            (None, k) => format!("{}/{k}", link.name),
        };
        let name = names.take(&plain);
        let anchor = frame.point(joint.at - origin);
        let mut seat = (anchor, frame.attitude);
        let own = joint.name.clone();
        let along = |[axis, position, rate]: [&str; 3], a: &Along| {
            let (turned, moved) = (vector(&(frame.attitude * a.axis)), a.value - a.zero);
            format!("{axis} = {turned}\n{position} = {moved:?}\n{rate} = {:?}\n", a.rate)
        };
        let (kind, state, coordinates) = match joint.motion {
            Motion::Hinge(a) => {
                let state = along(["axis", "angle", "angular_velocity"], &a);
                ("revolute", state, vec![own.unwrap_or_else(|| format!("{name}.theta"))])
            }
            Motion::Slide(a) => {
                let state = along(["axis", "displacement", "speed"], &a);
                ("prismatic", state, vec![own.unwrap_or_else(|| format!("{name}.d"))])
            }
            Motion::Ball { turn, spin } => {
                seat.1 = Attitude::identity();
                let attitude = frame.attitude * turn;
                let of = own.unwrap_or_else(|| name.clone());
                let names = ["wx", "wy", "wz"].map(|c| format!("{of}.{c}")).to_vec();
                let (turn, spin) = (quaternion(&attitude), vector(&(attitude * spin)));
                ("spherical", format!("quaternion = {turn}\nangular_velocity = {spin}\n"), names)
            }
            Motion::Free { pose, velocity, spin } => {
                seat = (Vector::zeros(), Attitude::identity());
                let names =
                    ["x", "y", "z", "wx", "wy", "wz"].map(|c| format!("{name}.{c}")).to_vec();
                let spin = pose.attitude * spin;
                // The velocity of a floating body is the velocity of its mass centre.
                let velocity = velocity + spin.cross(&(pose.attitude * link.inertial.centre));
                let (position, turn) = (vector(&pose.origin), quaternion(&pose.attitude));
                let (velocity, spin) = (vector(&velocity), vector(&spin));
                let state = format!(
                    "position = {position}\nquaternion = {turn}\nvelocity = {velocity}\nangular_velocity = {spin}\n"
                );
                ("floating", state, names)
            }
        };
        let free = kind == "floating";
        parts.push(Part {
            joint: (kind, state),
            armature: if free { 0.0 } else { joint.armature },
            coordinates,
            ..Part::new(name, parent, seat, i)
        });
        if free && joint.armature > 0.0 {
            // The armature equals a point with this mass and moment of inertia at the origin.
            let rotor = joint.armature;
            let seat = (Vector::zeros(), Attitude::identity());
            let name = names.take(&format!("{}/armature", link.name));
            let inertia = Matrix::identity() * rotor;
            parts.push(Part {
                inertial: Inertial { mass: rotor, inertia, ..Inertial::default() },
                ..Part::new(name, Some(parts.len() - 1), seat, i)
            });
            return (parts.len() - 2, joint.at);
        }
        parent = Some(parts.len() - 1);
        frame = Pose::world();
        origin = joint.at;
    }
    (parts.len() - 1, origin)
}

impl Part {
    /// A massless body without shapes, fixed with this anchor and attitude.
    fn new(
        name: String,
        parent: Option<usize>,
        (anchor, offset): (Vector, Attitude),
        link: usize,
    ) -> Part {
        Part {
            name,
            parent,
            anchor,
            offset,
            joint: ("fixed", String::new()),
            armature: 0.0,
            inertial: Inertial::default(),
            forms: Vec::new(),
            coordinates: Vec::new(),
            link,
            geoms: Vec::new(),
        }
    }

    pub fn touching(&self) -> impl Iterator<Item = Touching> + '_ {
        self.geoms.iter().map(|&g| Touching::Geom(self.link, g))
    }
}

fn check(link: &Link) -> Result<()> {
    let Inertial { mass, inertia, .. } = &link.inertial;
    if *mass < 0.0 {
        return Err(link.place.error(format!("a mass is >= 0, found {mass}")));
    }
    match inertia_fault(inertia) {
        Some(what) => {
            let error = link.place.error(what);
            Err(if is_unbalanced(inertia) { error.hint(BALANCE) } else { error })
        }
        None => Ok(()),
    }
}

/// Refuses moving links without mass in themselves or in their descendants.
pub(super) fn check_masses(robot: &Robot) -> Result<()> {
    let mut carried: Vec<f64> = robot.links.iter().map(|link| link.inertial.mass).collect();
    for (i, link) in robot.links.iter().enumerate().rev() {
        if let Some(joint) = link.joints.iter().find(|joint| joint.armature == 0.0)
            && carried[i] == 0.0
        {
            return Err(joint
                .place
                .error(format!("it moves `{}`, which has no mass", link.name))
                .hint("the link and what it carries need a mass and a moment of inertia"));
        }
        if let Some(parent) = link.parent {
            carried[parent] += carried[i];
        }
    }
    Ok(())
}

/// Whether finite moments of inertia violate `A + B >= C` although none is negative.
fn is_unbalanced(inertia: &Matrix) -> bool {
    inertia.iter().all(|x| x.is_finite())
        && inertia_fault(inertia).is_some()
        && inertia.symmetric_eigenvalues().min() >= 0.0
}

/// Replaces unbalanced principal moments by their mean, as MuJoCo's `balanceinertia` does.
pub(super) fn balance(robot: &mut Robot) {
    for link in robot.links.iter_mut().filter(|link| is_unbalanced(&link.inertial.inertia)) {
        let mean = link.inertial.inertia.trace() / 3.0;
        link.inertial.inertia = Matrix::identity() * mean;
        robot.notes.say(format!(
            "`balanceinertia`: the principal moments of inertia of `{}` became their mean",
            link.name
        ));
    }
}
