//! Frictional contact problems of Siconos as text (`.dat`): `u = W r + q` with circular friction
//! cones.
//!
//! The file holds numbers separated by white space: the dimension d (2 or 3), the number m of
//! contacts, the matrix W, the vector q (d m) and the coefficients of friction (m). Rows belong to
//! contacts one after the other: normal, then tangents. The matrix begins with its storage, rows
//! and columns. Storage 0, dense: rows and columns again, then all numbers, column by column.
//! Storage 1, blocks: number of blocks; block rows and block columns; the end of each block row and
//! of each block column; the lengths of two lists, the first block of each block row and the column
//! of each block; then for each block its index and its numbers, column by column. A 0 or 1 may
//! follow: whether there was a first guess. Source: the files that `frictionContact_printInFile` of
//! Siconos 4 writes.

use nalgebra::{DMatrix, DVector};

use carom_core::error::{Error, Result};
use carom_core::problem::ProblemSpec;

/// Most rows of W.
pub(super) const LIMIT: usize = 4096;

/// Relative pivot tolerance, as a fraction of the largest diagonal entry.
const RANK: f64 = 1e-13;

/// Relative difference up to which numbers count as equal.
const SAME: f64 = 1e-9;

/// Relative asymmetry, over the largest entry, up to which the symmetric part replaces W.
const UNEVEN: f64 = 1e-2;

/// Fraction of the largest diagonal entry of W up to which negative directions and pivots are
/// rounding errors.
const ROUGH: f64 = 1e-6;

/// Parsed problem, with warnings on every value that was changed.
#[derive(Clone, Debug)]
pub struct ImportedProblem {
    /// The numbers of the problem.
    pub spec: ProblemSpec,
    /// Warnings for a reader.
    pub warnings: Vec<String>,
}

/// Reads the contact problem of a file: `M = I`, `J J' = W`, `J v = q`.
pub fn read(text: &str, name: &str) -> Result<ImportedProblem> {
    let mut words = Words::new(text);
    let d = words.count("the dimension, 2 or 3", 3)?;
    if d < 2 {
        return Err(words.error("the dimension is 2 or 3"));
    }
    let m = words.count("the number of contacts", LIMIT / d)?;
    if m == 0 {
        return Err(words.error("there is no contact"));
    }
    let w = words.matrix(d * m)?;
    let q = DVector::from_vec(words.numbers(d * m, "q")?);
    let friction = words.numbers(m, "the coefficients of friction")?;
    let guess = words.next_word();
    let left = guess.filter(|(word, _)| !["0", "1"].contains(word)).or_else(|| words.next_word());
    if let Some((word, _)) = left {
        return Err(words.error(format!("expected the end of the file, found `{word}`")));
    }
    problem(d, &w, &q, friction, name)
}

/// The contact problem with `d` rows of `W` and `q` per contact, normal first.
pub(super) fn problem(
    d: usize,
    w: &DMatrix<f64>,
    q: &DVector<f64>,
    friction: Vec<f64>,
    name: &str,
) -> Result<ImportedProblem> {
    let m = friction.len();
    let largest = w.amax();
    let uneven = (w - w.transpose()).amax() / largest;
    if uneven > UNEVEN {
        return Err(Error::input("the matrix is not symmetric").at("W"));
    }
    let mut warnings = Vec::new();
    if uneven > SAME {
        warnings.push(format!(
            "W is symmetric up to {uneven:.0e} of its largest entry: its symmetric part is taken"
        ));
    }
    let w = (w + w.transpose()) * 0.5;
    let found = [RANK, ROUGH].into_iter().find_map(|least| factor(&w, least));
    let (factor, pivots) =
        found.ok_or_else(|| Error::input("the matrix is not positive semidefinite").at("W"))?;
    let off = (&factor * factor.transpose() - &w).amax() / largest;
    if off > SAME {
        warnings.push(format!(
            "W has negative directions: a matrix without them is taken, which differs by {off:.0e} of its largest entry"
        ));
    }
    let velocity = velocity(&factor, &pivots, q)?;
    let row = |i: usize| factor.row(i).iter().copied().collect::<Vec<f64>>();
    let spec = ProblemSpec {
        name: name.to_string(),
        mass: (0..velocity.len())
            .map(|i| (0..velocity.len()).map(|j| f64::from(i == j)).collect())
            .collect(),
        normal: (0..m).map(|i| row(d * i)).collect(),
        tangent: (0..m).flat_map(|i| (1..d).map(move |k| d * i + k)).map(row).collect(),
        friction: Some(friction),
        velocity,
        ..ProblemSpec::default()
    };
    Ok(ImportedProblem { spec, warnings })
}

/// `W = L L'`, where L has one column per independent row of W; also the order of elimination.
/// Pivots below the fraction `least` of the largest diagonal entry are rounding errors. `None` if W
/// has negative directions.
///
/// Source: N. J. Higham: Analysis of the Cholesky decomposition of a semi-definite matrix, in:
/// Reliable Numerical Computation, 1990.
fn factor(w: &DMatrix<f64>, least: f64) -> Option<(DMatrix<f64>, Vec<usize>)> {
    let count = w.nrows();
    let largest = w.diagonal().max();
    let mut left: Vec<f64> = w.diagonal().iter().copied().collect();
    let (mut columns, mut pivots): (Vec<DVector<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut done = vec![false; count];
    while pivots.len() < count {
        let Some(next) =
            (0..count).filter(|i| !done[*i]).max_by(|a, b| left[*a].total_cmp(&left[*b]))
        else {
            break;
        };
        if left[next] <= least * largest {
            break;
        }
        let mut column = w.column(next).into_owned();
        for before in &columns {
            column.axpy(-before[next], before, 1.0);
        }
        column /= left[next].sqrt();
        pivots.iter().for_each(|earlier| column[*earlier] = 0.0);
        for i in 0..count {
            left[i] -= column[i] * column[i];
        }
        columns.push(column);
        pivots.push(next);
        done[next] = true;
    }
    let negative = left.iter().any(|x| *x < -least.max(SAME) * largest);
    (!columns.is_empty() && !negative).then(|| (DMatrix::from_columns(&columns), pivots))
}

/// The velocity `v` with `L v = q`.
fn velocity(factor: &DMatrix<f64>, pivots: &[usize], q: &DVector<f64>) -> Result<Vec<f64>> {
    let mut v = vec![0.0; pivots.len()];
    for (k, row) in pivots.iter().enumerate() {
        let known: f64 = (0..k).map(|j| factor[(*row, j)] * v[j]).sum();
        v[k] = (q[*row] - known) / factor[(*row, k)];
    }
    let miss = (factor * DVector::from_column_slice(&v) - q).amax();
    if miss > SAME.sqrt() * q.amax() {
        let what = format!("no velocity has these contact velocities: {miss:.1e} is left");
        return Err(Error::input(what).at("q").hint(
            "W is singular, and q is not among its columns' sums: the problem is of no mechanism",
        ));
    }
    Ok(v)
}

/// The words of a text, with their lines.
struct Words<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let of =
            |(i, line): (usize, &'a str)| line.split_whitespace().map(move |word| (i + 1, word));
        Words { words: Box::new(text.lines().enumerate().flat_map(of)), line: 1 }
    }

    fn error(&self, what: impl Into<String>) -> Error {
        Error::input(what.into()).at(format!("line {}", self.line))
    }

    fn next_word(&mut self) -> Option<(&'a str, usize)> {
        let (line, word) = self.words.next()?;
        self.line = line;
        Some((word, line))
    }

    fn number(&mut self, what: &str) -> Result<f64> {
        let Some((word, _)) = self.next_word() else {
            return Err(self.error(format!("the file ends where {what} should be")));
        };
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(self.error(format!("expected a number ({what}), found `{word}`"))),
        }
    }

    fn count(&mut self, what: &str, most: usize) -> Result<usize> {
        let x = self.number(what)?;
        if x.fract() == 0.0 && x >= 0.0 && x <= most as f64 {
            return Ok(x as usize);
        }
        Err(self.error(format!("expected {what}, a whole number up to {most}, found {x}")))
    }

    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>> {
        (0..count).map(|_| self.number(what)).collect()
    }

    fn counts(&mut self, count: usize, what: &str, most: usize) -> Result<Vec<usize>> {
        (0..count).map(|_| self.count(what, most)).collect()
    }

    fn matrix(&mut self, size: usize) -> Result<DMatrix<f64>> {
        let storage = self.count("the storage of the matrix", 2)?;
        let mut sides = self.counts(2, "the size of the matrix", LIMIT)?;
        if storage == 0 {
            sides.extend(self.counts(2, "the size of the matrix", LIMIT)?);
        }
        if sides.iter().any(|side| *side != size) {
            return Err(self
                .error(format!("expected a matrix of {size} rows and columns, found {sides:?}")));
        }
        match storage {
            0 => Ok(DMatrix::from_vec(size, size, self.numbers(size * size, "the matrix")?)),
            1 => self.blocks(size),
            _ => Err(self.error("the matrix is stored by entries").at("W")),
        }
    }

    fn blocks(&mut self, size: usize) -> Result<DMatrix<f64>> {
        let most = LIMIT * LIMIT;
        let mut matrix = DMatrix::zeros(size, size);
        let blocks = self.count("the number of blocks", most)?;
        if blocks == 0 {
            return Ok(matrix);
        }
        let [rows, columns] =
            [self.count("rows of blocks", size)?, self.count("columns of blocks", size)?];
        let ends = [
            self.counts(rows, "the end of a row", size)?,
            self.counts(columns, "the end of a column", size)?,
        ];
        if ends.iter().any(|ends| ends.last() != Some(&size) || !ends.is_sorted()) {
            return Err(self.error(format!("the rows and columns of blocks do not end at {size}")));
        }
        let lists = [self.count("the first list", size + 1)?, self.count("the second list", most)?];
        let first = self.counts(lists[0], "the first block of a row", most)?;
        let column = self.counts(lists[1], "the column of a block", columns - 1)?;
        let good = first.len() == rows + 1
            && first.is_sorted()
            && first.last().is_some_and(|last| *last <= column.len());
        if !good {
            return Err(self.error("the lists of blocks do not fit the rows of blocks"));
        }
        let range = |ends: &[usize], k: usize| (if k == 0 { 0 } else { ends[k - 1] }, ends[k]);
        for row in 0..rows {
            for block in first[row]..first[row + 1] {
                if self.count("the number of the block", most)? != block {
                    return Err(self.error(format!("expected block {block}")));
                }
                let ((top, bottom), (left, right)) =
                    (range(&ends[0], row), range(&ends[1], column[block]));
                for j in left..right {
                    for i in top..bottom {
                        matrix[(i, j)] = self.number("a block")?;
                    }
                }
            }
        }
        Ok(matrix)
    }
}
