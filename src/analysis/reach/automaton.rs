//! The planar inelastic law as a linear hybrid automaton.
//!
//! Over the impulse `s` the contact velocity moves by `du/ds = W f`, with forces `f` in the
//! friction cones of the contacts that do not separate. In a cell, where no contact changes its
//! state, the directions `W f` form a polyhedral cone `K`.

use super::state::State;
use super::velocities::Velocities;
use crate::polyhedra::{Cone, Vector};

/// On which side of `u_n = 0` and `u_t = 0` the velocity of a contact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The sign of `u_n`.
    pub normal: i32,
    /// The sign of `u_t`; 0 where `u_n > 0`, as it makes no difference there.
    pub tangent: i32,
}

impl Place {
    /// `u = 0`: a contact near it can be in any state.
    pub const REST: Place = Place { normal: 0, tangent: 0 };

    /// All places.
    pub const ALL: [Place; 7] = [
        Place::REST,
        Place { normal: 1, tangent: 0 },
        Place { normal: 0, tangent: 1 },
        Place { normal: 0, tangent: -1 },
        Place { normal: -1, tangent: 0 },
        Place { normal: -1, tangent: 1 },
        Place { normal: -1, tangent: -1 },
    ];

    /// The places that there are as near to it as one likes.
    pub fn nearby(self) -> impl Iterator<Item = Place> {
        let same = |at: i32, near: i32| at == 0 || at == near;
        let tangent = move |near: Place| near.normal > 0 || same(self.tangent, near.tangent);
        Place::ALL.into_iter().filter(move |near| same(self.normal, near.normal) && tangent(*near))
    }

    /// The states that a contact can have near the place.
    fn states(self, smooth: bool) -> Vec<State> {
        let Place { normal, tangent } = self;
        let mut states = if normal >= 0 { vec![State::Open] } else { Vec::new() };
        match tangent {
            _ if normal > 0 => {}
            _ if smooth => states.push(State::Smooth),
            0 => states.extend([State::Plus, State::Minus, State::Hold]),
            _ => states.push(if tangent > 0 { State::Plus } else { State::Minus }),
        }
        states
    }
}

/// A closed convex set of velocities with constant states.
pub struct Cell<V> {
    /// The state of each contact (m).
    pub states: Vec<State>,
    /// The normal velocities of the contacts that are not open: they are 0 where motions end.
    pub resting: Vec<V>,
    /// `-sum u_n` over these contacts: it is 0 where motions end, and positive elsewhere in the
    /// cell.
    pub approach: V,
    /// What is 0 in the cell.
    equalities: Vec<V>,
    /// What is not negative in the cell.
    inequalities: Vec<V>,
    /// Generators of `K`.
    directions: Vec<V>,
}

/// The cells that meet at a point, and which of them touch.
pub struct Automaton<V> {
    /// Number of entries of vectors.
    pub entries: usize,
    /// The point `u = 0`.
    pub rest: Cone<V>,
    /// All cells in which at least one contact is not open.
    pub cells: Vec<Cell<V>>,
    /// For each cell those that differ from it in one contact, between open, holding and sliding.
    pub neighbours: Vec<Vec<usize>>,
}

impl<V: Vector> Automaton<V> {
    /// The automaton near a point at which contact i is at `places[i]` (m); velocities are relative
    /// to the point.
    pub fn near(velocities: &Velocities<V>, places: &[Place]) -> Self {
        let mut combinations = vec![Vec::new()];
        for (place, mu) in places.iter().zip(&velocities.friction) {
            let states = place.states(*mu == 0.0);
            let longer = |begun: &Vec<State>| {
                let begun = begun.clone();
                states.clone().into_iter().map(move |state| [&begun[..], &[state]].concat())
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        combinations.retain(|states| states.iter().any(|state| *state != State::Open));
        let touch = |a: &[State], b: &[State]| {
            let changes: Vec<_> = a.iter().zip(b).filter(|(a, b)| a != b).collect();
            let slides = |state: &State| matches!(state, State::Plus | State::Minus);
            matches!(changes[..], [(a, b)] if !(slides(a) && slides(b)))
        };
        let touching = |a: &Vec<State>| {
            (0..combinations.len()).filter(|b| touch(a, &combinations[*b])).collect()
        };
        let neighbours = combinations.iter().map(touching).collect();
        let cells =
            combinations.into_iter().map(|states| Cell::new(velocities, places, states)).collect();
        let rest = velocities.point(&V::unit(velocities.entries, 0));
        Automaton { entries: velocities.entries, rest, cells, neighbours }
    }
}

impl<V: Vector> Cell<V> {
    fn new(velocities: &Velocities<V>, places: &[Place], states: Vec<State>) -> Self {
        let (mut equalities, mut inequalities) = (Vec::new(), Vec::new());
        for (i, (state, place)) in states.iter().zip(places).enumerate() {
            let [n, t] = [&velocities.normal[i], &velocities.tangent[i]];
            if place.normal == 0 {
                inequalities.push(if *state == State::Open { n.clone() } else { n.opposite() });
            }
            match state {
                State::Hold => equalities.push(t.clone()),
                State::Plus if place.tangent == 0 => inequalities.push(t.clone()),
                State::Minus if place.tangent == 0 => inequalities.push(t.opposite()),
                _ => {}
            }
        }
        let directions = velocities.directions(&states);
        let rests =
            states.iter().zip(&velocities.normal).filter(|(state, _)| **state != State::Open);
        let resting: Vec<V> = rests.map(|(_, normal)| normal.clone()).collect();
        let approach = resting[1..].iter().fold(resting[0].opposite(), |sum, n| sum.moved(-1.0, n));
        Cell { states, resting, approach, equalities, inequalities, directions }
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

    /// Extends `p`, a part of the cell, by all points of it that motions within it reach:
    /// `(p + K) cut cell`.
    pub fn spread(&self, p: &mut Cone<V>) {
        self.directions.iter().for_each(|direction| p.extend(direction));
        self.cut(p);
    }

    /// Cuts `p` with the cell. Whether something is left.
    pub fn cut(&self, p: &mut Cone<V>) -> bool {
        for e in &self.equalities {
            p.flatten(e);
        }
        for a in &self.inequalities {
            p.cut(a);
        }
        p.crowded || !p.is_empty()
    }
}
