//! The end of a polyhedron: where no contact approaches and nothing is stored.

use super::automaton::Cell;
use carom_core::polyhedra::{Cone, Vector, difference};

/// The part of a polyhedron in a cell at which no contact approaches and nothing is stored; `None`
/// where it is empty.
pub fn end<V: Vector>(cell: &Cell<V>, cone: &Cone<V>) -> Option<Cone<V>> {
    if cell
        .unfinished
        .iter()
        .any(|n| cone.rays.iter().all(|ray| ray.x.weight() == 0 || n.side(&ray.x) != 0))
    {
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
