//! Convex hull of many points, or of its most important corners, as triangles.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::Vector;

/// Height, relative to the size of the points, below which it is rounding.
const ROUNDING: f64 = 1e-12;

/// A triangle of a hull, counter-clockwise as seen from outside.
struct Triangle {
    corners: [usize; 3],
    normal: Vector,
    /// Points assigned to the triangle, and the farthest one with its height.
    above: Vec<usize>,
    farthest: (f64, usize),
    alive: bool,
}

/// The convex hull of some points of a set.
pub struct Hull {
    /// The corners, each a point of the set.
    pub corners: Vec<usize>,
    /// The triangles, counter-clockwise as seen from outside; their surface is closed.
    pub triangles: Vec<[usize; 3]>,
    /// Largest distance of a point of the set outside of the hull.
    pub beyond: f64,
}

/// The convex hull of points (quickhull), with `most` corners at most: the point that lies farthest
/// outside is added until none lies farther than `flat` times the size of the set. `None` where the
/// points lie in one plane, within that distance.
pub fn hull(points: &[Vector], most: usize, flat: f64) -> Option<Hull> {
    let (points, size) = normalized(points)?;
    let first = simplex(&points, flat)?;
    let mut hull = Builder {
        points: &points,
        triangles: Vec::new(),
        heap: BinaryHeap::new(),
        by_edge: HashMap::new(),
    };
    let centre = first.iter().map(|&i| points[i]).sum::<Vector>() / 4.0;
    for skip in 0..4 {
        let mut corners: Vec<usize> = (0..4).filter(|&i| i != skip).map(|i| first[i]).collect();
        let [a, b, c] = [points[corners[0]], points[corners[1]], points[corners[2]]];
        if (b - a).cross(&(c - a)).dot(&(centre - a)) > 0.0 {
            corners.swap(1, 2);
        }
        hull.add([corners[0], corners[1], corners[2]]);
    }
    let mut count = 4;
    let others = (0..points.len()).filter(|i| !first.contains(i)).collect();
    let mut beyond = hull.distribute(others, 0);
    while beyond > flat && count < most {
        while let Some((height, at)) = hull.heap.pop()
            && f64::from_bits(height) > flat
            && count < most
        {
            if hull.triangles[at].alive {
                hull.extend(at);
                count += 1;
            }
        }
        // A point may lie low above its own triangle and high above another one.
        hull.heap.clear();
        let alive = hull.triangles.iter_mut().filter(|triangle| triangle.alive);
        let left = alive.flat_map(|triangle| std::mem::take(&mut triangle.above)).collect();
        beyond = hull.distribute(left, 0);
    }
    let alive = hull.triangles.iter().filter(|triangle| triangle.alive);
    let triangles: Vec<[usize; 3]> = alive.map(|triangle| triangle.corners).collect();
    let mut corners: Vec<usize> = triangles.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    Some(Hull { corners, triangles, beyond: beyond * size })
}

/// The points from the first one, over the largest distance of another from it; and this distance.
pub(super) fn normalized(points: &[Vector]) -> Option<(Vec<Vector>, f64)> {
    let origin = points.first()?;
    let size = points.iter().map(|p| (p - origin).amax()).fold(0.0, f64::max);
    let scale = 1.0 / size;
    (size.is_finite() && scale.is_finite())
        .then(|| (points.iter().map(|p| (p - origin) * scale).collect(), size))
}

struct Builder<'a> {
    points: &'a [Vector],
    triangles: Vec<Triangle>,
    /// Triangles by their heights >= 0, whose bits are in the order of the numbers.
    heap: BinaryHeap<(u64, usize)>,
    /// The latest triangle with a directed edge.
    by_edge: HashMap<(usize, usize), usize>,
}

impl Builder<'_> {
    fn height(&self, triangle: &Triangle, point: usize) -> f64 {
        triangle.normal.dot(&(self.points[point] - self.points[triangle.corners[0]]))
    }

    fn add(&mut self, corners: [usize; 3]) {
        let normal = normal(self.points, &corners);
        for edge in edges(&corners) {
            self.by_edge.insert(edge, self.triangles.len());
        }
        let (above, farthest, alive) = (Vec::new(), (0.0, 0), true);
        self.triangles.push(Triangle { corners, normal, above, farthest, alive });
    }

    /// Assigns each unassigned point to the triangle, with index `first` or above, over which it
    /// lies highest; returns the largest height.
    fn distribute(&mut self, points: Vec<usize>, first: usize) -> f64 {
        self.triangles[first..].iter_mut().for_each(|triangle| triangle.farthest = (0.0, 0));
        for point in points {
            let alive = (first..self.triangles.len()).filter(|&i| self.triangles[i].alive);
            let heights = alive.map(|i| (self.height(&self.triangles[i], point), i));
            let highest = heights.max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((height, i)) = highest.filter(|(height, _)| *height > ROUNDING) else {
                continue;
            };
            let triangle = &mut self.triangles[i];
            if height > triangle.farthest.0 {
                triangle.farthest = (height, point);
            }
            triangle.above.push(point);
        }
        let mut most = 0.0_f64;
        for (i, triangle) in self.triangles.iter().enumerate().skip(first) {
            if !triangle.above.is_empty() {
                self.heap.push((triangle.farthest.0.to_bits(), i));
                most = most.max(triangle.farthest.0);
            }
        }
        most
    }

    /// Adds the farthest point above a triangle: a cone from the horizon replaces all triangles
    /// visible from the point.
    fn extend(&mut self, at: usize) {
        let apex = self.triangles[at].farthest.1;
        let mut seen = self.reached(at, &|i| self.height(&self.triangles[i], apex) > ROUNDING);
        if !is_cycle(&self.rim(&seen)) {
            seen = self.without_islands(at, &seen, apex);
        }
        let rim = self.rim(&seen);
        let mut left = Vec::new();
        for i in seen {
            self.triangles[i].alive = false;
            left.append(&mut self.triangles[i].above);
        }
        left.retain(|&point| point != apex);
        let first = self.triangles.len();
        for (from, to) in rim {
            self.add([from, to, apex]);
        }
        self.distribute(left, first);
    }

    /// Living triangles connected to a triangle through neighbours that satisfy `counts`, itself
    /// included.
    fn reached(&self, at: usize, counts: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let (mut found, mut next) = (vec![at], 0);
        let mut known = vec![false; self.triangles.len()];
        known[at] = true;
        while next < found.len() {
            for (from, to) in edges(&self.triangles[found[next]].corners) {
                let Some(&other) = self.by_edge.get(&(to, from)) else { continue };
                if !known[other] && self.triangles[other].alive && counts(other) {
                    known[other] = true;
                    found.push(other);
                }
            }
            next += 1;
        }
        found
    }

    /// Visible triangles without islands due to rounding. First the invisible region connected to
    /// the triangle that is turned away most is found; the result is the part of its complement
    /// connected to `at`. Both regions are then connected, so their boundary is one cycle.
    fn without_islands(&self, at: usize, seen: &[usize], apex: usize) -> Vec<usize> {
        let mut is_seen = vec![false; self.triangles.len()];
        seen.iter().for_each(|&i| is_seen[i] = true);
        let height = |&i: &usize| self.height(&self.triangles[i], apex);
        let hidden = (0..is_seen.len()).filter(|&i| self.triangles[i].alive && !is_seen[i]);
        let Some(away) = hidden.min_by(|a, b| height(a).total_cmp(&height(b))) else {
            return seen.to_vec();
        };
        let mut hidden = vec![false; self.triangles.len()];
        self.reached(away, &|i| !is_seen[i]).into_iter().for_each(|i| hidden[i] = true);
        self.reached(at, &|i| !hidden[i])
    }

    /// Directed boundary edges of a set of triangles.
    fn rim(&self, seen: &[usize]) -> Vec<(usize, usize)> {
        let all: Vec<(usize, usize)> =
            seen.iter().flat_map(|&i| edges(&self.triangles[i].corners)).collect();
        let set: std::collections::HashSet<_> = all.iter().copied().collect();
        all.into_iter().filter(|&(from, to)| !set.contains(&(to, from))).collect()
    }
}

/// Whether directed edges make one closed line without crossings.
fn is_cycle(edges: &[(usize, usize)]) -> bool {
    let next: BTreeMap<usize, usize> = edges.iter().copied().collect();
    let Some(&(start, mut at)) = edges.first() else { return false };
    let mut length = 1;
    while at != start && length <= edges.len() {
        let Some(&to) = next.get(&at) else { return false };
        (at, length) = (to, length + 1);
    }
    next.len() == edges.len() && length == edges.len()
}

pub(super) fn edges([a, b, c]: &[usize; 3]) -> [(usize, usize); 3] {
    [(*a, *b), (*b, *c), (*c, *a)]
}

/// The outward unit normal; zero where the corners lie on a line.
pub(super) fn normal(points: &[Vector], [a, b, c]: &[usize; 3]) -> Vector {
    let across = (points[*b] - points[*a]).cross(&(points[*c] - points[*a]));
    across.try_normalize(0.0).unwrap_or_default()
}

/// Four points that span a volume.
fn simplex(points: &[Vector], flat: f64) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(&Vector) -> f64| {
        let scored = points.iter().enumerate().map(|(i, p)| (i, measure(p)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    let (a, _) = farthest(&|p| p.norm());
    let (b, size) = farthest(&|p| (p - points[a]).norm());
    let along = (points[b] - points[a]).try_normalize(0.0)?;
    let (c, _) = farthest(&|p| (p - points[a]).cross(&along).norm());
    let across = (points[c] - points[a]).cross(&along).try_normalize(0.0)?;
    let (d, height) = farthest(&|p| across.dot(&(p - points[a])).abs());
    (height > flat * size).then_some([a, b, c, d])
}
