//! Predictions against measured impacts: as JSON for scripts, as text for people, as a picture.

mod picture;
mod text;
mod verdict;

pub use picture::picture;
pub use text::text;

use super::RunRecord;
use super::schema::Finite;
use carom_core::error::Error;
use carom_core::outcome::Score;
use carom_forecast::bootstrap::Interval;
use carom_forecast::groups::{BINS, EventGroup, OddsGroup};
use carom_forecast::reality::{Baseline, Event, Reality};
use carom_forecast::scoring::Odds;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The scores as `carom reality --json` prints them, after the record. Distances and sizes over
/// `|v-|_M`; a number that is not finite is `null`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom reality --json` prints")]
pub struct RealityReport<'a> {
    terminated: u64,
    accepted: u64,
    /// s
    seconds: f64,
    /// Groups of the sampled set.
    groups: Vec<GroupRow>,
    baselines: Vec<BaselineRow<'a>>,
    /// Scores of the set, event by event.
    impacts: Vec<ImpactRow<'a>>,
}

/// The scores of a prediction over the events with a number of contacts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Group")]
struct GroupRow {
    contacts: String,
    events: usize,
    median: Finite,
    p90: Finite,
    share_2: Finite,
    share_5: Finite,
    share_10: Finite,
    hull_share_5: Finite,
    /// Root mean square radius of the set about its mean; it is no error.
    spread: Finite,
    rms: Finite,
    diameter: Finite,
    energy_score: Finite,
    energy_score_interval: [Finite; 2],
    variogram_score: Finite,
    variogram_score_interval: [Finite; 2],
    log_score: Finite,
    log_score_interval: [Finite; 2],
    in_50: Finite,
    in_90: Finite,
    /// The spread of the forecast, errors included.
    spread_with_noise: Finite,
    rms_with_noise: Finite,
    ranks: [usize; BINS],
}

/// One more prediction: its groups, or the reason why it has none.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Baseline")]
struct BaselineRow<'a> {
    law: &'a str,
    what: &'a str,
    groups: Vec<ComparedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ComparedGroup")]
struct ComparedRow {
    #[serde(flatten)]
    group: GroupRow,
    /// The score of the set less that of the baseline.
    energy_score_difference: Finite,
    energy_score_difference_interval: [Finite; 2],
    /// The score of the set less that of the baseline.
    log_score_difference: Finite,
    log_score_difference_interval: [Finite; 2],
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Impact")]
struct ImpactRow<'a> {
    event: usize,
    name: &'a str,
    contacts: usize,
    samples: usize,
    distance: Finite,
    hull_distance: Finite,
    /// Root mean square radius of the set about its mean; it is no error.
    spread: Finite,
    rms: Finite,
    diameter: Finite,
    energy_score: Finite,
    variogram_score: Finite,
    log_score: Finite,
    /// Share of the set where the density is below that at what was measured.
    rank: Finite,
    noise: Option<f64>,
}

/// The scores as JSON, `schema_version` 1.
pub fn json(record: &RunRecord, events: &[Event], reality: &Reality) -> Value {
    let impacts = events.iter().zip(reality.set.iter().zip(&reality.odds));
    record.with(RealityReport {
        terminated: reality.terminated,
        accepted: reality.accepted,
        seconds: reality.seconds,
        groups: groups(reality, &reality.set, &reality.odds),
        baselines: reality.baselines.iter().map(|baseline| compared(reality, baseline)).collect(),
        impacts: impacts.map(|(event, (score, odds))| impact(event, score, odds)).collect(),
    })
}

fn impact<'a>(event: &'a Event, score: &Score, odds: &Odds) -> ImpactRow<'a> {
    let rms = Finite(score.size.rms);
    ImpactRow {
        event: event.number,
        name: event.problem.name(),
        contacts: event.problem.contact_count(),
        samples: score.points,
        distance: Finite(score.nearest),
        hull_distance: Finite(score.hull),
        spread: rms,
        rms,
        diameter: Finite(score.size.diameter),
        energy_score: Finite(odds.energy),
        variogram_score: Finite(odds.variogram),
        log_score: Finite(odds.log),
        rank: Finite(odds.rank),
        noise: event.noise,
    }
}

fn groups(reality: &Reality, scores: &[Score], odds: &[Odds]) -> Vec<GroupRow> {
    let distances = EventGroup::of(&reality.contacts, scores);
    let odds = OddsGroup::of(&reality.contacts, &reality.tosses, odds, reality.seed);
    distances.into_iter().zip(odds).map(|(distances, odds)| group(distances, odds)).collect()
}

fn group(group: EventGroup, odds: OddsGroup) -> GroupRow {
    let [share_2, share_5, share_10] = group.shares.map(Finite);
    let [rms, rms_with_noise] = [group.rms, odds.rms].map(Finite);
    let [energy, variogram, log] = [odds.energy, odds.variogram, odds.log];
    GroupRow {
        contacts: group.contacts,
        events: group.events,
        median: Finite(group.median),
        p90: Finite(group.p90),
        share_2,
        share_5,
        share_10,
        hull_share_5: Finite(group.hull_share),
        spread: rms,
        rms,
        diameter: Finite(group.diameter),
        energy_score: Finite(energy.mean),
        energy_score_interval: ends(energy),
        variogram_score: Finite(variogram.mean),
        variogram_score_interval: ends(variogram),
        log_score: Finite(log.mean),
        log_score_interval: ends(log),
        in_50: Finite(odds.in_50),
        in_90: Finite(odds.in_90),
        spread_with_noise: rms_with_noise,
        rms_with_noise,
        ranks: odds.ranks,
    }
}

fn ends(of: Interval) -> [Finite; 2] {
    [of.low, of.high].map(Finite)
}

fn compared<'a>(reality: &Reality, baseline: &'a Baseline) -> BaselineRow<'a> {
    let Baseline { name, what, scores, odds, .. } = baseline;
    let difference = |score: fn(&Odds) -> f64| {
        let (contacts, tosses) = (&reality.contacts, &reality.tosses);
        OddsGroup::differences(contacts, tosses, &reality.odds, odds, score, reality.seed)
    };
    let with = |scores: &Vec<Score>| {
        let differences = difference(|odds| odds.energy).into_iter();
        let differences = differences.zip(difference(|odds| odds.log));
        let groups = groups(reality, scores, odds).into_iter();
        let row = |(group, (energy, log)): (_, (Interval, Interval))| ComparedRow {
            group,
            energy_score_difference: Finite(energy.mean),
            energy_score_difference_interval: ends(energy),
            log_score_difference: Finite(log.mean),
            log_score_difference_interval: ends(log),
        };
        groups.zip(differences).map(row).collect()
    };
    BaselineRow {
        law: name,
        what,
        groups: scores.as_ref().map_or(Vec::new(), with),
        why: scores.as_ref().err().map(Error::to_string),
    }
}
