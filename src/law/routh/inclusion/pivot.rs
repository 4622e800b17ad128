//! Approximate forces by Lemke's method, with spatial friction cones of four facets.

use super::{FrictionMode, Given, NormalMode};
use carom_core::{Lemke, Real};

/// An unknown of the complementarity problem, and its contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// The remaining velocity of approach when the force is at its bound.
    Speed(usize),
    /// The normal force.
    Force(usize),
    /// The friction in the positive and in the negative direction of an axis.
    Along(usize, usize),
    Against(usize, usize),
    /// The speed of sliding.
    Slip(usize),
}

/// The memory of Lemke's method, for problems up to the largest size.
#[derive(Clone, Debug)]
pub(super) struct Pivot<R> {
    rows: Vec<Row>,
    z: Vec<R>,
    lemke: Lemke<R>,
}

impl<R: Real> Pivot<R> {
    /// The memory for problems of up to `most` unknowns.
    pub(super) fn new(most: usize) -> Self {
        let (rows, z) = (Vec::with_capacity(most), Vec::with_capacity(most));
        Pivot { rows, z, lemke: Lemke::new(most) }
    }

    /// Writes forces to `l` (K); `known` (K): the forces that the modes determine, `slope` (K): `z`
    /// with these forces. `path` selects one of several solutions. Returns the number of
    /// operations.
    pub(super) fn solve<const M: usize>(
        &mut self,
        given: Given<'_, R, M>,
        (normal_mode, friction_mode, way): (&[NormalMode], &[FrictionMode], &[R]),
        known: &[R],
        slope: &[R],
        path: u32,
        l: &mut [R],
    ) -> u64 {
        let [m, axes, k] = given.shape();
        let Pivot { rows, z, lemke } = self;
        rows.clear();
        for i in 0..m {
            if normal_mode[i] == NormalMode::Free {
                rows.extend([Row::Speed(i), Row::Force(i)]);
            }
            if friction_mode[i] == FrictionMode::Held {
                let both = |axis| [Row::Along(i, axis), Row::Against(i, axis)];
                rows.extend((0..axes).flat_map(both));
                rows.push(Row::Slip(i));
            }
        }
        let n = rows.len();
        let tangent = |i: usize, axis: usize| m + axes * i + axis;
        let w = |a: usize, b: usize| given.step.w[a * k + b];
        // The entry of row `a` in the column of `z` per unit of the unknown.
        let column = |a: usize, of: Row| match of {
            Row::Force(i) if friction_mode[i] == FrictionMode::Slides => {
                let along =
                    |axis: usize| given.mu[i] * way[tangent(i, axis)] * w(a, tangent(i, axis));
                (0..axes).fold(w(a, i), |sum, axis| sum + along(axis))
            }
            Row::Force(i) => w(a, i),
            Row::Along(i, axis) => w(a, tangent(i, axis)),
            Row::Against(i, axis) => R::ZERO - w(a, tangent(i, axis)),
            Row::Speed(_) | Row::Slip(_) => R::ZERO,
        };
        let minus = |x: R| R::ZERO - x;
        let entry = |a: usize, b: usize| match (rows[a], rows[b]) {
            (Row::Speed(i), Row::Force(j)) if i == j => minus(R::ONE),
            (Row::Force(i), Row::Speed(j)) if i == j => R::ONE,
            (Row::Force(i), of) => column(i, of),
            (Row::Along(i, _) | Row::Against(i, _), Row::Slip(j)) if i == j => R::ONE,
            (Row::Along(i, axis), of) => column(tangent(i, axis), of),
            (Row::Against(i, axis), of) => minus(column(tangent(i, axis), of)),
            (Row::Slip(i), Row::Force(j)) if i == j => given.mu[i] / Real::max(R::ONE, given.mu[i]),
            (Row::Slip(i), Row::Along(j, _) | Row::Against(j, _)) if i == j => {
                minus(R::ONE / Real::max(R::ONE, given.mu[i]))
            }
            _ => R::ZERO,
        };
        let constant = |a: usize| match rows[a] {
            Row::Speed(i) => given.caps[i],
            Row::Force(i) => slope[i],
            Row::Along(i, axis) => slope[tangent(i, axis)],
            Row::Against(i, axis) => minus(slope[tangent(i, axis)]),
            Row::Slip(i) => given.mu[i] * known[i] / Real::max(R::ONE, given.mu[i]),
        };
        // The covering vector is smaller for bounds than for forces, by a factor that excludes ray
        // termination.
        let mut most = R::ONE;
        for a in 0..n {
            for b in 0..n {
                most = Real::max(most, entry(a, b).abs());
            }
        }
        let steepest = given.mu.iter().fold(R::ONE, |most, mu| Real::max(most, *mu));
        let small = R::ONE / (R::from_f64(4.0 * n as f64) * most * steepest);
        let covering = |j: usize| {
            let turns = 0.618_033_988_75 * (j + 1) as f64 * f64::from(path);
            let draw = R::from_f64(1.0 - 0.9 * turns.fract());
            if matches!(rows[j], Row::Speed(_) | Row::Slip(_)) { draw * small } else { draw }
        };
        z.clear();
        z.resize(n, R::ZERO);
        lemke.resize(n);
        lemke.solve(entry, constant, covering, z);
        l.copy_from_slice(known);
        for (row, z) in rows.iter().zip(&*z) {
            match *row {
                Row::Force(i) => l[i] = *z,
                Row::Along(i, axis) => l[tangent(i, axis)] += *z,
                Row::Against(i, axis) => l[tangent(i, axis)] += minus(*z),
                Row::Speed(_) | Row::Slip(_) => {}
            }
        }
        (n * n * n) as u64
    }
}
