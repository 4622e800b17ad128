//! The quality of the forecasts, in sentences.

use carom_forecast::groups::OddsGroup;
use carom_forecast::reality::Reality;
use carom_forecast::scoring::Odds;

/// Standard errors beyond which a share differs significantly from its expected value.
const ERRORS: f64 = 2.0;

/// Two sentences about all events: coverage of the 90 % regions; and the baselines with a worse or
/// a better energy score, by the interval of the difference.
pub(super) fn verdict(reality: &Reality) -> Vec<String> {
    [regions(reality), beside(reality)].into_iter().flatten().collect()
}

/// Coverage of the 90 % regions, compared with independent events of a true forecast.
fn regions(reality: &Reality) -> Option<String> {
    let (contacts, tosses) = (&reality.contacts, &reality.tosses);
    let share = OddsGroup::of(contacts, tosses, &reality.odds, reality.seed).last()?.in_90;
    let error = ERRORS * (0.9 * 0.1 / contacts.len() as f64).sqrt();
    let means = match share - 0.9 {
        off if off.is_nan() => return None,
        off if off < -error => "fewer than of a true forecast: it is too narrow, or lies elsewhere",
        off if off > error => "more than of a true forecast: it is too wide",
        _ => "as of a true forecast",
    };
    Some(format!("{:.1} % of the events lie in the 90 % regions, {means}", 100.0 * share))
}

/// The baselines that the set beats, loses to, or ties with.
fn beside(reality: &Reality) -> Option<String> {
    let (contacts, tosses, seed) = (&reality.contacts, &reality.tosses, reality.seed);
    let mut names: [Vec<&str>; 3] = Default::default();
    for baseline in reality.baselines.iter().filter(|baseline| baseline.scores.is_ok()) {
        let score = |odds: &Odds| odds.energy;
        let odds = &baseline.odds;
        let all = OddsGroup::differences(contacts, tosses, &reality.odds, odds, score, seed);
        let less = all.last()?;
        let place = match (less.high < 0.0, less.low > 0.0) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        };
        names[place].push(baseline.name);
    }
    let words = ["better than", "worse than", "not told apart from"];
    let said = words.iter().zip(&names).filter(|(_, names)| !names.is_empty());
    let said: Vec<String> =
        said.map(|(words, names)| format!("{words} {}", names.join(", "))).collect();
    (!said.is_empty()).then(|| format!("energy score: {}", said.join("; ")))
}
