use nalgebra::DVector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::forecast::Forecast;
use crate::spread::mean;
use carom_core::error::{Error, Result};
use carom_core::outcome::PointSet;
use carom_core::problem::ContactProblem;
use carom_core::rng::{Purpose, Stream, normal};

/// A correction of the points of a forecast: `x' = m + scale (x - m) + sum_k (bias_k + spread_k
/// z_k) d_k`, with `m` the mean of the points, `z_k` standard normal numbers, and directions `d_k`
/// of unit length in the kinetic metric: of equal normal impulses at all contacts, and of friction
/// against the slip before the impact, orthogonal to the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dress {
    /// Factor of the spread about the mean.
    pub scale: f64,
    /// Shift along the directions, over `|v-|_M`.
    pub bias: [f64; 2],
    /// Standard deviation that is added along the directions, over `|v-|_M`.
    pub spread: [f64; 2],
}

impl Default for Dress {
    fn default() -> Self {
        Dress { scale: 1.0, bias: [0.0; 2], spread: [0.0; 2] }
    }
}

impl Dress {
    /// Checks the numbers.
    ///
    /// # Errors
    /// A scale or a spread below 0, a number that is not finite.
    pub fn check(&self) -> Result<()> {
        let sizes = [self.scale, self.spread[0], self.spread[1]];
        let valid = sizes.iter().all(|x| x.is_finite() && *x >= 0.0)
            && self.bias.iter().all(|x| x.is_finite());
        let wrong = || Error::input("expected finite numbers, scale and spread >= 0").at("dress");
        valid.then_some(()).ok_or_else(wrong)
    }

    /// Corrects the points of a forecast of `problem`; `seed` is the seed of its samples.
    pub(super) fn apply(&self, forecast: &mut Forecast, problem: &ContactProblem, seed: u64) {
        let Some(frame) = frame(problem) else { return };
        self.apply_in(&frame, forecast, seed);
    }

    /// Corrects the points of a forecast along the directions of [`frame`].
    pub(super) fn apply_in(&self, frame: &Directions, forecast: &mut Forecast, seed: u64) {
        let n = forecast.n;
        let mean = mean(forecast);
        for (i, point) in forecast.points.chunks_exact_mut(n).enumerate() {
            let z = normals(seed, i as u64);
            let shift = [0, 1].map(|k| self.bias[k] + self.spread[k] * z[k]);
            for (j, x) in point.iter_mut().enumerate() {
                *x = mean[j] + self.scale * (*x - mean[j]);
                *x += shift[0] * frame[0][j] + shift[1] * frame[1][j];
            }
        }
    }
}

/// Directions of a [`Dress`].
pub(super) type Directions = [DVector<f64>; 2];

/// Directions of a [`Dress`] on a problem, in the coordinates of [`PointSet`]; zero without slip.
/// `None` if the mass matrix is not positive definite.
pub(super) fn frame(problem: &ContactProblem) -> Option<Directions> {
    let set = PointSet::new(problem.mass(), problem.velocity(), &[])?;
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let u = problem.contact_velocity();
    let mut impulses = [DVector::zeros(m + d * m), DVector::zeros(m + d * m)];
    for i in 0..m {
        impulses[0][i] = 1.0;
        let rows = m + i * d..m + (i + 1) * d;
        let slip = rows.clone().map(|row| u[row] * u[row]).sum::<f64>().sqrt();
        if slip > 0.0 {
            rows.for_each(|row| impulses[1][row] = -u[row] / slip);
        }
    }
    let [normal, friction] = impulses.map(|impulse| set.map() * (problem.response() * impulse));
    let normal = unit(normal);
    let friction = &friction - &normal * normal.dot(&friction);
    Some([normal, unit(friction)])
}

fn unit(v: DVector<f64>) -> DVector<f64> {
    let size = v.norm();
    if size > 1e-9 { v / size } else { v * 0.0 }
}

/// Two independent standard normal numbers of a sample.
fn normals(seed: u64, sample: u64) -> [f64; 2] {
    let [x, y, ..] = normal(Stream::new(seed, sample).block(0, Purpose::User, 0));
    [x, y]
}
