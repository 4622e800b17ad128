//! Scores grouped by the number of contacts of the events.

use super::bootstrap::{self, Interval, quantile};
use super::scoring::Odds;
use carom_core::outcome::Score;

/// Distances and set sizes over a group of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventGroup {
    /// Number of contacts: `1`, `2`, `3`, `4`, ..., `multi` (two and more) or `all`.
    pub contacts: String,
    /// Number of events.
    pub events: usize,
    /// Median distance of the measured velocity from the nearest point.
    pub median: f64,
    /// 90th percentile of this distance.
    pub p90: f64,
    /// Shares of events with a distance of at most [`EventGroup::WITHIN`].
    pub shares: [f64; 3],
    /// Share of events at most 0.05 from the convex hull of the points.
    pub hull_share: f64,
    /// Mean root-mean-square radius of the sets.
    pub rms: f64,
    /// Mean diameter of the sets.
    pub diameter: f64,
    /// Mean energy score of the points without errors, see [`Score::energy`].
    pub energy: f64,
}

/// Probabilistic scores over a group of events, with intervals over their tosses.
#[derive(Clone, Debug, PartialEq)]
pub struct OddsGroup {
    /// Number of contacts, as in [`EventGroup::contacts`].
    pub contacts: String,
    /// Mean energy score.
    pub energy: Interval,
    /// Mean log density.
    pub log: Interval,
    /// Mean variogram score.
    pub variogram: Interval,
    /// Share of events inside the 50 % regions of highest density.
    pub in_50: f64,
    /// Share of events inside the 90 % regions of highest density.
    pub in_90: f64,
    /// Mean root-mean-square radius of the distributions, errors included.
    pub rms: f64,
    /// Histogram of ranks over tenths of [0, 1], see [`ranks`].
    pub ranks: [usize; BINS],
}

/// Number of bins of ranks.
pub const BINS: usize = 10;

/// Histogram of the [ranks](Odds::rank) of events: flat for calibrated forecasts.
pub fn ranks<'a>(odds: impl IntoIterator<Item = &'a Odds>) -> [usize; BINS] {
    let mut counts = [0; BINS];
    let ranks = odds.into_iter().map(|odds| odds.rank).filter(|rank| rank.is_finite());
    ranks.for_each(|rank| counts[((rank * BINS as f64) as usize).min(BINS - 1)] += 1);
    counts
}

impl EventGroup {
    /// Distance thresholds of [`EventGroup::shares`].
    pub const WITHIN: [f64; 3] = [0.02, 0.05, 0.1];

    /// Nonempty groups, see [`groups`].
    pub fn of(contacts: &[usize], scores: &[Score]) -> Vec<EventGroup> {
        let of = |(contacts, members): (String, Vec<usize>)| {
            let scores = || members.iter().map(|&i| &scores[i]);
            let count = members.len() as f64;
            let mut nearest: Vec<f64> = scores().map(|score| score.nearest).collect();
            nearest.sort_unstable_by(f64::total_cmp);
            let share = |within: &dyn Fn(&Score) -> bool| {
                scores().filter(|score| within(score)).count() as f64 / count
            };
            let mean = |of: &dyn Fn(&Score) -> f64| scores().map(of).sum::<f64>() / count;
            EventGroup {
                contacts,
                events: members.len(),
                median: quantile(&nearest, 0.5),
                p90: quantile(&nearest, 0.9),
                shares: EventGroup::WITHIN.map(|bound| share(&|score| score.nearest <= bound)),
                hull_share: share(&|score| score.hull <= 0.05),
                rms: mean(&|score| score.size.rms),
                diameter: mean(&|score| score.size.diameter),
                energy: mean(&|score| score.energy),
            }
        };
        groups(contacts).into_iter().map(of).collect()
    }
}

impl OddsGroup {
    /// Nonempty groups, see [`groups`]; `tosses` has the toss number of each event.
    pub fn of(contacts: &[usize], tosses: &[usize], odds: &[Odds], seed: u64) -> Vec<OddsGroup> {
        let of = |(name, members): (String, Vec<usize>)| {
            let tosses: Vec<usize> = members.iter().map(|&i| tosses[i]).collect();
            let values = |of: &dyn Fn(&Odds) -> f64| -> Vec<f64> {
                members.iter().map(|&i| of(&odds[i])).collect()
            };
            let over = |of: &dyn Fn(&Odds) -> f64| bootstrap::mean(&values(of), &tosses, seed);
            let mean =
                |of: &dyn Fn(&Odds) -> f64| values(of).iter().sum::<f64>() / members.len() as f64;
            OddsGroup {
                contacts: name,
                energy: over(&|odds| odds.energy),
                log: over(&|odds| odds.log),
                variogram: over(&|odds| odds.variogram),
                in_50: mean(&|odds| odds.inside(0.5)),
                in_90: mean(&|odds| odds.inside(0.9)),
                rms: mean(&|odds| odds.rms),
                ranks: ranks(members.iter().map(|&i| &odds[i])),
            }
        };
        groups(contacts).into_iter().map(of).collect()
    }

    /// Mean differences `ours - theirs` of a score, group by group.
    pub fn differences(
        contacts: &[usize],
        tosses: &[usize],
        ours: &[Odds],
        theirs: &[Odds],
        score: impl Fn(&Odds) -> f64,
        seed: u64,
    ) -> Vec<Interval> {
        let of = |(_, members): (String, Vec<usize>)| {
            let values =
                |odds: &[Odds]| members.iter().map(|&i| score(&odds[i])).collect::<Vec<_>>();
            let tosses: Vec<usize> = members.iter().map(|&i| tosses[i]).collect();
            bootstrap::difference(&values(ours), &values(theirs), &tosses, seed)
        };
        groups(contacts).into_iter().map(of).collect()
    }
}

/// Nonempty groups with the indices of their events: by contacts, several, and all.
pub fn groups(contacts: &[usize]) -> Vec<(String, Vec<usize>)> {
    let mut numbers: Vec<usize> = contacts.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let pick = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..contacts.len()).filter(|&i| wanted(contacts[i])).collect()
    };
    let mut groups: Vec<(String, Vec<usize>)> =
        numbers.iter().map(|&number| (number.to_string(), pick(&|m| m == number))).collect();
    groups.push(("multi".to_string(), pick(&|m| m > 1)));
    groups.push(("all".to_string(), pick(&|_| true)));
    groups.retain(|(_, members)| !members.is_empty());
    groups
}
