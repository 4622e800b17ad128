//! A model that was identified: as JSON for scripts, as text for people.

use std::fmt::Write;

use super::Version;
use super::schema::Finite;
use carom_core::text::{count, grouped, line, short};
use carom_forecast::bootstrap::{self, Interval};
use carom_forecast::identify::{Criterion, Estimate, Identified, Identify, Model, Worth};
use carom_forecast::scoring::Odds;
use carom_forecast::shape::Shape;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The model and how it was found, as `carom identify --json` prints it. Scores are over `|v-|_M`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom identify --json` prints")]
pub struct IdentifyReport<'a> {
    #[serde(flatten)]
    version: Version,
    law: &'static str,
    /// Samples of each forecast.
    #[schemars(range(min = 1))]
    samples: usize,
    seed: u64,
    #[schemars(range(min = 2))]
    folds: usize,
    /// The score that was made small.
    score: Criterion,
    #[schemars(range(min = 1))]
    events: usize,
    #[schemars(range(min = 2))]
    tosses: usize,
    /// Mean score of the events when they are held out.
    held_out_score: Finite,
    /// The standard error over tosses.
    held_out_error: Finite,
    noise: Noise,
    /// Energy score of a normal distribution with the mean and covariance of the forecast, less
    /// that of the forecast, when events are held out; null where it is not known.
    shape_gain: Option<ShapeGain>,
    /// Means over events, each forecast by a model that has not seen its toss.
    held_out: Grouped,
    /// Means of a learned residual in the same way; null without one.
    held_out_learned: Option<Grouped>,
    /// Mean score of the model on the events from which it comes.
    training_score: Finite,
    /// The keys of the model file.
    model: &'a Model,
    parameters: Vec<ParameterRow>,
    ingredients: Vec<IngredientRow>,
    /// Whether all searches ended before the time was over.
    complete: bool,
    evaluations: u64,
    /// s
    seconds: f64,
    warnings: Vec<String>,
}

/// Standard deviation of the velocity after the impact along each coordinate of the kinetic metric,
/// over |v-|_M.
#[derive(Serialize, JsonSchema)]
struct Noise {
    /// The deviation of the model, tails included.
    fitted: Finite,
    /// Root mean square of the events' noise; null where no event has one.
    measured: Option<f64>,
}

/// What the shape of forecasts gains.
#[derive(Serialize, JsonSchema)]
struct ShapeGain {
    measured: Gain,
    /// The gain with outcomes of the forecasts in the place of what was measured.
    if_true: Gain,
}

#[derive(Serialize, JsonSchema)]
struct Gain {
    mean: Finite,
    /// 95 %, over tosses.
    interval: [Finite; 2],
}

impl Gain {
    fn of(Interval { mean, low, high }: Interval) -> Self {
        Gain { mean: Finite(mean), interval: [low, high].map(Finite) }
    }
}

#[derive(Serialize, JsonSchema)]
struct Grouped {
    #[serde(flatten)]
    all: MeansRow,
    /// Means over the events with each number of contacts, where there are several numbers.
    groups: Vec<GroupRow>,
}

#[derive(Serialize, JsonSchema)]
struct GroupRow {
    #[serde(flatten)]
    means: MeansRow,
    contacts: String,
    #[schemars(range(min = 1))]
    events: usize,
}

#[derive(Serialize, JsonSchema)]
struct MeansRow {
    energy_score: Finite,
    /// 95 %, over tosses.
    energy_score_interval: [Finite; 2],
    log_score: Finite,
    /// Share of events inside the region of highest density that holds 50 %.
    in_50: Finite,
    /// Share of events inside the region of highest density that holds 90 %.
    in_90: Finite,
    /// Mean root mean square radius of the forecasts about their means, noise included; it is no
    /// error.
    spread: Finite,
    /// The spread, as older versions call it.
    rms: Finite,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Parameter")]
struct ParameterRow {
    /// With `single ` before it: a number of problems with one contact.
    name: String,
    value: Finite,
    /// Confidence .95, by a bootstrap over tosses; of gap, late, block and coverage from the fits
    /// without one fold each.
    interval: [Finite; 2],
    at_bound: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Ingredient")]
struct IngredientRow {
    name: &'static str,
    /// Whether it is about the numbers of problems with one contact.
    single: bool,
    kept: bool,
    /// null where it was not tried.
    held_out_score: Option<f64>,
    /// By how much the held-out score is smaller than without it.
    gain: Option<f64>,
    /// Standard error of the gain over tosses.
    gain_error: Option<f64>,
    /// Why it was not tried.
    why: Option<&'static str>,
}

impl<'a> IdentifyReport<'a> {
    /// The report of an identified model.
    pub fn new(asked: &Identify, found: &'a Identified) -> Self {
        let [held_out_score, held_out_error] = found.score.map(Finite);
        let gain = |gains: [Interval; 2]| {
            let [measured, if_true] = gains.map(Gain::of);
            ShapeGain { measured, if_true }
        };
        let learned = found.held_out.learned.as_ref();
        let Identified { model, tosses, evaluations, seconds, .. } = found;
        let Identify { points: samples, seed, folds, criterion: score, .. } = *asked;
        let (fitted, measured) = (Finite(model.deviation()), found.measured_noise);
        IdentifyReport {
            version: Version::default(),
            law: asked.law.name(),
            samples,
            seed,
            folds,
            score,
            events: model.events,
            tosses: *tosses,
            held_out_score,
            held_out_error,
            noise: Noise { fitted, measured },
            shape_gain: shapes(asked, found).map(gain),
            held_out: by_contacts(asked, found, &found.held_out.odds),
            held_out_learned: learned.map(|odds| by_contacts(asked, found, odds)),
            training_score: Finite(found.trained),
            model,
            parameters: found.estimates.iter().map(parameter).collect(),
            ingredients: found.ingredients.iter().map(ingredient).collect(),
            complete: !found.cut,
            evaluations: *evaluations,
            seconds: *seconds,
            warnings: found.warnings(),
        }
    }
}

impl MeansRow {
    /// Means over the events with these indices.
    fn of(asked: &Identify, found: &Identified, odds: &[Odds], events: &[usize]) -> Self {
        let tosses: Vec<usize> = events.iter().map(|&i| found.held_out.tosses[i]).collect();
        let mean = |of: &dyn Fn(&Odds) -> f64| {
            let values: Vec<f64> = events.iter().map(|&i| of(&odds[i])).collect();
            bootstrap::mean(&values, &tosses, asked.seed)
        };
        let energy = mean(&|odds| odds.energy);
        let [in_50, in_90] = [0.5, 0.9].map(|share| Finite(mean(&|odds| odds.inside(share)).mean));
        let spread = Finite(mean(&|odds| odds.rms).mean);
        MeansRow {
            energy_score: Finite(energy.mean),
            energy_score_interval: [energy.low, energy.high].map(Finite),
            log_score: Finite(mean(&|odds| odds.log).mean),
            in_50,
            in_90,
            spread,
            rms: spread,
        }
    }
}

/// The events by number of contacts, if there are several numbers; and all events.
fn groups(found: &Identified) -> Vec<(String, Vec<usize>)> {
    let contacts = &found.contacts;
    let with = |&[m, _]: &[usize; 2]| {
        let events = (0..contacts.len()).filter(|&i| contacts[i] == m);
        (m.to_string(), events.collect())
    };
    let numbers = found.model.contacts.iter().filter(|_| found.model.contacts.len() > 1);
    numbers.map(with).chain([("all".to_string(), (0..contacts.len()).collect())]).collect()
}

fn by_contacts(asked: &Identify, found: &Identified, odds: &[Odds]) -> Grouped {
    let means = |events: &[usize]| MeansRow::of(asked, found, odds, events);
    let mut groups = groups(found);
    groups.pop();
    let group = |(contacts, events): (String, Vec<usize>)| GroupRow {
        means: means(&events),
        contacts,
        events: events.len(),
    };
    Grouped {
        all: means(&(0..odds.len()).collect::<Vec<_>>()),
        groups: groups.into_iter().map(group).collect(),
    }
}

/// Gain in energy score from the shape of forecasts: as measured, and expected if the model is
/// true.
fn shapes(asked: &Identify, found: &Identified) -> Option<[Interval; 2]> {
    let shapes: Vec<Shape> = found.held_out.shapes.iter().copied().collect::<Option<_>>()?;
    let mean = |of: fn(&Shape) -> f64| {
        let gains: Vec<f64> = shapes.iter().map(of).collect();
        bootstrap::mean(&gains, &found.held_out.tosses, asked.seed)
    };
    Some([mean(|shape| shape.measured), mean(|shape| shape.expected)])
}

fn parameter(of: &Estimate) -> ParameterRow {
    let (value, interval) = (Finite(of.value), of.interval.map(Finite));
    ParameterRow { name: of.key(), value, interval, at_bound: of.bound }
}

fn ingredient(of: &Worth) -> IngredientRow {
    let Worth { single, kept, score: held_out_score, why, .. } = *of;
    let (gain, gain_error) = of.gain.map(|[gain, error]| (gain, error)).unzip();
    let name = of.ingredient.name();
    IngredientRow { name, single, kept, held_out_score, gain, gain_error, why }
}

/// The report as text.
pub fn text(asked: &Identify, found: &Identified) -> String {
    let mut text = String::new();
    let model = &found.model;
    let (events, tosses) = (count(model.events, "event"), count(found.tosses, "toss"));
    line(&mut text, "events", &format!("{events} of {}, {tosses}", model.source));
    let with = |[contacts, events]: &[usize; 2]| {
        format!("{} with {}", grouped(*events as u64), count(*contacts, "contact"))
    };
    let contacts: Vec<String> = model.contacts.iter().map(with).collect();
    line(&mut text, "contacts", &contacts.join(", "));
    let (law, samples) = (asked.law.name(), count(asked.points, "sample"));
    line(&mut text, "forecasts", &format!("law {law}, {samples} each, seed {}", asked.seed));
    let (score, folds) = (json!(asked.criterion), asked.folds);
    let score = score.as_str().unwrap_or_default();
    line(&mut text, "score", &format!("{score}, over |v-|_M; {folds} folds by toss"));
    let _ = writeln!(text, "\n{:<12}{:>10}{:>10}{:>10}", "with", "held out", "gain", "+-");
    for (i, worth) in found.ingredients.iter().enumerate() {
        if worth.single && !found.ingredients[i - 1].single {
            let _ = writeln!(text, "\nwith one contact, whose numbers are its own");
        }
        let name = worth.ingredient.name();
        let _ = match (worth.score, worth.gain, worth.why) {
            (Some(score), Some([gain, error]), _) => {
                let kept = if worth.kept { "  kept" } else { "" };
                writeln!(text, "{name:<12}{score:>10.4}{gain:>10.4}{error:>10.4}{kept}")
            }
            (Some(score), None, _) => writeln!(text, "{name:<12}{score:>10.4}{:>26}", "kept"),
            _ => writeln!(text, "{name:<12}{:>10}  {}", "-", worth.why.unwrap_or_default()),
        };
    }
    let [score, error] = found.score;
    let trained = found.trained;
    let _ = writeln!(
        text,
        "{:<12}{score:>10.4}          {error:>10.4}  {trained:.4} on the events themselves",
        "model"
    );
    let head = "held out      contacts    energy                        in 50    in 90      log";
    let _ = writeln!(text, "\n{head}");
    let held =
        [("model", Some(&found.held_out.odds)), ("learned", found.held_out.learned.as_ref())];
    for (name, odds) in held.into_iter().filter_map(|(name, odds)| Some((name, odds?))) {
        for (contacts, events) in groups(found) {
            let row = MeansRow::of(asked, found, odds, &events);
            let [low, high] = row.energy_score_interval.map(|end| end.0);
            let (mean, interval) = (row.energy_score.0, format!("[{low:.4}, {high:.4}]"));
            let ([half, most], log) =
                ([row.in_50, row.in_90].map(|share| 100.0 * share.0), row.log_score.0);
            let _ = writeln!(
                text,
                "{name:<12}{contacts:>10}{mean:>10.4}{interval:>20}{half:>7.0} %{most:>7.0} %{log:>9.2}"
            );
        }
    }
    if let Some(gains) = shapes(asked, found) {
        let gain = |of: Interval| format!("{:.4} [{:.4}, {:.4}]", of.mean, of.low, of.high);
        let [measured, expected] = gains.map(gain);
        let _ = writeln!(
            text,
            "\nthe shape of the set gains {measured} beyond its mean and covariance,\n\
             and would gain {expected} if the model were true"
        );
    }
    let _ = writeln!(text, "\n{:<28}{:>10}  interval of confidence .95", "", "value");
    for of in &found.estimates {
        let [low, high] = of.interval.map(short);
        let bound = if of.bound { ", at a bound of the search" } else { "" };
        let _ = writeln!(text, "{:<28}{:>10}  {low} to {high}{bound}", of.key(), short(of.value));
    }
    if let Some(measured) = found.measured_noise {
        let _ = writeln!(text, "{:<28}{:>10}", "noise, measured", short(measured));
    }
    if let Some(freedom) = model.freedom {
        let _ = writeln!(text, "{:<28}{freedom:>10}", "degrees of freedom");
    }
    let [evaluations, seconds] = [found.evaluations as f64, found.seconds];
    let _ = writeln!(text, "\n{evaluations} evaluations in {seconds:.1} s");
    text
}
