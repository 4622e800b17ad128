//! Compass search: the pattern search that takes one coordinate after the other.

use carom_core::error::Result;

/// A point of the search and its value.
pub type Found = (Vec<f64>, f64);

/// The steps of a search.
#[derive(Clone, Debug)]
pub struct Compass {
    /// First step along each coordinate.
    pub steps: Vec<f64>,
    /// Part of the first step at which a coordinate is given up.
    pub finest: f64,
    /// Most evaluations.
    pub most: usize,
}

impl Compass {
    /// Looks for a smaller value than that of `start`, where `of` is evaluated: it takes a step
    /// along each coordinate in turn, forth and else back, longer ones (3/2) where they help and
    /// shorter ones (1/2) where neither helps, and tries the sum of a round's steps once more.
    ///
    /// `of` returns the value, or one that is no smaller than the best so far, and `None` to end
    /// the search. Source: R. Hooke, T. A. Jeeves, J. ACM 8 (1961) 212-229; each coordinate has a
    /// step of its own here.
    ///
    /// # Errors
    /// Those of `of`.
    pub fn search(
        &self,
        start: Found,
        mut of: impl FnMut(&[f64]) -> Result<Option<f64>>,
    ) -> Result<Found> {
        let mut best = start;
        let mut steps = self.steps.clone();
        let mut left = self.most;
        let finished = |steps: &[f64]| {
            steps.iter().zip(&self.steps).all(|(step, first)| step.abs() < self.finest * first)
        };
        while left > 0 && !finished(&steps) {
            let before = best.0.clone();
            for i in 0..steps.len() {
                if steps[i].abs() < self.finest * self.steps[i] {
                    continue;
                }
                let mut better = false;
                for sign in [1.0, -1.0] {
                    if left == 0 || better {
                        break;
                    }
                    left -= 1;
                    let mut x = best.0.clone();
                    x[i] += sign * steps[i];
                    let Some(value) = of(&x)? else { return Ok(best) };
                    if value < best.1 {
                        best = (x, value);
                        steps[i] *= 1.5 * sign;
                        better = true;
                    }
                }
                if !better {
                    steps[i] *= 0.5;
                }
            }
            let moved = best.0.iter().zip(&before).filter(|(a, b)| a != b).count();
            if moved > 1 && left > 0 {
                left -= 1;
                let x: Vec<f64> = best.0.iter().zip(&before).map(|(a, b)| 2.0 * a - b).collect();
                let Some(value) = of(&x)? else { return Ok(best) };
                if value < best.1 {
                    best = (x, value);
                }
            }
        }
        Ok(best)
    }
}
