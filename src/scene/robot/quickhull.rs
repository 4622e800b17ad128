//! The convex hull of many points, or of the most important of them.

use std::collections::{BinaryHeap, HashMap};

use crate::error::{Error, Result};
use crate::model::spatial::Vector;

/// Points nearer to a face than this, relative to the size of the hull, count as points of it.
const FLAT: f64 = 1e-6;
/// Difference, relative to the size of the hull, below which it is rounding.
const ROUNDING: f64 = 1e-12;

/// A triangle of a hull, counter-clockwise as seen from outside.
struct Triangle {
    corners: [usize; 3],
    normal: Vector,
    /// The points above the triangle that are above no earlier triangle, and the farthest of them
    /// with its height.
    above: Vec<usize>,
    farthest: (f64, usize),
    alive: bool,
}

/// The convex hull of some points of a set.
pub(super) struct Hull {
    /// The corners, each a point of the set.
    pub corners: Vec<usize>,
    /// The triangles, counter-clockwise as seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Largest distance of a point of the set outside of the hull.
    pub beyond: f64,
}

/// A height in the order of numbers.
#[derive(PartialEq)]
struct Height(f64);
impl Eq for Height {}
impl PartialOrd for Height {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Height {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The convex hull of points (quickhull), with `most` corners at most: the point that lies farthest
/// outside is added until none lies farther than 1e-6 of the size of the set.
///
/// # Errors
/// Points that lie in one plane, within that distance.
pub(super) fn hull(points: &[Vector], most: usize) -> Result<Hull> {
    let (first, size) = simplex(points)?;
    let mut hull = Builder {
        points,
        size,
        triangles: Vec::new(),
        heap: BinaryHeap::new(),
        by_edge: HashMap::new(),
    };
    let all: Vec<usize> = (0..points.len()).collect();
    let centre = first.iter().map(|&i| points[i]).sum::<Vector>() / 4.0;
    let mut left = all;
    for skip in 0..4 {
        let mut corners: Vec<usize> = (0..4).filter(|&i| i != skip).map(|i| first[i]).collect();
        let [a, b, c] = [points[corners[0]], points[corners[1]], points[corners[2]]];
        if (b - a).cross(&(c - a)).dot(&(centre - a)) > 0.0 {
            corners.swap(1, 2);
        }
        left = hull.add([corners[0], corners[1], corners[2]], left);
    }
    let mut count = 4;
    let mut beyond = 0.0;
    while let Some((Height(height), at)) = hull.heap.pop() {
        if !hull.triangles[at].alive {
            continue;
        }
        if height <= FLAT * size || count == most {
            beyond = height;
            break;
        }
        hull.extend(at);
        count += 1;
    }
    let triangles: Vec<[usize; 3]> = hull
        .triangles
        .iter()
        .filter(|triangle| triangle.alive)
        .map(|triangle| triangle.corners)
        .collect();
    let mut corners: Vec<usize> = triangles.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    Ok(Hull { corners, triangles, beyond })
}

/// The corners of the convex hull of points, 128 at most, each a corner of the hull of all points;
/// and how far points lie outside of the hull of these corners.
pub(super) fn corners(points: &[Vector]) -> Result<(Vec<Vector>, f64)> {
    let hull = hull(points, 128)?;
    let mut kept: Vec<Vector> = hull.corners.iter().map(|&i| points[i]).collect();
    let mut i = 0;
    // A point that was outside once may lie within a face of what came later.
    while i < kept.len() && kept.len() > 4 {
        let point = kept.remove(i);
        if self::hull(&kept, usize::MAX).is_ok_and(|rest| rest.is_within(&kept, point)) {
            continue;
        }
        kept.insert(i, point);
        i += 1;
    }
    Ok((kept, hull.beyond))
}

impl Hull {
    /// Whether a point lies in the hull, within the tolerance.
    fn is_within(&self, points: &[Vector], point: Vector) -> bool {
        let size = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
        self.triangles.iter().all(|triangle| {
            let normal = normal(points, triangle);
            normal.dot(&(point - points[triangle[0]])) <= FLAT * size
        })
    }
}

struct Builder<'a> {
    points: &'a [Vector],
    size: f64,
    triangles: Vec<Triangle>,
    heap: BinaryHeap<(Height, usize)>,
    /// The latest triangle with a directed edge.
    by_edge: HashMap<(usize, usize), usize>,
}

impl Builder<'_> {
    fn height(&self, triangle: &Triangle, point: usize) -> f64 {
        triangle.normal.dot(&(self.points[point] - self.points[triangle.corners[0]]))
    }

    /// Adds a triangle, which takes those points of `left` that lie above it; returns the others.
    fn add(&mut self, corners: [usize; 3], left: Vec<usize>) -> Vec<usize> {
        let mut triangle = Triangle {
            corners,
            normal: normal(self.points, &corners),
            above: Vec::new(),
            farthest: (0.0, 0),
            alive: true,
        };
        let mut rest = Vec::new();
        for point in left {
            let height = self.height(&triangle, point);
            if height <= ROUNDING * self.size {
                rest.push(point);
                continue;
            }
            if height > triangle.farthest.0 {
                triangle.farthest = (height, point);
            }
            triangle.above.push(point);
        }
        if !triangle.above.is_empty() {
            self.heap.push((Height(triangle.farthest.0), self.triangles.len()));
        }
        let [a, b, c] = corners;
        for edge in [(a, b), (b, c), (c, a)] {
            self.by_edge.insert(edge, self.triangles.len());
        }
        self.triangles.push(triangle);
        rest
    }

    /// Adds the farthest point above a triangle: all triangles that it sees give way to a cone from
    /// their rim.
    fn extend(&mut self, at: usize) {
        let apex = self.triangles[at].farthest.1;
        let (mut rim, mut left, mut next) = (Vec::new(), Vec::new(), vec![at]);
        self.triangles[at].alive = false;
        while let Some(i) = next.pop() {
            left.append(&mut self.triangles[i].above);
            let [a, b, c] = self.triangles[i].corners;
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let Some(&other) = self.by_edge.get(&(to, from)) else { continue };
                if !self.triangles[other].alive {
                    continue;
                }
                if self.height(&self.triangles[other], apex) > ROUNDING * self.size {
                    self.triangles[other].alive = false;
                    next.push(other);
                } else {
                    rim.push((from, to, other));
                }
            }
        }
        // A neighbour may have given way after its edge was seen.
        rim.retain(|&(_, _, other)| self.triangles[other].alive);
        left.retain(|&point| point != apex);
        for (from, to, _) in rim {
            left = self.add([from, to, apex], left);
        }
    }
}

/// The outward unit normal; zero where the corners lie on a line.
fn normal(points: &[Vector], [a, b, c]: &[usize; 3]) -> Vector {
    let across = (points[*b] - points[*a]).cross(&(points[*c] - points[*a]));
    across.try_normalize(0.0).unwrap_or_default()
}

/// Four points that span a volume, and the size of the set.
fn simplex(points: &[Vector]) -> Result<([usize; 4], f64)> {
    let farthest = |measure: &dyn Fn(&Vector) -> f64| {
        let scored = points.iter().enumerate().map(|(i, p)| (i, measure(p)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    let flat = || Error::input("the points of the mesh lie in one plane");
    let Some(&origin) = points.first() else { return Err(Error::input("the mesh has no points")) };
    let (a, _) = farthest(&|p| (p - origin).norm());
    let (b, size) = farthest(&|p| (p - points[a]).norm());
    let along = (points[b] - points[a]).try_normalize(0.0).ok_or_else(flat)?;
    let (c, _) = farthest(&|p| (p - points[a]).cross(&along).norm());
    let across = (points[c] - points[a]).cross(&along).try_normalize(0.0).ok_or_else(flat)?;
    let (d, height) = farthest(&|p| across.dot(&(p - points[a])).abs());
    if height.is_nan() || height <= FLAT * size {
        return Err(flat());
    }
    Ok(([a, b, c, d], size))
}
