//! Compass search: pattern search along one coordinate after the other.

use carom_core::error::Result;

/// Point of the search and its value.
pub type Found = (Vec<f64>, f64);

/// Step sizes and limits of a search.
#[derive(Clone, Debug)]
pub struct Compass {
    /// First step along each coordinate.
    pub steps: Vec<f64>,
    /// Fraction of the first step below which a coordinate is dropped.
    pub finest: f64,
    /// Maximum number of evaluations.
    pub most: usize,
}

impl Compass {
    /// Minimises `of` from `start`: steps along each coordinate in turn, forward or else backward.
    /// A successful step grows by 3/2, a failed one shrinks by 1/2. After each round the sum of its
    /// steps is tried once more.
    ///
    /// `of` returns the value, or any number not below the best value so far, and `None` to end the
    /// search. Source: R. Hooke, T. A. Jeeves, J. ACM 8 (1961) 212-229; here each coordinate has
    /// its own step.
    ///
    /// # Errors
    /// Errors of `of`.
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
