//! The explicit solution of all segments of one or two contacts, indexed by the signs of velocities
//! and the direction of the impulse bounds.

use super::maps::{MODES, Mode};
use super::process::Events;
use super::segment::Segment;
use super::table::tabulate;
use crate::Routh;
use carom_core::{Real, StepProblem, stream};

/// Largest number of contacts with an explicit solution.
pub const MOST_CHARTED: usize = 2;

/// Limit of interval edges per key; intervals beyond the last edge have no stored solutions.
pub const EDGES: usize = 8;

/// Number of codes of a contact: (0 for a contact free to change its mode, else 1 + its mode, see
/// [`mode_of`]) times the number of sign codes.
pub const CODES: usize = (1 + (1 << BITS)) * SIGNS;

/// Number of sign codes of a contact: 3 a + b. a is 0 where the contact separates or its impulse
/// bound is 0, 1 where `u_n = 0`, 2 where it approaches or is restituting. b is 0 where `u_t < 0`,
/// 1 where `u_t = 0`, 2 where `u_t > 0`.
pub const SIGNS: usize = 9;

/// Bits of a mode in the number of a combination.
const BITS: u32 = 3;

/// The mode of contact `i` in a combination.
#[inline(always)]
pub fn mode_of(combination: u32, i: usize) -> u32 {
    combination >> (BITS * i as u32) & ((1 << BITS) - 1)
}

/// Number of bisections that locate the border of an interval.
const BISECTIONS: u32 = 60;

/// Distance of a condition from 0, in tolerances, within which rounding decides its sign.
const DOUBT: f64 = 4.0;

/// An explicit solution: for each key, intervals of the direction `t = c_0 / (c_0 + c_1)` of the
/// impulse bounds, with the solutions in each interval.
///
/// The signs of the velocities, and conditions linear in the impulse bounds, determine which
/// combinations of modes are solutions. Solutions therefore change only at roots of conditions. In
/// each interval they are computed at its middle by [`Segment::solve`], in its order. Near a root,
/// where rounding decides, no solutions are stored.
#[derive(Clone, Debug)]
pub struct Chart<R> {
    /// The row number of each key `sum code_i CODES^i`.
    keys: Vec<u16>,
    rows: Vec<Row<R>>,
    /// Lists of combinations for intervals with several solutions.
    choices: Vec<u8>,
    /// The maps of all combinations, see [`tabulate`], ordered by combination number, see
    /// [`mode_of`]. Combinations with nonexistent modes have NaN, so that no condition of an
    /// unknown cell holds.
    pub maps: Vec<R>,
}

/// The intervals of a key: cell `k` lies between edges `k - 1` and `k`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row<R> {
    /// The edges in ascending order; unused edges are HUGE.
    pub edges: [R; EDGES],
    /// The solutions between the edges.
    pub cells: [ChartCell; EDGES + 1],
}

/// The rows of all keys of a [`Chart`].
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, R> {
    keys: &'a [u16],
    rows: &'a [Row<R>],
}

impl<'a, R> Rows<'a, R> {
    /// The intervals of a key. Impulse bounds with the direction `t` belong to the cell whose
    /// number is the number of edges below `t`.
    #[inline(always)]
    pub fn of(self, key: usize) -> &'a Row<R> {
        &self.rows[usize::from(self.keys[key])]
    }
}

/// The solutions of a segment: the combination number of a single solution; for several, 2^12 times
/// their count plus their position in the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartCell(u16);

/// The bit at which the count of a cell's solutions begins.
const COUNT: u32 = 12;

/// Smallest number of a cell with several solutions.
pub const CHOICES: u32 = 1 << COUNT;

impl ChartCell {
    /// The cell of the combinations `found`; several become choices. `unknown` where there is none,
    /// or too many.
    fn new(found: &[u8], choices: &mut Vec<u8>, unknown: ChartCell) -> Self {
        let place = match found {
            [] => return unknown,
            [only] => return ChartCell(u16::from(*only)),
            _ => {
                choices.windows(found.len()).position(|list| list == found).unwrap_or(choices.len())
            }
        };
        if found.len() >> (16 - COUNT) > 0 || place >> COUNT > 0 {
            return unknown;
        }
        if place == choices.len() {
            choices.extend_from_slice(found);
        }
        ChartCell((found.len() << COUNT | place) as u16)
    }

    /// The combination number of a single solution; for several, a number of at least [`CHOICES`].
    #[inline(always)]
    pub fn number(self) -> u32 {
        u32::from(self.0)
    }
}

impl<R: Real> Chart<R> {
    /// The explicit solution of a problem with at most [`MOST_CHARTED`] contacts.
    pub fn new(step: &StepProblem<R>) -> Self {
        let m = step.contacts;
        let keys = vec![0; CODES.pow(m as u32)];
        let (all, size) = (tabulate(step), 4 * m * m);
        let mut maps = vec![R::from_f64(f64::NAN); size << (BITS as usize * m)];
        for (number, map) in maps.chunks_mut(size).enumerate() {
            let modes = (0..m).map(|i| mode_of(number as u32, i) as usize);
            if modes.clone().all(|mode| mode < MODES) {
                let place = modes.rev().fold(0, |place, mode| MODES * place + mode);
                map.copy_from_slice(&all[place * size..(place + 1) * size]);
            }
        }
        let unknown = ChartCell((1 << (BITS as usize * m)) - 1);
        let nowhere = Row { edges: [R::HUGE; EDGES], cells: [unknown; EDGES + 1] };
        let mut chart = Chart { keys, rows: vec![nowhere], choices: Vec::new(), maps };
        let mut survey =
            Survey { step, segment: Segment::new(m, Routh::SEGMENTS), contacts: Vec::new() };
        for key in 0..chart.keys.len() {
            let codes = (0..m).map(|i| key / CODES.pow(i as u32) % CODES);
            let Some(contacts) = codes.map(Contact::new).collect() else { continue };
            survey.contacts = contacts;
            // An event frees at least one contact.
            if survey.contacts.iter().all(|contact| contact.mode.is_some()) {
                continue;
            }
            let row = survey.row(nowhere, &mut chart.choices);
            chart.keys[key] = chart.rows.len() as u16;
            chart.rows.push(row);
        }
        chart
    }

    /// Whether a process has an explicit solution: at most [`MOST_CHARTED`] contacts and no
    /// uncertain numbers.
    pub fn serves(process: &Events<f64>) -> bool {
        let certain = process.inertia.is_none() && process.numbers.are_certain();
        process.space.step.contacts <= MOST_CHARTED && certain
    }

    /// The number of keys with solutions.
    pub fn kinds(&self) -> usize {
        self.rows.len() - 1
    }

    /// The rows of all keys.
    #[inline(always)]
    pub fn rows(&self) -> Rows<'_, R> {
        Rows { keys: &self.keys, rows: &self.rows }
    }

    /// The combination of modes that the random `word` selects in a cell with several solutions.
    #[inline(always)]
    pub fn choice(&self, cell: u32, word: u32) -> u32 {
        let first = cell % (1 << COUNT);
        u32::from(self.choices[(first + stream::index(word, cell >> COUNT)) as usize])
    }
}

/// The state of a contact, decoded from a key.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// The contact's mode; `None` for a contact free to change it.
    mode: Option<Mode>,
    normal: usize,
    tangent: usize,
}

impl Contact {
    /// Decodes a contact's code; `None` where the mode is incompatible with the velocities after an
    /// event at another contact.
    fn new(code: usize) -> Option<Self> {
        let (normal, tangent) = (code % SIGNS / 3, code % 3);
        let Some(mode) = (code / SIGNS).checked_sub(1) else {
            return Some(Contact { mode: None, normal, tangent });
        };
        let mode = *Mode::ALL.get(mode)?;
        let occurs = match normal {
            0 => mode == Mode::Off,
            1 => true,
            _ => mode.full(),
        };
        let turns = mode.sticks() && tangent != 1;
        (occurs && !turns).then_some(Contact { mode: Some(mode), normal, tangent })
    }
}

/// The construction of the rows.
struct Survey<'a, R: Real> {
    step: &'a StepProblem<R>,
    segment: Segment<R>,
    contacts: Vec<Contact>,
}

impl<R: Real> Survey<'_, R> {
    /// The combination numbers of the solutions at the direction `t` of the impulse bounds. As in
    /// [`Events::sample`], all contacts become free if the free contacts alone admit no solution.
    fn solve(&mut self, t: f64) -> Vec<u8> {
        match self.attempt(t, false) {
            found if found.is_empty() => self.attempt(t, true),
            found => found,
        }
    }

    /// One attempt of [`Survey::solve`], with `all` contacts free, or only the contacts that the
    /// key frees.
    fn attempt(&mut self, t: f64, all: bool) -> Vec<u8> {
        let m = self.contacts.len();
        let sign = |code: usize, signs: [f64; 3]| R::from_f64(signs[code]);
        let normal = self.contacts.iter().map(|contact| sign(contact.normal, [1.0, 0.0, -1.0]));
        let tangent = self.contacts.iter().map(|contact| sign(contact.tangent, [-1.0, 0.0, 1.0]));
        let mut u = [R::ZERO; 2 * MOST_CHARTED];
        u.iter_mut().zip(normal.chain(tangent)).for_each(|(u, sign)| *u = sign);
        let caps = [t, 1.0 - t].map(R::from_f64);
        let mut free = [true; MOST_CHARTED];
        for (i, contact) in self.contacts.iter().enumerate() {
            free[i] = all || contact.mode.is_none();
            self.segment.last[i] = contact.mode.unwrap_or_default();
        }
        self.segment.solve::<0>(self.step, &u[..2 * m], &caps[..m], &free[..m], usize::MAX);
        let number = |modes: &[Mode]| modes.iter().rev().fold(0, |n, mode| n << BITS | *mode as u8);
        self.segment.found.chunks(m).map(number).collect()
    }

    /// The subintervals of `[0, 1]`, in order, in which one condition of a combination is near 0
    /// and its other conditions may hold.
    fn roots(&mut self, all: bool) -> Vec<[f64; 2]> {
        self.attempt(0.5, all);
        let m = self.contacts.len();
        let Segment { maps, possible, counts, least, .. } = &mut self.segment;
        let second = if m > 1 { counts[1] } else { 1 };
        let mut near = Vec::new();
        for (a, b) in (0..second).flat_map(|b| (0..counts[0]).map(move |a| (a, b))) {
            let modes = [possible[0][a], possible[m - 1][if m > 1 { b } else { a }]];
            let Some((map, conditions)) = maps.of::<0>(self.step, &modes[..m]) else { continue };
            let forces = map.chunks(4 * m).flat_map(|column| &column[..2 * m]);
            let size = forces.fold(0.0, |size: f64, force| size.max(force.to_f64().abs()));
            let doubt = DOUBT * R::CONDITION.to_f64() * size;
            // Conditions are linear in t; these are their values at 0 and 1.
            let value = |k: usize| {
                [if m > 1 { conditions[4 * m + k].to_f64() } else { 0.0 }, conditions[k].to_f64()]
            };
            let ends: Vec<[f64; 2]> =
                (0..4 * m).filter(|k| least[*k] > -R::HUGE).map(value).collect();
            for [zero, one] in &ends {
                // A condition that is 0 everywhere, up to rounding, always holds.
                if zero.abs().max(one.abs()) <= doubt {
                    continue;
                }
                let mut reach = [-doubt, doubt].map(|edge| (edge - zero) / (one - zero));
                reach.sort_by(f64::total_cmp);
                let rounding = 8.0 * R::EPSILON;
                let reach = [(reach[0] - rounding).max(0.0), (reach[1] + rounding).min(1.0)];
                let may_hold = |[zero, one]: &[f64; 2]| {
                    reach.iter().any(|t| zero + (one - zero) * t >= -doubt)
                };
                if reach[0] < reach[1] && ends.iter().all(may_hold) {
                    near.push(reach);
                }
            }
        }
        near.push([1.0, 1.0]);
        near.sort_by(|a, b| a[0].total_cmp(&b[0]));
        near
    }

    /// The intervals of constant solutions, with their solutions.
    fn intervals(&mut self) -> Vec<([f64; 2], Vec<u8>)> {
        let mut near = self.roots(false);
        if gaps(&near).any(|[from, to]| self.attempt(0.5 * (from + to), false).is_empty()) {
            near.extend(self.roots(true));
            near.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        let mut intervals: Vec<([f64; 2], Vec<u8>)> = Vec::new();
        for [from, to] in gaps(&near) {
            let middle = 0.5 * (from + to);
            let found = self.solve(middle);
            let ends = [from, to].map(|end| self.last(&found, middle, end));
            // A root with equal solutions on both sides and at the root is no edge.
            let (last, same) =
                intervals.last().map_or((0.0, true), |(ends, same)| (ends[1], *same == found));
            let joined = same && self.solve(0.5 * (last + ends[0])) == found;
            match intervals.last_mut().filter(|_| joined) {
                Some((before, _)) => before[1] = ends[1],
                None => intervals.push(([if joined { 0.0 } else { ends[0] }, ends[1]], found)),
            }
        }
        if let Some((ends, found)) = intervals.last_mut()
            && self.solve(0.5 * (ends[1] + 1.0)) == *found
        {
            ends[1] = 1.0;
        }
        intervals
    }

    /// The end of the interval from `middle` toward `end` in which the solutions are certainly
    /// `found`. Near an edge, distinct solutions may be too close to distinguish.
    fn last(&mut self, found: &[u8], middle: f64, end: f64) -> f64 {
        if found.len() < 2 || self.solve(end) == found {
            return end;
        }
        let (mut same, mut other) = (middle, end);
        for _ in 0..BISECTIONS {
            let between = 0.5 * (same + other);
            *(if self.solve(between) == found { &mut same } else { &mut other }) = between;
        }
        // The certain interval ends slightly before the solutions differ.
        let sure = end + 1.25 * (same - end);
        if (sure - middle) * (end - middle) > 0.0 { sure } else { middle }
    }

    /// The row of the contacts' key.
    fn row(&mut self, nowhere: Row<R>, choices: &mut Vec<u8>) -> Row<R> {
        let (mut row, unknown) = (nowhere, nowhere.cells[0]);
        let mut edges = 0;
        for ([from, to], found) in self.intervals() {
            let cell = ChartCell::new(&found, choices, unknown);
            for (edge, cell) in [(from, cell), (to, unknown)] {
                if edge >= 1.0 {
                    break;
                }
                if edge > 0.0 {
                    if edges == EDGES {
                        row.cells[EDGES] = unknown;
                        return row;
                    }
                    row.edges[edges] = R::from_f64(edge);
                    edges += 1;
                }
                row.cells[edges] = cell;
            }
        }
        row
    }
}

/// The gaps between zones, which are sorted by their beginnings.
fn gaps(zones: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
    let ends = zones
        .iter()
        .scan(0.0, |end: &mut f64, zone| Some(std::mem::replace(end, end.max(zone[1]))));
    ends.zip(zones).map(|(end, zone)| [end, zone[0]]).filter(|[from, to]| from < to)
}
