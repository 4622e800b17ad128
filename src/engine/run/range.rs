/// A range of an option's numbers, with its words after `expected a`.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The numbers in words.
    pub words: &'static str,
    holds: fn(f64) -> bool,
}

/// Coefficients of restitution, and shares.
pub const SHARE: Range = Range { words: "number in [0, 1]", holds: |x| (0.0..=1.0).contains(&x) };
/// Rates.
pub const POSITIVE: Range = Range { words: "number > 0", holds: |x| x > 0.0 };
/// Angles and speeds.
pub const NONNEGATIVE: Range = Range { words: "number >= 0", holds: |x| x >= 0.0 };
/// Limits and counts.
pub const COUNT: Range = Range {
    words: "whole number from 1 to 2^32 - 1",
    holds: |x| x.fract() == 0.0 && (1.0..=u32::MAX as f64).contains(&x),
};

impl Range {
    /// Whether a number is finite and in the range.
    pub fn holds(&self, x: f64) -> bool {
        x.is_finite() && (self.holds)(x)
    }

    /// The expectation for a number given as text, which may be `inf`.
    pub fn expected(&self) -> String {
        let finite = if (self.holds)(f64::INFINITY) { "finite " } else { "" };
        format!("expected a {finite}{}", self.words)
    }
}
