//! A planar mechanism: kinematics, mass matrix and contact Jacobians at a configuration.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::bodies::Body;
use super::contacts::{
    Contact, HalfPlane, Site, Surface, Touch, extent, separation, thickness, touches,
};
use super::joints::{Pose, turning};
use super::roster::{LIMIT, Nearest, check_counts, check_names, contact_names, pairs, unit};
use super::{Shape, Vector};
use carom_core::error::{Error, Result};
use carom_core::problem::MassPart;

/// The direction of the tangent of a contact between two bodies, given the normal `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TangentRule {
    /// `(n_y, -n_x)`, perpendicular to the normal.
    #[default]
    Perpendicular,
    /// `(n_y, n_x)`, as in the code published with Halm & Posa (arXiv 2103.15714): not
    /// perpendicular to an oblique normal. Only good for repeating that code's numbers; walls keep
    /// the right tangent.
    AsPublished,
}

impl TangentRule {
    /// The direction of the tangent of a contact.
    pub(super) fn tangent(self, contact: &Contact) -> Vector {
        let n = contact.touch.normal;
        match (self, contact.first) {
            (TangentRule::AsPublished, Surface::Body(_)) => Vector::new(n.y, n.x),
            _ => Vector::new(n.y, -n.x),
        }
    }
}

/// The effect of one coordinate at unit rate: the velocity of a point of a body, and the angular
/// velocity of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The coordinate's index.
    pub coordinate: usize,
    /// Velocity of the point per unit rate.
    pub velocity: Vector,
    /// Angular velocity of the body per unit rate.
    pub spin: f64,
}

/// Bodies in trees of joints, and the walls around them.
#[derive(Clone, Debug)]
pub struct Planar {
    bodies: Vec<Body>,
    walls: Vec<HalfPlane>,
    excluded: BTreeSet<(Surface, usize)>,
    /// Index of each body's first coordinate.
    first: Vec<usize>,
    coordinates: usize,
}

impl Planar {
    /// Checks bodies and walls and numbers the coordinates, body by body.
    ///
    /// # Errors
    /// A name used twice, a parent that does not come first, a mass or moment of inertia that no
    /// body has, a wall whose normal has not length 1, more than 4096 bodies, walls or coordinates.
    pub fn new(bodies: Vec<Body>, walls: Vec<HalfPlane>) -> Result<Planar> {
        check_counts(bodies.len(), walls.len())?;
        check_names(walls.iter().map(|wall| &*wall.name), bodies.iter().map(|body| &*body.name))?;
        for (i, wall) in walls.iter().enumerate() {
            if !(wall.point.x.is_finite()
                && wall.point.y.is_finite()
                && (wall.normal.norm() - 1.0).abs() <= 1e-9)
            {
                return Err(Error::input("a wall has a finite point and a normal of length 1")
                    .at(format!("walls[{i}]")));
            }
        }
        let mut first = Vec::with_capacity(bodies.len());
        let mut coordinates = 0;
        for (i, body) in bodies.iter().enumerate() {
            body.check(i)?;
            first.push(coordinates);
            coordinates += body.joint.coordinates().len();
        }
        if coordinates == 0 || coordinates > LIMIT {
            return Err(Error::input(format!("{coordinates} coordinates; expected 1 to {LIMIT}"))
                .at("bodies")
                .hint(
                    "coordinates of a joint: floating 3, translating 2, revolute 1, prismatic 1",
                ));
        }
        Ok(Planar { bodies, walls, excluded: BTreeSet::new(), first, coordinates })
    }

    /// Excludes contacts of a pair, which may then overlap.
    pub fn exclude(&mut self, surface: Surface, body: usize) {
        self.excluded.insert(surface.ordered(body));
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
    /// The walls.
    pub fn walls(&self) -> &[HalfPlane] {
        &self.walls
    }
    /// Number n of coordinates.
    pub fn coordinate_count(&self) -> usize {
        self.coordinates
    }
    /// Index of a body's first coordinate; the others follow.
    pub fn first_coordinate(&self, body: usize) -> usize {
        self.first[body]
    }
    /// Names of the coordinates: the body's name, a dot, and `x`, `y`, `theta` or `d`.
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
    /// The name of a wall or body.
    pub fn surface_name(&self, surface: Surface) -> &str {
        match surface {
            Surface::Wall(i) => &self.walls[i].name,
            Surface::Body(i) => &self.bodies[i].name,
        }
    }

    /// The poses of the bodies at the configuration `q` (n).
    pub fn poses(&self, q: &[f64]) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.bodies.len());
        for (body, first) in self.bodies.iter().zip(&self.first) {
            let parent = body.parent.map_or(Pose::WORLD, |parent| poses[parent]);
            poses.push(body.joint.pose(&parent, body.anchor, body.offset, &q[*first..]));
        }
        poses
    }

    /// The columns of the velocity Jacobian of the world point `r`, regarded as a point of `body`;
    /// all other columns are zero.
    ///
    /// A displacement moves all bodies that its joint carries along its axis; an angle moves `r` by
    /// `k x (r - pivot)`. The coordinates before an absolute angle move the joint, but do not
    /// rotate the body.
    pub fn columns(&self, poses: &[Pose], body: usize, r: Vector) -> Vec<Column> {
        let mut columns = Vec::new();
        let (mut point, mut spin) = (r, 1.0);
        let mut link = Some(body);
        while let Some(k) = link {
            let joint = &self.bodies[k].joint;
            let parent = self.bodies[k].parent.map_or(Pose::WORLD, |parent| poses[parent]);
            let (axes, count) = joint.translations();
            if joint.turns() {
                let velocity = turning(point, poses[k].origin);
                columns.push(Column { coordinate: self.first[k] + count, velocity, spin });
            }
            for i in (0..count).rev() {
                columns.push(Column {
                    coordinate: self.first[k] + i,
                    velocity: parent.direction(axes[i]),
                    spin: 0.0,
                });
            }
            if joint.is_absolute() {
                (point, spin) = (poses[k].origin, 0.0);
            }
            link = self.bodies[k].parent;
        }
        columns.reverse();
        columns
    }

    /// The mass matrix `M(q) = sum_b J_b' diag(m, m, I) J_b` (n,n), with `J_b` the velocity
    /// Jacobian of the centre of mass of body b and of its angle; kg, kg m and kg m^2.
    pub fn mass_matrix(&self, poses: &[Pose]) -> DMatrix<f64> {
        let mut mass = DMatrix::zeros(self.coordinates, self.coordinates);
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            for a in &columns {
                for b in &columns {
                    mass[(a.coordinate, b.coordinate)] +=
                        body.mass * a.velocity.dot(&b.velocity) + body.inertia * a.spin * b.spin;
                }
            }
        }
        mass
    }

    /// The parts of the mass matrix: for each body its mass, then its moment of inertia about its
    /// mass centre. Parts that no coordinate moves are left out.
    pub fn mass_parts(&self, poses: &[Pose]) -> Vec<MassPart> {
        let mut parts = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let moved: Vec<_> = columns.iter().map(|c| (c.coordinate, c.velocity)).collect();
            let turned: Vec<_> = columns.iter().map(|c| (c.coordinate, c.spin)).collect();
            parts.extend(MassPart::of(&moved, |a, b| body.mass * a.dot(b)));
            parts.extend(MassPart::of(&turned, |a, b| body.inertia * a * b));
        }
        parts
    }

    /// The contacts: all pairs of shapes whose gap is within `tolerance` (m), walls first, then
    /// pairs of bodies, each in the order of walls, bodies, shapes and vertices.
    ///
    /// A body does not touch the body that carries its joint. Pairs that no coordinate moves and
    /// excluded pairs are left out.
    ///
    /// # Errors
    /// An overlap deeper than the tolerance, with the pair and the depth; a model without contacts,
    /// with the smallest gap.
    pub fn contacts(&self, poses: &[Pose], tolerance: f64) -> Result<Vec<Contact>> {
        let (found, nearest) = self.near(poses, tolerance);
        nearest.check(found.len(), tolerance, |surface| self.surface_name(surface))?;
        Ok(found.into_iter().map(|(_, contact)| contact).collect())
    }

    /// The contacts that [`Planar::contacts`] lists, however many there are and however deep shapes
    /// overlap, each with its site.
    pub fn touching(&self, poses: &[Pose], tolerance: f64) -> Vec<(Site, Contact)> {
        self.near(poses, tolerance).0
    }

    /// The gaps of all corners from walls and of all pairs of bodies, in m; negative where they
    /// overlap.
    pub fn gaps(&self, poses: &[Pose]) -> Vec<(Site, f64)> {
        let placed =
            |body: usize| self.bodies[body].shapes.iter().map(move |s| s.placed(&poses[body]));
        let mut gaps = Vec::new();
        for (first, second) in self.pairs() {
            let mut corner = 0;
            let mut take = |gap: f64| {
                gaps.push((Site { first, second, corner }, gap));
                corner += 1;
            };
            match first {
                Surface::Wall(wall) => {
                    placed(second).for_each(|b| {
                        self.walls[wall].touches(&b).for_each(|touch| take(touch.gap))
                    });
                }
                Surface::Body(body) => {
                    placed(body)
                        .for_each(|a| placed(second).for_each(|b| take(separation(&a, &b))));
                }
            }
        }
        gaps
    }

    /// The pairs of bodies that may touch, by index; the lower one comes first.
    pub fn body_pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.pairs().into_iter().filter_map(|(first, second)| match first {
            Surface::Body(first) => Some([first, second]),
            Surface::Wall(_) => None,
        })
    }

    /// The gap and the [`thickness`] of each pair of shapes of two bodies, in m.
    pub fn spaces<'a>(
        &'a self,
        poses: &'a [Pose],
        [first, second]: [usize; 2],
    ) -> impl Iterator<Item = [f64; 2]> + 'a {
        let placed =
            move |body: usize| self.bodies[body].shapes.iter().map(move |s| s.placed(&poses[body]));
        let both =
            move |a: Shape| placed(second).map(move |b| [separation(&a, &b), thickness(&a, &b)]);
        placed(first).flat_map(both)
    }

    /// Where each of the pairs that are `wanted` may touch, however far apart it is: one touch for
    /// each corner and wall, one or two for each pair of shapes of two bodies, with the number of
    /// the touch at its site.
    pub fn places(
        &self,
        poses: &[Pose],
        wanted: impl Fn(Surface, usize) -> bool,
    ) -> Vec<((Site, usize), Contact)> {
        let placed =
            |body: usize| self.bodies[body].shapes.iter().map(move |s| s.placed(&poses[body]));
        let mut places = Vec::new();
        for (first, second) in
            self.pairs().into_iter().filter(|&(first, second)| wanted(first, second))
        {
            let mut corner = 0;
            let mut take = |touches: Vec<Touch>| {
                for (number, touch) in touches.into_iter().enumerate() {
                    let site = Site { first, second, corner };
                    places.push(((site, number), Contact { first, second, touch }));
                }
                corner += 1;
            };
            match first {
                Surface::Wall(wall) => placed(second)
                    .for_each(|b| self.walls[wall].touches(&b).for_each(|touch| take(vec![touch]))),
                Surface::Body(body) => placed(body).for_each(|a| {
                    placed(second).for_each(|b| take(touches(&a, &b, f64::INFINITY)))
                }),
            }
        }
        places
    }

    /// The largest distance of a point of a shape, or of a joint on a body, from the body's origin,
    /// in m.
    pub fn reach(&self) -> f64 {
        let of_body = |body: &Body| body.reach().max(body.anchor.norm());
        self.bodies.iter().map(of_body).fold(0.0, f64::max)
    }

    /// The pairs that may touch.
    fn pairs(&self) -> Vec<(Surface, usize)> {
        let joint = |body: &Body| (!body.joint.coordinates().is_empty(), body.parent);
        let joints: Vec<_> = self.bodies.iter().map(joint).collect();
        pairs(self.walls.len(), &joints, &self.excluded)
    }

    fn near(&self, poses: &[Pose], tolerance: f64) -> (Vec<(Site, Contact)>, Nearest) {
        let placed: Vec<Vec<_>> = self
            .bodies
            .iter()
            .zip(poses)
            .map(|(body, pose)| body.shapes.iter().map(|s| s.placed(pose)).collect())
            .collect();
        let mut found = Vec::new();
        let mut nearest = Nearest::default();
        for (first, second) in self.pairs() {
            let located = |corner: usize, touch: Touch| {
                (Site { first, second, corner }, Contact { first, second, touch })
            };
            let body = match first {
                Surface::Body(body) => body,
                Surface::Wall(wall) => {
                    let touches =
                        placed[second].iter().flat_map(|shape| self.walls[wall].touches(shape));
                    for (corner, touch) in touches.enumerate() {
                        nearest.consider(touch.gap, first, second);
                        if touch.gap <= tolerance {
                            found.push(located(corner, touch));
                        }
                    }
                    continue;
                }
            };
            let both = placed[body].iter().flat_map(|a| placed[second].iter().map(move |b| (a, b)));
            for (i, (a, b)) in both.enumerate() {
                let reach = (a.vertices()[0] - b.vertices()[0]).norm() - extent(a) - extent(b);
                if reach > tolerance && nearest.is_below(reach) {
                    continue;
                }
                nearest.consider(separation(a, b), first, second);
                found.extend(touches(a, b, tolerance).into_iter().map(|touch| located(i, touch)));
            }
        }
        (found, nearest)
    }

    /// Names of contacts: the touched surface, a hyphen, the touching body; numbered where a pair
    /// touches several times.
    pub fn contact_names(&self, contacts: &[Contact]) -> Vec<String> {
        contact_names(contacts.iter().map(|c| (c.first, c.second)), |surface| {
            self.surface_name(surface)
        })
    }

    /// The normal Jacobian `Jn` (m,n): the rate of each contact's gap, `n . (J_second - J_first)`.
    pub fn normal_rows(&self, poses: &[Pose], contacts: &[Contact]) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| contact.touch.normal)
    }

    /// The tangent Jacobian `Jt` (m,n): the sliding velocity of each contact,
    /// `t . (J_second - J_first)`.
    pub fn tangent_rows(
        &self,
        poses: &[Pose],
        contacts: &[Contact],
        rule: TangentRule,
    ) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| rule.tangent(contact))
    }

    fn rows(
        &self,
        poses: &[Pose],
        contacts: &[Contact],
        direction: impl Fn(&Contact) -> Vector,
    ) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(contacts.len(), self.coordinates);
        for (i, contact) in contacts.iter().enumerate() {
            let along = direction(contact);
            for column in self.columns(poses, contact.second, contact.touch.point) {
                rows[(i, column.coordinate)] += along.dot(&column.velocity);
            }
            if let Surface::Body(first) = contact.first {
                for column in self.columns(poses, first, contact.touch.point) {
                    rows[(i, column.coordinate)] -= along.dot(&column.velocity);
                }
            }
        }
        rows
    }
}
