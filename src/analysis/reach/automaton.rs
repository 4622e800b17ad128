//! The law as a linear hybrid automaton.
//!
//! Over the impulse `s` the contact velocity follows `du/ds = W f`, with forces `f` in the friction
//! cones of the pushing contacts. In a cell, a mode of the automaton with constant contact states,
//! the directions `W f` form a polyhedral cone `K`. With Poisson's restitution each stored impulse
//! is one more coordinate.

use std::collections::HashMap;

use super::contact::{Branch, Contact, Push};
use super::state::Phase;
use super::velocities::Velocities;
use carom_core::polyhedra::{Cone, Vector};

/// Mode of the automaton: closed convex set of velocities with constant contact states.
pub struct Cell<V> {
    /// State of each contact (m), as an index into its branches.
    pub branches: Vec<usize>,
    /// Functions that are nonnegative in the cell and 0 at ends: `-u_n` of compressing contacts,
    /// and stored impulses.
    pub unfinished: Vec<V>,
    /// Sum of `unfinished`: 0 at ends, positive elsewhere in the cell.
    pub approach: V,
    equalities: Vec<V>,
    inequalities: Vec<V>,
    /// Generators of `K`.
    directions: Vec<V>,
}

/// Cells around a point, and their adjacency.
pub struct Automaton<V> {
    /// Length of the vectors.
    pub entries: usize,
    /// The point `u = 0` with nothing stored.
    pub rest: Cone<V>,
    /// Whether no motion can gain energy.
    pub dissipates: bool,
    /// Cells with at least one contact that is not open.
    pub cells: Vec<Cell<V>>,
    /// Neighbours of each cell: touching cells that differ in the state of one contact.
    pub neighbours: Vec<Vec<usize>>,
}

impl<V: Vector> Automaton<V> {
    /// Automaton near a point whose contact i has the sign pattern `places[i]` (m), in coordinates
    /// relative to the point.
    pub fn near(velocities: &Velocities<V>, places: &[usize]) -> Self {
        let contacts = &velocities.contacts;
        let mut combinations = vec![Vec::new()];
        for (contact, place) in contacts.iter().zip(places) {
            let longer = |begun: &Vec<usize>| {
                let begun = begun.clone();
                contact.possible(*place).map(move |branch| [&begun[..], &[branch]].concat())
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        combinations.retain(|branches| {
            let has = |phase| in_states(contacts, branches).any(|branch| branch.phase == phase);
            let pushes = in_states(contacts, branches).any(|branch| branch.phase != Phase::Open);
            pushes && !(has(Phase::Compression) && has(Phase::Restitution))
        });
        let numbers: HashMap<&[usize], usize> =
            combinations.iter().enumerate().map(|(at, cell)| (cell.as_slice(), at)).collect();
        let touching = |cell: &Vec<usize>| {
            let (mut next, mut found) = (cell.clone(), Vec::new());
            for (i, contact) in contacts.iter().enumerate() {
                for branch in contact.possible(places[i]) {
                    if branch != cell[i] && contact.touch([cell[i], branch]) {
                        next[i] = branch;
                        found.extend(numbers.get(next.as_slice()));
                    }
                }
                next[i] = cell[i];
            }
            found.sort_unstable();
            found
        };
        let neighbours = combinations.iter().map(touching).collect();
        let cell = |branches| Cell::new(velocities, places, branches);
        let cells = combinations.into_iter().map(cell).collect();
        let rest = velocities.point(&V::unit(velocities.entries, 0));
        let dissipates = contacts.iter().all(|contact| contact.store.is_none());
        Automaton { entries: velocities.entries, rest, dissipates, cells, neighbours }
    }
}

pub fn in_states<'a, V>(
    contacts: &'a [Contact<V>],
    branches: &'a [usize],
) -> impl Iterator<Item = &'a Branch<V>> {
    contacts.iter().zip(branches).map(|(contact, branch)| &contact.branches[*branch])
}

/// Velocity changes by the contacts in given states, each with the index of its contact.
fn pushes<'a, V>(
    contacts: &'a [Contact<V>],
    branches: &'a [usize],
) -> impl Iterator<Item = (usize, &'a Push<V>)> {
    let compress = in_states(contacts, branches).any(|b| b.phase == Phase::Compression);
    in_states(contacts, branches).enumerate().flat_map(move |(i, branch)| {
        let returns = branch.returns.iter().filter(move |_| !compress);
        branch.pushes.iter().chain(returns).map(move |push| (i, push))
    })
}

impl<V: Vector> Cell<V> {
    fn new(velocities: &Velocities<V>, places: &[usize], branches: Vec<usize>) -> Self {
        let contacts = &velocities.contacts;
        let [mut equalities, mut inequalities, mut unfinished] = [(); 3].map(|()| Vec::new());
        let all = in_states(contacts, &branches).zip(contacts.iter().zip(places));
        for (branch, (contact, place)) in all {
            for (row, sign) in &branch.conditions {
                // A row with a nonzero sign keeps it in a neighbourhood of the point.
                if contact.places[*place][*row] == Some(0) {
                    let row = &contact.rows[*row];
                    match sign {
                        0 => equalities.push(row.clone()),
                        1 => inequalities.push(row.clone()),
                        _ => inequalities.push(row.opposite()),
                    }
                }
            }
            if branch.phase == Phase::Compression {
                unfinished.push(contact.rows[0].opposite());
            }
            unfinished.extend(contact.store.map(|row| contact.rows[row].clone()));
        }
        let mut cone = Cone::origin(velocities.entries);
        pushes(contacts, &branches).for_each(|(_, push)| cone.extend(&push.change));
        equalities.iter().for_each(|row| cone.flatten(row));
        let lines = cone.lines.iter().flat_map(|line| [line.clone(), line.opposite()]);
        let directions = cone.rays.iter().map(|ray| ray.x.clone()).chain(lines).collect();
        // `unfinished` is not empty: the phase Rest exists only if some contact stores impulse.
        let approach =
            unfinished[1..].iter().fold(unfinished[0].clone(), |sum, row| sum.moved(1.0, row));
        Cell { branches, unfinished, approach, equalities, inequalities, directions }
    }

    /// Velocity changes by the contacts in this cell, each with the index of its contact.
    pub fn pushes<'a>(
        &'a self,
        velocities: &'a Velocities<V>,
    ) -> impl Iterator<Item = (usize, &'a Push<V>)> {
        pushes(&velocities.contacts, &self.branches)
    }

    /// Sets `part` to the intersection of `p` with the cell; false if it is empty.
    pub fn enter(&self, p: &Cone<V>, part: &mut Cone<V>) -> bool {
        let outside = |a: &V| p.rays.iter().all(|ray| a.side(&ray.x) < 0);
        let beside = |e: &V| {
            let mut sides = p.rays.iter().map(|ray| e.side(&ray.x));
            let first = sides.next().unwrap_or(0);
            first != 0 && sides.all(|side| side == first)
        };
        let apart = self.inequalities.iter().any(outside) || self.equalities.iter().any(beside);
        if apart && p.lines.is_empty() {
            return false;
        }
        part.clone_from(p);
        self.cut(part)
    }

    /// Post operator within the cell: `(p + K) cut cell`, for `p` in the cell.
    pub fn spread(&self, p: &mut Cone<V>) {
        self.directions.iter().for_each(|direction| p.extend(direction));
        self.cut(p);
    }

    /// Intersects `p` with the cell; false if nothing is left.
    pub fn cut(&self, p: &mut Cone<V>) -> bool {
        self.equalities.iter().for_each(|e| p.flatten(e));
        self.inequalities.iter().for_each(|a| p.cut(a));
        p.crowded || !p.is_empty()
    }
}
