//! A spatial mechanism: kinematics, mass matrix and contact Jacobians at a configuration.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::bodies::Body;
use super::joints::{Joint, Pose, attitude, vector};
use super::manifold::{Contact, HalfSpace};
use super::{Attitude, Vector};
use crate::model::Surface;
use crate::model::roster::{LIMIT, check_counts, check_names, contact_names, pairs, unit};
use carom_core::error::{Error, Result};
use carom_core::problem::MassPart;

/// The effect of one entry of the velocity at unit rate: the velocity of a point of a body, and the
/// angular velocity of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The entry's index.
    pub coordinate: usize,
    /// Velocity of the point per unit rate.
    pub velocity: Vector,
    /// Angular velocity of the body per unit rate.
    pub spin: Vector,
}

/// Bodies in trees of joints, and the walls around them.
#[derive(Clone, Debug)]
pub struct Spatial {
    bodies: Vec<Body>,
    walls: Vec<HalfSpace>,
    excluded: BTreeSet<(Surface, usize)>,
    /// The pairs that may touch.
    pairs: Vec<(Surface, usize)>,
    /// Index of each body's first entry of the velocity, and of its first position.
    first: Vec<(usize, usize)>,
    coordinates: usize,
    positions: usize,
}

impl Spatial {
    /// Checks bodies and walls and numbers the coordinates, body by body.
    ///
    /// # Errors
    /// A name used twice, a parent that does not come first, a floating body with a parent, a mass
    /// or an inertia tensor that no body has, an axis or a wall's normal whose length is not 1,
    /// more than 4096 bodies, walls or coordinates.
    pub fn new(bodies: Vec<Body>, walls: Vec<HalfSpace>) -> Result<Spatial> {
        check_counts(bodies.len(), walls.len())?;
        check_names(walls.iter().map(|wall| &*wall.name), bodies.iter().map(|body| &*body.name))?;
        for (i, wall) in walls.iter().enumerate() {
            if !(wall.point.iter().all(|x| x.is_finite())
                && (wall.normal.norm() - 1.0).abs() <= 1e-9)
            {
                return Err(Error::input("a wall has a finite point and a normal of length 1")
                    .at(format!("walls[{i}]")));
            }
        }
        let mut first = Vec::with_capacity(bodies.len());
        let (mut coordinates, mut positions) = (0, 0);
        for (i, body) in bodies.iter().enumerate() {
            body.check(i)?;
            first.push((coordinates, positions));
            coordinates += body.joint.coordinates().len();
            positions += body.joint.positions();
        }
        if coordinates == 0 || coordinates > LIMIT {
            return Err(Error::input(format!("{coordinates} coordinates; expected 1 to {LIMIT}"))
                .at("bodies")
                .hint(
                    "coordinates of a joint: floating 6, translating 3, spherical 3, revolute 1, prismatic 1",
                ));
        }
        let (excluded, pairs) = (BTreeSet::new(), Vec::new());
        let model = Spatial { bodies, walls, excluded, pairs, first, coordinates, positions };
        Ok(model.paired())
    }

    /// Excludes contacts of a pair, which may then overlap.
    pub fn exclude(&mut self, surface: Surface, body: usize) {
        self.excluded.insert(surface.ordered(body));
        *self = self.clone().paired();
    }

    /// The model with the pairs that may touch.
    fn paired(self) -> Self {
        let joint = |body: &Body| (body.joint.positions() > 0, body.parent);
        let joints: Vec<_> = self.bodies.iter().map(joint).collect();
        Spatial { pairs: pairs(self.walls.len(), &joints, &self.excluded), ..self }
    }

    /// The pairs that may touch.
    pub(super) fn pairs(&self) -> &[(Surface, usize)] {
        &self.pairs
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
    /// The walls.
    pub fn walls(&self) -> &[HalfSpace] {
        &self.walls
    }
    /// Number n of entries of the velocity.
    pub fn coordinate_count(&self) -> usize {
        self.coordinates
    }
    /// Number of entries of the configuration: one per coordinate, and one more per floating or
    /// spherical joint.
    pub fn position_count(&self) -> usize {
        self.positions
    }
    /// Index of a body's first entry of the velocity; the others follow.
    pub fn first_coordinate(&self, body: usize) -> usize {
        self.first[body].0
    }
    /// The entries of the velocity that belong to a body's joint.
    pub(super) fn own_coordinates(&self, body: usize) -> std::ops::Range<usize> {
        let first = self.first[body].0;
        first..first + self.bodies[body].joint.coordinates().len()
    }
    /// Names of the entries of the velocity: the body's name, a dot, and for example `x`, `wx` or
    /// `theta`.
    pub fn coordinate_names(&self) -> Vec<String> {
        let names = |body: &Body| {
            body.joint
                .coordinates()
                .iter()
                .map(|c| format!("{}.{c}", body.name))
                .collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(names).collect()
    }
    /// The units of the entries of the velocity.
    pub fn units(&self) -> Vec<String> {
        let units = |body: &Body| {
            body.joint.coordinates().iter().map(|c| unit(c).to_string()).collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(units).collect()
    }
    /// Names of the entries of the configuration: the body's name, a dot, and for example `x`, `qw`
    /// or `theta`.
    pub fn position_names(&self) -> Vec<String> {
        let names = |body: &Body| {
            let own = body.joint.position_names();
            own.iter().map(|c| format!("{}.{c}", body.name)).collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(names).collect()
    }
    /// The units of the entries of the configuration; empty for those of a quaternion.
    pub fn position_units(&self) -> Vec<String> {
        let of = |name: &&str| match *name {
            "qw" | "qx" | "qy" | "qz" => String::new(),
            name => unit(name).trim_end_matches("/s").to_string(),
        };
        self.bodies.iter().flat_map(|body| body.joint.position_names().iter().map(of)).collect()
    }
    /// The index of the entry of the configuration whose rate is an entry of the velocity; `None`
    /// for an angular velocity, and for the velocity of a mass centre.
    pub fn position_of(&self, coordinate: usize) -> Option<usize> {
        let body =
            (0..self.bodies.len()).find(|&i| self.own_coordinates(i).contains(&coordinate))?;
        let (first, at) = self.first[body];
        match self.bodies[body].joint {
            Joint::Floating | Joint::Spherical => None,
            _ => Some(at + coordinate - first),
        }
    }
    /// The first entry of the angular velocity of each floating or spherical joint.
    pub fn turning(&self) -> Vec<usize> {
        let of = |(body, &(first, _)): (&Body, &(usize, usize))| match body.joint {
            Joint::Floating => Some(first + 3),
            Joint::Spherical => Some(first),
            _ => None,
        };
        self.bodies.iter().zip(&self.first).filter_map(of).collect()
    }
    /// The name of a wall or body.
    pub fn surface_name(&self, surface: Surface) -> &str {
        match surface {
            Surface::Wall(i) => &self.walls[i].name,
            Surface::Body(i) => &self.bodies[i].name,
        }
    }
    /// Names of contacts: the touched surface, a hyphen, the touching body; numbered where a pair
    /// touches several times.
    pub fn contact_names(&self, contacts: &[Contact]) -> Vec<String> {
        contact_names(contacts.iter().map(|c| (c.first, c.second)), |surface| {
            self.surface_name(surface)
        })
    }

    /// The poses of the bodies at the configuration `q`.
    pub fn poses(&self, q: &[f64]) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.bodies.len());
        for (body, (_, first)) in self.bodies.iter().zip(&self.first) {
            let parent = body.parent.map_or(Pose::world(), |parent| poses[parent]);
            poses.push(body.joint.pose(&parent, body.anchor, body.offset, &q[*first..]));
        }
        poses
    }

    /// The configuration reached from `q` after the time `t` (s) with constant rates `v` (n).
    ///
    /// Attitudes change by the exponential of `t` times the angular velocity; a floating body
    /// rotates about its mass centre.
    pub fn flowed(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        let mut moved = q.to_vec();
        for (body, &(first, at)) in self.bodies.iter().zip(&self.first) {
            let (v, q, moved) = (&v[first..], &q[at..], &mut moved[at..]);
            let turned = |place: usize, rate: &[f64]| {
                let turned = Attitude::from_scaled_axis(vector(rate) * t) * attitude(&q[place..]);
                [turned.w, turned.i, turned.j, turned.k]
            };
            match body.joint {
                Joint::Floating => {
                    let after = turned(3, &v[3..]);
                    let arm = |q: &[f64]| attitude(q) * (body.offset * body.center_of_mass);
                    let origin = vector(q) + vector(v) * t + arm(&q[3..]) - arm(&after);
                    moved[..3].copy_from_slice(origin.as_slice());
                    moved[3..7].copy_from_slice(&after);
                }
                Joint::Spherical => moved[..4].copy_from_slice(&turned(0, v)),
                Joint::Translating
                | Joint::Revolute { .. }
                | Joint::Prismatic { .. }
                | Joint::Fixed => {
                    for i in 0..body.joint.positions() {
                        moved[i] += t * v[i];
                    }
                }
            }
        }
        moved
    }

    /// The constant rates (n) that lead from one configuration to another in 1 s: the inverse of
    /// [`Spatial::flowed`], with turns of at most pi.
    pub fn displacement(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.coordinates];
        for (body, &(first, at)) in self.bodies.iter().zip(&self.first) {
            let (from, to, rates) = (&from[at..], &to[at..], &mut rates[first..]);
            let turn = |place: usize| {
                (attitude(&to[place..]) * attitude(&from[place..]).inverse()).scaled_axis()
            };
            match body.joint {
                Joint::Floating => {
                    let centre = |q: &[f64]| {
                        vector(q) + attitude(&q[3..]) * (body.offset * body.center_of_mass)
                    };
                    rates[..3].copy_from_slice((centre(to) - centre(from)).as_slice());
                    rates[3..6].copy_from_slice(turn(3).as_slice());
                }
                Joint::Spherical => rates[..3].copy_from_slice(turn(0).as_slice()),
                Joint::Translating
                | Joint::Revolute { .. }
                | Joint::Prismatic { .. }
                | Joint::Fixed => {
                    (0..body.joint.positions()).for_each(|i| rates[i] = to[i] - from[i]);
                }
            }
        }
        rates
    }

    /// The columns of the velocity Jacobian of the world point `r`, regarded as a point of `body`;
    /// all other columns are zero.
    ///
    /// A displacement moves all bodies that its joint carries along its axis; a rotation about the
    /// axis `s` moves `r` by `s x (r - pivot)`, where the pivot is the joint, or the mass centre of
    /// a floating body.
    pub fn columns(&self, poses: &[Pose], body: usize, r: Vector) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut link = Some(body);
        while let Some(k) = link {
            let Body { joint, center_of_mass, parent, .. } = &self.bodies[k];
            let frame = parent.map_or(Pose::world(), |parent| poses[parent]);
            let axes = [Vector::x(), Vector::y(), Vector::z()].map(|axis| frame.direction(axis));
            let slide = |axis: Vector| (axis, Vector::zeros());
            let turn = |axis: Vector, pivot: Vector| (axis.cross(&(r - pivot)), axis);
            let moves: Vec<(Vector, Vector)> = match joint {
                Joint::Floating => {
                    let centre = poses[k].point(*center_of_mass);
                    axes.map(slide).into_iter().chain(axes.map(|axis| turn(axis, centre))).collect()
                }
                Joint::Translating => axes.map(slide).to_vec(),
                Joint::Revolute { axis } => vec![turn(frame.direction(*axis), poses[k].origin)],
                Joint::Prismatic { axis } => vec![slide(frame.direction(*axis))],
                Joint::Spherical => axes.map(|axis| turn(axis, poses[k].origin)).to_vec(),
                Joint::Fixed => Vec::new(),
            };
            for (i, (velocity, spin)) in moves.into_iter().enumerate().rev() {
                columns.push(Column { coordinate: self.first[k].0 + i, velocity, spin });
            }
            link = *parent;
        }
        columns.reverse();
        columns
    }

    /// The mass matrix `M(q) = sum_b m V_b' V_b + S_b' R I R' S_b` (n,n), with `V_b` and `S_b`
    /// (3,n) the Jacobians of the velocity of body b's mass centre and of its angular velocity, `R`
    /// its attitude; armatures are added to its diagonal. In kg, kg m and kg m^2.
    pub fn mass_matrix(&self, poses: &[Pose]) -> DMatrix<f64> {
        let mut mass = DMatrix::zeros(self.coordinates, self.coordinates);
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let inertia = turned(body, &poses[i]);
            for a in &columns {
                let (momentum, angular) = (a.velocity * body.mass, inertia * a.spin);
                for b in &columns {
                    mass[(a.coordinate, b.coordinate)] +=
                        momentum.dot(&b.velocity) + angular.dot(&b.spin);
                }
            }
            for k in self.own_coordinates(i) {
                mass[(k, k)] += body.armature;
            }
        }
        mass
    }

    /// The parts of the mass matrix: for each body its mass, then its moment of inertia about its
    /// mass centre, then its armature, if it has one. Parts that no coordinate moves are left out.
    pub fn mass_parts(&self, poses: &[Pose]) -> Vec<MassPart> {
        let mut parts = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let inertia = turned(body, &poses[i]);
            let moved: Vec<_> = columns.iter().map(|c| (c.coordinate, c.velocity)).collect();
            let spun: Vec<_> = columns.iter().map(|c| (c.coordinate, c.spin)).collect();
            parts.extend(MassPart::of(&moved, |a, b| body.mass * a.dot(b)));
            parts.extend(MassPart::of(&spun, |a, b| (inertia * a).dot(b)));
            if body.armature > 0.0 {
                let own = self.own_coordinates(i);
                let axes: Vec<_> =
                    own.clone().map(|k| (k, Vector::ith(k - own.start, 1.0))).collect();
                parts.extend(MassPart::of(&axes, |a, b| body.armature * a.dot(b)));
            }
        }
        parts
    }
}

/// The inertia tensor of a body along the world's axes.
pub(super) fn turned(body: &Body, pose: &Pose) -> super::Matrix {
    match body.inertia {
        // A multiple of the unit matrix is the same in every frame.
        same if same == super::Matrix::identity() * same.m11 => same,
        other => {
            let turn = pose.attitude.to_rotation_matrix();
            turn.matrix() * other * turn.matrix().transpose()
        }
    }
}
