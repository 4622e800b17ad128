use std::ops::Range;

/// A named number of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name that expressions use.
    pub name: String,
    /// The value of the parameter.
    pub value: f64,
    /// The least value it may have.
    pub min: f64,
    /// The greatest value it may have.
    pub max: f64,
    /// The change that counts as 1 in a design, so that changes of different parameters are
    /// comparable.
    pub scale: f64,
    /// Whether a design may change the parameter.
    pub free: bool,
    /// The position of its value in the text.
    pub(super) place: Range<usize>,
}
