//! The smallest list of polyhedra that has the start and whatever motions reach from its members.

use std::collections::VecDeque;

use super::automaton::{Automaton, Cell};
use crate::polyhedra::{Cone, Row, Vector, dot};

/// After so many flows, pieces that nearly contain others are widened to contain them: motions may go on without end.
const LONG: usize = 300;

/// Most kept pieces of a cell; beyond, one that contains them all takes their place.
const MOST_KEPT: usize = 32;

/// Most kept pieces of a cell that are not merged with others, see [`Ends::Hulls`].
const MOST_APART: usize = 6;

/// How near nearly is, relative to the size of the vectors.
const NEAR: f64 = 1e-12;

/// Faces of widened pieces move by multiples of this, relative to the size of the vectors.
const GRAIN: f64 = 1.0 / (1u64 << 26) as f64;

/// A polyhedron of velocities in one cell.
pub struct Piece<V> {
    /// The cell.
    pub cell: usize,
    /// The polyhedron.
    pub cone: Cone<V>,
    /// The piece from which motions in the cell reach this one; `None`: the start.
    pub parent: Option<usize>,
}

/// What was reached.
pub struct Reached<V> {
    /// All pieces, in the order in which they were found.
    pub pieces: Vec<Piece<V>>,
    /// For each cell those of its pieces that are in no later one. Their union is the reached set.
    pub kept: Vec<Vec<usize>>,
    /// How many flows were computed.
    pub flows: usize,
    /// How many pieces were widened: then the set may be larger than what motions reach.
    pub widened: usize,
}

/// Whether a polyhedron may take the place of pieces of a cell.
pub type May<'a, V> = dyn Fn(usize, &Cone<V>) -> bool + 'a;

/// How a list is made to end where motions spiral through the cells without end.
pub enum Ends<'a, V> {
    /// It is not.
    ByItself,
    /// Bounded polyhedra: after 300 flows a member that contains another one up to 1e-12 is widened outwards to contain it, and one
    /// that contains them all takes the place of more than 32 in a cell.
    Widened,
    /// With more than 6 members in a cell, a new one and an old one become their hull, where that may be.
    Hulls(&'a May<'a, V>),
}

/// Why a fixpoint was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It was told to stop.
    Told,
    /// A polyhedron has too many faces.
    Faces,
}

/// The set that motions of the automaton reach from `start`, as the smallest list with
///
/// ```text
/// flow(P, C) = ((P cut C) + K_C) cut C
/// flow(start, C) in the list for every cell C
/// flow(P, C') in the list for every member P in a cell C, and every neighbour C' of C
/// ```
///
/// A motion within a cell adds an element of `K_C` to a point, and a cell is convex, so the flow is exact. A motion that changes
/// several contacts at once passes the cells between, as they are closed. What lies in another member of its cell is left out.
///
/// # Errors
/// `go_on`, asked before every flow, says no; a polyhedron has more faces than a [`Cone`] can have.
pub fn reach<V: Vector>(
    automaton: &Automaton<V>,
    start: &Cone<V>,
    ends: &Ends<'_, V>,
    go_on: &dyn Fn() -> bool,
) -> Result<Reached<V>, Stopped> {
    let kept = vec![Vec::new(); automaton.cells.len()];
    let mut reached = Reached { kept, ..Reached::default() };
    let (mut queue, mut room) = (VecDeque::new(), start.clone());
    for cell in 0..automaton.cells.len() {
        queue.extend(reached.flow(automaton, start, None, cell, &mut room, ends)?);
    }
    while let Some(piece) = queue.pop_front() {
        let Piece { cell, ref cone, .. } = reached.pieces[piece];
        if !reached.kept[cell].contains(&piece) {
            continue;
        }
        let cone = cone.clone();
        for next in &automaton.neighbours[cell] {
            if !go_on() {
                return Err(Stopped::Told);
            }
            queue.extend(reached.flow(automaton, &cone, Some(piece), *next, &mut room, ends)?);
        }
    }
    Ok(reached)
}

impl<V> Default for Reached<V> {
    fn default() -> Self {
        Reached { pieces: Vec::new(), kept: Vec::new(), flows: 0, widened: 0 }
    }
}

impl<V: Vector> Reached<V> {
    /// Adds `flow(p, cell)`, computed in `room`, unless that is empty or lies in a kept piece; its index, if it was added.
    fn flow(
        &mut self,
        automaton: &Automaton<V>,
        p: &Cone<V>,
        parent: Option<usize>,
        cell: usize,
        room: &mut Cone<V>,
        ends: &Ends<'_, V>,
    ) -> Result<Option<usize>, Stopped> {
        self.flows += 1;
        // A kept piece has all that motions within its cell reach from it.
        if !automaton.cells[cell].enter(p, room) || !room.crowded && self.holds(cell, room) {
            return Ok(None);
        }
        automaton.cells[cell].spread(room);
        if room.crowded && matches!(ends, Ends::Widened) {
            self.widened += 1;
            room.clone_from(&boxed(automaton.entries, p));
            automaton.cells[cell].cut(room);
            automaton.cells[cell].spread(room);
        }
        if room.crowded {
            return Err(Stopped::Faces);
        }
        let larger = match ends {
            Ends::ByItself => None,
            Ends::Hulls(may) => self.hull(&automaton.cells[cell], cell, room, may),
            Ends::Widened => self.wider(automaton, cell, room),
        };
        if let Some(larger) = larger {
            self.widened += 1;
            room.clone_from(&larger);
            if room.crowded {
                return Err(Stopped::Faces);
            }
        }
        let Reached { pieces, kept, .. } = self;
        kept[cell].retain(|other| !room.includes(&pieces[*other].cone));
        kept[cell].push(pieces.len());
        pieces.push(Piece { cell, cone: room.clone(), parent });
        Ok(Some(pieces.len() - 1))
    }

    /// Whether a kept piece of the cell contains `cone`.
    pub fn holds(&self, cell: usize, cone: &Cone<V>) -> bool {
        self.kept[cell].iter().any(|piece| self.pieces[*piece].cone.includes(cone))
    }

    /// A kept piece of the cell that contains `cone` up to [`NEAR`].
    fn nearly_holding(&self, cell: usize, cone: &Cone<V>) -> Option<usize> {
        let holds = |piece: &&usize| {
            let Cone { equalities, inequalities, .. } = &self.pieces[**piece].cone;
            inequalities.iter().all(|a| violation(&a.x, cone) <= NEAR)
                && equalities.iter().all(|e| violation(e, cone).max(violation(&e.opposite(), cone)) <= NEAR)
        };
        self.kept[cell].iter().find(holds).copied()
    }

    /// What takes the place of `cone` with [`Ends::Widened`], and has all that motions within the cell reach from it.
    fn wider(&self, automaton: &Automaton<V>, cell: usize, cone: &Cone<V>) -> Option<Cone<V>> {
        let entries = automaton.entries;
        let near = if self.flows > LONG { self.nearly_holding(cell, cone) } else { None };
        let mut wide = match near {
            Some(near) => self.around(entries, [near].iter(), cone),
            None if self.kept[cell].len() >= MOST_KEPT => self.around(entries, self.kept[cell].iter(), cone),
            None => return None,
        };
        automaton.cells[cell].cut(&mut wide);
        automaton.cells[cell].spread(&mut wide);
        Some(wide)
    }

    /// What motions within the cell reach from the hull of `cone` and a kept piece, if there are more than [`MOST_APART`] of
    /// these, and for one of them that `may` be.
    fn hull(&self, of: &Cell<V>, cell: usize, cone: &Cone<V>, may: &May<'_, V>) -> Option<Cone<V>> {
        if self.kept[cell].len() < MOST_APART {
            return None;
        }
        let with = |piece: &usize| {
            let (mut hull, other) = (cone.clone(), &self.pieces[*piece].cone);
            other.rays.iter().for_each(|ray| hull.extend(&ray.x));
            for line in &other.lines {
                hull.extend(line);
                hull.extend(&line.opposite());
            }
            of.spread(&mut hull);
            (!hull.crowded && may(cell, &hull)).then_some(hull)
        };
        self.kept[cell].iter().rev().find_map(with)
    }

    /// A polyhedron that contains pieces and `cone`, with the faces of the first of the pieces, moved outwards.
    fn around<'a>(&self, entries: usize, pieces: impl Iterator<Item = &'a usize>, cone: &Cone<V>) -> Cone<V> {
        let inner: Vec<&Cone<V>> = pieces.map(|piece| &self.pieces[*piece].cone).chain([cone]).collect();
        let first = inner[0];
        let moved = |a: &V| {
            let a = a.shortened();
            match inner.iter().map(|cone| violation(&a, cone)).fold(0.0, f64::max) {
                0.0 => a,
                miss => a.raised(((miss / GRAIN).ceil() + 1.0) * GRAIN),
            }
        };
        let mut wide = Cone::space(entries);
        for a in &first.inequalities {
            wide.cut(&moved(&a.x));
        }
        for e in first.equalities.iter().flat_map(|e| [e.clone(), e.opposite()]) {
            wide.cut(&moved(&e));
        }
        wide
    }
}

/// The directions of a polyhedron.
pub fn recession<V: Vector>(cone: &Cone<V>, entries: usize) -> Cone<V> {
    let mut directions = Cone::origin(entries);
    cone.rays.iter().filter(|ray| ray.x.weight() == 0).for_each(|ray| directions.extend(&ray.x));
    for line in &cone.lines {
        directions.extend(line);
        directions.extend(&line.opposite());
    }
    directions
}

/// By how much the points of a bounded polyhedron violate `a . (1, y) >= 0` at most, with `a` as in [`Vector::near`], rounded; 0
/// only where none does.
fn violation<V: Vector>(a: &V, cone: &Cone<V>) -> f64 {
    let beneath = cone.rays.iter().filter(|ray| a.side(&ray.x) < 0);
    let by = |ray: &Row<V>| (-dot(a.near(), ray.x.near()) / ray.x.near()[0]).max(f64::MIN_POSITIVE);
    beneath.map(by).fold(0.0, f64::max)
}

/// A box around a bounded polyhedron, wider by [`GRAIN`].
fn boxed<V: Vector>(n: usize, cone: &Cone<V>) -> Cone<V> {
    let mut wide = Cone::space(n);
    for i in 1..n {
        let bound = |sign: f64| {
            let least = cone
                .rays
                .iter()
                .map(|ray| sign * ray.x.near()[i] / ray.x.near()[0])
                .fold(f64::INFINITY, f64::min);
            let mut row = vec![0.0; n];
            (row[0], row[i]) = (-((least / GRAIN).floor() - 1.0) * GRAIN, sign);
            V::new(&row)
        };
        wide.cut(&bound(1.0));
        wide.cut(&bound(-1.0));
    }
    wide
}
