//! The dressing of an ensemble: what makes forecasts of the outcomes of a law.

use nalgebra::{DMatrix, DVector};

use super::group::Group;
use crate::rng::{Purpose, Stream, normal};

/// What turns the outcome `v` of a sample into a member of a forecast, with `z` (n) independent
/// normal numbers of the sample's own:
///
/// ```text
/// v' = shift + scale v + root z.
/// ```
///
/// Entry `a` of `z` comes from the sample's draw `a` of [`Purpose::Forecast`], step 0: the member
/// is a function of (outcome, dressing, seed, number of the sample) alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Dressing {
    /// The shift (n), in the units of the velocity.
    pub shift: DVector<f64>,
    /// The scale of the spread of the outcomes.
    pub scale: f64,
    /// The root (n,n) of the covariance that is added, `root root'`.
    pub root: DMatrix<f64>,
}

impl Dressing {
    /// Dresses the velocities of samples `first ..`. Does not allocate.
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
        }
    }
}
