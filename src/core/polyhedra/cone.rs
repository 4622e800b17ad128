//! Double description of a polyhedral cone.
//!
//! Source: T. S. Motzkin, H. Raiffa, G. L. Thompson, R. M. Thrall: The double description method.
//! Contributions to the Theory of Games II, Annals of Mathematics Studies 28 (1953) 51-73; K.
//! Fukuda, A. Prodon: Double description method revisited. Combinatorics and Computer Science 1995,
//! LNCS 1120, 91-111 (adjacency by inclusion of incidences, Proposition 7). Deviation: both
//! descriptions are kept free of redundancy at all times, so that a ray is added by cutting the
//! dual cone.

use std::mem::swap;

use super::doubles::TOLERANCE;
use super::incidence::{Incidence, MOST};
use super::vector::{MOST_ENTRIES, Vector, dot};

/// Most pairs of rays on both sides of a cut.
const MOST_PAIRS: usize = 32_768;

/// Residual length of a row after projection beyond which it is independent despite rounding.
const CLEAR: f64 = 1e-3;

/// A ray or an inequality, with its incidence.
#[derive(Clone, Debug)]
pub struct Row<V> {
    /// The vector.
    pub x: V,
    /// Orthogonal rows of the other description.
    pub tight: Incidence,
}

/// A polyhedral cone, `{x : e . x = 0, a . x >= 0} = span(lines) + cone(rays)` over all equalities
/// `e` and inequalities `a`.
///
/// The description is irredundant: lines and equalities are linearly independent, rays are extreme
/// and inequalities are facets, up to lines and equalities.
#[derive(Debug)]
pub struct Cone<V> {
    /// Basis of the lineality space.
    pub lines: Vec<V>,
    /// Extreme directions.
    pub rays: Vec<Row<V>>,
    /// Generators of the orthogonal complement of the cone.
    pub equalities: Vec<V>,
    /// Facets.
    pub inequalities: Vec<Row<V>>,
    /// Whether the cone had more than [`MOST`] rays or inequalities at once, or a cut met more than
    /// [`MOST_PAIRS`] pairs of rays: then no part of the description is valid.
    pub crowded: bool,
}

impl<V: Clone> Clone for Cone<V> {
    fn clone(&self) -> Self {
        Cone {
            lines: self.lines.clone(),
            rays: self.rays.clone(),
            equalities: self.equalities.clone(),
            inequalities: self.inequalities.clone(),
            crowded: self.crowded,
        }
    }

    /// Reuses the memory of `self`.
    fn clone_from(&mut self, other: &Self) {
        self.lines.clone_from(&other.lines);
        self.rays.clone_from(&other.rays);
        self.equalities.clone_from(&other.equalities);
        self.inequalities.clone_from(&other.inequalities);
        self.crowded = other.crowded;
    }
}

impl<V: Vector> Cone<V> {
    /// All of `R^n`.
    pub fn space(n: usize) -> Self {
        Cone {
            lines: (0..n).map(|i| V::unit(n, i)).collect(),
            rays: Vec::new(),
            equalities: Vec::new(),
            inequalities: Vec::new(),
            crowded: false,
        }
    }

    /// The origin of `R^n`.
    pub fn origin(n: usize) -> Self {
        let mut cone = Cone::space(n);
        cone.dualise();
        cone
    }

    /// Replaces the cone by its dual, `{y : x . y >= 0 for all x}`.
    fn dualise(&mut self) {
        swap(&mut self.lines, &mut self.equalities);
        swap(&mut self.rays, &mut self.inequalities);
    }

    /// Adds a ray: the cone becomes the sum of itself and `cone(x)`.
    pub fn extend(&mut self, x: &V) {
        self.dualise();
        self.cut(x);
        self.dualise();
    }

    /// Cuts the cone with `a . x >= 0`.
    pub fn cut(&mut self, a: &V) {
        if self.crowded {
            return;
        }
        if let Some(line) = self.cross(a) {
            let [ray, row] = [self.rays.len(), self.inequalities.len()];
            if self.crowds(ray + 1, row + 1) {
                return;
            }
            self.rays.iter_mut().for_each(|ray| ray.tight.insert(row));
            self.inequalities.iter_mut().for_each(|row| row.tight.insert(ray));
            self.inequalities.push(Row { x: a.clone(), tight: Incidence::below(ray) });
            self.rays.push(Row { x: line, tight: Incidence::below(row) });
            return;
        }
        let [above, beneath] = self.sides(a);
        if beneath.is_empty() || self.overtaxed(above, beneath) {
            return;
        }
        let (before, row) = (self.rays.len(), self.inequalities.len());
        self.meet(a, above, beneath);
        if self.crowds(self.rays.len() - beneath.len(), row + 1) {
            return;
        }
        for (i, ray) in self.rays.iter_mut().enumerate() {
            if i >= before || !above.contains(i) {
                ray.tight.insert(row);
            }
        }
        self.drop_rays(beneath);
        self.inequalities.push(Row { x: a.clone(), tight: Incidence::NONE });
        self.prune();
    }

    /// Cuts the cone with `a . x = 0`.
    pub fn flatten(&mut self, a: &V) {
        if self.crowded {
            return;
        }
        if self.cross(a).is_some() {
            self.equalities.push(a.clone());
            return;
        }
        let [above, beneath] = self.sides(a);
        if (above | beneath).is_empty() || self.overtaxed(above, beneath) {
            return;
        }
        self.meet(a, above, beneath);
        if self.crowds(self.rays.len() - (above | beneath).len(), 0) {
            return;
        }
        self.drop_rays(above | beneath);
        self.equalities.push(a.clone());
        self.prune();
    }

    /// The rays with `a . x > 0`, and with `a . x < 0`.
    fn sides(&self, a: &V) -> [Incidence; 2] {
        let mut sides = [Incidence::NONE; 2];
        for (i, ray) in self.rays.iter().enumerate() {
            match a.side(&ray.x) {
                0 => {}
                side => sides[usize::from(side < 0)].insert(i),
            }
        }
        sides
    }

    fn drop_rays(&mut self, dropped: Incidence) {
        let mut i = 0;
        self.rays.retain(|_| {
            i += 1;
            i > MOST || !dropped.contains(i - 1)
        });
    }

    /// Records whether these numbers of rays or inequalities are too large.
    fn crowds(&mut self, rays: usize, inequalities: usize) -> bool {
        self.crowded |= rays > MOST || inequalities > MOST;
        self.crowded
    }

    /// Records whether a cut with these rays on its sides takes too long.
    fn overtaxed(&mut self, above: Incidence, beneath: Incidence) -> bool {
        self.crowded |= above.len() * beneath.len() > MOST_PAIRS;
        self.crowded
    }

    /// Removes a line with `a . line > 0` from the cone, if any, and shifts all other lines and
    /// rays along it to `a . x = 0`.
    fn cross(&mut self, a: &V) -> Option<V> {
        let at = self.lines.iter().position(|line| a.side(line) != 0)?;
        let mut line = self.lines.swap_remove(at);
        if a.side(&line) < 0 {
            line = line.opposite();
        }
        let opposite = line.opposite();
        let height = a.dot(&line);
        for other in self.lines.iter_mut().chain(self.rays.iter_mut().map(|ray| &mut ray.x)) {
            let side = a.side(other);
            if side != 0 {
                let way = if side > 0 { &opposite } else { &line };
                *other = V::between(&height, other, &a.dot(other), way);
            }
        }
        Some(line)
    }

    /// Adds the intersections of `a . x = 0` with the faces of adjacent rays on opposite sides.
    fn meet(&mut self, a: &V, above: Incidence, beneath: Incidence) {
        let count = self.rays.len();
        for p in above.iter() {
            let mut up = None;
            for q in beneath.iter() {
                let tight = self.rays[p].tight & self.rays[q].tight;
                let within = |i: usize| i != p && i != q && self.rays[i].tight.includes(&tight);
                if !(0..count).any(within) {
                    let [p, q] = [&self.rays[p].x, &self.rays[q].x];
                    let up = up.get_or_insert_with(|| a.dot(p));
                    let x = V::between(&a.dot(q), p, up, q);
                    self.rays.push(Row { x, tight });
                }
            }
        }
    }

    /// Drops redundant inequalities; inequalities that no ray satisfies strictly become equalities.
    fn prune(&mut self) {
        let all = Incidence::below(self.rays.len());
        let count = self.inequalities.len();
        self.inequalities.iter_mut().for_each(|row| row.tight = Incidence::NONE);
        for (i, ray) in self.rays.iter().enumerate() {
            ray.tight.iter().for_each(|j| self.inequalities[j].tight.insert(i));
        }
        let tight = |j: usize| self.inequalities[j].tight;
        let implied = |j: usize, other: usize| {
            let within = tight(other).includes(&tight(j));
            other != j && tight(other) != all && within && (tight(j) != tight(other) || other < j)
        };
        let is_kept = |j: &usize| tight(*j) != all && !(0..count).any(|other| implied(*j, other));
        let kept: Incidence = (0..count).filter(is_kept).collect();
        if kept == Incidence::below(count) {
            return;
        }
        for j in (0..count).filter(|j| self.inequalities[*j].tight == all) {
            let row = &self.inequalities[j].x;
            if independent(&self.equalities, row) {
                self.equalities.push(row.clone());
            }
        }
        for ray in &mut self.rays {
            let tight = kept.iter().enumerate().filter(|(_, old)| ray.tight.contains(*old));
            ray.tight = tight.map(|(new, _)| new).collect();
        }
        kept.iter().enumerate().for_each(|(new, old)| self.inequalities.swap(new, old));
        self.inequalities.truncate(kept.len());
    }

    /// Whether the cone contains `x`.
    pub fn contains(&self, x: &V) -> bool {
        self.equalities.iter().all(|e| e.side(x) == 0)
            && self.inequalities.iter().all(|a| a.x.side(x) >= 0)
    }

    /// Whether the cone contains another one.
    pub fn includes(&self, other: &Self) -> bool {
        other.rays.iter().all(|ray| self.contains(&ray.x))
            && other.lines.iter().all(|line| self.contains(line) && self.contains(&line.opposite()))
    }

    /// Whether the polyhedron of this cone is empty.
    pub fn is_empty(&self) -> bool {
        self.rays.iter().all(|ray| ray.x.weight() <= 0)
    }
}

/// Whether `row` is linearly independent of independent `rows`.
fn independent<V: Vector>(rows: &[V], row: &V) -> bool {
    let left = unexplained(rows, row);
    if left > CLEAR || !V::EXACT {
        return left > TOLERANCE;
    }
    // Exact test: the row is independent unless it is orthogonal to the rows' orthogonal
    // complement.
    let mut orthogonal = Cone::<V>::space(MOST_ENTRIES);
    rows.iter().for_each(|row| orthogonal.flatten(row));
    orthogonal.lines.iter().any(|line| row.side(line) != 0)
}

/// The smallest residual length of Gram and Schmidt's method over the rows and `row`, relative to
/// the length of the vector.
fn unexplained<V: Vector>(rows: &[V], row: &V) -> f64 {
    let (mut basis, mut least) = ([[0.0; MOST_ENTRIES]; MOST_ENTRIES], 1.0_f64);
    for (k, row) in rows.iter().chain([row]).take(MOST_ENTRIES).enumerate() {
        let mut x = *row.near();
        let before = dot(&x, &x).sqrt();
        for _ in 0..2 {
            for other in &basis[..k] {
                let along = dot(other, &x);
                x.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other);
            }
        }
        let left = dot(&x, &x).sqrt();
        least = least.min(left / before);
        basis[k] = x.map(|x| x / left.max(f64::MIN_POSITIVE));
    }
    least
}
