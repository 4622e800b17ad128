//! What numbers of a run may be.

use super::Run;
use crate::error::{Error, Result};

/// Numbers that an option may have, in words that follow `expected a`.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The numbers in words.
    pub words: &'static str,
    holds: fn(f64) -> bool,
}

/// Impulses over which a draw of the rates lasts.
pub const STEP: Range = Range { words: "number > 0, in N s", holds: |h| h > 0.0 };
/// Coefficients of restitution, and shares.
pub const SHARE: Range = Range { words: "number in [0, 1]", holds: |x| (0.0..=1.0).contains(&x) };
/// Angles and speeds.
pub const NONNEGATIVE: Range = Range { words: "number >= 0", holds: |x| x >= 0.0 };
/// Limits and counts.
pub const COUNT: Range = Range {
    words: "whole number from 1 to 2^32 - 1",
    holds: |x| x.fract() == 0.0 && (1.0..=u32::MAX as f64).contains(&x),
};
/// Numbers of samples.
const SAMPLES: Range = Range {
    words: "whole number from 1 to 2^63 - 1",
    holds: |x| (1.0..9_223_372_036_854_775_808.0).contains(&x),
};

impl Range {
    /// Whether a number is finite and one of these.
    pub fn holds(&self, x: f64) -> bool {
        x.is_finite() && (self.holds)(x)
    }

    /// What is expected of a text, which may say `inf`.
    pub fn expected(&self) -> String {
        let finite = if (self.holds)(f64::INFINITY) { "finite " } else { "" };
        format!("expected a {finite}{}", self.words)
    }
}

impl Run {
    /// Refuses numbers that no law takes. The laws themselves refuse more.
    ///
    /// # Errors
    /// A number outside its range.
    pub fn check_ranges(&self) -> Result<()> {
        let wide = |count: Option<u32>| count.map(f64::from);
        let numbers = [
            ("step", self.step, STEP),
            ("persist", wide(self.persist), COUNT),
            ("max_steps", wide(self.max_steps), COUNT),
            ("theta_max", self.theta_max, NONNEGATIVE),
            ("v_transition", self.v_transition, NONNEGATIVE),
            ("v_plastic", self.v_plastic, NONNEGATIVE),
            ("v_capture", self.v_capture, NONNEGATIVE),
            ("restitution", self.restitution, SHARE),
            ("samples", self.samples.map(|samples| samples as f64), SAMPLES),
        ];
        let wrong = |(field, number, range): &(&'static str, Option<f64>, Range)| {
            let number = number.filter(|x| !range.holds(*x))?;
            let what = format!("expected a {}, found {number}", range.words);
            Some(Error::usage(what).option(*field))
        };
        numbers.iter().find_map(wrong).map_or(Ok(()), Err)
    }
}
