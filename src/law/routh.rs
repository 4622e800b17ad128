//! stub replaced below
/// Which solution of a step is taken where there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solution {
    /// Uniform among the distinct `v+` of the step (m <= 3), a random covering vector above.
    #[default]
    Random,
    /// The one that lexicographic Lemke with a covering vector of ones finds.
    Lemke,
}

/// How the relative rates of a step are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// Independent, uniform on `[0, 1]`, afresh at every step.
    #[default]
    Uniform,
}

/// The set-valued Routh law.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routh {
    /// Which solution of a step is taken.
    pub solution: Solution,
    /// How the rates are drawn.
    pub sampler: Sampler,
    /// Impulse step `h` in N s; `None`: the problem's, else its natural step.
    pub step: Option<f64>,
    /// Step limit; `None`: the problem's, else 1000.
    pub max_steps: Option<u32>,
}
