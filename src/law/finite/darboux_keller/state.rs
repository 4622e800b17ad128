//! The state and the motion of a contact during an impact, and the pieces of an impact.

use super::StruckContact;
use carom_core::Real;
use carom_core::named;

/// The state of a contact during an impact, dimensionless: `[v, g (2), I, p (2), E, F]`.
pub type ImpactState<R> = [R; 8];

/// Indices in an [`ImpactState`].
pub mod place {
    /// Normal velocity `v`.
    pub const V: usize = 0;
    /// Sliding velocity `g`, two numbers.
    pub const G: usize = 1;
    /// Normal impulse `I`.
    pub const I: usize = 3;
    /// Tangential impulse `p`, two numbers.
    pub const P: usize = 4;
    /// Work of compression `E` since the phase began.
    pub const E: usize = 6;
    /// Work of friction `F`.
    pub const F: usize = 7;
}

named! {
    /// The motion of a contact during an impact.
    pub enum ContactMotion {
        /// The contact slips.
        Slip = "slip",
        /// The contact sticks.
        Stick = "stick",
        /// The contact slips after a halt, because friction cannot hold it: in the centrifugal
        /// direction.
        Resumed = "resumed-slip",
    }
}

/// The scalar product of two vectors in the tangent plane.
pub fn dot<R: Real>(a: [R; 2], b: [R; 2]) -> R {
    a[0] * b[0] + a[1] * b[1]
}

/// Rotates `x` by the angle with cosine and sine `axis`.
pub fn turn<R: Real>(axis: [R; 2], x: [R; 2]) -> [R; 2] {
    [axis[0] * x[0] - axis[1] * x[1], axis[1] * x[0] + axis[0] * x[1]]
}

/// Largest number of terms of a series.
pub const TERMS: usize = 24;

/// Coefficients of the gains of `[I, p (2), F]`; row `k` belongs to the `k`-th power of the
/// parameter.
pub type Terms<R> = [[R; 4]; TERMS];

/// A piece of an impact, for any curve of the sliding velocity.
#[derive(Clone, Debug)]
pub struct ArcPiece<'a, R> {
    /// The contact.
    pub contact: &'a StruckContact<R>,
    /// The state where the parameter is 0.
    pub start: ImpactState<R>,
    /// The parameter at the beginning of the piece: 0, or the end of a phase of the impact within
    /// the piece.
    pub begin: R,
    /// The terms of the series, if the piece has one.
    pub terms: Terms<R>,
}

/// The sums of an even number of terms; row `k` belongs to `t^k`.
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
