//! Event files: measured impacts.

use carom_core::event::Event;
use carom_core::text::count;
use serde_json::{Value, json};

/// An event file.
pub fn json(events: &[Event]) -> Value {
    let event = |event: &Event| {
        let Event { measured, noise, clean, gap, toss, number, .. } = event;
        let mut value = json!(event.problem.spec());
        value["name"] = json!(format!("impact {number}"));
        let keys = [
            ("measured", json!(measured)),
            ("noise", json!(noise)),
            ("clean", json!(clean)),
            ("gap", json!(gap)),
            ("toss", json!(toss)),
        ];
        keys.into_iter().filter(|(_, of)| !of.is_null()).for_each(|(key, of)| value[key] = of);
        value
    };
    json!({ "events": events.iter().map(event).collect::<Vec<_>>() })
}

/// A summary of an event file in one line.
pub fn text(events: &[Event]) -> String {
    let mut tosses: Vec<f64> = events.iter().filter_map(|event| event.toss).collect();
    tosses.dedup();
    let mut noise: Vec<f64> = events.iter().filter_map(|event| event.noise).collect();
    noise.sort_by(f64::total_cmp);
    let median = noise.get(noise.len() / 2).copied().unwrap_or(0.0);
    let clean = events.iter().filter(|event| event.clean == Some(true)).count();
    let (impacts, tosses) = (count(events.len(), "impact"), count(tosses.len(), "toss"));
    format!(
        "{impacts} of {tosses}, {clean} clean; noise {:.2} % of |v-|, the median",
        100.0 * median
    )
}
