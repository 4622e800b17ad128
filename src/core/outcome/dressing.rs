//! Ensemble dressing: forecasts from the outcomes of a law.

use nalgebra::{DMatrix, DVector};

use super::group::Group;
use crate::rng::{deviates, normal};
use crate::{Purpose, Stream};

/// Ensemble dressing: turns the outcome `v` of a sample into a member of a forecast. `z`, `y` (n)
/// and `x` (nu) are independent normal numbers of the sample:
///
/// ```text
/// v' = shift + scale v + root z + tail y / sqrt(|x|^2 / nu).
/// ```
///
/// The last term, if any, follows Student's t with nu degrees of freedom. Entry `a` of `z` comes
/// from the sample's draw `a` of [`Purpose::Forecast`], step 0; `y`, `x` come from step 1. The
/// member is a function of (outcome, dressing, seed, number of the sample) alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Dressing {
    /// The shift (n), in the units of the velocity.
    pub shift: DVector<f64>,
    /// The scale of the spread of the outcomes.
    pub scale: f64,
    /// The root (n,n) of the added covariance `root root'`.
    pub root: DMatrix<f64>,
    /// Degrees of freedom, and root (n,n) of the squared scale, of the heavy-tailed error.
    pub tail: Option<(u32, DMatrix<f64>)>,
}

impl Dressing {
    /// Dresses the velocities of samples `first ..`. Does not allocate without a tail.
    pub fn apply(&self, seed: u64, first: u64, group: &mut Group) {
        let n = self.shift.len();
        for l in 0..group.len {
            for a in 0..n {
                group.velocity[a][l] = self.shift[a] + self.scale * group.velocity[a][l];
            }
            let stream = Stream::new(seed, first + l as u64);
            for block in 0..n.div_ceil(4) {
                let z = normal(stream.block(0, Purpose::Forecast, block as u32));
                for (b, z) in (4 * block..n).zip(z) {
                    for (a, column) in group.velocity.iter_mut().enumerate() {
                        column[l] += self.root[(a, b)] * z;
                    }
                }
            }
            if let Some((freedom, root)) = &self.tail {
                let numbers = deviates(&stream, 1, Purpose::Forecast, n + *freedom as usize);
                let (y, x) = numbers.split_at(n);
                let squares: f64 = x.iter().map(|x| x * x).sum();
                let error = root * DVector::from_column_slice(y);
                for (column, error) in group.velocity.iter_mut().zip(error.iter()) {
                    column[l] += error * (f64::from(*freedom) / squares).sqrt();
                }
            }
        }
    }
}
