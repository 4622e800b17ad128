//! Clusters of points by single linkage.

use std::collections::HashMap;

use super::representatives::square;

/// The cluster of each point (N,n), row by row: two points share a cluster if a chain of points
/// connects them in which neighbours are at most `gap` apart. Clusters are numbered from the
/// largest to the smallest; equal sizes by their first points.
///
/// Single linkage, cut at `gap`. Source: R. Sibson: SLINK: an optimally efficient algorithm for the
/// single-link cluster method. The Computer Journal 16 (1973) 30-34. Deviation: points are sorted
/// into cells of diameter `gap`, each inside one cluster. Only points of nearby cells that are not
/// connected yet are compared: first cells adjacent in the grid, then all cells outside the largest
/// cluster so far.
pub fn clusters(points: &[f64], n: usize, gap: f64) -> Vec<usize> {
    let total = points.len().checked_div(n).unwrap_or(0);
    let point = |i: usize| &points[i * n..(i + 1) * n];
    let side = gap / (n as f64).sqrt();
    let mut cells: HashMap<Vec<i64>, Vec<usize>> = HashMap::new();
    for i in 0..total {
        // Cell indices of points far from 0 would overflow; such points have a cell each.
        let key: Vec<i64> = match point(i).iter().all(|x| (x / side).abs() < 1e15) {
            true => point(i).iter().map(|x| (x / side).floor() as i64).collect(),
            false => vec![i as i64, i64::MIN],
        };
        cells.entry(key).or_default().push(i);
    }
    let mut cells: Vec<(Vec<i64>, Cell)> =
        cells.into_iter().map(|(key, members)| (key, Cell::new(members, points, n))).collect();
    cells.sort_by(|(_, a), (_, b)| {
        a.low[0].total_cmp(&b.low[0]).then(a.members[0].cmp(&b.members[0]))
    });
    let (keys, cells): (Vec<Vec<i64>>, Vec<Cell>) = cells.into_iter().unzip();
    let mut links = Links((0..cells.len()).collect());
    let compare = |links: &mut Links, a: usize, b: usize| {
        if links.root(a) != links.root(b)
            && cells[a].square(&cells[b]) <= gap * gap
            && cells[a].touches(&cells[b], gap, &point)
        {
            links.join(a, b);
        }
    };
    // Most cells are connected with their neighbours in the grid.
    let at: HashMap<&[i64], usize> =
        keys.iter().enumerate().map(|(at, key)| (key.as_slice(), at)).collect();
    for (a, key) in keys.iter().enumerate() {
        let mut next = key.clone();
        for d in 0..key.len() {
            next[d] = key[d].wrapping_add(1);
            if let Some(b) = at.get(next.as_slice()) {
                compare(&mut links, a, *b);
            }
            next[d] = key[d];
        }
    }
    // At most one of two cells of different clusters is in the largest cluster.
    let roots: Vec<usize> = (0..cells.len()).map(|at| links.root(at)).collect();
    let mut sizes = vec![0; cells.len()];
    roots.iter().for_each(|root| sizes[*root] += 1);
    let largest = sizes.iter().enumerate().max_by_key(|(_, size)| **size).map(|(root, _)| root);
    for a in (0..cells.len()).filter(|a| Some(roots[*a]) != largest) {
        let near = |b: &usize| (cells[*b].low[0] - cells[a].low[0]).abs() <= side + gap;
        let (before, after) =
            ((0..a).rev().take_while(near), (a + 1..cells.len()).take_while(near));
        before.chain(after).for_each(|b| compare(&mut links, a, b));
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, cell) in cells.iter().enumerate() {
        members.entry(links.root(at)).or_default().extend(&cell.members);
    }
    let mut members: Vec<Vec<usize>> = members.into_values().collect();
    members.iter_mut().for_each(|cluster| cluster.sort_unstable());
    members.sort_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0]));
    let mut of = vec![0; total];
    for (number, cluster) in members.iter().enumerate() {
        cluster.iter().for_each(|i| of[*i] = number);
    }
    of
}

/// Points within `gap` of each other, and their bounding box.
struct Cell {
    members: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Cell {
    fn new(members: Vec<usize>, points: &[f64], n: usize) -> Self {
        let extreme = |start: f64, pick: fn(f64, f64) -> f64| -> Vec<f64> {
            (0..n).map(|d| members.iter().map(|i| points[i * n + d]).fold(start, pick)).collect()
        };
        let (low, high) = (extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max));
        Cell { members, low, high }
    }

    /// The squared distance of the bounding boxes.
    fn square(&self, other: &Cell) -> f64 {
        let apart =
            |d: usize| (other.low[d] - self.high[d]).max(self.low[d] - other.high[d]).max(0.0);
        (0..self.low.len()).map(|d| apart(d) * apart(d)).sum()
    }

    fn touches<'a>(&self, other: &Cell, gap: f64, point: &impl Fn(usize) -> &'a [f64]) -> bool {
        let near =
            |i: &usize| other.members.iter().any(|j| square(point(*i), point(*j)) <= gap * gap);
        self.members.iter().any(near)
    }
}

/// Union-find over cells.
struct Links(Vec<usize>);

impl Links {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
