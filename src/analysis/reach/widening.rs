use super::automaton::Cell;
use carom_core::polyhedra::{Cone, Vector, dot};

/// Safety factor on the rotation of facets.
const FAR: f64 = 16.0;
/// Safety factor on the shift of facets, near 1/(1 - 0.999): the sum of a geometric series of
/// shifts with ratio 0.999.
const BEYOND: f64 = 1024.0;
/// Minimum rotation or shift of a facet; facets that need more than the inverse are dropped.
const LEAST: f64 = 1e-12;
/// Rounding tolerance of equalities in [`excess`].
const ACROSS: f64 = 1e-9;

pub fn hull_of<'a, V: Vector + 'a>(
    cone: &Cone<V>,
    others: impl Iterator<Item = &'a Cone<V>>,
) -> Cone<V> {
    let mut hull = cone.clone();
    others.for_each(|other| extend(&mut hull, other, |_| true));
    hull
}

/// Extends a polyhedron by the `wanted` rays and by all lines of another.
pub fn extend<V: Vector>(hull: &mut Cone<V>, other: &Cone<V>, wanted: impl Fn(&V) -> bool) {
    other.rays.iter().filter(|ray| wanted(&ray.x)).for_each(|ray| hull.extend(&ray.x));
    for line in &other.lines {
        hull.extend(line);
        hull.extend(&line.opposite());
    }
}

/// Largest violation of the facets of `old` by a bounded `cone`; infinite if it violates an
/// equality.
pub fn excess<V: Vector>(old: &Cone<V>, cone: &Cone<V>) -> f64 {
    let beyond = |a: &V, sign: f64| {
        let by = |x: &V| -sign * dot(a.near(), x.near()) / x.near()[0];
        cone.rays.iter().map(|ray| by(&ray.x)).fold(0.0, f64::max)
    };
    if old.equalities.iter().any(|e| beyond(e, 1.0).max(beyond(e, -1.0)) > ACROSS) {
        return f64::INFINITY;
    }
    old.inequalities.iter().map(|row| beyond(&row.x, 1.0)).fold(0.0, f64::max)
}

/// Widening of `old` that contains `hull`: violated facets of `old` are rotated outwards about the
/// end points of motions in the cell, so that no end point is added.
///
/// With `s` the sum of `-u_n` over compressing contacts and of stored impulses, `a . x >= 0`
/// becomes `a . x + t s >= 0`. The result has the facets of `old` and `room`, which contains
/// `hull`. `t` is a power of two, to keep numbers short.
pub fn turned<V: Vector>(room: Cone<V>, of: &Cell<V>, old: &Cone<V>, hull: &Cone<V>) -> Cone<V> {
    if hull.equalities.len() != old.equalities.len() || !hull.lines.is_empty() {
        return hull.clone();
    }
    let mut wide = room;
    hull.equalities.iter().for_each(|e| wide.flatten(e));
    for row in &old.inequalities {
        let passing = hull.rays.iter().filter(|ray| row.x.side(&ray.x) < 0);
        let ratio = |x: &V| -dot(row.x.near(), x.near()) / dot(of.approach.near(), x.near());
        match passing.map(|ray| ratio(&ray.x)).reduce(f64::max) {
            None => wide.cut(&row.x),
            Some(most) if (0.0..1.0 / LEAST).contains(&most) => {
                let face = row.x.moved((FAR * most).max(LEAST).log2().ceil().exp2(), &of.approach);
                if hull.rays.iter().all(|ray| face.side(&ray.x) >= 0) {
                    wide.cut(&face);
                }
            }
            Some(_) => {}
        }
    }
    wide
}

/// Template over-approximation of two polyhedra: the facet normals of their recession cone, shifted
/// outwards with a margin. The recession cone does not grow.
///
/// `a . x >= 0` becomes `a . x + t x_0 >= 0`, where `t` is a power of two, to keep numbers short.
pub fn coarse<V: Vector>(entries: usize, pieces: [&Cone<V>; 2]) -> Cone<V> {
    let mut directions = Cone::origin(entries);
    pieces.iter().for_each(|piece| extend(&mut directions, piece, |ray| ray.weight() == 0));
    let unit = V::unit(entries, 0);
    let mut wide = Cone::space(entries);
    wide.cut(&unit);
    let rays = || pieces.into_iter().flat_map(|piece| &piece.rays).filter(|ray| ray.x.weight() > 0);
    let mut shift = |a: &V| {
        let ratio = |x: &V| -dot(a.near(), x.near()) / x.near()[0];
        let most = rays().map(|ray| ratio(&ray.x)).fold(LEAST, f64::max);
        if most < 1.0 / LEAST {
            let face = a.moved((BEYOND * most).log2().ceil().exp2(), &unit);
            if rays().all(|ray| face.side(&ray.x) >= 0) {
                wide.cut(&face);
            }
        }
    };
    directions.inequalities.iter().for_each(|row| shift(&row.x));
    for e in &directions.equalities {
        shift(e);
        shift(&e.opposite());
    }
    wide
}

/// Over-approximation of a bounded polyhedron within `room` by facets with short entries. Each
/// facet normal is rounded; if it then cuts the polyhedron, the facet is rotated outwards about the
/// end points of motions, or else shifted.
pub fn rounded<V: Vector>(n: usize, room: Cone<V>, of: &Cell<V>, cone: &Cone<V>) -> Cone<V> {
    let (mut wide, unit) = (room, V::unit(n, 0));
    cone.equalities.iter().for_each(|e| wide.flatten(e));
    for row in &cone.inequalities {
        let face = V::new(&row.x.near()[..n]);
        let passed = |face: &V| cone.rays.iter().any(|ray| face.side(&ray.x) < 0);
        let outwards = |along: &V| {
            let ratio = |x: &V| -dot(face.near(), x.near()) / dot(along.near(), x.near());
            let most = cone.rays.iter().map(|ray| ratio(&ray.x)).fold(LEAST, f64::max);
            (most < 1.0 / LEAST).then(|| face.moved((FAR * most).log2().ceil().exp2(), along))
        };
        let faces = [Some(face.clone()), outwards(&of.approach), outwards(&unit)];
        if let Some(face) = faces.into_iter().flatten().find(|face| !passed(face)) {
            wide.cut(&face);
        }
    }
    wide
}

/// Box around a bounded polyhedron, with sides at powers of two, at least twice as far out.
pub fn boxed<V: Vector>(n: usize, cone: &Cone<V>) -> Cone<V> {
    let mut wide = Cone::space(n);
    for i in 1..n {
        let reach = cone.rays.iter().map(|ray| (ray.x.near()[i] / ray.x.near()[0]).abs());
        let farthest = reach.fold(LEAST, f64::max);
        for sign in [1.0, -1.0] {
            let mut row = vec![0.0; n];
            (row[0], row[i]) = (2.0 * farthest.log2().ceil().exp2(), sign);
            wide.cut(&V::new(&row));
        }
    }
    wide
}
