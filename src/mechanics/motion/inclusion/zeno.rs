use super::given::InclusionMotion;
use super::state::{EventState, TouchPlace};
use crate::motion::course::Accumulation;
use carom_core::error::Result;

/// Number of impacts of a group. Groups are compared, so an accumulation may alternate between
/// several impacts.
const GROUP: usize = 4;
/// Maximum duration of the last group of a recognised accumulation, relative to the time step.
const SHORT: f64 = 1e-2;
/// Hop height, in roundings of a gap, below which the last group is short enough as well.
const ROUNDINGS: f64 = 200.0;
/// Maximum ratio of the durations of two groups of an accumulation.
const SHRINKS: f64 = 0.99;
/// Ratio of sliding to closing velocity below which both come to rest together.
const RESTING: f64 = 10.0;

/// An impact, for comparison.
#[derive(Clone, Debug)]
struct Hit {
    time: f64,
    arc: f64,
    /// Struck places, and the maximum closing speed.
    places: Vec<TouchPlace>,
    speed: f64,
}

/// The times of the last three groups of impacts, compared.
struct Groups {
    /// Duration of the last group, s.
    lasts: f64,
    /// The limit, if the groups become shorter and shorter.
    series: Option<Accumulation>,
    /// The limit where rounding hides the other impacts: the last impact.
    hidden: Accumulation,
}

/// The latest impacts.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    latest: Vec<Hit>,
}

impl Hits {
    /// Adds an impact at `time` after which s is `arc`, with the places that took impulses.
    pub fn push(&mut self, time: f64, arc: f64, places: Vec<TouchPlace>, speed: f64) {
        if self.latest.len() > 3 * GROUP {
            self.latest.remove(0);
        }
        self.latest.push(Hit { time, arc, places, speed });
    }

    /// The limit of the latest impacts, if the last three groups become shorter and shorter.
    pub fn series(&self) -> Option<Accumulation> {
        self.groups().and_then(|groups| groups.series)
    }

    /// Accumulation point of the impacts, in one of two cases. The last three groups become shorter
    /// and shorter, the last one at most `short`. Or the last group lasts at most `least` and
    /// nothing closed faster than at `slow`, so that rounding hides further impacts.
    fn limit(&self, short: f64, [least, slow]: [f64; 2]) -> Option<Accumulation> {
        let Groups { lasts, series, hidden } = self.groups()?;
        let hides = lasts <= least && self.speed() <= slow;
        series.filter(|_| lasts <= short).or(hides.then_some(hidden))
    }

    /// The last three groups, compared.
    fn groups(&self) -> Option<Groups> {
        let [first, second, third, last] = [0, 1, 2, 3].map(|k| self.latest.get(k * GROUP));
        let (first, second, third, last) = (first?, second?, third?, last?);
        let lasts = [second.time - first.time, third.time - second.time, last.time - third.time];
        let shrinks = lasts[1] <= SHRINKS * lasts[0] && lasts[2] <= SHRINKS * lasts[1];
        // The remaining sum of a geometric series, in units of its last term.
        let rest = |before: f64, now: f64| now * now / (before - now);
        let grows = [third.arc - second.arc, last.arc - third.arc];
        let (time, arc) =
            (last.time + rest(lasts[1], lasts[2]), last.arc + rest(grows[0], grows[1]));
        let series =
            shrinks && lasts[2] > 0.0 && grows[1] < grows[0] && time.is_finite() && arc.is_finite();
        let ratio = (lasts[2] / lasts[1]).powf(1.0 / GROUP as f64);
        let limit = Accumulation { time, arc, ratio, last: last.time, impacts: 0 };
        let hidden = Accumulation { time: last.time, arc: last.arc, ratio: 1.0, ..limit };
        Some(Groups { lasts: lasts[2], series: series.then_some(limit), hidden })
    }

    /// The fastest approach in the last group, m/s.
    fn speed(&self) -> f64 {
        let group = self.latest.iter().rev().take(GROUP);
        group.map(|hit| hit.speed).fold(0.0, f64::max)
    }
}

impl InclusionMotion {
    /// Jumps past infinitely many impacts if the latest ones accumulate: the struck places are
    /// closed from now on.
    ///
    /// The remaining time is the sum of a geometric series with the ratio of the last two groups of
    /// four impacts. The motion continues from the last impact, without the remaining hops. Source:
    /// \[HP23\] Sec. 4.3, (69), (70): time and s of the limit are finite, and the inclusion
    /// continues from there.
    pub(super) fn accumulate(
        &self,
        state: &mut EventState,
        hits: &mut Hits,
    ) -> Result<Option<Accumulation>> {
        let gravity = self.given().mechanism().gravity.norm();
        let hop = (8.0 * ROUNDINGS * self.blur(&state.q) / gravity).sqrt();
        let resolved = if hop.is_finite() { hop * GROUP as f64 } else { 0.0 };
        let short = resolved.max(SHORT * self.given().time_step());
        let Some(limit) = hits.limit(short, [resolved, gravity * resolved]) else {
            return Ok(None);
        };
        let rest = RESTING * hits.speed();
        let recent = &hits.latest[hits.latest.len() - GROUP..];
        let places: Vec<TouchPlace> =
            recent.iter().flat_map(|hit| hit.places.iter().copied()).collect();
        let contacts = self.contacts(&state.q, &state.held);
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        for place in &places {
            if let Some(contact) = contacts.get(place) {
                let u = self.rows(&state.q, std::slice::from_ref(contact)) * &v;
                self.close(state, place, contact, self.across(&u, 0, 1), rest);
            }
        }
        let projected = self.project(state)?;
        state.push_closed(&projected);
        state.chosen = false;
        hits.latest.clear();
        Ok(Some(limit))
    }
}
