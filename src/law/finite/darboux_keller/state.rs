//! The state and the motion of a contact during an impact.

use carom_core::Real;

/// The state of a contact during an impact, dimensionless: `[v, g (2), I, p (2), E, F]`.
pub type ImpactState<R> = [R; 8];

/// Places in a [`ImpactState`].
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

/// The motion of a contact during an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMotion {
    /// The contact slips.
    Slip,
    /// The contact sticks.
    Stick,
    /// The contact slips after a halt, because friction cannot hold it: in the centrifugal
    /// direction.
    Resumed,
}

impl ContactMotion {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            ContactMotion::Slip => "slip",
            ContactMotion::Stick => "stick",
            ContactMotion::Resumed => "resumed-slip",
        }
    }
}

/// The scalar product of two vectors in the tangent plane.
pub fn dot<R: Real>(a: [R; 2], b: [R; 2]) -> R {
    a[0] * b[0] + a[1] * b[1]
}

/// Turns `x` by the angle whose cosine and sine are `axis`.
pub fn turn<R: Real>(axis: [R; 2], x: [R; 2]) -> [R; 2] {
    [axis[0] * x[0] - axis[1] * x[1], axis[1] * x[0] + axis[0] * x[1]]
}
