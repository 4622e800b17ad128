//! Checks of the contact rows: errors, and warnings about probable mistakes.

use std::iter::once;

use super::ContactProblem;
use super::frames::Frames;
use crate::{Error, Result, short};

/// A row counts as zero if its length in the kinetic metric, `|J_i| = sqrt(W_ii)`, is smaller than
/// the longest row by this factor. Numbers that should cancel leave a relative 1e-16; different
/// units, and bodies next to others 1e20 times as heavy, give far more.
const ZERO: f64 = 1e-12;
/// Relative difference up to which rows count as equal or parallel.
const EQUAL: f64 = 1e-12;
/// Two contacts are nearly the same if their rows differ by at most this fraction of their length
/// in the kinetic metric: an impulse at one then moves the other as well, up to this fraction.
/// Their block of `W` over its diagonal, `[1, c; c, 1]`, then has `1 - c <= NEAR^2 / 2`: four
/// roundings of single precision, which hardly determine how the two share an impulse. On a body
/// about as large as its radius of gyration, points a thousandth of the radius apart are this near;
/// corners of a foot, a pad or a box are hundreds of times farther apart.
const NEAR: f64 = 1e-3;
/// Most repeated contacts that are named in a warning each.
const NAMED: usize = 3;

impl ContactProblem {
    /// Refuses a contact with a zero normal row: its impulse would change no velocity, and be
    /// unbounded.
    pub(super) fn check_normals(&self) -> Result<()> {
        let mut contacts = 0..self.contact_count();
        let Some(i) = contacts.find(|&i| self.is_zero(i)) else { return Ok(()) };
        let zeros = self.spec.normal[i].iter().all(|&x| x == 0.0);
        let (name, how) = (self.named(i), if zeros { "" } else { " up to rounding" });
        let what = format!("the normal row of contact {name} is zero{how}");
        Err(Error::input(format!("{what}: an impulse along it changes no velocity"))
            .at(format!("normal[{i}]"))
            .hint("correct the row, or leave the contact out; in a scene `[[pairs]]` with `collide = false` does so"))
    }

    /// Whether a row of the Jacobian is zero up to rounding.
    fn is_zero(&self, row: usize) -> bool {
        let longest = self.delassus.diagonal().max();
        // A row whose length underflows is zero as well.
        self.delassus[(row, row)] <= ZERO * ZERO * longest
    }

    /// For each contact, the first contact that it duplicates.
    pub(super) fn repetitions(&self) -> Vec<Option<usize>> {
        let m = self.contact_count();
        let uncertainty = self.uncertainty();
        let friction = uncertainty.friction_of(&self.friction);
        let restitution = uncertainty.restitution_of(self.restitution().unwrap_or_default());
        let mut found: Vec<Option<usize>> = vec![None; m];
        for i in 1..m {
            let same = |j: &usize| {
                self.friction[i] == self.friction[*j]
                    && friction[i] == friction[*j]
                    && self.restitution().is_none_or(|e| e[i] == e[*j])
                    && (restitution.is_empty() || restitution[i] == restitution[*j])
                    && self
                        .rows_of(i)
                        .zip(self.rows_of(*j))
                        .all(|(a, b)| self.is_multiple(a, b, 1.0))
            };
            found[i] = (0..i).filter(|&j| found[j].is_none()).find(same);
        }
        found
    }

    /// Whether the normal rows of contacts i and j differ by at most [`NEAR`] of their length in
    /// the kinetic metric, and so do their tangent rows, for the best choice of axes in the tangent
    /// planes.
    fn are_near(&self, i: usize, j: usize) -> bool {
        let (w, m, d) = (&self.delassus, self.contact_count(), self.tangents);
        let close = |a: f64, b: f64, both: f64| a + b - 2.0 * both <= NEAR * NEAR * a.min(b);
        let (ti, tj) = (m + d * i, m + d * j);
        let square = |t: usize| (t..t + d).map(|row| w[(row, row)]).sum::<f64>();
        // With the best axes, the sum of singular values replaces the trace of the block.
        let block = w.view((ti, tj), (d, d));
        let twice =
            if d == 2 { 2.0 * (block[0] * block[3] - block[1] * block[2]).abs() } else { 0.0 };
        let aligned = (block.norm_squared() + twice).sqrt();
        close(w[(i, i)], w[(j, j)], w[(i, j)]) && close(square(ti), square(tj), aligned)
    }

    /// Warnings about possible but unlikely input.
    pub(super) fn suspicions(&self) -> Vec<String> {
        let m = self.contact_count();
        let repeated = |(i, first): (usize, &Option<usize>)| {
            Some(format!(
                "contact {} repeats contact {}: rows and coefficients are the same; one of them is enough",
                self.named(i),
                self.named((*first)?)
            ))
        };
        let nearly = |(i, near): (usize, Option<usize>)| {
            Some(format!(
                "contact {} nearly repeats contact {}: their rows differ by less than a thousandth of their length, too little \
                 to tell the impulses of the two apart; leave one of them out, or move it",
                self.named(i),
                self.named(near?)
            ))
        };
        // For each distinct contact, the first near-duplicate: within `NEAR`, or with equal rows
        // and other coefficients.
        let alone = |i: &usize| self.repeats[*i].is_none();
        let first = |i: usize| (0..i).filter(alone).find(|&j| self.are_near(i, j));
        let near = (0..m).map(|i| first(i).filter(|_| alone(&i)));
        let mut found: Vec<String> = self.repeats.iter().enumerate().filter_map(repeated).collect();
        found.extend(near.enumerate().filter_map(nearly));
        if let Some(more) = found.len().checked_sub(NAMED).filter(|more| *more > 1) {
            found.truncate(NAMED);
            found.push(format!("{more} more contacts repeat others"));
        }
        if !self.bilateral_impulse.is_empty() {
            let numbers: Vec<String> = self.bilateral_impulse.iter().map(|l| short(*l)).collect();
            found.push(format!(
                "the velocity breaks `bilateral`: the impulses {} of these rows repair it first, and the impact starts there",
                numbers.join(", ")
            ));
        }
        if !self.spec.bilateral.is_empty() {
            // With subtracted constraints, rows need not be perpendicular.
            return found;
        }
        let most = self.uncertainty().friction_of(&self.friction);
        let rough: Vec<usize> =
            (0..m).filter(|&i| self.friction[i].max(most[i][1]) > 0.0).collect();
        let frames = Frames::of(self);
        if !rough.is_empty() && frames.are_mixed(self) {
            found.push(format!(
                "`tangent` seems to be sorted by axis: only with tangent[i] and tangent[{m} + i] would the rows of each \
                 contact i be perpendicular and of one length; the two rows of a contact belong together"
            ));
            return found;
        }
        let doubt = |&i: &usize| self.idle_friction(i).or_else(|| frames.stretch(self, i));
        found.extend(rough.iter().filter_map(doubt));
        found
    }

    /// The reason why friction at a contact has no effect; `None` if it has one.
    fn idle_friction(&self, i: usize) -> Option<String> {
        let (m, contact) = (self.contact_count(), self.named(i));
        let key = |row: usize| {
            if row < m { format!("normal[{row}]") } else { format!("tangent[{}]", row - m) }
        };
        let rows: Vec<usize> = self.rows_of(i).collect();
        match rows[1..].iter().filter(|&&row| self.is_zero(row)).collect::<Vec<_>>()[..] {
            [] => {}
            [&one] if self.tangents == 2 => {
                let row = key(one);
                return Some(format!(
                    "{row} is zero: friction at contact {contact} acts along one axis only"
                ));
            }
            [&first, ..] => {
                let row = key(first);
                return Some(format!("{row} is zero: friction at contact {contact} has no effect"));
            }
        }
        let moves = |k: &usize| rows.iter().any(|&row| self.jacobian[(row, *k)] != 0.0);
        if (0..self.coordinate_count()).filter(moves).count() == 1 {
            // If a single coordinate moves a contact, all of its rows are parallel.
            return None;
        }
        if let &[_, first, second] = &rows[..]
            && self.quotient(first, second).is_some()
        {
            let rows = format!("{} and {}", key(first), key(second));
            return Some(format!(
                "{rows} are parallel: friction at contact {contact} acts along one line only, and is too large there"
            ));
        }
        let same = |row: &&usize| self.quotient(i, **row).is_some_and(|factor| factor.abs() == 1.0);
        let (row, normal) = (key(*rows[1..].iter().find(same)?), key(i));
        Some(format!(
            "{row} is {normal}: contact {contact} could slide only as it approaches or separates"
        ))
    }

    /// The rows of the Jacobian for contact i, the normal first.
    pub(super) fn rows_of(&self, i: usize) -> impl Iterator<Item = usize> {
        let (m, d) = (self.contact_count(), self.tangents);
        once(i).chain(m + d * i..m + d * (i + 1))
    }

    /// A contact's name and number.
    pub(super) fn named(&self, i: usize) -> String {
        format!("`{}` (number {i})", self.contacts[i])
    }

    /// Whether row b is `factor` times row a, up to rounding; each entry is weighted by the inertia
    /// of its coordinate.
    fn is_multiple(&self, a: usize, b: usize, factor: f64) -> bool {
        let (a, b) = (self.jacobian.row(a), self.jacobian.row(b));
        let scaled = |k: usize, x: f64| x.abs() / self.mass[(k, k)].sqrt();
        let size = b.iter().enumerate().map(|(k, &x)| scaled(k, x)).fold(0.0, f64::max);
        a.iter().zip(&b).enumerate().all(|(k, (a, b))| scaled(k, b - factor * a) <= EQUAL * size)
    }

    /// The ratio of rows a and b, if they are parallel.
    fn quotient(&self, a: usize, b: usize) -> Option<f64> {
        let row = self.jacobian.row(a);
        let moving: Vec<usize> = (0..row.len()).filter(|&k| row[k] != 0.0).collect();
        let size = |k: usize| row[k].abs() / self.mass[(k, k)].sqrt();
        let largest = *moving.iter().max_by(|&&j, &&k| size(j).total_cmp(&size(k)))?;
        let factor = self.jacobian[(b, largest)] / row[largest];
        self.is_multiple(a, b, factor).then_some(factor)
    }
}
