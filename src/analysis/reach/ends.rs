use super::automaton::{Automaton, Cell};
use super::fixpoint::{Piece, Reached};
use carom_core::polyhedra::{Cone, Vector, difference};

/// Subset of a polyhedron in a cell at which no contact approaches and nothing is stored.
pub fn end<V: Vector>(cell: &Cell<V>, cone: &Cone<V>) -> Option<Cone<V>> {
    let off = |n: &V| cone.rays.iter().all(|ray| ray.x.weight() == 0 || n.side(&ray.x) != 0);
    if cell.unfinished.iter().any(off) {
        return None;
    }
    let mut end = cone.clone();
    cell.unfinished.iter().for_each(|n| end.flatten(n));
    (end.crowded || !end.is_empty()).then_some(end)
}

/// Whether a polyhedron lies in the union of others.
pub fn is_covered<'a, V: Vector + 'a>(
    cone: &Cone<V>,
    by: impl Iterator<Item = &'a Cone<V>> + Clone,
) -> bool {
    if by.clone().any(|other| other.includes(cone)) {
        return true;
    }
    let mut rest = vec![cone.clone()];
    for other in by {
        rest = rest.iter().flat_map(|part| difference(part, other)).collect();
    }
    rest.is_empty()
}

/// Maximal end polyhedra, each with its reach segment; in a tight list only ends of exact segments.
pub fn terminal<V: Vector>(
    automaton: &Automaton<V>,
    reached: &Reached<V>,
) -> Vec<(Option<usize>, Cone<V>)> {
    if reached.tight && !reached.ends.is_empty() {
        return reached.ends.iter().map(|(piece, end)| (Some(*piece), end.clone())).collect();
    }
    let mut ends: Vec<(Option<usize>, Cone<V>)> = Vec::new();
    for piece in reached.kept.iter().flatten() {
        let Piece { cell, cone, .. } = &reached.pieces[*piece];
        let Some(cone) = end(&automaton.cells[*cell], cone) else { continue };
        if ends.iter().any(|(_, other)| other.includes(&cone)) {
            continue;
        }
        ends.retain(|(_, other)| !cone.includes(other));
        ends.push((Some(*piece), cone));
    }
    ends
}

/// Decomposes the highest-dimensional part of a union into polyhedra that overlap in boundaries
/// only.
pub fn disjoint<'a, V: Vector + 'a>(of: impl Iterator<Item = &'a Cone<V>> + Clone) -> Vec<Cone<V>> {
    let Some(flat) = of.clone().map(|cone| cone.equalities.len()).min() else {
        return Vec::new();
    };
    let of: Vec<&Cone<V>> = of.filter(|cone| cone.equalities.len() == flat).collect();
    let mut parts = Vec::new();
    for (i, cone) in of.iter().enumerate() {
        let mut rest = vec![(*cone).clone()];
        for earlier in &of[..i] {
            rest = rest.iter().flat_map(|part| difference(part, earlier)).collect();
        }
        parts.append(&mut rest);
    }
    parts
}
