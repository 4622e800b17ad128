//! What restitution makes of the impulse of elastic reflections.

/// What is made of the impulse `L` that a sequence of reflections ends with:
/// `restitution L + plastic`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebound {
    /// 1, but for reflections with a coefficient of restitution `R` below 1.
    pub restitution: f64,
    /// `1 - R` times the impulse of the plastic outcome, in N s: normals first. Empty: nothing.
    pub plastic: Vec<f64>,
    /// The kinetic energy after the impact, in J, where all orderings have the same.
    pub energy: Option<f64>,
}

impl Rebound {
    /// The impulse as it is.
    pub const NONE: Rebound = Rebound { restitution: 1.0, plastic: Vec::new(), energy: None };
}
