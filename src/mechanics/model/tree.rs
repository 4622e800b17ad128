//! Bodies in trees of joints, in a plane (D = 2) or in space (D = 3): coordinates, contacts, and
//! the contact problem of a configuration.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{DMatrix, SVector};

use super::roster::{LIMIT, Nearest, check_counts, check_names, unit};
use super::touch::{Contact, HalfSpace, Site, Solid, Surface, Touch};
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactPoint, MassPart, Place, Points, ProblemSpec};

/// The state of a model before the impact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Configuration `q` (n; in space, one more entry for each quaternion).
    pub position: Vec<f64>,
    /// Velocity `v` (n).
    pub velocity: Vec<f64>,
}

/// The effect of one entry of the velocity at unit rate: the velocity of a point of a body, and the
/// angular velocity of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column<S, const D: usize> {
    /// The entry's index.
    pub coordinate: usize,
    /// Velocity of the point per unit rate.
    pub velocity: SVector<f64, D>,
    /// Angular velocity of the body per unit rate.
    pub spin: S,
}

/// Properties of a body that a tree uses.
pub struct View<'a, S, const D: usize> {
    pub name: &'a str,
    pub parent: Option<usize>,
    pub anchor: SVector<f64, D>,
    pub shapes: &'a [S],
    /// The names of the joint's entries of the velocity, and of the configuration.
    pub coordinates: &'static [&'static str],
    pub positions: &'static [&'static str],
    /// Whether the joint's first coordinates are displacements along all axes.
    pub shifts: bool,
}

/// A rigid body.
pub trait Rigid<const D: usize>: Sized {
    /// The shapes and the angular velocity of a body.
    type Shape: Solid<D>;
    type Spin;

    /// The numbers of coordinates of the joints.
    const JOINTS: &'static str;

    fn view(&self) -> View<'_, Self::Shape, D>;

    /// Refuses impossible masses and moments of inertia, and a parent that does not come earlier.
    fn check(&self, index: usize) -> Result<()>;

    /// Pose of the body, given the poses of earlier bodies; `q` starts with its positions.
    fn pose(&self, poses: &[Pose<Self, D>], q: &[f64]) -> Pose<Self, D>;

    /// The mass centre in the world.
    fn centre(&self, pose: &Pose<Self, D>) -> SVector<f64, D>;

    /// See [`Tree::columns`].
    fn columns(
        tree: &Tree<Self, D>,
        poses: &[Pose<Self, D>],
        body: usize,
        r: SVector<f64, D>,
    ) -> Vec<Column<Self::Spin, D>>;

    /// The entries of an angular velocity.
    fn entries(spin: &Self::Spin) -> &[f64];
}

/// The pose of a body.
pub type Pose<B, const D: usize> = <<B as Rigid<D>>::Shape as Solid<D>>::Pose;

/// Bodies in trees of joints, and the walls around them.
#[derive(Clone, Debug)]
pub struct Tree<B, const D: usize> {
    pub(super) bodies: Vec<B>,
    walls: Vec<HalfSpace<D>>,
    excluded: BTreeSet<(Surface, usize)>,
    pairs: Vec<(Surface, usize)>,
    /// Index of each body's first entry of the velocity, and of its first position.
    pub(super) first: Vec<(usize, usize)>,
    coordinates: usize,
    positions: usize,
}

impl<B: Rigid<D>, const D: usize> Tree<B, D> {
    /// Checks bodies and walls and numbers the coordinates, body by body.
    ///
    /// # Errors
    /// A name used twice, a parent that does not come first, in space a floating body with a
    /// parent, a mass or inertia that no body has, an axis or a wall's normal whose length is not
    /// 1, more than 4096 bodies, walls or coordinates.
    pub fn new(bodies: Vec<B>, walls: Vec<HalfSpace<D>>) -> Result<Self> {
        check_counts(bodies.len(), walls.len())?;
        let names = bodies.iter().map(|body| body.view().name);
        check_names(walls.iter().map(|wall| &*wall.name), names)?;
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
            coordinates += body.view().coordinates.len();
            positions += body.view().positions.len();
        }
        if coordinates == 0 || coordinates > LIMIT {
            return Err(Error::input(format!("{coordinates} coordinates; expected 1 to {LIMIT}"))
                .at("bodies")
                .hint(format!("coordinates of a joint: {}", B::JOINTS)));
        }
        let (excluded, pairs) = (BTreeSet::new(), Vec::new());
        let mut tree = Tree { bodies, walls, excluded, pairs, first, coordinates, positions };
        tree.pair();
        Ok(tree)
    }

    /// Excludes contacts of a pair, which may then overlap.
    pub fn exclude(&mut self, surface: Surface, body: usize) {
        self.excluded.insert(surface.ordered(body));
        self.pair();
    }

    /// Lists the pairs that may touch: walls first, then pairs of bodies. A body does not touch its
    /// carrier; pairs that no coordinate moves and excluded pairs are left out.
    fn pair(&mut self) {
        let (count, parent) = (self.bodies.len(), |i: usize| self.bodies[i].view().parent);
        // A body moves if its joint does, or its parent; parents come first.
        let mut moves: Vec<bool> = Vec::with_capacity(count);
        for body in self.bodies.iter().map(Rigid::view) {
            let carried = body.parent.is_some_and(|parent| moves[parent]);
            moves.push(carried || !body.coordinates.is_empty());
        }
        let walls =
            (0..self.walls.len()).flat_map(|w| (0..count).map(move |i| (Surface::Wall(w), i)));
        let bodies = (0..count).flat_map(|i| (i + 1..count).map(move |j| (Surface::Body(i), j)));
        let may_touch = |&(first, second): &(Surface, usize)| match first {
            Surface::Wall(_) => moves[second],
            Surface::Body(body) => parent(second) != Some(body) && (moves[body] || moves[second]),
        };
        let pairs = walls.chain(bodies).filter(may_touch);
        self.pairs = pairs.filter(|pair| !self.excluded.contains(pair)).collect();
    }

    /// The bodies.
    pub fn bodies(&self) -> &[B] {
        &self.bodies
    }
    /// The walls.
    pub fn walls(&self) -> &[HalfSpace<D>] {
        &self.walls
    }
    /// Number n of entries of the velocity.
    pub fn coordinate_count(&self) -> usize {
        self.coordinates
    }
    /// Number of entries of the configuration: one per coordinate, and in space one more per
    /// floating or spherical joint.
    pub fn position_count(&self) -> usize {
        self.positions
    }
    /// Index of a body's first entry of the velocity; the others follow.
    pub fn first_coordinate(&self, body: usize) -> usize {
        self.first[body].0
    }
    /// Names of the entries of the velocity: the body's name, a dot, and for example `x`, `wx` or
    /// `theta`.
    pub fn coordinate_names(&self) -> Vec<String> {
        self.named(|body| body.coordinates)
    }
    /// Names of the entries of the configuration: the body's name, a dot, and for example `x`, `qw`
    /// or `theta`.
    pub fn position_names(&self) -> Vec<String> {
        self.named(|body| body.positions)
    }
    fn named(&self, of: impl Fn(&View<'_, B::Shape, D>) -> &'static [&'static str]) -> Vec<String> {
        let mut names = Vec::new();
        for body in self.bodies.iter().map(Rigid::view) {
            names.extend(of(&body).iter().map(|name| format!("{}.{name}", body.name)));
        }
        names
    }
    /// The units of the entries of the velocity.
    pub fn units(&self) -> Vec<String> {
        let names = self.bodies.iter().flat_map(|body| body.view().coordinates);
        names.map(|name| unit(name).to_string()).collect()
    }
    /// Units of the entries of the configuration; empty for entries of a quaternion.
    pub fn position_units(&self) -> Vec<String> {
        let of = |name: &&str| match *name {
            "qw" | "qx" | "qy" | "qz" => String::new(),
            name => unit(name).trim_end_matches("/s").to_string(),
        };
        self.bodies.iter().flat_map(|body| body.view().positions).map(of).collect()
    }
    /// The name of a wall or body.
    pub fn surface_name(&self, surface: Surface) -> &str {
        match surface {
            Surface::Wall(i) => &self.walls[i].name,
            Surface::Body(i) => self.bodies[i].view().name,
        }
    }
    /// Names of contacts: the touched surface, a hyphen, the touching body; numbered where a pair
    /// touches several times, or where another contact has the same name.
    pub fn contact_names(&self, contacts: &[Contact<D>]) -> Vec<String> {
        let pairs = contacts.iter().map(|c| (c.first, c.second));
        let name = |surface| self.surface_name(surface);
        let mut total: BTreeMap<(Surface, usize), (usize, usize)> = BTreeMap::new();
        for pair in pairs.clone() {
            total.entry(pair).or_default().0 += 1;
        }
        let (mut names, mut taken) = (Vec::new(), BTreeSet::new());
        for pair in pairs {
            let plain = format!("{}-{}", name(pair.0), name(Surface::Body(pair.1)));
            let (count, next) = total.entry(pair).or_default();
            let mut numbered = || {
                *next += 1;
                format!("{plain}-{next}")
            };
            let mut name = if *count > 1 { numbered() } else { plain.clone() };
            while !taken.insert(name.clone()) {
                name = numbered();
            }
            names.push(name);
        }
        names
    }

    /// The poses of the bodies at the configuration `q`.
    pub fn poses(&self, q: &[f64]) -> Vec<Pose<B, D>> {
        let mut poses = Vec::with_capacity(self.bodies.len());
        for (body, (_, first)) in self.bodies.iter().zip(&self.first) {
            poses.push(body.pose(&poses, &q[*first..]));
        }
        poses
    }

    /// The columns of the velocity Jacobian of the world point `r`, regarded as a point of `body`;
    /// all other columns are zero.
    ///
    /// A displacement moves all bodies that its joint carries along its axis; a rotation about the
    /// axis `s` moves `r` by `s x (r - pivot)`, where the pivot is the joint, or in space the mass
    /// centre of a floating body. In a plane, the coordinates before an absolute angle move the
    /// joint, but do not rotate the body.
    pub fn columns(
        &self,
        poses: &[Pose<B, D>],
        body: usize,
        r: SVector<f64, D>,
    ) -> Vec<Column<B::Spin, D>> {
        B::columns(self, poses, body, r)
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
    pub fn contacts(&self, poses: &[Pose<B, D>], tolerance: f64) -> Result<Vec<Contact<D>>> {
        let (found, nearest) = self.near(poses, tolerance);
        nearest.check(found.len(), tolerance, |surface| self.surface_name(surface))?;
        Ok(found.into_iter().map(|(_, contact)| contact).collect())
    }

    /// Contacts as in [`Tree::contacts`], without limits on number and overlap, each with its site.
    pub fn touching(&self, poses: &[Pose<B, D>], tolerance: f64) -> Vec<(Site, Contact<D>)> {
        self.near(poses, tolerance).0
    }

    /// Contacts within `tolerance`, and the nearest pair.
    fn near(&self, poses: &[Pose<B, D>], tolerance: f64) -> (Vec<(Site, Contact<D>)>, Nearest) {
        let placed = self.placed(poses);
        let mut found = Vec::new();
        let mut nearest = Nearest::default();
        for &(first, second) in &self.pairs {
            let located = |corner: usize, touch: Touch<D>| {
                (Site { first, second, corner }, Contact { first, second, touch })
            };
            match first {
                Surface::Wall(wall) => {
                    for (corner, touch) in self.corners(wall, &placed[second]) {
                        nearest.consider(touch.gap, first, second);
                        if touch.gap <= tolerance {
                            found.push(located(corner, touch));
                        }
                    }
                }
                Surface::Body(body) => {
                    for (i, (a, b)) in both(&placed[body], &placed[second]) {
                        let least = a.least_gap(b);
                        if least > tolerance && nearest.is_below(least) {
                            continue;
                        }
                        let (gap, touches) = a.meet(b, tolerance);
                        nearest.consider(gap, first, second);
                        found.extend(touches.into_iter().map(|touch| located(i, touch)));
                    }
                }
            }
        }
        (found, nearest)
    }

    /// The gaps of all corners from walls and of all pairs of shapes of bodies, in m; negative
    /// where they overlap. Pairs that are farther apart than `within` may be left out.
    pub fn gaps(&self, poses: &[Pose<B, D>], within: f64) -> Vec<(Site, f64)> {
        let placed = self.placed(poses);
        let mut gaps = Vec::new();
        for &(first, second) in &self.pairs {
            let site = |corner| Site { first, second, corner };
            match first {
                Surface::Wall(wall) => {
                    let corners = self.corners(wall, &placed[second]);
                    gaps.extend(corners.map(|(i, touch)| (site(i), touch.gap)));
                }
                Surface::Body(body) => {
                    let pairs = both(&placed[body], &placed[second]);
                    let near = pairs.filter(|(_, (a, b))| a.is_near(b, within));
                    gaps.extend(near.map(|(i, (a, b))| (site(i), a.gap(b))));
                }
            }
        }
        gaps
    }

    /// Potential touches of the `wanted` pairs, at any distance: one for each corner and wall, and
    /// all touches of each pair of shapes of two bodies, numbered at their site. Pairs farther
    /// apart than `within` may be left out.
    pub fn places(
        &self,
        poses: &[Pose<B, D>],
        wanted: impl Fn(Surface, usize) -> bool,
        within: f64,
    ) -> Vec<((Site, usize), Contact<D>)> {
        let placed = self.placed(poses);
        let mut places = Vec::new();
        for &(first, second) in self.pairs.iter().filter(|pair| wanted(pair.0, pair.1)) {
            let mut take = |corner: usize, number: usize, touch: Touch<D>| {
                let site = Site { first, second, corner };
                places.push(((site, number), Contact { first, second, touch }));
            };
            match first {
                Surface::Wall(wall) => {
                    self.corners(wall, &placed[second]).for_each(|(i, touch)| take(i, 0, touch));
                }
                Surface::Body(body) => {
                    let pairs = both(&placed[body], &placed[second]);
                    for (i, (a, b)) in pairs.filter(|(_, (a, b))| a.is_near(b, within)) {
                        let touches = a.meet(b, f64::INFINITY).1.into_iter().enumerate();
                        touches.for_each(|(number, touch)| take(i, number, touch));
                    }
                }
            }
        }
        places
    }

    /// The pairs of bodies that may touch, by index; the lower one comes first.
    pub fn body_pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.pairs.iter().filter_map(|&(first, second)| Some([first.body()?, second]))
    }

    /// Gap and a width of the Minkowski sum of each pair of shapes of two bodies, in m: in a plane
    /// the minimum width, in space a lower bound on it. Pairs farther apart than `within` may be
    /// left out.
    pub fn spaces(&self, poses: &[Pose<B, D>], pair: [usize; 2], within: f64) -> Vec<[f64; 2]> {
        let [a, b] = pair.map(|body| self.placed_shapes(body, &poses[body]));
        let near = both(&a, &b).filter(|(_, (a, b))| a.is_near(b, within));
        near.map(|(_, (a, b))| [a.gap(b), a.thickness(b)]).collect()
    }

    /// Largest distance of a point of a shape, or of a joint on a body, from the body's origin, in
    /// m.
    pub fn reach(&self) -> f64 {
        let of_body = |body: View<'_, B::Shape, D>| {
            let shapes = body.shapes.iter().map(Solid::reach).fold(0.0, f64::max);
            shapes.max(body.anchor.norm())
        };
        self.bodies.iter().map(|body| of_body(body.view())).fold(0.0, f64::max)
    }

    /// The shapes of each body in the world.
    fn placed(&self, poses: &[Pose<B, D>]) -> Vec<Vec<B::Shape>> {
        let of_body = |(body, pose)| self.placed_shapes(body, pose);
        poses.iter().enumerate().map(of_body).collect()
    }

    fn placed_shapes(&self, body: usize, pose: &Pose<B, D>) -> Vec<B::Shape> {
        self.bodies[body].view().shapes.iter().map(|shape| shape.at(pose)).collect()
    }

    /// The touches of all corners of a body's shapes with a wall, with their numbers.
    fn corners<'a>(
        &'a self,
        wall: usize,
        shapes: &'a [B::Shape],
    ) -> impl Iterator<Item = (usize, Touch<D>)> + 'a {
        shapes.iter().flat_map(move |shape| self.walls[wall].touches(shape)).enumerate()
    }

    /// The normal Jacobian `Jn` (m,n): the rate of each contact's gap, `n . (J_second - J_first)`.
    pub fn normal_rows(&self, poses: &[Pose<B, D>], contacts: &[Contact<D>]) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| [contact.touch.normal])
    }

    /// The Jacobian rows of the relative velocity at the contacts, along some directions of each
    /// contact.
    pub(super) fn rows<const N: usize>(
        &self,
        poses: &[Pose<B, D>],
        contacts: &[Contact<D>],
        directions: impl Fn(&Contact<D>) -> [SVector<f64, D>; N],
    ) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(N * contacts.len(), self.coordinates);
        for (i, contact) in contacts.iter().enumerate() {
            let directions = directions(contact);
            let mut add = |body: usize, sign: f64| {
                for column in self.columns(poses, body, contact.touch.point) {
                    for (d, along) in directions.iter().enumerate() {
                        rows[(N * i + d, column.coordinate)] += sign * along.dot(&column.velocity);
                    }
                }
            };
            add(contact.second, 1.0);
            if let Surface::Body(first) = contact.first {
                add(first, -1.0);
            }
        }
        rows
    }

    /// The contact problem of a state with these mass parts and mass matrix, and these tangents of
    /// each contact.
    pub(super) fn spec<const N: usize>(
        &self,
        motion: &Motion,
        (mass, mass_parts): (DMatrix<f64>, Vec<MassPart>),
        contacts: &[Contact<D>],
        friction: Vec<f64>,
        tangents: impl Fn(&Contact<D>) -> [SVector<f64, D>; N],
    ) -> ProblemSpec {
        let poses = self.poses(&motion.position);
        ProblemSpec {
            mass: nested(&mass),
            mass_parts,
            normal: nested(&self.normal_rows(&poses, contacts)),
            tangent: nested(&self.rows(&poses, contacts, &tangents)),
            friction: Some(friction),
            velocity: motion.velocity.clone(),
            coordinates: Some(self.coordinate_names()),
            units: Some(self.units()),
            contacts: Some(self.contact_names(contacts)),
            gap: Some(contacts.iter().map(|contact| contact.touch.gap).collect()),
            points: Some(self.points(&poses, contacts, tangents)),
            ..ProblemSpec::default()
        }
    }

    /// Positions of the contacts, and rotations of the bodies.
    fn points<const N: usize>(
        &self,
        poses: &[Pose<B, D>],
        contacts: &[Contact<D>],
        tangents: impl Fn(&Contact<D>) -> [SVector<f64, D>; N],
    ) -> Points {
        let list = |x: SVector<f64, D>| x.as_slice().to_vec();
        let centre = |body: usize| self.bodies[body].centre(&poses[body]);
        let turn = |body: usize| {
            let mut rows = vec![vec![0.0; self.coordinates]; D * (D - 1) / 2];
            for column in self.columns(poses, body, centre(body)) {
                for (row, spin) in rows.iter_mut().zip(B::entries(&column.spin)) {
                    row[column.coordinate] += spin;
                }
            }
            rows
        };
        let of = |contact: &Contact<D>| {
            let arm = |body: usize| list(contact.touch.point - centre(body));
            let place = |body: usize| Place { body, arm: arm(body) };
            ContactPoint {
                normal: list(contact.touch.normal),
                tangent: tangents(contact).map(list).to_vec(),
                first: contact.first.body().map(place),
                second: place(contact.second),
            }
        };
        Points {
            turn: (0..poses.len()).map(turn).collect(),
            contacts: contacts.iter().map(of).collect(),
        }
    }

    /// Changes the velocity of the whole tree that `contact` belongs to, so that the contact point
    /// is at rest.
    ///
    /// With `v_c` the velocity of the point: the translation rates of the tree's first joint change
    /// by `-v_c`.
    ///
    /// # Errors
    /// When two bodies make the contact, or the tree's first joint is neither floating nor
    /// translating.
    pub fn bring_to_rest(
        &self,
        poses: &[Pose<B, D>],
        contact: &Contact<D>,
        velocity: &mut [f64],
    ) -> Result<()> {
        if let Surface::Body(_) = contact.first {
            return Err(Error::input(
                "only a contact with a wall can be brought to rest, this one is between two bodies",
            ));
        }
        let mut root = contact.second;
        while let Some(parent) = self.bodies[root].view().parent {
            root = parent;
        }
        let View { name, shifts, .. } = self.bodies[root].view();
        if !shifts {
            return Err(Error::input(format!(
                "`{name}` cannot be shifted: its joint is neither floating nor translating"
            )));
        }
        let columns = self.columns(poses, contact.second, contact.touch.point);
        let moving: SVector<f64, D> =
            columns.iter().map(|column| column.velocity * velocity[column.coordinate]).sum();
        for i in 0..D {
            velocity[self.first_coordinate(root) + i] -= moving[i];
        }
        Ok(())
    }
}

/// All pairs of a shape of one list and one of another, with their numbers.
fn both<'a, S>(a: &'a [S], b: &'a [S]) -> impl Iterator<Item = (usize, (&'a S, &'a S))> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (a, b))).enumerate()
}

fn nested(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
