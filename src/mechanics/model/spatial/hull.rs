//! The faces of the convex hull of a few points.

use std::collections::{BTreeMap, BTreeSet};

use super::Vector;
use super::quickhull::{self, edges, normal, normalized};
use carom_core::error::{Error, Result};

/// The most vertices a polyhedron may have.
pub(super) const MOST: usize = 128;
/// Least height of a corner above the hull of the others, relative to the size of the polyhedron.
const CORNER: f64 = 1e-9;
/// Largest distance of a corner of a face from the highest plane along the face's normal, relative
/// to the size of the polyhedron: four corners whose coordinates are rounded to single precision.
const FLAT: f64 = 4.0 * f32::EPSILON as f64;

/// A face of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The corners of the face, as indices of vertices, counter-clockwise as seen from outside.
    pub corners: Vec<usize>,
    /// The unit normal, outwards.
    pub normal: Vector,
}

/// Faces and edges of the convex hull of points, each point a corner; edges are pairs of indices.
///
/// Adjacent triangles of the hull merge into one face if it is convex and all its corners lie
/// within 5e-7 of the hull's size of the supporting plane along its normal. Each merge removes
/// exactly one edge, so Euler's `V - E + F = 2` holds for any rounding. The normal is the direction
/// of the vector area.
pub(super) fn hull(given: &[Vector]) -> Result<(Vec<Face>, Vec<[usize; 2]>)> {
    let count = given.len();
    if !(4..=MOST).contains(&count) {
        return Err(Error::input(format!("a polyhedron has 4 to {MOST} vertices, found {count}")));
    }
    if !given.iter().all(|p| p.iter().all(|x| x.is_finite())) {
        return Err(Error::input("expected finite numbers"));
    }
    let hull = quickhull::hull(given, MOST, CORNER).zip(normalized(given));
    let Some((hull, (points, _))) = hull else {
        return Err(Error::input("the vertices of the polyhedron lie in one plane"));
    };
    let heights = heights(&points, &hull.triangles);
    if let Some(i) = heights.iter().position(|height| *height <= CORNER) {
        return Err(no_corner(given[i]));
    }
    let mut faces = merged(&points, &hull.triangles)?;
    faces.sort_by_key(|face| sorted(&face.corners));
    let rims = faces.iter().flat_map(|face| rim(&face.corners));
    let edges: BTreeSet<[usize; 2]> = rims.map(|(a, b)| [a.min(b), a.max(b)]).collect();
    Ok((faces, edges.into_iter().collect()))
}

fn no_corner(p: Vector) -> Error {
    Error::input(format!("the vertex ({}, {}, {}) is no corner of the convex hull", p.x, p.y, p.z))
        .hint("leave it out, or split the body into convex shapes")
}

/// The height of each point above its neighbours along the mean of the normals around it, which is
/// not above its distance from the hull of the others; 0 for points without triangles.
pub fn heights(points: &[Vector], triangles: &[[usize; 3]]) -> Vec<f64> {
    let mut up = vec![Vector::zeros(); points.len()];
    for triangle in triangles {
        triangle.iter().for_each(|&i| up[i] += normal(points, triangle));
    }
    let mut least = vec![f64::INFINITY; points.len()];
    for (from, to) in triangles.iter().flat_map(edges) {
        let along = up[from].try_normalize(0.0).unwrap_or_default();
        least[from] = least[from].min(along.dot(&(points[from] - points[to])));
    }
    least.into_iter().map(|height| if height.is_finite() { height } else { 0.0 }).collect()
}

/// Faces merged from triangles.
fn merged(points: &[Vector], triangles: &[[usize; 3]]) -> Result<Vec<Face>> {
    let apart = || {
        Error::input("the faces of the polyhedron cannot be told apart")
            .hint("vertices nearly coincide or nearly lie in one plane; give them with more digits")
    };
    let faces = triangles.iter().map(|triangle| Face::of(points, triangle.to_vec()));
    let mut faces = faces.collect::<Option<Vec<Face>>>().ok_or_else(apart)?;
    let sides: BTreeMap<(usize, usize), usize> =
        triangles.iter().enumerate().flat_map(|(i, t)| edges(t).map(|edge| (edge, i))).collect();
    let mut edges: Vec<(f64, usize, usize)> = Vec::new();
    for (&(from, to), &i) in sides.iter().filter(|((from, to), _)| from < to) {
        let &j = sides.get(&(to, from)).ok_or_else(apart)?;
        edges.push((faces[i].normal.dot(&faces[j].normal), i, j));
    }
    // The flattest first; by_triangle: the face that has taken the triangle.
    edges.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut by_triangle: Vec<usize> = (0..faces.len()).collect();
    for (_, i, j) in edges {
        let (a, b) = (by_triangle[i], by_triangle[j]);
        let union = if a == b { None } else { union(&faces[a].corners, &faces[b].corners) };
        if let Some(face) = union.and_then(|corners| Face::of(points, corners)) {
            faces[a] = face;
            faces[b].corners.clear();
            by_triangle.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
        }
    }
    faces.retain(|face| !face.corners.is_empty());
    Ok(faces)
}

/// The polygon of two that share edges; `None` where a corner would be lost.
fn union(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let (first, second): (Vec<_>, Vec<_>) = (rim(a).collect(), rim(b).collect());
    let free = |of: &[(usize, usize)], others: &[(usize, usize)]| -> Vec<(usize, usize)> {
        of.iter().filter(|(from, to)| !others.contains(&(*to, *from))).copied().collect()
    };
    let mut left: BTreeMap<usize, usize> = free(&first, &second).into_iter().collect();
    left.extend(free(&second, &first));
    let all: BTreeSet<usize> = a.iter().chain(b).copied().collect();
    let start = *all.first()?;
    let mut corners = vec![start];
    let mut at = left.remove(&start)?;
    while at != start {
        corners.push(at);
        at = left.remove(&at)?;
    }
    (corners.len() == all.len()).then_some(corners)
}

fn rim(corners: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

fn sorted(corners: &[usize]) -> Vec<usize> {
    let mut corners = corners.to_vec();
    corners.sort_unstable();
    corners
}

impl Face {
    /// The face with these corners, if it is convex and a plane that touches the hull of all points
    /// is near.
    fn of(points: &[Vector], mut corners: Vec<usize>) -> Option<Face> {
        let start = corners.iter().enumerate().min_by_key(|(_, i)| **i).map_or(0, |(at, _)| at);
        corners.rotate_left(start);
        let origin = points[corners[0]];
        let pairs =
            corners[1..].windows(2).map(|pair| [pair[0], pair[1]].map(|i| points[i] - origin));
        let area: Vector = pairs.map(|[a, b]| a.cross(&b)).sum();
        let normal = area.try_normalize(0.0)?;
        let height = |p: &Vector| normal.dot(&(p - origin));
        let top = points.iter().map(height).fold(0.0, f64::max);
        let count = corners.len();
        let turns = |i: usize| {
            let [a, b, c] = [0, 1, 2].map(|k| points[corners[(i + k) % count]]);
            (b - a).cross(&(c - b)).dot(&normal) > 0.0
        };
        let near = corners.iter().all(|&i| top - height(&points[i]) <= FLAT);
        (near && (0..count).all(turns)).then_some(Face { corners, normal })
    }
}
