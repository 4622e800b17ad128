//! The effect of restitution on the impulse of elastic reflections.

/// The impulse after restitution, from the impulse `L` of a sequence of reflections:
/// `restitution L + plastic`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebound {
    /// The factor of `L`: 1, except for reflections with a coefficient of restitution `R` below 1.
    pub restitution: f64,
    /// `1 - R` times the impulse of the plastic outcome, in N s: normals first. Empty: no plastic
    /// part.
    pub plastic: Vec<f64>,
    /// The kinetic energy after the impact, in J, where all orderings share it.
    pub energy: Option<f64>,
}

impl Rebound {
    /// The impulse unchanged.
    pub const NONE: Rebound = Rebound { restitution: 1.0, plastic: Vec::new(), energy: None };
}
