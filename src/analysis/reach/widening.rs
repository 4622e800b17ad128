use super::automaton::Cell;
use carom_core::polyhedra::{Cone, Vector, dot};

/// Faces are turned by so many times as much as need be.
const FAR: f64 = 16.0;
/// The factor by which faces are shifted farther than need be: one that gives room to all that
/// follows, if each further shift is smaller than the one before by a thousandth.
const BEYOND: f64 = 1024.0;
/// Faces are turned at least by this, and left out beyond the inverse.
const LEAST: f64 = 1e-12;
/// Rows of the directions that a polyhedron does not have may exceed it by this: by rounding.
const ACROSS: f64 = 1e-9;

pub fn hull_of<'a, V: Vector + 'a>(
    cone: &Cone<V>,
    others: impl Iterator<Item = &'a Cone<V>>,
) -> Cone<V> {
    let mut hull = cone.clone();
    others.for_each(|other| extend(&mut hull, other, |_| true));
    hull
}

/// Extends a polyhedron by the rays of another one that are `wanted`, and by its lines.
pub fn extend<V: Vector>(hull: &mut Cone<V>, other: &Cone<V>, wanted: impl Fn(&V) -> bool) {
    other.rays.iter().filter(|ray| wanted(&ray.x)).for_each(|ray| hull.extend(&ray.x));
    for line in &other.lines {
        hull.extend(line);
        hull.extend(&line.opposite());
    }
}

/// By how much a bounded polyhedron exceeds another one; infinite, if it has more dimensions.
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

/// A polyhedron around `hull`, which contains `old`: faces of `old` that `hull` passes are turned
/// outwards, about the points at which motions in the cell end, so that nothing is added to these.
///
/// With `s` the sum of `-u_n` over the contacts that compress and of what is stored, `a . x >= 0`
/// becomes `a . x + t s >= 0`. There are no more faces than before, but for those of `room`, which
/// contains `hull`, and `t` is a power of two, to keep numbers short.
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

/// A polyhedron around two others with the directions of both and few faces: those of the
/// directions, shifted outwards, farther than need be. No direction is added.
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

/// A polyhedron around a bounded one, in `room`, whose faces have short entries: they are rounded,
/// and turned outwards about the points at which motions end, as far as need be, or else shifted.
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

/// A box around a bounded polyhedron, with sides at powers of two, at least twice as far out.
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
