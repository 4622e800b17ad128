//! Power series of the impulses along a piece of an impact.

use super::contact::StruckContact;
use super::state::ImpactState;
use carom_core::Real;

/// Most terms of a series.
pub const TERMS: usize = 24;

/// Coefficients of the gains of `[I, p (2), F]`, those of the `k`-th power of the parameter in row
/// `k`.
pub type Terms<R> = [[R; 4]; TERMS];

/// A piece of an impact, whatever curve its sliding velocity draws.
#[derive(Clone, Debug)]
pub struct ArcPiece<'a, R> {
    /// The contact.
    pub contact: &'a StruckContact<R>,
    /// The state where the parameter is 0.
    pub start: ImpactState<R>,
    /// The parameter where the piece begins: 0, or where a phase of the impact ended in the midst
    /// of it.
    pub begin: R,
    /// The terms of the series, if the piece has one.
    pub terms: Terms<R>,
}

/// The sums of an even number of terms, those of `t^k` in row `k`.
pub fn sum<R: Real, const N: usize>(rows: &[[R; N]], t: R) -> [R; N] {
    let square = t * t;
    let [mut even, mut odd] = [[R::ZERO; N]; 2];
    for pair in rows.chunks_exact(2).rev() {
        for i in 0..N {
            even[i] = even[i] * square + pair[0][i];
            odd[i] = odd[i] * square + pair[1][i];
        }
    }
    std::array::from_fn(|i| even[i] + t * odd[i])
}
