//! Predictions against measured impacts, as tables.

use std::fmt::Write;

use super::verdict::verdict;
use crate::RunRecord;
use crate::warnings::biased;
use carom_core::outcome::Score;
use carom_core::outcome::score::PAIRED;
use carom_core::text::{count, grouped, line, percent};
use carom_forecast::groups::{EventGroup, OddsGroup};
use carom_forecast::reality::{Event, Reality};
use carom_forecast::scoring::Odds;

/// The scores as a table.
pub fn text(record: &RunRecord, events: &[Event], reality: &Reality) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let samples = record.samples();
    line(&mut text, "set", &format!("{} samples each", grouped(samples)));
    let all = samples.saturating_mul(events.len() as u64);
    let ended = percent(reality.terminated, all);
    let sound = percent(reality.accepted, reality.terminated);
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
    for (i, sentence) in verdict(reality).iter().enumerate() {
        line(&mut text, if i == 0 { "in short" } else { "" }, sentence);
    }
    let distances =
        "|a - b|_M / |v-|_M, of what was measured: from the nearest point, hull: from their";
    line(&mut text, "distances", distances);
    let hull = "convex hull; size of the sets: spread, rms about the mean, and diameter, means over events";
    line(&mut text, "", hull);
    if samples > PAIRED as u64 {
        let paired = grouped(PAIRED as u64);
        let what = format!("diameter and scores take pairs of the first {paired} samples");
        line(&mut text, "", &what);
    }
    text.push_str(
        "\n                contacts  events   median      p90   in 2 %   in 5 %  in 10 %  hull 5 %   \
         spread  diameter\n",
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
    odds_table(&mut text, record, reality);
    ranks_table(&mut text, record, reality);
    text.push('\n');
    for baseline in &reality.baselines {
        let _ = writeln!(text, "{:<16}{}", baseline.name, baseline.what);
    }
    let _ = writeln!(text, "\n{}", record.signature());
    text
}

fn odds_table(text: &mut String, record: &RunRecord, reality: &Reality) {
    text.push_str(
        "\n                contacts   energy  95 % interval    set less  95 % interval             \
         log variogram  in 50 %  in 90 %   spread\n",
    );
    odds_block(text, reality, record.law(), &reality.odds, false);
    for baseline in reality.baselines.iter().filter(|baseline| baseline.scores.is_ok()) {
        odds_block(text, reality, baseline.name, &baseline.odds, true);
    }
}

fn ranks_table(text: &mut String, record: &RunRecord, reality: &Reality) {
    let _ = writeln!(
        text,
        "\n{:<16}{:>8}  events by rank (PIT), in tenths: even if the forecast is true",
        "", "contacts"
    );
    let groups = OddsGroup::of(&reality.contacts, &reality.tosses, &reality.odds, reality.seed);
    for (i, group) in groups.iter().enumerate() {
        let name = if i == 0 { record.law() } else { "" };
        let _ = write!(text, "{name:<16}{:>8}", group.contacts);
        text.extend(group.ranks.map(|events| format!("{events:>7}")));
        text.push('\n');
    }
}

/// The groups of one prediction; `beside`: with the energy score of the set minus its own.
fn odds_block(text: &mut String, reality: &Reality, name: &str, odds: &[Odds], beside: bool) {
    let (contacts, tosses, seed) = (&reality.contacts, &reality.tosses, reality.seed);
    let groups = OddsGroup::of(contacts, tosses, odds, seed);
    let less = OddsGroup::differences(contacts, tosses, &reality.odds, odds, |x| x.energy, seed);
    for (i, (group, less)) in groups.iter().zip(less).enumerate() {
        let name = if i == 0 { name } else { "" };
        let OddsGroup { contacts, energy, log, variogram, rms, .. } = group;
        let interval = format!("[{:.4}, {:.4}]", energy.low, energy.high);
        let (less, between) = match beside {
            true => (format!("{:.4}", less.mean), format!("[{:.4}, {:.4}]", less.low, less.high)),
            false => (String::new(), String::new()),
        };
        let share = |share: f64| match share.is_nan() {
            true => "-".to_string(),
            false => format!("{:.1} %", 100.0 * share),
        };
        let log = if log.mean.is_finite() { format!("{:.2}", log.mean) } else { "-".to_string() };
        let [half, most] = [group.in_50, group.in_90].map(share);
        let (energy, variogram) = (energy.mean, variogram.mean);
        let _ = writeln!(
            text,
            "{name:<16}{contacts:>8}{energy:>9.4}  {interval:<16}{less:>9}  {between:<18}{log:>11}{variogram:>10.4}\
             {half:>9}{most:>9}{rms:>9.4}"
        );
    }
}

fn block(text: &mut String, name: &str, reality: &Reality, scores: &[Score]) {
    for (i, group) in EventGroup::of(&reality.contacts, scores).iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        let share = |share: f64| format!("{:.1} %", 100.0 * share);
        let ([within_2, within_5, within_10], hull) =
            (group.shares.map(share), share(group.hull_share));
        let EventGroup { contacts, events, median, p90, rms, diameter, .. } = group;
        let _ = writeln!(
            text,
            "{name:<16}{contacts:>8}{events:>8}{median:>9.4}{p90:>9.4}{within_2:>9}{within_5:>9}{within_10:>9}\
             {hull:>10}{rms:>9.4}{diameter:>10.4}"
        );
    }
}
