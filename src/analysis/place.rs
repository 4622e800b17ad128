//! The place of an outcome among the samples of a set.

use schemars::JsonSchema;

use carom_core::named;
use carom_core::outcome::PointSet;

/// Distances up to this are rounding: the outcome is the sample.
const ROUNDING: f64 = 1e-6;
/// Number of neighbours, at different distances, from which the resolution of the set is measured.
const NEIGHBOURS: usize = 100;
/// Ratio from which a distance is clearly larger.
const CLEARLY: f64 = 10.0;
/// Fewest samples by which an outcome can be called outside.
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

/// The distance of an outcome from the samples of a set, the resolution of the set there, and the
/// verdict.
///
/// Only a sample that *is* the outcome shows that it is *inside*: near a border no number of
/// samples tells it from an outcome that is a little outside. Sets have atoms, such as rest, so
/// this is not rare.
///
/// The outcome is *outside* where the samples crowd at some distance from it instead of thinning
/// out towards it: where the nearest sample is clearly farther from the outcome - ten times - than
/// the hundredth sample behind is from the nearest. This difference is the *resolution*: coarse at
/// the sparse corners of a set, fine at its dense borders, and of the order of the distance or
/// above wherever the set goes on to the outcome. If the number of samples within `r` of the
/// outcome grows like `r^k`, the chance of being called outside is `(1 - (10/11)^k)^100`: below
/// 2e-7 up to `k = 20`.
///
/// More samples make verdicts, they do not change them. Sample `i` is the same however many there
/// are; the test is made after 512, 1024, 2048, ... of them, and once the outcome is outside it
/// stays so unless a sample falls within half of the distance that the test found. Velocities that
/// the sampler never meets cannot be seen: *outside* means outside of those that it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetPlace {
    /// Distance from the nearest sample, see [`PointSet`].
    pub distance: f64,
    /// Distance from the nearest sample to the hundredth one behind it, or to the farthest where
    /// there are fewer; samples at the same distance count once.
    pub resolution: f64,
    /// The verdict.
    pub verdict: Verdict,
}

impl SetPlace {
    /// The place of `velocity` (n) beside the samples of `set`, in the order of sampling.
    pub fn of(velocity: &[f64], set: &PointSet) -> SetPlace {
        let outcome = set.point(velocity);
        let mut nearest = Nearest(Vec::with_capacity(NEIGHBOURS + 2));
        // No sample is to come as near as this to an outcome that is outside.
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

/// The smallest of many distances, apart by more than rounding, in their order.
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
