//! Position of an outcome relative to the samples of a set.

use schemars::JsonSchema;

use carom_core::named;
use carom_core::outcome::PointSet;

/// Distance below which an outcome coincides with a sample.
const ROUNDING: f64 = 1e-6;
/// Number of neighbours, at distinct distances, that define the resolution of the set.
const NEIGHBOURS: usize = 100;
/// Ratio of distance to resolution above which an outcome is outside.
const CLEARLY: f64 = 10.0;
/// Minimum number of samples for the verdict outside.
const FEWEST: usize = 512;

named! {
    /// The verdict on an outcome.
    #[derive(JsonSchema)]
    pub enum Verdict {
        /// A sample is this outcome, up to rounding.
        Inside = "inside",
        /// The samples keep clearly apart from the outcome.
        Outside = "outside",
        /// Whether the outcome is inside or outside cannot be told with this number of samples.
        NotResolved = "not-resolved",
    }
}

/// Distance of an outcome from the samples of a set, local resolution of the set, and verdict.
///
/// *Inside* requires a sample that coincides with the outcome: near a border no number of samples
/// tells it from an outcome slightly outside. Sets have atoms, such as rest, so coincidence is not
/// rare.
///
/// The outcome is *outside* if the samples crowd at some distance from it instead of thinning out
/// towards it: the nearest sample is at least ten times as far from the outcome as the hundredth
/// neighbour is from the nearest. The latter distance is the *resolution*: coarse at the sparse
/// corners of a set, fine at its dense borders, and of the order of the distance or above wherever
/// the set extends to the outcome. If the number of samples within `r` of the outcome grows like
/// `r^k`, the probability of a false verdict outside is `(1 - (10/11)^k)^100`: below 2e-7 up to `k
/// = 20`.
///
/// More samples refine verdicts and do not reverse them. Sample `i` does not depend on the number
/// of samples. The test is made after 512, 1024, 2048, ... samples. Once the outcome is outside, it
/// stays so unless a sample falls within half of the distance at that test. The verdict is relative
/// to the sampler: *outside* says nothing about velocities that the sampler never draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetPlace {
    /// Distance from the nearest sample, see [`PointSet`].
    pub distance: f64,
    /// Distance from the nearest sample to its hundredth neighbour, or to the farthest with fewer
    /// samples; samples at equal distance count once.
    pub resolution: f64,
    /// Verdict on the outcome.
    pub verdict: Verdict,
}

impl SetPlace {
    /// Position of `velocity` (n) relative to the samples of `set`, in the order of sampling.
    pub fn of(velocity: &[f64], set: &PointSet) -> SetPlace {
        let outcome = set.point(velocity);
        let mut nearest = Nearest(Vec::with_capacity(NEIGHBOURS + 2));
        // Radius around an outside outcome that has to stay free of samples.
        let mut apart = f64::INFINITY;
        for (i, point) in set.points().chunks_exact(outcome.len()).enumerate() {
            let square: f64 = outcome.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum();
            nearest.insert(square.sqrt());
            let (distance, resolution) = (nearest.distance(), nearest.resolution());
            let tested = i + 1 >= FEWEST && (i + 1).is_power_of_two();
            if tested && distance > CLEARLY * resolution.max(ROUNDING) {
                apart = apart.min(0.5 * distance);
            }
        }
        let (distance, resolution) = (nearest.distance(), nearest.resolution());
        let verdict = match distance {
            _ if distance <= ROUNDING => Verdict::Inside,
            _ if apart.is_finite() && distance > apart => Verdict::Outside,
            _ => Verdict::NotResolved,
        };
        SetPlace { distance, resolution, verdict }
    }
}

/// The smallest distances, distinct up to rounding, ascending.
struct Nearest(Vec<f64>);

impl Nearest {
    fn insert(&mut self, distance: f64) {
        let Nearest(all) = self;
        if all.len() > NEIGHBOURS && all.last().is_some_and(|last| distance >= *last) {
            return;
        }
        let at = all.partition_point(|other| *other <= distance);
        if at > 0 && distance - all[at - 1] <= ROUNDING {
            return;
        }
        if all.get(at).is_some_and(|next| next - distance <= ROUNDING) {
            all[at] = distance;
        } else {
            all.insert(at, distance);
            all.truncate(NEIGHBOURS + 1);
        }
    }

    fn distance(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::INFINITY)
    }

    fn resolution(&self) -> f64 {
        match self.0[..] {
            [] => f64::INFINITY,
            [first, .., last] => last - first,
            [_] => 0.0,
        }
    }
}
