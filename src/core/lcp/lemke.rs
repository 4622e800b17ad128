//! Lemke's method for dense linear complementarity problems.

use crate::Real;

/// The end of a run of [`Lemke`]. Rounding may spoil even a solved problem: check the residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemkeEnd {
    /// The artificial variable left the basis.
    Solved,
    /// No variable blocks the entering one: the path is a ray.
    Ray,
    /// More pivots than allowed.
    PivotLimit,
}

/// Workspace for `0 <= z _|_ q + M z >= 0` of up to a fixed size N.
///
/// Lemke's method in dictionary form with covering vector `d > 0`: the dictionary
/// `basic = constant + coefficients * nonbasic` starts as `w = q + M z + d z0`; `z0` enters first,
/// and then always the complement of the variable that left. In case of ties in the ratio test `z0`
/// leaves, else the variable of the lexicographically smallest row of `[constant, B^-1]`. Source:
/// \[CPS92\] Algorithm 4.4.5 (augmented), with the lexicographic rule of Sec. 4.9. Guarantee: ends
/// after at most `20 N + 100` pivots. On the step problem a ray comes from rounding alone: \[HP23\]
/// Theorem 6 rules it out in exact arithmetic. Accuracy: pivots below [`Real::PIVOT`] times the
/// column's largest entry count as zero, ratios within [`Real::TIE`] (relative, or absolute below
/// 1) as tied. Cost: 2 N (N + 2) flop per pivot. Twin: `shaders/lcp/lemke.wgsl`.
#[derive(Clone, Debug)]
pub struct Lemke<R> {
    n: usize,
    /// (N, N+2) row by row: N nonbasic columns, the column of `z0`, the constants.
    table: Vec<R>,
    /// Variable in each row: `w_i` is i, `z_i` is N + i, `z0` is 2 N.
    basic: Vec<usize>,
    /// Variable in each of the N + 1 columns.
    nonbasic: Vec<usize>,
    /// Row of a basic variable, or N + column of a nonbasic one.
    place: Vec<usize>,
    /// Most pivots of a run, and the pivots of the last run.
    most: u64,
    pivots: u64,
}

impl<R: Real> Lemke<R> {
    /// A workspace for problems of size `n`.
    pub fn new(n: usize) -> Self {
        Lemke {
            n,
            table: vec![R::ZERO; n * (n + 2)],
            basic: vec![0; n],
            nonbasic: vec![0; n + 1],
            place: vec![0; 2 * n + 1],
            most: u64::MAX,
            pivots: 0,
        }
    }

    /// Sets the size of the problem, at most the size at construction. Does not allocate.
    pub fn resize(&mut self, n: usize) {
        assert!(n * (n + 2) <= self.table.len());
        self.n = n;
    }

    /// Ends later runs after at most `work` multiplications.
    pub fn limit(&mut self, work: u64) {
        self.most = work / self.of_pivot();
    }

    /// The multiplications of the last run, at least one pivot.
    pub fn work(&self) -> u64 {
        (self.pivots + 1) * self.of_pivot()
    }

    /// The multiplications of a pivot.
    fn of_pivot(&self) -> u64 {
        (self.n * (self.n + 2)).max(1) as u64
    }

    /// Solves `0 <= z _|_ q + M z >= 0` with covering vector `d`, each given entry by entry; writes
    /// `z` (n).
    pub fn solve(
        &mut self,
        matrix: impl Fn(usize, usize) -> R,
        constant: impl Fn(usize) -> R,
        covering: impl Fn(usize) -> R,
        z: &mut [R],
    ) -> LemkeEnd {
        let n = self.n;
        for i in 0..n {
            for j in 0..n {
                self.table[i * (n + 2) + j] = matrix(i, j);
            }
            self.table[i * (n + 2) + n] = covering(i);
            self.table[i * (n + 2) + n + 1] = constant(i);
            self.basic[i] = i;
            self.nonbasic[i] = n + i;
            self.place[i] = i;
            self.place[n + i] = n + i;
        }
        self.nonbasic[n] = 2 * n;
        self.place[2 * n] = 2 * n;
        let end = self.run();
        z.fill(R::ZERO);
        for i in 0..n {
            if self.basic[i] >= n && self.basic[i] < 2 * n {
                z[self.basic[i] - n] = self.at(i, n + 1);
            }
        }
        end
    }

    fn at(&self, row: usize, column: usize) -> R {
        self.table[row * (self.n + 2) + column]
    }

    fn run(&mut self) -> LemkeEnd {
        let n = self.n;
        self.pivots = 0;
        let Some(mut row) = self.first_row() else { return LemkeEnd::Solved };
        let mut column = n;
        for _ in 0..self.most.min(20 * n as u64 + 100) {
            let leaving = self.basic[row];
            self.pivot(row, column);
            self.pivots += 1;
            if leaving == 2 * n {
                return LemkeEnd::Solved;
            }
            let entering = if leaving < n { leaving + n } else { leaving - n };
            column = self.place[entering] - n;
            match self.ratio_test(column) {
                Some(next) => row = next,
                None => return LemkeEnd::Ray,
            }
        }
        LemkeEnd::PivotLimit
    }

    /// The row whose variable `z0` replaces, with the smallest `q_i / d_i`; `None` if `q >= 0`. On
    /// ties the lexicographic rule takes the last row, since `B^-1` is still the identity.
    fn first_row(&self) -> Option<usize> {
        let n = self.n;
        let mut best = None;
        let mut smallest = R::ZERO;
        for i in 0..n {
            let ratio = self.at(i, n + 1) / self.at(i, n);
            if self.at(i, n + 1) < R::ZERO && ratio <= smallest {
                best = Some(i);
                smallest = ratio;
            }
        }
        best
    }

    /// The row whose variable blocks the growth of the variable of `column`.
    fn ratio_test(&self, column: usize) -> Option<usize> {
        let n = self.n;
        let mut size = R::ONE;
        for i in 0..n {
            size = Real::max(size, self.at(i, column).abs());
        }
        let zero = R::PIVOT * size;
        let mut best: Option<usize> = None;
        let mut smallest = R::HUGE;
        for i in 0..n {
            let slope = -self.at(i, column);
            if slope <= zero {
                continue;
            }
            let ratio = Real::max(self.at(i, n + 1), R::ZERO) / slope;
            let tie = R::TIE * Real::max(R::ONE, Real::min(ratio.abs(), smallest));
            let Some(b) = best else {
                best = Some(i);
                smallest = ratio;
                continue;
            };
            let tied = ratio <= smallest + tie && self.basic[b] != 2 * n;
            let take = ratio < smallest - tie
                || tied && (self.basic[i] == 2 * n || self.lexicographically_less(i, b, column));
            if take {
                best = Some(i);
                smallest = ratio;
            }
        }
        best
    }

    /// Whether row `a` of `B^-1`, divided by its entry in `column`, is lexicographically less than
    /// row `b`.
    fn lexicographically_less(&self, a: usize, b: usize, column: usize) -> bool {
        let n = self.n;
        let (slope_a, slope_b) = (-self.at(a, column), -self.at(b, column));
        for j in 0..n {
            let place = self.place[j];
            let entry = |row: usize| match place < n {
                true if place == row => R::ONE,
                true => R::ZERO,
                false => -self.at(row, place - n),
            };
            let (x, y) = (entry(a) / slope_a, entry(b) / slope_b);
            let tie = R::TIE * Real::max(R::ONE, Real::min(x.abs(), y.abs()));
            if x < y - tie {
                return true;
            }
            if x > y + tie {
                return false;
            }
        }
        false
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        let n = self.n;
        let stride = n + 2;
        let inverse = R::ONE / self.at(row, column);
        for j in 0..stride {
            let entry = self.table[row * stride + j];
            self.table[row * stride + j] = -(entry * inverse);
        }
        self.table[row * stride + column] = inverse;
        for i in 0..n {
            let factor = self.at(i, column);
            if i == row || factor == R::ZERO {
                continue;
            }
            self.table[i * stride + column] = R::ZERO;
            for j in 0..stride {
                let change = factor * self.table[row * stride + j];
                self.table[i * stride + j] += change;
            }
        }
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = n + column;
    }
}
