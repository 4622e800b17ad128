//! Predictions against measured impacts, as a picture.

use std::path::Path;

use crate::RunRecord;
use crate::plot::{Axis, Mark, Panel, Picture, Series};
use carom_core::text::{count, kept};
use carom_forecast::groups::{BINS, EventGroup, ranks};
use carom_forecast::reality::Reality;
use carom_forecast::scoring::Odds;

/// Distance of each measured velocity from the nearest sample, against the size of the set, for all
/// events with samples; and the histogram of ranks.
pub fn picture(record: &RunRecord, reality: &Reality) -> Picture {
    let mut numbers = reality.contacts.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let name = Path::new(record.name()).file_name().unwrap_or_default().to_string_lossy();
    let widest = reality.set.iter().fold(0.0, |widest: f64, score| widest.max(score.size.rms));
    let bound = EventGroup::WITHIN[1];
    let within = vec![[0.0, bound], [widest.max(bound), bound]];
    let mut series = vec![Series::in_panel(0, "within 5 % of |v-|", 6, Mark::Line, within)];
    let groups = EventGroup::of(&reality.contacts, &reality.set);
    for (i, (number, group)) in numbers.into_iter().zip(&groups).enumerate() {
        let of_number = reality.contacts.iter().zip(&reality.set).filter(|(m, _)| **m == number);
        let points = of_number.map(|(_, score)| [score.size.rms, score.nearest]);
        let points = points.filter(|[_, y]| y.is_finite()).collect();
        let (contacts, events) = (count(number, "contact"), count(group.events, "event"));
        let (share, rms) = (100.0 * group.shares[1], group.rms);
        let label = format!("{contacts}: {events}, {share:.1} % within 5 %, mean spread {rms:.3}");
        series.push(Series::in_panel(0, &label, i % 6, Mark::Cloud(i), points));
    }
    let axes = [
        "spread (rms radius) of the set, over |v-|",
        "distance from the nearest sample, over |v-|",
    ];
    let axes = axes.map(|name| Axis::new(name, ""));
    let mut panels = vec![Panel::new("Distance against size", axes)];
    let histogram = histogram(&reality.odds);
    if !histogram.is_empty() {
        panels.push(ranks_panel());
        series.extend(histogram);
    }
    let all = record.samples().saturating_mul(reality.set.len() as u64);
    Picture {
        title: format!("{name}: measured impacts, law {}", record.law()),
        panels,
        series,
        note: record.note(&kept(reality.accepted, all)),
    }
}

/// The empty panel of ranks from 0 to 1.
fn ranks_panel() -> Panel {
    let across = Axis::new("share of the forecast with a lower density", "");
    let up = Axis { origin: true, ..Axis::new("events, over those expected", "") };
    Panel::new("Ranks of what was measured (PIT)", [across, up])
}

/// The histogram of ranks of events, if any, and the histogram of a true forecast.
fn histogram(odds: &[Odds]) -> Vec<Series> {
    let counts = ranks(odds);
    let all: usize = counts.iter().sum();
    if all == 0 {
        return Vec::new();
    }
    let mut steps = vec![[0.0, 0.0]];
    for (i, count) in counts.into_iter().enumerate() {
        let height = (count * BINS) as f64 / all as f64;
        steps.extend([i, i + 1].map(|end| [end as f64 / BINS as f64, height]));
    }
    steps.push([1.0, 0.0]);
    let ranked = format!("ranks of {}", count(all, "event"));
    vec![
        Series::in_panel(1, &ranked, 0, Mark::Line, steps),
        Series::in_panel(1, "of a true forecast", 6, Mark::Dashes, vec![[0.0, 1.0], [1.0, 1.0]]),
    ]
}
