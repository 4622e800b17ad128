//! The contacts of a spatial model at a configuration, and their Jacobians.

use nalgebra::DMatrix;

use super::distance::separation;
use super::joints::Pose;
use super::manifold::{Contact, Touch, meet};
use super::mechanism::Spatial;
use super::shapes::Shape;
use super::{Body, Vector, tangents};
use crate::model::roster::Nearest;
use crate::model::{Site, Surface};
use carom_core::error::Result;

impl Spatial {
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

    /// The contacts that [`Spatial::contacts`] lists, however many there are and however deep
    /// shapes overlap, each with its site.
    pub fn touching(&self, poses: &[Pose], tolerance: f64) -> Vec<(Site, Contact)> {
        self.near(poses, tolerance).0
    }

    /// The contacts within `tolerance`, and what is nearest.
    fn near(&self, poses: &[Pose], tolerance: f64) -> (Vec<(Site, Contact)>, Nearest) {
        let placed = self.placed(poses);
        let mut found = Vec::new();
        let mut nearest = Nearest::default();
        for &(first, second) in self.pairs() {
            let located = |corner: usize, touch: Touch| {
                (Site { first, second, corner }, Contact { first, second, touch })
            };
            match first {
                Surface::Wall(wall) => {
                    let wall = &self.walls()[wall];
                    let touches = placed[second].iter().flat_map(|shape| wall.touches(shape));
                    for (corner, touch) in touches.enumerate() {
                        nearest.consider(touch.gap, first, second);
                        if touch.gap <= tolerance {
                            found.push(located(corner, touch));
                        }
                    }
                }
                Surface::Body(body) => {
                    for (i, (a, b)) in both(&placed[body], &placed[second]).enumerate() {
                        let least = least_gap(a, b);
                        if least > tolerance && nearest.is_below(least) {
                            continue;
                        }
                        let (gap, touches) = meet(a, b, tolerance);
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
    pub fn gaps(&self, poses: &[Pose], within: f64) -> Vec<(Site, f64)> {
        let placed = self.placed(poses);
        let mut gaps = Vec::new();
        for &(first, second) in self.pairs() {
            let site = |corner| Site { first, second, corner };
            match first {
                Surface::Wall(wall) => {
                    let wall = &self.walls()[wall];
                    let touches = placed[second].iter().flat_map(|shape| wall.touches(shape));
                    gaps.extend(touches.enumerate().map(|(i, touch)| (site(i), touch.gap)));
                }
                Surface::Body(body) => {
                    let pairs = both(&placed[body], &placed[second]).enumerate();
                    let near = pairs.filter(|(_, (a, b))| least_gap(a, b) <= within);
                    gaps.extend(near.map(|(i, (a, b))| (site(i), separation(a, b))));
                }
            }
        }
        gaps
    }

    /// Where each of the pairs that are `wanted` may touch, however far apart it is: one touch for
    /// each corner and wall, and those of each pair of shapes of two bodies, with the number of the
    /// touch at its site. Pairs that are farther apart than `within` may be left out.
    pub fn places(
        &self,
        poses: &[Pose],
        wanted: impl Fn(Surface, usize) -> bool,
        within: f64,
    ) -> Vec<((Site, usize), Contact)> {
        let placed = self.placed(poses);
        let mut places = Vec::new();
        for (first, second) in self.pairs().iter().copied().filter(|pair| wanted(pair.0, pair.1)) {
            let mut take = |corner: usize, number: usize, touch: Touch| {
                let site = Site { first, second, corner };
                places.push(((site, number), Contact { first, second, touch }));
            };
            match first {
                Surface::Wall(wall) => {
                    let wall = &self.walls()[wall];
                    let touches = placed[second].iter().flat_map(|shape| wall.touches(shape));
                    touches.enumerate().for_each(|(i, touch)| take(i, 0, touch));
                }
                Surface::Body(body) => {
                    let pairs = both(&placed[body], &placed[second]).enumerate();
                    for (i, (a, b)) in pairs.filter(|(_, (a, b))| least_gap(a, b) <= within) {
                        let touches = meet(a, b, f64::INFINITY).1.into_iter().enumerate();
                        touches.for_each(|(number, touch)| take(i, number, touch));
                    }
                }
            }
        }
        places
    }

    /// The pairs of bodies that may touch, by index; the lower one comes first.
    pub fn body_pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.pairs().iter().filter_map(|&(first, second)| match first {
            Surface::Body(first) => Some([first, second]),
            Surface::Wall(_) => None,
        })
    }

    /// The gap and the least width of the Minkowski sum of each pair of shapes of two bodies, in m;
    /// the width is at least what is given. Pairs that are farther apart than `within` may be left
    /// out.
    pub fn spaces(
        &self,
        poses: &[Pose],
        [first, second]: [usize; 2],
        within: f64,
    ) -> Vec<[f64; 2]> {
        let shapes = |body: usize| -> Vec<Shape> {
            self.bodies()[body].shapes.iter().map(|shape| shape.placed(&poses[body])).collect()
        };
        let (a, b) = (shapes(first), shapes(second));
        let near = both(&a, &b).filter(|(a, b)| least_gap(a, b) <= within);
        near.map(|(a, b)| [separation(a, b), a.width() + b.width()]).collect()
    }

    /// The largest distance of a point of a shape, or of a joint on a body, from the body's origin,
    /// in m.
    pub fn reach(&self) -> f64 {
        self.bodies().iter().map(|body| body.reach().max(body.anchor.norm())).fold(0.0, f64::max)
    }

    /// The shapes of each body in the world.
    fn placed(&self, poses: &[Pose]) -> Vec<Vec<Shape>> {
        let of_body = |(body, pose): (&Body, &Pose)| -> Vec<Shape> {
            body.shapes.iter().map(|shape| shape.placed(pose)).collect()
        };
        self.bodies().iter().zip(poses).map(of_body).collect()
    }

    /// The normal Jacobian `Jn` (m,n): the rate of each contact's gap, `n . (J_second - J_first)`.
    pub fn normal_rows(&self, poses: &[Pose], contacts: &[Contact]) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| [contact.touch.normal])
    }

    /// The tangent Jacobian `Jt` (2m,n): the sliding velocity of each contact along `t1` and `t2`,
    /// `t . (J_second - J_first)`; the two rows of a contact together.
    pub fn tangent_rows(&self, poses: &[Pose], contacts: &[Contact]) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| tangents(contact.touch.normal))
    }

    /// The Jacobian rows of the relative velocity at the contacts, along some directions of each
    /// contact.
    fn rows<const D: usize>(
        &self,
        poses: &[Pose],
        contacts: &[Contact],
        directions: impl Fn(&Contact) -> [Vector; D],
    ) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(D * contacts.len(), self.coordinate_count());
        for (i, contact) in contacts.iter().enumerate() {
            let directions = directions(contact);
            let mut add = |body: usize, sign: f64| {
                for column in self.columns(poses, body, contact.touch.point) {
                    for (d, along) in directions.iter().enumerate() {
                        rows[(D * i + d, column.coordinate)] += sign * along.dot(&column.velocity);
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
}

/// What the gap of two shapes is at least: that of the spheres about their first vertices in which
/// they lie.
fn least_gap(a: &Shape, b: &Shape) -> f64 {
    (a.vertices()[0] - b.vertices()[0]).norm() - a.extent() - b.extent()
}

/// All pairs of a shape of one list and one of another.
fn both<'a>(a: &'a [Shape], b: &'a [Shape]) -> impl Iterator<Item = (&'a Shape, &'a Shape)> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (a, b)))
}
