use schemars::JsonSchema;
use serde::Serialize;

/// Friction state of a contact in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// `u_n >= 0`, no impulse.
    Open,
    /// `u_t >= 0`: impulse along the edge `(1, -mu)` of the friction cone.
    Plus,
    /// `u_t <= 0`: impulse along the edge `(1, mu)` of the friction cone.
    Minus,
    /// `u_t = 0`: impulses in the friction cone that keep `u_t = 0`.
    Hold,
    /// A contact without friction: impulse along the normal.
    Smooth,
    /// Sliding nearest to the corner `d_k` of a cone with facets: impulse along `(1, -mu d_k)`.
    Corner(u8),
    /// Sliding straight between the corners `d_k` and `d_(k+1)` of a cone: impulses along both.
    Facet(u8),
}

impl State {
    /// Name in files.
    pub fn name(self) -> String {
        match self {
            State::Open => "open".into(),
            State::Plus => "slide+".into(),
            State::Minus => "slide-".into(),
            State::Hold => "stick".into(),
            State::Smooth => "slide".into(),
            State::Corner(k) => format!("slide {k}"),
            State::Facet(k) => format!("slide {k}'"),
        }
    }

    /// Whether the cones of two states share points that lie in no third state. The friction cone
    /// has `corners` corners.
    pub(super) fn touches(self, other: State, corners: usize) -> bool {
        match (self, other) {
            (State::Corner(corner), State::Facet(facet))
            | (State::Facet(facet), State::Corner(corner)) => {
                let [corner, facet] = [corner, facet].map(usize::from);
                corner == facet || corner == (facet + 1) % corners
            }
            (State::Plus | State::Minus, State::Plus | State::Minus)
            | (State::Corner(_), State::Corner(_))
            | (State::Facet(_), State::Facet(_)) => self == other,
            _ => true,
        }
    }
}

/// Whether a contact compresses or gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// `u_n >= 0`, no impulse.
    Open,
    /// `u_n <= 0`: of the normal impulse the part `e` is stored.
    Compression,
    /// `u_n = 0`: of the normal impulse nothing to the part `e` is stored; while no contact
    /// compresses some may be given back, up to all of it. Without restitution this is no phase of
    /// its own.
    Rest,
    /// `u_n >= 0`, while no contact compresses: the normal impulse is taken from what is stored.
    Restitution,
}

impl Phase {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Open => "open",
            Phase::Compression => "compression",
            Phase::Rest => "rest",
            Phase::Restitution => "restitution",
        }
    }
}
