//! The faces of the convex hull of a few points.

use std::collections::BTreeSet;

use super::{Vector, tangents};
use crate::error::{Error, Result};

/// The most vertices a polyhedron may have; a set of them fits 128 bits.
pub(super) const MOST: usize = 128;
/// Largest distance of a corner of a face from the face's plane, relative to the size of the
/// polyhedron.
const FLAT: f64 = 1e-9;

/// A face of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The corners of the face, as indices of vertices, counter-clockwise as seen from outside.
    pub corners: Vec<usize>,
    /// The unit normal, outwards.
    pub normal: Vector,
}

/// The faces of the convex hull of points, all of which must be corners of it, and its edges as
/// pairs of indices.
///
/// A plane through three points that has all others on one side, within 1e-9 of the hull's size, is
/// the plane of a face; the points in it are its corners. Cost: of order `N^3`, `N^4` at worst, for
/// `N` points.
///
/// # Errors
/// Fewer than 4 points or more than 128, points that are not finite or all in one plane, a point
/// that is no corner of the hull, faces that rounding cannot tell apart (Euler's `V - E + F = 2`
/// checks it).
pub(super) fn hull(points: &[Vector]) -> Result<(Vec<Face>, Vec<[usize; 2]>)> {
    let count = points.len();
    if !(4..=MOST).contains(&count) {
        return Err(Error::input(format!("a polyhedron has 4 to {MOST} vertices, found {count}")));
    }
    if !points.iter().all(|p| p.iter().all(|x| x.is_finite())) {
        return Err(Error::input("expected finite numbers"));
    }
    let size = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
    let mut planes: Vec<(u128, Vector)> = Vec::new();
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                let three = 1 << i | 1 << j | 1 << k;
                if planes.iter().any(|(known, _)| known & three == three) {
                    continue;
                }
                if let Some(plane) = supporting(points, [i, j, k], FLAT * size)? {
                    planes.push(plane);
                }
            }
        }
    }
    // A plane through three near points may miss far points of its face.
    let whole = |set: u128| !planes.iter().any(|&(other, _)| other != set && other & set == set);
    let mut faces = Vec::new();
    for &(set, normal) in planes.iter().filter(|(set, _)| whole(*set)) {
        faces.push(face(points, set, normal)?);
    }
    if let Some(i) = (0..count).find(|i| !faces.iter().any(|face| face.corners.contains(i))) {
        return Err(no_corner(points[i]));
    }
    let mut edges = BTreeSet::new();
    for Face { corners, .. } in &faces {
        edges.extend((0..corners.len()).map(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            [a.min(b), a.max(b)]
        }));
    }
    if count + faces.len() != edges.len() + 2 {
        return Err(Error::input("the faces of the polyhedron cannot be told apart").hint(
            "vertices nearly coincide or nearly lie in one plane; give them with more digits",
        ));
    }
    Ok((faces, edges.into_iter().collect()))
}

fn no_corner(p: Vector) -> Error {
    Error::input(format!("the vertex ({}, {}, {}) is no corner of the convex hull", p.x, p.y, p.z))
        .hint("leave it out, or split the body into convex shapes")
}

/// The plane through three points, if all others lie on one side of it: the set of points in it,
/// and its outward normal.
fn supporting(points: &[Vector], three: [usize; 3], slack: f64) -> Result<Option<(u128, Vector)>> {
    let [a, b, c] = three.map(|i| points[i]);
    let (first, second) = (b - a, c - a);
    let normal = first.cross(&second);
    let area = normal.norm();
    let straight = area <= FLAT * first.norm() * second.norm();
    if straight || !area.is_finite() {
        return Ok(None);
    }
    let normal = normal / area;
    let (mut above, mut below, mut within) = (false, false, 0);
    for (i, p) in points.iter().enumerate() {
        let height = normal.dot(&(p - a));
        if height > slack {
            above = true;
        } else if height < -slack {
            below = true;
        } else {
            within |= 1 << i;
        }
        if above && below {
            return Ok(None);
        }
    }
    if !above && !below {
        return Err(Error::input("the vertices of the polyhedron lie in one plane"));
    }
    Ok(Some((within, if above { -normal } else { normal })))
}

/// The face with the points of a set as its corners, in order.
fn face(points: &[Vector], set: u128, normal: Vector) -> Result<Face> {
    let mut corners: Vec<usize> = (0..points.len()).filter(|i| set >> i & 1 == 1).collect();
    let centre = corners.iter().map(|&i| points[i]).sum::<Vector>() / corners.len() as f64;
    let [x, y] = tangents(normal);
    let angle = |i: usize| (points[i] - centre).dot(&y).atan2((points[i] - centre).dot(&x));
    corners.sort_by(|&i, &j| angle(i).total_cmp(&angle(j)));
    let start = corners.iter().enumerate().min_by_key(|(_, i)| **i).map_or(0, |(at, _)| at);
    corners.rotate_left(start);
    let count = corners.len();
    for i in 0..count {
        let [a, b, c] = [0, 1, 2].map(|k| points[corners[(i + k) % count]]);
        let (before, after) = (b - a, c - b);
        let turn = before.cross(&after).dot(&normal);
        if turn.is_nan() || turn <= FLAT * before.norm() * after.norm() {
            return Err(no_corner(b));
        }
    }
    Ok(Face { corners, normal })
}
