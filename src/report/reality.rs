//! Predictions against measured impacts: as JSON for scripts, as text for people, as a picture.

mod picture;
mod text;
mod verdict;

pub use picture::picture;
pub use text::text;

use serde_json::{Map, Value, json};

use super::RunRecord;
use carom_core::outcome::Score;
use carom_forecast::bootstrap::Interval;
use carom_forecast::groups::{EventGroup, OddsGroup};
use carom_forecast::reality::{Event, Reality};
use carom_forecast::scoring::Odds;

/// The scores as JSON, `schema_version` 1. Distances and sizes over `|v-|_M`; a number that is not
/// finite is `null`.
///
/// `groups` is the sampled set's; `baselines` have groups of their own, or a reason `why` they have
/// none; their differences are scores of the set less scores of the baseline. `impacts` are the
/// set's scores event by event.
pub fn json(record: &RunRecord, events: &[Event], reality: &Reality) -> Value {
    let baselines: Vec<Value> = (reality.baselines.iter())
        .map(|baseline| {
            let mut value = json!({ "law": baseline.name, "what": baseline.what });
            match &baseline.scores {
                Ok(scores) => {
                    value["groups"] = groups(reality, scores, &baseline.odds);
                    compared(&mut value["groups"], reality, &baseline.odds);
                }
                Err(error) => {
                    value["groups"] = Value::Array(Vec::new());
                    value["why"] = error.to_string().into();
                }
            }
            value
        })
        .collect();
    let impacts: Vec<Value> = (events.iter().zip(reality.set.iter().zip(&reality.odds)))
        .map(|(event, (score, odds))| {
            json!({
                "event": event.number,
                "name": event.problem.name(),
                "contacts": event.problem.contact_count(),
                "samples": score.points,
                "distance": score.nearest,
                "hull_distance": score.hull,
                "spread": score.size.rms,
                "rms": score.size.rms,
                "diameter": score.size.diameter,
                "energy_score": odds.energy,
                "variogram_score": odds.variogram,
                "log_score": odds.log,
                "rank": odds.rank,
                "noise": event.noise,
            })
        })
        .collect();
    record.with(json!({
        "terminated": reality.terminated,
        "accepted": reality.accepted,
        "seconds": reality.seconds,
        "groups": groups(reality, &reality.set, &reality.odds),
        "baselines": baselines,
        "impacts": impacts,
    }))
}

/// The groups of one prediction.
fn groups(reality: &Reality, scores: &[Score], odds: &[Odds]) -> Value {
    let distances = EventGroup::of(&reality.contacts, scores);
    let odds = OddsGroup::of(&reality.contacts, &reality.tosses, odds, reality.seed);
    distances.iter().zip(&odds).map(|(distances, odds)| group(distances, odds)).collect()
}

fn group(group: &EventGroup, odds: &OddsGroup) -> Value {
    let [within_2, within_5, within_10] = group.shares;
    let mut value = json!({
        "contacts": group.contacts,
        "events": group.events,
        "median": group.median,
        "p90": group.p90,
        "share_2": within_2,
        "share_5": within_5,
        "share_10": within_10,
        "hull_share_5": group.hull_share,
        "spread": group.rms,
        "rms": group.rms,
        "diameter": group.diameter,
    });
    if let Value::Object(keys) = &mut value {
        add(keys, "energy_score", odds.energy);
        add(keys, "variogram_score", odds.variogram);
        add(keys, "log_score", odds.log);
        keys.insert("in_50".to_string(), odds.in_50.into());
        keys.insert("in_90".to_string(), odds.in_90.into());
        keys.insert("spread_with_noise".to_string(), odds.rms.into());
        keys.insert("rms_with_noise".to_string(), odds.rms.into());
        keys.insert("ranks".to_string(), json!(odds.ranks));
    }
    value
}

/// A mean, and its interval under the key with `_interval`.
fn add(keys: &mut Map<String, Value>, key: &str, value: Interval) {
    keys.insert(key.to_string(), value.mean.into());
    keys.insert(format!("{key}_interval"), json!([value.low, value.high]));
}

/// Adds the differences from the scores of the set to the groups of a baseline.
fn compared(groups: &mut Value, reality: &Reality, odds: &[Odds]) {
    type ScoreOf = fn(&Odds) -> f64;
    let scores: [(&str, ScoreOf); 2] = [
        ("energy_score_difference", |odds| odds.energy),
        ("log_score_difference", |odds| odds.log),
    ];
    for (key, score) in scores {
        let (contacts, tosses) = (&reality.contacts, &reality.tosses);
        let all =
            OddsGroup::differences(contacts, tosses, &reality.odds, odds, score, reality.seed);
        let groups = groups.as_array_mut().into_iter().flatten();
        for (keys, difference) in groups.filter_map(Value::as_object_mut).zip(all) {
            add(keys, key, difference);
        }
    }
}
