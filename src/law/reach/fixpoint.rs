//! The smallest list of polyhedra that has the start and whatever motions reach from its members.

use std::cell::Cell as Counter;
use std::collections::VecDeque;

use super::automaton::{Automaton, Cell};
use super::ends::{end, is_covered};
use super::widening::{boxed, excess, hull_of, turned, whole};
use crate::polyhedra::{Cone, Vector};

/// Most kept pieces of a cell that are not merged with others, see [`Ends::Hulls`].
const MOST_APART: usize = 6;

/// Number of flows that are computed before pieces are widened: most lists end by themselves.
const LONG: usize = 300;

/// Number of kept pieces of a cell up to which none is widened.
const FEW: usize = 3;

/// Most kept pieces of a cell with [`Ends::Loose`].
const MOST_KEPT: usize = 32;

/// How near pieces have to be to be widened, one attempt after the other, and how many flows an
/// attempt may take.
const ATTEMPTS: [(f64, usize); 8] = [
    (0.0, 2000),
    (1e-4, 2500),
    (1e-6, 2500),
    (1e-3, 2500),
    (0.0, 10_000),
    (1e-5, 10_000),
    (1e-7, 10_000),
    (1e-9, 20_000),
];

/// Number of attempts before a list is sought that need not be tight.
const SHORT: usize = 4;

/// How near pieces are widened where motions may end in more of them.
const LOOSE: f64 = 1e-3;

/// A polyhedron of velocities in one cell.
pub struct Piece<V> {
    /// The cell.
    pub cell: usize,
    /// The polyhedron.
    pub cone: Cone<V>,
    /// The piece from which motions in the cell reach this one; `None`: the start.
    pub parent: Option<usize>,
    /// Whether motions reach every point of it. They need not where it, or one that leads to it,
    /// was widened.
    pub exact: bool,
}

/// What was reached.
pub struct Reached<V> {
    /// All pieces, in the order in which they were found.
    pub pieces: Vec<Piece<V>>,
    /// For each cell those of its pieces that are in no later one. Their union has all that is
    /// reached.
    pub kept: Vec<Vec<usize>>,
    /// Where motions end in exact pieces, each with its piece; none lies in another one.
    pub ends: Vec<(usize, Cone<V>)>,
    /// How many flows were computed.
    pub flows: usize,
    /// How many pieces were widened: their union may be larger than what is reached.
    pub widened: usize,
    /// Whether motions may end only where exact pieces do, although pieces were widened.
    pub tight: bool,
}

/// Whether a polyhedron may take the place of pieces of a cell.
pub type May<'a, V> = dyn Fn(usize, &Cone<V>) -> bool + 'a;

/// How a list is made to end where motions go through the cells without end.
#[derive(Clone, Copy)]
pub enum Ends<'a, V> {
    /// The list is not made to end.
    ByItself,
    /// After so many flows it is left as it is: then motions may reach more.
    Left(usize),
    /// After 300 flows a new piece that exceeds an old one of its cell by no more than this is
    /// widened, if motions end in it only where they end in exact pieces.
    Tight(f64),
    /// Pieces are widened wherever motions end in them; one that contains them all takes the place
    /// of more than 32 in a cell.
    Loose,
    /// With more than 6 members in a cell, a new one and an old one become their hull, where that
    /// may be.
    Hulls(&'a May<'a, V>),
}

/// Why a fixpoint was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The caller stopped the search.
    Told,
    /// A polyhedron has too many faces.
    Faces,
    /// Motions may end in a widened piece where they do not end in exact ones.
    Strayed,
}

/// A list that has all that bounded motions reach, by [`reach`]: tight, if one of the attempts to
/// find such a list succeeds.
///
/// Where motions chatter, vertices of pieces converge to limits that need not be rational, so no
/// finite list of polyhedra is the closure of what is reached. A slightly larger list can be
/// finite, and it is as good where motions do not end in what is added: the ends of a tight list
/// are those of its exact pieces.
///
/// # Errors
/// See [`reach`].
pub fn settle<V: Vector>(
    automaton: &Automaton<V>,
    start: &Cone<V>,
    go_on: &dyn Fn() -> bool,
) -> Result<Reached<V>, Stopped> {
    let mut loose = Err(Stopped::Told);
    for (number, (excess, flows)) in ATTEMPTS.into_iter().enumerate() {
        if number == SHORT {
            loose = reach(automaton, start, &Ends::Loose, go_on);
        }
        let left = Counter::new(flows);
        let within = || {
            left.set(left.get().saturating_sub(1));
            left.get() > 0 && go_on()
        };
        match reach(automaton, start, &Ends::Tight(excess), &within) {
            Ok(reached) if reached.tight => return Ok(reached),
            _ if !go_on() => break,
            _ => {}
        }
    }
    loose
}

/// The set that motions of the automaton reach from `start`, as the smallest list with
///
/// ```text
/// flow(P, C) = ((P cut C) + K_C) cut C
/// flow(start, C) in the list for every cell C
/// flow(P, C') in the list for every member P in a cell C, and every neighbour C' of C
/// ```
///
/// A motion within a cell adds an element of `K_C` to a point, and a cell is convex, so the flow is
/// exact. A motion that changes several contacts at once passes the cells between, as they are
/// closed. What lies in another member of its cell is left out. A list with larger members contains
/// that set, too.
///
/// # Errors
/// `go_on`, asked before every flow, says no; a polyhedron has more faces than a [`Cone`] can have;
/// [`Stopped::Strayed`].
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
            if matches!(ends, Ends::Left(flows) if reached.flows >= *flows) {
                return Ok(reached);
            }
            queue.extend(reached.flow(automaton, &cone, Some(piece), *next, &mut room, ends)?);
        }
    }
    let mut kept = reached.kept.iter().flatten().map(|piece| &reached.pieces[*piece]);
    reached.tight = reached.widened == 0
        || kept.all(|piece| reached.ends_well(automaton, piece.cell, &piece.cone));
    Ok(reached)
}

impl<V> Default for Reached<V> {
    fn default() -> Self {
        Reached {
            pieces: Vec::new(),
            kept: Vec::new(),
            ends: Vec::new(),
            flows: 0,
            widened: 0,
            tight: true,
        }
    }
}

impl<V: Vector> Reached<V> {
    /// Adds `flow(p, cell)`, computed in `room`, unless that is empty or lies in a kept piece; its
    /// index, if it was added.
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
        let of = &automaton.cells[cell];
        // A kept piece has all that motions within its cell reach from it.
        if !of.enter(p, room) || !room.crowded && self.holds(cell, room) {
            return Ok(None);
        }
        of.spread(room);
        let crowded = room.crowded;
        let larger = match ends {
            Ends::Loose if crowded => Some(whole(automaton.entries, of, [p].into_iter())),
            _ if crowded => return Err(Stopped::Faces),
            Ends::Hulls(may) => self.hull(of, cell, room, may),
            Ends::Tight(_) | Ends::Loose if self.flows > LONG => {
                self.wider(automaton, cell, room, ends)
            }
            _ => None,
        };
        let exact = larger.is_none() && parent.is_none_or(|parent| self.pieces[parent].exact);
        if let Some(larger) = larger {
            self.widened += 1;
            room.clone_from(&larger);
            if room.crowded {
                return Err(Stopped::Faces);
            }
        }
        match ends {
            Ends::Tight(_) | Ends::Loose if exact => self.note_end(of, room),
            Ends::Tight(_) if !self.ends_well(automaton, cell, room) => {
                return Err(Stopped::Strayed);
            }
            _ => {}
        }
        let Reached { pieces, kept, .. } = self;
        kept[cell].retain(|other| !room.includes(&pieces[*other].cone));
        kept[cell].push(pieces.len());
        pieces.push(Piece { cell, cone: room.clone(), parent, exact });
        Ok(Some(pieces.len() - 1))
    }

    /// Whether a kept piece of the cell contains `cone`.
    pub fn holds(&self, cell: usize, cone: &Cone<V>) -> bool {
        self.kept[cell].iter().any(|piece| self.pieces[*piece].cone.includes(cone))
    }

    /// Notes where motions end in an exact piece, the next one.
    fn note_end(&mut self, of: &Cell<V>, cone: &Cone<V>) {
        let Some(end) = end(of, cone) else { return };
        if !self.ends.iter().any(|(_, other)| other.includes(&end)) {
            self.ends.retain(|(_, other)| !end.includes(other));
            self.ends.push((self.pieces.len(), end));
        }
    }

    /// Whether motions end in a polyhedron only where they end in exact pieces; at the origin, as
    /// long as these have no ends.
    ///
    /// Every velocity at which a contact approaches leads arbitrarily near to an end: so an only
    /// end is one.
    fn ends_well(&self, automaton: &Automaton<V>, cell: usize, cone: &Cone<V>) -> bool {
        let Some(end) = end(&automaton.cells[cell], cone) else { return true };
        match self.ends.is_empty() {
            true => end.includes(&automaton.rest) && automaton.rest.includes(&end),
            false => !end.crowded && is_covered(&end, self.ends.iter().map(|(_, end)| end)),
        }
    }

    /// What takes the place of `cone`, and has all that motions within the cell reach from it.
    fn wider(
        &self,
        automaton: &Automaton<V>,
        cell: usize,
        cone: &Cone<V>,
        ends: &Ends<'_, V>,
    ) -> Option<Cone<V>> {
        let (n, of, kept) = (automaton.entries, &automaton.cells[cell], &self.kept[cell]);
        let (most, tight) = match ends {
            Ends::Tight(most) => (*most, true),
            _ => (LOOSE, false),
        };
        if kept.len() < FEW {
            return None;
        }
        let cones = || kept.iter().map(|piece| &self.pieces[*piece].cone);
        let nearest =
            cones().map(|old| (excess(old, cone), old)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (_, old) = match nearest {
            (least, _) if least <= most => nearest,
            _ if !tight && kept.len() >= MOST_KEPT => {
                return Some(whole(n, of, cones().chain([cone])));
            }
            _ => return None,
        };
        let at_rest =
            self.ends.is_empty() || self.ends.iter().any(|(_, end)| end.includes(&automaton.rest));
        let hull = hull_of(old, [cone].into_iter().chain(at_rest.then_some(&automaton.rest)));
        let may =
            |wide: &Cone<V>| !wide.crowded && (!tight || self.ends_well(automaton, cell, wide));
        let closed = |mut wide: Cone<V>| {
            of.cut(&mut wide);
            of.spread(&mut wide);
            Some(wide).filter(may)
        };
        closed(turned(boxed(n, [&hull].into_iter()), of, old, &hull)).or_else(|| closed(hull))
    }

    /// What motions within the cell reach from the hull of `cone` and a kept piece, if there are
    /// more than [`MOST_APART`] of these, and for one of them that `may` be.
    fn hull(&self, of: &Cell<V>, cell: usize, cone: &Cone<V>, may: &May<'_, V>) -> Option<Cone<V>> {
        if self.kept[cell].len() < MOST_APART {
            return None;
        }
        let with = |piece: &usize| {
            let mut hull = hull_of(cone, [&self.pieces[*piece].cone].into_iter());
            of.spread(&mut hull);
            (!hull.crowded && may(cell, &hull)).then_some(hull)
        };
        self.kept[cell].iter().rev().find_map(with)
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
