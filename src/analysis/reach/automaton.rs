//! The law as a linear hybrid automaton.
//!
//! Over the impulse `s` the contact velocity moves by `du/ds = W f`, with forces `f` in the
//! friction cones of the contacts that push. In a cell, where no contact changes its state, the
//! directions `W f` form a polyhedral cone `K`. With Poisson's restitution what contacts store
//! moves along, as one more coordinate for each.

use std::collections::HashMap;

use super::contact::{Branch, Contact, Push};
use super::state::Phase;
use super::velocities::Velocities;
use carom_core::polyhedra::{Cone, Vector};

/// A closed convex set of velocities with constant states.
pub struct Cell<V> {
    /// The state of each contact (m), by its place among the contact's.
    pub branches: Vec<usize>,
    /// What is at least 0 in the cell, and 0 at ends: `-u_n` of contacts that compress, and stores.
    pub unfinished: Vec<V>,
    /// The sum of these: it is 0 where motions end, and positive elsewhere in the cell.
    pub approach: V,
    equalities: Vec<V>,
    inequalities: Vec<V>,
    /// Generators of `K`.
    directions: Vec<V>,
}

/// The cells that meet at a point, and which of them touch.
pub struct Automaton<V> {
    /// Number of entries of vectors.
    pub entries: usize,
    /// The point `u = 0` with nothing stored.
    pub rest: Cone<V>,
    /// Whether no motion gains energy.
    pub dissipates: bool,
    /// All cells in which at least one contact is not open.
    pub cells: Vec<Cell<V>>,
    /// For each cell those that differ from it in the state of one contact, and touch it.
    pub neighbours: Vec<Vec<usize>>,
}

impl<V: Vector> Automaton<V> {
    /// The automaton near a point at which contact i is at `places[i]` (m), relative to it.
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

/// Where contacts in these states move velocities, each with its contact.
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
                // Elsewhere the condition holds all around the point.
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
        // Rest is a phase only where some contact has a store, so there is one.
        let approach =
            unfinished[1..].iter().fold(unfinished[0].clone(), |sum, row| sum.moved(1.0, row));
        Cell { branches, unfinished, approach, equalities, inequalities, directions }
    }

    /// Where the contacts move velocities in the cell, each with its contact.
    pub fn pushes<'a>(
        &'a self,
        velocities: &'a Velocities<V>,
    ) -> impl Iterator<Item = (usize, &'a Push<V>)> {
        pushes(&velocities.contacts, &self.branches)
    }

    /// Sets `part` to the part of `p` in the cell. Whether there is one.
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

    /// Extends a part `p` of the cell by what motions within it reach: `(p + K) cut cell`.
    pub fn spread(&self, p: &mut Cone<V>) {
        self.directions.iter().for_each(|direction| p.extend(direction));
        self.cut(p);
    }

    /// Cuts `p` with the cell. Whether something is left.
    pub fn cut(&self, p: &mut Cone<V>) -> bool {
        self.equalities.iter().for_each(|e| p.flatten(e));
        self.inequalities.iter().for_each(|a| p.cut(a));
        p.crowded || !p.is_empty()
    }
}
