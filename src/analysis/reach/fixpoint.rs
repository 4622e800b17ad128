use std::cell::Cell as Counter;
use std::collections::VecDeque;

use super::automaton::{Automaton, Cell};
use super::ends::{end, is_covered};
use super::widening::{boxed, coarse, excess, extend, hull_of, rounded, turned};
use carom_core::polyhedra::{Cone, Vector};

/// Most kept pieces of a cell that are not merged with others, see [`Ends::Hulls`].
const MOST_APART: usize = 6;
/// Number of flows that are computed before pieces are widened: most lists end by themselves.
const LONG: usize = 300;
/// Number of kept pieces of a cell up to which none is widened.
const FEW: usize = 3;
/// How many pieces of a cell [`Ends::Loose`] enlarges before one takes all the room.
const MOST_ENLARGED: usize = 16;
/// How lists are sought, one way after the other: how near pieces have to be to be widened, and in
/// how many members of its cell a piece has to lie to be left out.
const WAYS: [(f64, Held); 7] = [
    (0.0, Held::InOne),
    (1e-4, Held::InOne),
    (1e-6, Held::InOne),
    (1e-3, Held::InOne),
    (EXACT, Held::InOne),
    (1e-4, Held::InSeveral),
    (EXACT, Held::InSeveral),
];
/// No piece is widened.
const EXACT: f64 = -1.0;
/// How much [`work`] each way may take in each round.
const ROUNDS: [f64; 3] = [2000.0, 10_000.0, f64::INFINITY];
/// How much more work flows are where unions are looked at.
const UNIONS: f64 = 2.0;

/// In how many members of its cell a piece has to lie to be left out. Unions leave out more, but
/// the list that is left may have smaller members, and go on for longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    InOne,
    InSeveral,
}

/// What takes the place of two members of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    Hull,
    /// A polyhedron around it with their directions and few faces: ends lists that grow less.
    Coarse,
}

/// A polyhedron of velocities in one cell.
pub struct Piece<V> {
    pub cell: usize,
    pub cone: Cone<V>,
    /// The piece from which motions in the cell reach this one; `None`: the start.
    pub parent: Option<usize>,
    /// Whether motions reach every point of it: not so where it, or one before it, was widened.
    pub exact: bool,
}

pub struct Reached<V> {
    /// All pieces, in the order in which they were found.
    pub pieces: Vec<Piece<V>>,
    /// For each cell those of its pieces that are in no later one: their union has all of it.
    pub kept: Vec<Vec<usize>>,
    /// Where motions end in exact pieces, each with its piece; none lies in another one.
    pub ends: Vec<(usize, Cone<V>)>,
    pub flows: usize,
    /// How many pieces were widened: their union may be larger than what is reached.
    pub widened: usize,
    enlarged: Vec<usize>,
    /// Whether motions may end only where exact pieces do, although pieces were widened.
    pub tight: bool,
}

/// Whether a polyhedron may take the place of pieces of a cell.
pub type May<'a, V> = dyn Fn(usize, &Cone<V>) -> bool + 'a;

/// How a list is made to end where motions go through the cells without end.
#[derive(Clone, Copy)]
pub enum Ends<'a, V> {
    /// After so many flows it is left as it is: then motions may reach more.
    Left(usize),
    /// After 300 flows a new piece that exceeds an old one of its cell by no more than this is
    /// widened, if motions end in it only where they end in exact pieces. Pieces that are held by
    /// others are left out, see [`Held`].
    Tight(f64, Held),
    /// A new piece and the nearest one of its cell become a polyhedron around both, wherever
    /// motions end in it; later one that has all that is in the cell and in this polyhedron, which
    /// contains all velocities.
    Loose(&'a Cone<V>),
    /// With more than 6 members in a cell, a new one and an old one become their hull, where that
    /// may be; or a polyhedron around it, see [`Around`].
    Hulls(Around, &'a May<'a, V>),
}

/// Why a fixpoint was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Told,
    Faces,
    /// Motions may end in a widened piece where they do not end in exact ones.
    Strayed,
}

/// A list that has all that bounded motions reach, by [`reach`]: tight, if one of the attempts to
/// find such a list succeeds. No velocity is outside of `room`; if that is bounded, there is always
/// a list, tight or not.
///
/// Where motions chatter, vertices of pieces converge to limits that need not be rational, so no
/// finite list of polyhedra is the closure of what is reached. A slightly larger list can be
/// finite, and it is as good where motions do not end in what is added: the ends of a tight list
/// are those of its exact pieces.
pub fn settle<V: Vector>(
    automaton: &Automaton<V>,
    start: &Cone<V>,
    room: &Cone<V>,
    go_on: &dyn Fn(f64) -> bool,
) -> Result<Reached<V>, Stopped> {
    let seek = |ends: &Ends<'_, V>, most| reach_within(automaton, start, ends, most, go_on);
    let mut loose = Err(Stopped::Told);
    for (round, most) in ROUNDS.into_iter().enumerate() {
        if round == 1 && is_bounded(room) {
            loose = seek(&Ends::Loose(room), f64::INFINITY);
        }
        for (excess, held) in WAYS {
            let most = if held == Held::InSeveral { most / UNIONS } else { most };
            match seek(&Ends::Tight(excess, held), most) {
                Ok(reached) if reached.tight => return Ok(reached),
                _ if !go_on(0.0) => return loose,
                _ => {}
            }
        }
    }
    loose
}

/// [`reach`] with at most so much [`work`].
pub fn reach_within<V: Vector>(
    automaton: &Automaton<V>,
    start: &Cone<V>,
    ends: &Ends<'_, V>,
    most: f64,
    go_on: &dyn Fn(f64) -> bool,
) -> Result<Reached<V>, Stopped> {
    let left = Counter::new(most);
    let within = |work: f64| {
        left.set(left.get() - work);
        left.get() > 0.0 && go_on(work)
    };
    reach(automaton, start, ends, &within)
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
pub fn reach<V: Vector>(
    automaton: &Automaton<V>,
    start: &Cone<V>,
    ends: &Ends<'_, V>,
    go_on: &dyn Fn(f64) -> bool,
) -> Result<Reached<V>, Stopped> {
    let mut reached = Reached::new(automaton.cells.len());
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
            if !go_on(work(&cone)) {
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

impl<V: Vector> Reached<V> {
    /// Nothing, of so many cells.
    pub fn new(cells: usize) -> Self {
        let (pieces, ends, flows, widened) = Default::default();
        let (kept, enlarged) = (vec![Vec::new(); cells], vec![0; cells]);
        Reached { pieces, kept, ends, flows, widened, enlarged, tight: true }
    }

    /// Adds `flow(p, cell)`, computed in `room`, unless it is empty or held; its index.
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
        if !of.enter(p, room) || !room.crowded && self.holds(cell, room, ends) {
            return Ok(None);
        }
        of.spread(room);
        if let Ends::Loose(all) = ends
            && parent.is_some_and(|parent| !self.pieces[parent].exact)
        {
            all.inequalities.iter().for_each(|row| room.cut(&row.x));
        }
        let crowded = room.crowded;
        let larger = match ends {
            Ends::Loose(all) if crowded => Some(within(of, all)),
            _ if crowded => return Err(Stopped::Faces),
            Ends::Hulls(around, may) => self.hull(automaton, cell, room, *around, may),
            Ends::Loose(all) if self.flows > LONG => self.larger(automaton, cell, room, all),
            Ends::Tight(most, _) if self.flows > LONG => self.wider(automaton, cell, room, *most),
            _ => None,
        };
        let exact = larger.is_none() && parent.is_none_or(|parent| self.pieces[parent].exact);
        if let Some(larger) = larger {
            self.widened += 1;
            self.enlarged[cell] += 1;
            room.clone_from(&larger);
            if room.crowded {
                return Err(Stopped::Faces);
            }
        }
        match ends {
            Ends::Tight(..) | Ends::Loose(_) if exact => self.note_end(of, room),
            Ends::Tight(..) if !self.ends_well(automaton, cell, room) => {
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

    /// Whether kept pieces of the cell contain `cone`.
    fn holds(&self, cell: usize, cone: &Cone<V>, ends: &Ends<'_, V>) -> bool {
        let kept = self.kept[cell].iter().map(|piece| &self.pieces[*piece].cone);
        match ends {
            Ends::Tight(_, Held::InSeveral) => is_covered(cone, kept),
            _ => kept.clone().any(|piece| piece.includes(cone)),
        }
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
    /// Where no motion gains energy, every velocity at which a contact approaches leads arbitrarily
    /// near to an end: so an only end is one.
    fn ends_well(&self, automaton: &Automaton<V>, cell: usize, cone: &Cone<V>) -> bool {
        let Some(end) = end(&automaton.cells[cell], cone) else { return true };
        let rest = &automaton.rest;
        if self.ends.is_empty() {
            return automaton.dissipates && end.includes(rest) && rest.includes(&end);
        }
        !end.crowded && is_covered(&end, self.ends.iter().map(|(_, end)| end))
    }

    /// What takes the place of `cone`, has all that motions within the cell reach from it, and in
    /// which they end only where they do in exact pieces; if a kept piece exceeds it by at most so
    /// much.
    fn wider(
        &self,
        automaton: &Automaton<V>,
        cell: usize,
        cone: &Cone<V>,
        most: f64,
    ) -> Option<Cone<V>> {
        let of = &automaton.cells[cell];
        let (least, old) = self.nearest(cell, cone)?;
        if self.kept[cell].len() < FEW || least > most {
            return None;
        }
        let hull = self.hull_with(automaton, cone, old);
        let closed = |mut wide: Cone<V>| {
            of.cut(&mut wide);
            of.spread(&mut wide);
            Some(wide).filter(|wide| !wide.crowded && self.ends_well(automaton, cell, wide))
        };
        let around = boxed(automaton.entries, &hull);
        closed(turned(around, of, old, &hull)).or_else(|| closed(hull))
    }

    /// What takes the place of `cone`, and has all that motions within the cell reach from it, in
    /// the polyhedron `all`, which contains all velocities.
    fn larger(
        &self,
        automaton: &Automaton<V>,
        cell: usize,
        cone: &Cone<V>,
        all: &Cone<V>,
    ) -> Option<Cone<V>> {
        let of = &automaton.cells[cell];
        if self.kept[cell].len() < FEW {
            return None;
        }
        if self.enlarged[cell] >= MOST_ENLARGED {
            return Some(within(of, all));
        }
        let (_, old) = self.nearest(cell, cone)?;
        let hull = self.hull_with(automaton, cone, old);
        let mut wide = rounded(automaton.entries, all.clone(), of, &hull);
        of.cut(&mut wide);
        of.spread(&mut wide);
        all.inequalities.iter().for_each(|row| wide.cut(&row.x));
        Some(if wide.crowded { within(of, all) } else { wide })
    }

    /// The kept piece of a cell that `cone` exceeds least, and by how much.
    fn nearest(&self, cell: usize, cone: &Cone<V>) -> Option<(f64, &Cone<V>)> {
        let cones = self.kept[cell].iter().map(|piece| &self.pieces[*piece].cone);
        cones.map(|old| (excess(old, cone), old)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The hull of both and of `u = 0`, if motions may end there.
    fn hull_with(&self, automaton: &Automaton<V>, cone: &Cone<V>, old: &Cone<V>) -> Cone<V> {
        let rest = &automaton.rest;
        let at_rest = self.ends.is_empty() || self.ends.iter().any(|(_, end)| end.includes(rest));
        hull_of(old, [cone].into_iter().chain(at_rest.then_some(rest)))
    }

    /// What motions within the cell reach from a polyhedron around `cone` and a kept piece, if
    /// there are more than [`MOST_APART`] of these, and for one of them that `may` be.
    fn hull(
        &self,
        automaton: &Automaton<V>,
        cell: usize,
        cone: &Cone<V>,
        around: Around,
        may: &May<'_, V>,
    ) -> Option<Cone<V>> {
        let of = &automaton.cells[cell];
        if self.kept[cell].len() < MOST_APART {
            return None;
        }
        let with = |piece: &usize| {
            let old = &self.pieces[*piece].cone;
            let mut wide = match around {
                Around::Hull => hull_of(cone, [old].into_iter()),
                Around::Coarse => coarse(automaton.entries, [old, cone]),
            };
            of.cut(&mut wide);
            of.spread(&mut wide);
            (!wide.crowded && may(cell, &wide)).then_some(wide)
        };
        self.kept[cell].iter().rev().find_map(with)
    }
}

pub fn is_bounded<V: Vector>(cone: &Cone<V>) -> bool {
    cone.lines.is_empty() && cone.rays.iter().all(|ray| ray.x.weight() > 0)
}

/// The part of a polyhedron in a cell.
fn within<V: Vector>(of: &Cell<V>, all: &Cone<V>) -> Cone<V> {
    let mut part = all.clone();
    of.cut(&mut part);
    part
}

/// How much work flows from a polyhedron are, in units of those with entries of up to 4000 bits and
/// no more than a dozen rays and faces: products of entries twice as long take up to four times as
/// long, and each ray is compared with each face.
fn work<V: Vector>(cone: &Cone<V>) -> f64 {
    let longest = cone.rays.iter().map(|ray| ray.x.bits()).max().unwrap_or(0);
    let pairs = cone.rays.len() * cone.inequalities.len();
    (longest as f64 / 4000.0).powi(2).max(1.0) * (pairs as f64 / 150.0).max(1.0)
}

pub fn recession<V: Vector>(cone: &Cone<V>, entries: usize) -> Cone<V> {
    let mut directions = Cone::origin(entries);
    extend(&mut directions, cone, |ray| ray.weight() == 0);
    directions
}
