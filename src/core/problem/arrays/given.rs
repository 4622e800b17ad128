use std::borrow::Cow;

/// An array of numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<'a> {
    /// The lengths of its sides.
    pub shape: Vec<usize>,
    /// The numbers.
    pub numbers: Cow<'a, [f64]>,
}

/// The arrays of B states of n coordinates and m contacts with d tangents each, not yet checked.
/// All but `velocity` and `active` may lack the first axis; then all states share them.
#[derive(Clone, Debug)]
pub struct StateArrays<'a> {
    /// Mass matrices `M` (B,n,n).
    pub mass: Array<'a>,
    /// Normal Jacobians `Jn` (B,m,n).
    pub normal: Array<'a>,
    /// Tangent Jacobians `Jt` (B,d m,n); without them there is no friction.
    pub tangent: Option<Array<'a>>,
    /// Coefficients of friction (B,m), or one number for all.
    pub friction: Option<Array<'a>>,
    /// Velocities `v` (B,n) before the impact.
    pub velocity: Array<'a>,
    /// Coefficients of restitution (B,m), or one number for all.
    pub restitution: Option<Array<'a>>,
    /// The active contacts of each state, B m entries; `None`: all. Numbers of inactive contacts
    /// are ignored.
    pub active: Option<(Vec<usize>, Cow<'a, [bool]>)>,
    /// Names of the n coordinates.
    pub coordinates: Option<Vec<String>>,
    /// Names of the m contacts.
    pub contacts: Option<Vec<String>>,
}

/// Number of rows of an entry of matrices.
pub(super) fn rows_of(array: &Array<'_>) -> usize {
    array.shape.iter().rev().nth(1).copied().unwrap_or(0)
}

impl Array<'_> {
    /// The part of entry b, for entries with `axes` axes.
    pub(super) fn entry(&self, b: usize, axes: usize) -> &[f64] {
        let size = self.shape[self.shape.len().saturating_sub(axes)..].iter().product::<usize>();
        if self.shape.len() > axes {
            &self.numbers[b * size..(b + 1) * size]
        } else {
            &self.numbers
        }
    }

    /// Number i of the coefficients of state b.
    pub(super) fn coefficient(&self, b: usize, i: usize) -> f64 {
        if self.shape.is_empty() { self.numbers[0] } else { self.entry(b, 1)[i] }
    }
}
