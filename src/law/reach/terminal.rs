//! Where motions end.

use super::automaton::Automaton;
use super::fixpoint::Reached;
use super::state::State;
use super::velocities::Velocities;
use crate::polyhedra::{Cone, Vector, difference};

/// The parts of the reached pieces at which no contact approaches, without those that lie in others, each with its piece.
pub fn terminal<V: Vector>(
    velocities: &Velocities<V>,
    automaton: &Automaton<V>,
    reached: &Reached<V>,
) -> Vec<(Option<usize>, Cone<V>)> {
    let mut ends: Vec<(Option<usize>, Cone<V>)> = Vec::new();
    for piece in reached.kept.iter().flatten() {
        let mut cone = reached.pieces[*piece].cone.clone();
        let states = &automaton.cells[reached.pieces[*piece].cell].states;
        for (state, normal) in states.iter().zip(&velocities.normal) {
            if *state != State::Open {
                cone.flatten(normal);
            }
        }
        if cone.is_empty() || ends.iter().any(|(_, other)| other.includes(&cone)) {
            continue;
        }
        ends.retain(|(_, other)| !cone.includes(other));
        ends.push((Some(*piece), cone));
    }
    ends
}

/// Polyhedra that overlap in boundaries only and have the union of those of the highest dimension.
pub fn disjoint<'a, V: Vector + 'a>(cones: impl Iterator<Item = &'a Cone<V>> + Clone) -> Vec<Cone<V>> {
    let Some(flat) = cones.clone().map(|cone| cone.equalities.len()).min() else { return Vec::new() };
    let cones: Vec<&Cone<V>> = cones.filter(|cone| cone.equalities.len() == flat).collect();
    let mut parts = Vec::new();
    for (i, cone) in cones.iter().enumerate() {
        let mut rest = vec![(*cone).clone()];
        for earlier in &cones[..i] {
            rest = rest.iter().flat_map(|part| difference(part, earlier)).collect();
        }
        parts.append(&mut rest);
    }
    parts
}
