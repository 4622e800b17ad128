//! Groups of coordinates in which the rows of a contact are its normal and tangents.
//!
//! The displacements of a body have equal inertia and are not coupled: their block of `M` is `m 1`.
//! In these coordinates the rows of a contact are its normal and its tangents, so they are
//! perpendicular and of equal length.

use super::ContactProblem;

/// Relative difference up to which inertias count as equal.
const ISOTROPIC: f64 = 1e-6;
/// Relative difference up to which rows count as perpendicular and as equally long, for rounded
/// digits in files.
const ROUNDED: f64 = 0.01;
/// Fraction of a row's length below which a group of coordinates does not show the row.
const HIDDEN: f64 = 1e-6;

/// Groups of consecutive coordinates that are uncoupled and of equal inertia, of the size of a
/// contact's rows: the first coordinate of each group.
pub(super) struct Frames(Vec<usize>);

impl Frames {
    pub fn of(problem: &ContactProblem) -> Frames {
        let (mass, d) = (problem.mass(), problem.tangents_per_contact() + 1);
        let isotropic = |first: &usize| {
            let m = mass[(*first, *first)];
            let block = mass.view((*first, *first), (d, d));
            (0..d).all(|i| {
                (0..d)
                    .all(|j| (block[(i, j)] - if i == j { m } else { 0.0 }).abs() <= ISOTROPIC * m)
            })
        };
        Frames((0..(problem.coordinate_count() + 1).saturating_sub(d)).filter(isotropic).collect())
    }

    /// The lengths of the rows in the group of coordinates in which they are perpendicular and most
    /// nearly equal in length: the first coordinate of the group, the lengths, and the ratio of the
    /// largest to the smallest.
    fn lengths(&self, problem: &ContactProblem, rows: &[usize]) -> Option<(usize, Vec<f64>, f64)> {
        let d = rows.len();
        let seen = |&first: &usize| {
            let row = |i: usize| problem.jacobian().view((rows[i], first), (1, d));
            let lengths: Vec<f64> = (0..d).map(|i| row(i).norm()).collect();
            let inertia = problem.mass()[(first, first)];
            let shows = |i: usize| {
                lengths[i] > HIDDEN * (problem.delassus()[(rows[i], rows[i])] * inertia).sqrt()
            };
            let perpendicular =
                |i: usize, j: usize| row(i).dot(&row(j)).abs() <= ROUNDED * lengths[i] * lengths[j];
            let frame = (0..d).all(shows) && (0..d).all(|i| (0..i).all(|j| perpendicular(i, j)));
            let longest = lengths.iter().copied().fold(0.0, f64::max);
            let ratio = longest / lengths.iter().copied().fold(longest, f64::min);
            frame.then_some((first, lengths, ratio))
        };
        self.0.iter().filter_map(seen).min_by(|a, b| a.2.total_cmp(&b.2))
    }

    fn fit(&self, problem: &ContactProblem, rows: &[usize]) -> bool {
        self.lengths(problem, rows).is_some_and(|(.., ratio)| ratio <= 1.0 + ROUNDED)
    }

    /// Whether `tangent` seems to hold the first tangents of all contacts and then the second ones:
    /// in that order the rows of every contact are perpendicular and equally long, but in the given
    /// order they are not.
    pub fn are_mixed(&self, problem: &ContactProblem) -> bool {
        let m = problem.contact_count();
        problem.tangents_per_contact() == 2
            && (0..m).all(|i| self.fit(problem, &[i, m + i, 2 * m + i]))
            && !(0..m).all(|i| self.fit(problem, &problem.rows_of(i).collect::<Vec<_>>()))
    }

    /// A warning about unequal lengths of the rows of contact i, if they are perpendicular.
    pub fn stretch(&self, problem: &ContactProblem, i: usize) -> Option<String> {
        let rows: Vec<usize> = problem.rows_of(i).collect();
        let (first, lengths, _) =
            self.lengths(problem, &rows).filter(|(.., ratio)| *ratio > 1.0 + ROUNDED)?;
        let coordinates = problem.coordinates()[first..first + rows.len()].join(", ");
        let lengths =
            lengths.iter().map(|length| format!("{length:.6}")).collect::<Vec<_>>().join(", ");
        Some(format!(
            "the rows of contact {}, normal first, have the lengths {lengths} in {coordinates}; its coefficient of friction \
             means what it says only where they are equal",
            problem.named(i)
        ))
    }
}
