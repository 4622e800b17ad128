//! Predictions against measured impacts: as JSON for scripts, as text for people, as a picture.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::RunRecord;
use super::plot::{Axis, Mark, Panel, Picture, Series};
use super::text::{count, grouped, kept, line, percent};
use super::warnings::biased;
use crate::outcome::Score;
use crate::outcome::score::PAIRED;
use crate::study::reality::{Event, EventGroup, Reality};

/// The scores as JSON, `schema_version` 1. Distances and sizes over `|v-|_M`; a number that is not
/// finite is `null`.
///
/// `groups` is the sampled set's; `baselines` have groups of their own, or a reason `why` they have
/// none; `impacts` are the set's scores event by event.
pub fn json(record: &RunRecord, events: &[Event], reality: &Reality) -> Value {
    let groups = |scores: &[Score]| -> Value {
        EventGroup::of(&reality.contacts, scores).iter().map(group).collect::<Vec<_>>().into()
    };
    let baselines: Vec<Value> = (reality.baselines.iter())
        .map(|baseline| {
            let mut value = json!({ "law": baseline.name, "what": baseline.what });
            match &baseline.scores {
                Ok(scores) => value["groups"] = groups(scores),
                Err(error) => {
                    value["groups"] = Value::Array(Vec::new());
                    value["why"] = error.to_string().into();
                }
            }
            value
        })
        .collect();
    let impacts: Vec<Value> = (events.iter().zip(&reality.set))
        .map(|(event, score)| {
            json!({
                "event": event.number,
                "name": event.problem.name(),
                "contacts": event.problem.contact_count(),
                "samples": score.points,
                "distance": score.nearest,
                "hull_distance": score.hull,
                "rms": score.size.rms,
                "diameter": score.size.diameter,
                "energy_score": score.energy,
                "noise": event.noise,
            })
        })
        .collect();
    record.with(json!({
        "terminated": reality.terminated,
        "accepted": reality.accepted,
        "seconds": reality.seconds,
        "groups": groups(&reality.set),
        "baselines": baselines,
        "impacts": impacts,
    }))
}

fn group(group: &EventGroup) -> Value {
    let [within_2, within_5, within_10] = group.shares;
    json!({
        "contacts": group.contacts,
        "events": group.events,
        "median": group.median,
        "p90": group.p90,
        "share_2": within_2,
        "share_5": within_5,
        "share_10": within_10,
        "hull_share_5": group.hull_share,
        "rms": group.rms,
        "diameter": group.diameter,
        "energy_score": group.energy,
    })
}

/// The scores as a table.
pub fn text(record: &RunRecord, events: &[Event], reality: &Reality) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let samples = record.samples();
    line(&mut text, "set", &format!("{} samples each", grouped(samples)));
    let all = samples.saturating_mul(events.len() as u64);
    let (ended, sound) =
        (percent(reality.terminated, all), percent(reality.accepted, reality.terminated));
    line(&mut text, "terminated", &format!("{ended}; accepted {sound} of them"));
    if let Some(biased) = biased(reality.terminated, all) {
        line(&mut text, "biased", &biased);
    }
    let mut noise: Vec<f64> = events.iter().filter_map(|event| event.noise).collect();
    if !noise.is_empty() {
        noise.sort_unstable_by(f64::total_cmp);
        let (middle, of) = (noise[noise.len() / 2], count(noise.len(), "event"));
        line(&mut text, "noise", &format!("{:.2} % of |v-|, the median of {of}", 100.0 * middle));
    }
    line(
        &mut text,
        "distances",
        "|a - b|_M / |v-|_M, of what was measured: from the nearest point, hull: from their",
    );
    line(
        &mut text,
        "",
        "convex hull; size of the sets: rms about the mean, and diameter, means over events",
    );
    if samples > PAIRED as u64 {
        let paired = grouped(PAIRED as u64);
        line(
            &mut text,
            "",
            &format!("diameter and energy score take pairs of the first {paired} samples"),
        );
    }
    let _ = writeln!(
        text,
        "\n{:<16}{:>8}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}{:>10}{:>9}",
        "",
        "contacts",
        "events",
        "median",
        "p90",
        "in 2 %",
        "in 5 %",
        "in 10 %",
        "hull 5 %",
        "rms",
        "diameter",
        "energy"
    );
    block(&mut text, record.law(), reality, &reality.set);
    for baseline in &reality.baselines {
        match &baseline.scores {
            Ok(scores) => block(&mut text, baseline.name, reality, scores),
            Err(error) => {
                let _ = writeln!(text, "{:<16}not available: {error}", baseline.name);
            }
        }
    }
    text.push('\n');
    for baseline in &reality.baselines {
        let _ = writeln!(text, "{:<16}{}", baseline.name, baseline.what);
    }
    let _ = writeln!(text, "\n{}", record.signature());
    text
}

/// The groups of one prediction.
fn block(text: &mut String, name: &str, reality: &Reality, scores: &[Score]) {
    for (i, group) in EventGroup::of(&reality.contacts, scores).iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        let share = |share: f64| format!("{:.1} %", 100.0 * share);
        let [within_2, within_5, within_10] = group.shares.map(share);
        let _ = writeln!(
            text,
            "{name:<16}{:>8}{:>8}{:>9.4}{:>9.4}{within_2:>9}{within_5:>9}{within_10:>9}{:>10}{:>9.4}{:>10.4}{:>9.4}",
            group.contacts,
            group.events,
            group.median,
            group.p90,
            share(group.hull_share),
            group.rms,
            group.diameter,
            group.energy
        );
    }
}

/// Distance of what was measured from the nearest sample, against the size of the set: a point for
/// every event that has samples.
pub fn picture(record: &RunRecord, reality: &Reality) -> Picture {
    let mut numbers = reality.contacts.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let name = Path::new(record.name()).file_name().unwrap_or_default().to_string_lossy();
    let widest = reality.set.iter().fold(0.0, |widest: f64, score| widest.max(score.size.rms));
    let bound = EventGroup::WITHIN[1];
    let mut series = vec![Series {
        label: "within 5 % of |v-|".to_string(),
        colour: 6,
        mark: Mark::Line,
        points: vec![vec![[0.0, bound], [widest.max(bound), bound]]],
    }];
    let groups = EventGroup::of(&reality.contacts, &reality.set);
    for (i, (number, group)) in numbers.into_iter().zip(&groups).enumerate() {
        let of_number = reality.contacts.iter().zip(&reality.set).filter(|(m, _)| **m == number);
        let points = of_number
            .map(|(_, score)| [score.size.rms, score.nearest])
            .filter(|[_, y]| y.is_finite());
        let (contacts, events) = (count(number, "contact"), count(group.events, "event"));
        let (share, rms) = (100.0 * group.shares[1], group.rms);
        series.push(Series {
            label: format!(
                "{contacts}: {events}, {share:.1} % within 5 %, mean rms radius {rms:.3}"
            ),
            colour: i % 6,
            mark: Mark::Cloud(i),
            points: vec![points.collect()],
        });
    }
    Picture {
        title: format!("{name}: measured impacts, law {}", record.law()),
        panels: vec![Panel::new(
            "Distance against size",
            ["rms radius of the set, over |v-|", "distance from the nearest sample, over |v-|"]
                .map(|name| Axis::new(name, "")),
        )],
        series,
        note: record.note(&kept(
            reality.accepted,
            record.samples().saturating_mul(reality.set.len() as u64),
        )),
    }
}
