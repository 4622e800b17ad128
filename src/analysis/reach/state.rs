//! The states of contacts.

/// What a contact does in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// `u_n >= 0`, no impulse.
    Open,
    /// `u_n <= 0`, `u_t >= 0`: impulse along the edge `(1, -mu)` of the friction cone.
    Plus,
    /// `u_n <= 0`, `u_t <= 0`: impulse along the edge `(1, mu)` of the friction cone.
    Minus,
    /// `u_n <= 0`, `u_t = 0`: impulses in the friction cone that keep `u_t = 0`.
    Hold,
    /// `u_n <= 0` at a contact without friction: impulse along the normal.
    Smooth,
}

impl State {
    /// The edges `(1, side mu)` of the friction cone along which there is impulse.
    pub fn sides(self) -> &'static [f64] {
        match self {
            State::Open => &[],
            State::Plus | State::Smooth => &[-1.0],
            State::Minus => &[1.0],
            State::Hold => &[-1.0, 1.0],
        }
    }

    /// The name that files use.
    pub fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Plus => "slide+",
            State::Minus => "slide-",
            State::Hold => "stick",
            State::Smooth => "slide",
        }
    }
}
