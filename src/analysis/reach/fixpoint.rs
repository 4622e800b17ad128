use std::cell::Cell as Counter;
use std::collections::VecDeque;

use super::automaton::{Automaton, Cell};
use super::ends::{end, is_covered};
use super::widening::{boxed, coarse, excess, extend, hull_of, rounded, turned};
use carom_core::polyhedra::{Cone, Vector};

/// Number of unsubsumed segments of a cell above which segments are merged, see [`Ends::Hulls`].
const MOST_APART: usize = 6;
/// Number of flows before widening starts; most lists end earlier.
const LONG: usize = 300;
/// Minimum number of unsubsumed segments of a cell for widening.
const FEW: usize = 3;
/// Number of widenings of a cell in [`Ends::Loose`] before one segment fills all the room.
const MOST_ENLARGED: usize = 16;
/// Widening schedule, tried in order: distance threshold for widening, subsumption test.
const WAYS: [(f64, Held); 7] = [
    (0.0, Held::InOne),
    (1e-4, Held::InOne),
    (1e-6, Held::InOne),
    (1e-3, Held::InOne),
    (EXACT, Held::InOne),
    (1e-4, Held::InSeveral),
    (EXACT, Held::InSeveral),
];
/// Distance threshold that excludes widening.
const EXACT: f64 = -1.0;
/// Budget of [`work`] of each entry of the schedule, round by round.
const ROUNDS: [f64; 3] = [2000.0, 10_000.0, f64::INFINITY];
/// Cost factor of subsumption by unions.
const UNIONS: f64 = 2.0;

/// Subsumption test: by one segment of the cell, or by the union of its segments. The union
/// subsumes more segments, but the remaining ones may be smaller and the list longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    InOne,
    InSeveral,
}

/// Merge of two segments of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    Hull,
    /// Template polyhedron around the hull with the recession directions of both segments and few
    /// facets; makes lists of ever smaller increments finite.
    Coarse,
}

/// Reach segment: a polyhedron of velocities in one cell.
pub struct Piece<V> {
    pub cell: usize,
    pub cone: Cone<V>,
    /// Predecessor, from which motions in the cell reach this segment; `None`: the start.
    pub parent: Option<usize>,
    /// Whether every point is reachable: false if this segment or an ancestor was widened.
    pub exact: bool,
}

pub struct Reached<V> {
    /// All segments in order of discovery.
    pub pieces: Vec<Piece<V>>,
    /// Unsubsumed segments of each cell; their union covers all segments of the cell.
    pub kept: Vec<Vec<usize>>,
    /// End polyhedra of exact segments, each with the index of its segment; none lies in another.
    pub ends: Vec<(usize, Cone<V>)>,
    pub flows: usize,
    /// Number of widened segments; with any, the union may exceed the reachable set.
    pub widened: usize,
    enlarged: Vec<usize>,
    /// Whether all ends lie in ends of exact segments, although segments were widened.
    pub tight: bool,
}

/// Whether a polyhedron may replace segments of a cell.
pub type May<'a, V> = dyn Fn(usize, &Cone<V>) -> bool + 'a;

/// Termination strategy for motions that switch cells without end.
#[derive(Clone, Copy)]
pub enum Ends<'a, V> {
    /// Stops after this number of flows; the list may then miss reachable points.
    Left(usize),
    /// After 300 flows, widens a new segment that exceeds an old one of its cell by at most this
    /// distance, if the widened segment has only ends of exact segments. [`Held`] is the
    /// subsumption test.
    Tight(f64, Held),
    /// Merges a new segment with the nearest one of its cell into an over-approximation, whatever
    /// its ends. After several widenings the segment becomes the intersection of the cell with this
    /// polyhedron, which contains all velocities.
    Loose(&'a Cone<V>),
    /// With more than 6 segments in a cell, replaces a new one by its merge with an old one, see
    /// [`Around`], if the predicate allows this.
    Hulls(Around, &'a May<'a, V>),
}

/// Reason why no fixpoint was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Told,
    Faces,
    /// A widened segment has ends outside the ends of exact segments.
    Strayed,
}

/// Finite list that covers all bounded motions, by [`reach`]; tight if some entry of the schedule
/// succeeds. All velocities lie in `room`. With a bounded `room` a list always exists, tight or
/// not.
///
/// Where motions chatter, vertices of segments converge to limits that need not be rational, so no
/// finite list of polyhedra is the closure of the reachable set. A slightly larger list can be
/// finite. It is equally good if no motion ends in the added points: the ends of a tight list are
/// the ends of its exact segments.
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

/// [`reach`] with a budget of [`work`].
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

/// Reachable set of the automaton from `start`, as the smallest list with
///
/// ```text
/// flow(P, C) = ((P cut C) + K_C) cut C
/// flow(start, C) in the list for every cell C
/// flow(P, C') in the list for every member P in a cell C, and every neighbour C' of C
/// ```
///
/// A motion within a cell adds an element of `K_C` to a point, and a cell is convex, so the flow is
/// exact. A motion that changes several contacts at once passes the cells between, as they are
/// closed. Members subsumed by another member of their cell are dropped. A list with larger members
/// covers the reachable set, too.
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
    /// Empty list for `cells` cells.
    pub fn new(cells: usize) -> Self {
        let (pieces, ends, flows, widened) = Default::default();
        let (kept, enlarged) = (vec![Vec::new(); cells], vec![0; cells]);
        Reached { pieces, kept, ends, flows, widened, enlarged, tight: true }
    }

    /// Adds `flow(p, cell)`, computed in `room`, unless it is empty or subsumed; returns its index.
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
        // An unsubsumed segment is closed under motions within its cell.
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

    /// Whether the segments of the cell subsume `cone`.
    fn holds(&self, cell: usize, cone: &Cone<V>, ends: &Ends<'_, V>) -> bool {
        let kept = self.kept[cell].iter().map(|piece| &self.pieces[*piece].cone);
        match ends {
            Ends::Tight(_, Held::InSeveral) => is_covered(cone, kept),
            _ => kept.clone().any(|piece| piece.includes(cone)),
        }
    }

    /// Records the ends of the next segment, an exact one.
    fn note_end(&mut self, of: &Cell<V>, cone: &Cone<V>) {
        let Some(end) = end(of, cone) else { return };
        if !self.ends.iter().any(|(_, other)| other.includes(&end)) {
            self.ends.retain(|(_, other)| !end.includes(other));
            self.ends.push((self.pieces.len(), end));
        }
    }

    /// Whether all ends in a polyhedron are ends of exact segments; without such ends, whether the
    /// origin is the only end.
    ///
    /// If no motion gains energy, every velocity at which a contact approaches leads arbitrarily
    /// near to an end. A single candidate is therefore an end.
    fn ends_well(&self, automaton: &Automaton<V>, cell: usize, cone: &Cone<V>) -> bool {
        let Some(end) = end(&automaton.cells[cell], cone) else { return true };
        let rest = &automaton.rest;
        if self.ends.is_empty() {
            return automaton.dissipates && end.includes(rest) && rest.includes(&end);
        }
        !end.crowded && is_covered(&end, self.ends.iter().map(|(_, end)| end))
    }

    /// Widening of `cone` that is closed under motions within the cell and has only ends of exact
    /// segments. `None` if the nearest segment is farther than `most`.
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

    /// Widening of `cone` that is closed under motions within the cell, inside the polyhedron `all`
    /// of all velocities.
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

    /// Unsubsumed segment of a cell that `cone` exceeds least, and the excess.
    fn nearest(&self, cell: usize, cone: &Cone<V>) -> Option<(f64, &Cone<V>)> {
        let cones = self.kept[cell].iter().map(|piece| &self.pieces[*piece].cone);
        cones.map(|old| (excess(old, cone), old)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Hull of both polyhedra, and of `u = 0` if motions may end there.
    fn hull_with(&self, automaton: &Automaton<V>, cone: &Cone<V>, old: &Cone<V>) -> Cone<V> {
        let rest = &automaton.rest;
        let at_rest = self.ends.is_empty() || self.ends.iter().any(|(_, end)| end.includes(rest));
        hull_of(old, [cone].into_iter().chain(at_rest.then_some(rest)))
    }

    /// Merge of `cone` with an unsubsumed segment, closed under motions within the cell. `None`
    /// with fewer than [`MOST_APART`] segments, or if `may` refuses all merges.
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

/// Intersection of a polyhedron with a cell.
fn within<V: Vector>(of: &Cell<V>, all: &Cone<V>) -> Cone<V> {
    let mut part = all.clone();
    of.cut(&mut part);
    part
}

/// Cost of a flow from a polyhedron; 1 for entries up to 4000 bits and a dozen rays and facets.
/// Products of entries twice as long take up to four times as long, and each ray is compared with
/// each facet.
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
