//! Contact modes: whether each contact lifts, sticks or slides after the impact, counted over a set
//! of samples.

use std::collections::BTreeMap;

use super::group::{GroupColumn, WIDTH};
use crate::Real;

/// The mode of one contact after the impact.
///
/// With normal velocity `u_n`, tangential velocity `u_t` (d numbers) and thresholds of rest `rest`,
/// normal and tangential: [`Lift`](Mode::Lift) if `u_n > rest_n`, else [`Stick`](Mode::Stick) if
/// `|u_t| <= rest_t`, else sliding. A contact without friction (d = 0) that does not lift slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mode {
    /// The contact opens.
    Lift = 0,
    /// The contact stays closed and does not slip.
    Stick = 1,
    /// The contact stays closed and slips: along the tangent (d = 1), or in any direction (d = 0,
    /// 2).
    Slide = 2,
    /// The contact stays closed and slips against the tangent (d = 1 only).
    SlideBack = 3,
}

impl Mode {
    /// Every mode, by its code.
    pub const ALL: [Mode; 4] = [Mode::Lift, Mode::Stick, Mode::Slide, Mode::SlideBack];

    /// The mode of one contact, from its velocities `normal` and `tangent` (d) and the thresholds
    /// of rest. Twin: `shaders/outcome/modes.wgsl::mode_of`.
    #[inline(always)]
    pub fn of<R: Real>(normal: R, tangent: &[R], [rest_n, rest]: [R; 2]) -> Mode {
        if normal > rest_n {
            return Mode::Lift;
        }
        match *tangent {
            [] => Mode::Slide,
            [t] if t > rest => Mode::Slide,
            [t] if t < -rest => Mode::SlideBack,
            [_] => Mode::Stick,
            _ if tangent.iter().fold(R::ZERO, |sum, &t| sum + t * t) > rest * rest => Mode::Slide,
            _ => Mode::Stick,
        }
    }

    /// The mode of a contact in a sample, see [`Mode::of`]. A contact that approaches faster than
    /// the threshold of rest took no part in the impact, since an accepted sample has no other such
    /// contact: it is open.
    #[inline(always)]
    pub fn of_sample<R: Real>(normal: R, tangent: &[R], rest: [R; 2]) -> Mode {
        if normal < -rest[0] { Mode::Lift } else { Mode::of(normal, tangent, rest) }
    }

    /// The name in reports and `--json`, for a contact with `tangents` directions: `lift`, `stick`,
    /// and `slide+`, `slide-` (planar) or `slide`.
    pub fn name(self, tangents: usize) -> &'static str {
        match self {
            Mode::Lift => "lift",
            Mode::Stick => "stick",
            Mode::Slide if tangents == 1 => "slide+",
            Mode::Slide => "slide",
            Mode::SlideBack => "slide-",
        }
    }

    fn from_bits(bits: u64) -> Mode {
        match bits & 3 {
            0 => Mode::Lift,
            1 => Mode::Stick,
            2 => Mode::Slide,
            _ => Mode::SlideBack,
        }
    }
}

/// Counts of the combinations of contact modes.
///
/// A combination takes 2 bits per contact, so counting allocates only for new combinations. The
/// first [`ModeCounts::MAX_DISTINCT`] combinations have their own counts; all others share one.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeCounts {
    contacts: usize,
    tangents: usize,
    rest: f64,
    counts: BTreeMap<Vec<u64>, u64>,
    /// With few contacts, the count of each combination, indexed by its bits; it replaces `counts`.
    dense: Vec<u64>,
    beyond: u64,
    /// Workspace of `add` for the bits of combinations.
    keys: Vec<[u64; WIDTH]>,
}

impl ModeCounts {
    /// Most combinations with their own counts.
    pub const MAX_DISTINCT: usize = 65_536;

    /// Up to this number of contacts, every combination has its own count.
    const DENSE_CONTACTS: usize = 4;

    /// Empty counts for m `contacts` with d `tangents` each; velocities up to `rest` in m/s count
    /// as zero.
    pub fn new(contacts: usize, tangents: usize, rest: f64) -> Self {
        let keys = vec![[0; WIDTH]; contacts.div_ceil(32)];
        let all = if contacts <= Self::DENSE_CONTACTS { 1 << (2 * contacts) } else { 0 };
        let dense = vec![0; all];
        ModeCounts { contacts, tangents, rest, counts: BTreeMap::new(), dense, beyond: 0, keys }
    }

    /// Counts the combinations at `count` contact velocities `u+` ((1+d) m columns), normals first.
    #[inline(always)]
    pub fn add(&mut self, contact_velocity: &[GroupColumn], count: usize) {
        let (m, rest) = (self.contacts, [self.rest; 2]);
        let (normal, tangent) = contact_velocity.split_at(m);
        self.keys.fill([0; WIDTH]);
        for i in 0..m {
            let (keys, shift) = (&mut self.keys[i / 32], 2 * (i % 32));
            let (u, t) = (&normal[i], &tangent[i * self.tangents..(i + 1) * self.tangents]);
            match t {
                [] => (0..WIDTH)
                    .for_each(|l| keys[l] |= (Mode::of_sample(u[l], &[], rest) as u64) << shift),
                [t] => (0..WIDTH).for_each(|l| {
                    keys[l] |= (Mode::of_sample(u[l], &[t[l]], rest) as u64) << shift
                }),
                [s, t, ..] => {
                    (0..WIDTH).for_each(|l| {
                        keys[l] |= (Mode::of_sample(u[l], &[s[l], t[l]], rest) as u64) << shift
                    });
                }
            }
        }
        if !self.dense.is_empty() {
            self.keys[0][..count].iter().for_each(|&key| self.dense[key as usize] += 1);
            return;
        }
        for l in 0..count {
            let key: Vec<u64> = self.keys.iter().map(|keys| keys[l]).collect();
            self.count(key, 1);
        }
    }

    /// Counts one combination, given by its bits, `times` times.
    pub fn count(&mut self, key: Vec<u64>, times: u64) {
        if !self.dense.is_empty() {
            self.dense[key[0] as usize] += times;
        } else if let Some(count) = self.counts.get_mut(&key) {
            *count += times;
        } else if self.counts.len() < Self::MAX_DISTINCT {
            self.counts.insert(key, times);
        } else {
            self.beyond += times;
        }
    }

    /// Counts a combination of modes, one for each contact, `times` times.
    pub fn count_modes(&mut self, modes: &[Mode], times: u64) {
        let mut key = vec![0; self.keys.len()];
        for (i, &mode) in modes.iter().enumerate() {
            key[i / 32] |= (mode as u64) << (2 * (i % 32));
        }
        self.count(key, times);
    }

    /// Counts samples with unknown combinations.
    pub fn count_beyond(&mut self, times: u64) {
        self.beyond += times;
    }

    /// Adds the counts of other samples.
    pub fn merge(&mut self, next: &ModeCounts) {
        for (key, &count) in &next.counts {
            self.count(key.clone(), count);
        }
        self.dense.iter_mut().zip(&next.dense).for_each(|(sum, count)| *sum += count);
        self.beyond += next.beyond;
    }

    /// The combinations (m modes each) with their counts, most frequent first; ties in the order of
    /// the contacts' modes.
    pub fn by_frequency(&self) -> Vec<(Vec<Mode>, u64)> {
        let dense = self.dense.iter().enumerate().filter(|(_, count)| **count > 0);
        let dense = dense.map(|(key, &count)| (self.modes(&[key as u64]), count));
        let sparse = self.counts.iter().map(|(key, &count)| (self.modes(key), count));
        let mut counts: Vec<_> = dense.chain(sparse).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }

    /// The combination at one contact velocity `u+` ((1+d) m), by the rules of [`ModeCounts::add`].
    pub fn of(&self, contact_velocity: &[f64]) -> Vec<Mode> {
        let (normal, tangent) = contact_velocity.split_at(self.contacts);
        let of = |i: usize| &tangent[i * self.tangents..(i + 1) * self.tangents];
        (0..self.contacts).map(|i| Mode::of_sample(normal[i], of(i), [self.rest; 2])).collect()
    }

    /// Number of combinations with their own counts.
    pub fn distinct(&self) -> usize {
        self.counts.len() + self.dense.iter().filter(|count| **count > 0).count()
    }

    /// Number of samples beyond [`ModeCounts::MAX_DISTINCT`] combinations.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    fn modes(&self, key: &[u64]) -> Vec<Mode> {
        (0..self.contacts).map(|i| Mode::from_bits(key[i / 32] >> (2 * (i % 32)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(counts: &mut ModeCounts, rows: &[Vec<f64>]) {
        for rows in rows.chunks(WIDTH) {
            let mut columns = vec![[0.0; WIDTH]; rows[0].len()];
            for (l, row) in rows.iter().enumerate() {
                row.iter().zip(&mut columns).for_each(|(x, column)| column[l] = *x);
            }
            counts.add(&columns, rows.len());
        }
    }

    #[test]
    fn modes_of_planar_spatial_and_frictionless_contacts() {
        let rest = 1e-7;
        for (normal, tangent, name) in [
            (1.0, &[5.0][..], "lift"),
            (1e-7, &[0.0], "stick"),
            (0.0, &[1e-7], "stick"),
            (0.0, &[2e-7], "slide+"),
            (-1e-8, &[-1.0], "slide-"),
            (0.0, &[0.9e-7, 0.9e-7], "slide"),
            (0.0, &[0.5e-7, 0.5e-7], "stick"),
            (0.0, &[], "slide"),
            (1.0, &[], "lift"),
        ] {
            let found = Mode::of(normal, tangent, [rest; 2]).name(tangent.len());
            assert_eq!(found, name, "{normal} {tangent:?}");
        }
    }

    #[test]
    fn counting_many_contacts_in_parts_is_counting_them_at_once() {
        let m = 40;
        let rows: Vec<Vec<f64>> = (0..9)
            .map(|k| (0..2 * m).map(|i| ((i * (k % 3 + 1)) % 4) as f64 - 1.0).collect())
            .collect();
        let [mut whole, mut a, mut b] = [(); 3].map(|()| ModeCounts::new(m, 1, 0.0));
        add(&mut whole, &rows);
        add(&mut a, &rows[..4]);
        add(&mut b, &rows[4..]);
        a.merge(&b);
        let modes = whole.by_frequency();
        assert_eq!(a.by_frequency(), modes);
        assert_eq!(modes.iter().map(|(_, count)| count).sum::<u64>(), 9);
        assert_eq!(modes.len(), 3);
        let first: Vec<Mode> = (0..m)
            .map(|i| Mode::of_sample(rows[0][i], &rows[0][m + i..=m + i], [0.0; 2]))
            .collect();
        assert!(modes.contains(&(first, 3)));
    }

    #[test]
    fn combinations_beyond_the_limit_are_counted_together() {
        let mut counts = ModeCounts::new(9, 1, 0.5);
        let total = 4_u64.pow(9);
        let row = |k: u64| -> Vec<f64> {
            let bits = (0..9).map(|i| (k >> (2 * i) & 3) as usize);
            let normal = bits.clone().map(|b| if b == 0 { 1.0 } else { 0.0 });
            normal.chain(bits.map(|b| [0.0, 0.0, 1.0, -1.0][b])).collect()
        };
        add(&mut counts, &(0..total).map(row).collect::<Vec<_>>());
        assert_eq!(counts.distinct(), ModeCounts::MAX_DISTINCT);
        assert_eq!(counts.beyond(), total - ModeCounts::MAX_DISTINCT as u64);
    }
}
