//! A model that was identified: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use carom_core::text::{count, grouped, line, short};
use carom_forecast::bootstrap;
use carom_forecast::bootstrap::Interval;
use carom_forecast::identify::{Criterion, Estimate, Identified, Identify, Worth};
use carom_forecast::scoring::Odds;
use carom_forecast::shape::Shape;

/// The model and how it was found as JSON, `schema_version` 1. Scores are over `|v-|_M`; a number
/// that is not finite is `null`.
pub fn json(asked: &Identify, found: &Identified) -> Value {
    let parameters: Vec<Value> = found.estimates.iter().map(parameter).collect();
    let ingredients: Vec<Value> = found.ingredients.iter().map(ingredient).collect();
    let [score, error] = found.score;
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "law": asked.law.name(),
        "samples": asked.points,
        "seed": asked.seed,
        "folds": asked.folds,
        "score": name(asked.criterion),
        "events": found.model.events,
        "tosses": found.tosses,
        "held_out_score": score,
        "held_out_error": error,
        "noise": { "fitted": found.model.deviation(), "measured": found.measured_noise },
        "shape_gain": shape(asked, found),
        "held_out": odds(asked, found, Some(&found.held_out.odds)),
        "held_out_learned": odds(asked, found, found.held_out.learned.as_ref()),
        "training_score": found.trained,
        "model": found.model,
        "parameters": parameters,
        "ingredients": ingredients,
        "complete": !found.cut,
        "evaluations": found.evaluations,
        "seconds": found.seconds,
        "warnings": found.warnings(),
    })
}

/// Means over held-out events.
struct Means {
    energy: Interval,
    log: f64,
    inside: [f64; 2],
    spread: f64,
}

impl Means {
    /// Means over some events, by their place in the list.
    fn of(asked: &Identify, found: &Identified, odds: &[Odds], events: &[usize]) -> Means {
        let tosses: Vec<usize> = events.iter().map(|&i| found.held_out.tosses[i]).collect();
        let mean = |of: &dyn Fn(&Odds) -> f64| {
            let values: Vec<f64> = events.iter().map(|&i| of(&odds[i])).collect();
            bootstrap::mean(&values, &tosses, asked.seed)
        };
        Means {
            energy: mean(&|odds| odds.energy),
            log: mean(&|odds| odds.log).mean,
            inside: [0.5, 0.9].map(|share| mean(&|odds| odds.inside(share)).mean),
            spread: mean(&|odds| odds.rms).mean,
        }
    }
}

/// The events with each number of contacts, where there are several numbers; and all events.
fn groups(found: &Identified) -> Vec<(String, Vec<usize>)> {
    let contacts = &found.contacts;
    let with = |&[m, _]: &[usize; 2]| {
        let events = (0..contacts.len()).filter(|&i| contacts[i] == m);
        (m.to_string(), events.collect())
    };
    let numbers = found.model.contacts.iter().filter(|_| found.model.contacts.len() > 1);
    numbers.map(with).chain([("all".to_string(), (0..contacts.len()).collect())]).collect()
}

/// The means over held-out events, and over those with each number of contacts.
fn odds(asked: &Identify, found: &Identified, odds: Option<&Vec<Odds>>) -> Value {
    let Some(odds) = odds else { return Value::Null };
    let mut groups: Vec<Value> = (groups(found).iter())
        .map(|(contacts, events)| {
            let mut keys = means(&Means::of(asked, found, odds, events));
            (keys["contacts"], keys["events"]) = (json!(contacts), json!(events.len()));
            keys
        })
        .collect();
    let all: Vec<usize> = (0..odds.len()).collect();
    let mut value = means(&Means::of(asked, found, odds, &all));
    groups.pop();
    value["groups"] = Value::Array(groups);
    value
}

fn means(of: &Means) -> Value {
    let Means { energy, log, inside: [in_50, in_90], spread } = of;
    json!({
        "energy_score": energy.mean,
        "energy_score_interval": [energy.low, energy.high],
        "log_score": log,
        "in_50": in_50,
        "in_90": in_90,
        "spread": spread,
        "rms": spread,
    })
}

/// What the shape of forecasts gains: as measured, and if the model were true.
fn shapes(asked: &Identify, found: &Identified) -> Option<[Interval; 2]> {
    let shapes: Vec<Shape> = found.held_out.shapes.iter().copied().collect::<Option<_>>()?;
    let mean = |of: fn(&Shape) -> f64| {
        let gains: Vec<f64> = shapes.iter().map(of).collect();
        bootstrap::mean(&gains, &found.held_out.tosses, asked.seed)
    };
    Some([mean(|shape| shape.measured), mean(|shape| shape.expected)])
}

fn shape(asked: &Identify, found: &Identified) -> Value {
    let keys = |of: Interval| json!({ "mean": of.mean, "interval": [of.low, of.high] });
    match shapes(asked, found) {
        Some([measured, expected]) => {
            json!({ "measured": keys(measured), "if_true": keys(expected) })
        }
        None => Value::Null,
    }
}

fn parameter(of: &Estimate) -> Value {
    json!({
        "name": of.key(),
        "value": of.value,
        "interval": of.interval,
        "at_bound": of.bound,
    })
}

fn ingredient(of: &Worth) -> Value {
    json!({
        "name": of.ingredient.name(),
        "single": of.single,
        "kept": of.kept,
        "held_out_score": of.score,
        "gain": of.gain.map(|[gain, _]| gain),
        "gain_error": of.gain.map(|[_, error]| error),
        "why": of.why,
    })
}

fn name(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Energy => "energy",
        Criterion::Log => "log",
    }
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
    let (score, folds) = (name(asked.criterion), asked.folds);
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
    let _ = writeln!(
        text,
        "{:<12}{score:>10.4}{:>10}{error:>10.4}  {:.4} on the events themselves",
        "model", "", found.trained
    );
    let _ = writeln!(
        text,
        "\n{:<12}{:>10}{:>10}{:>20}{:>9}{:>9}{:>9}",
        "held out", "contacts", "energy", "", "in 50", "in 90", "log"
    );
    let held =
        [("model", Some(&found.held_out.odds)), ("learned", found.held_out.learned.as_ref())];
    for (name, odds) in held.into_iter().filter_map(|(name, odds)| Some((name, odds?))) {
        for (contacts, events) in groups(found) {
            let Means { energy: Interval { mean, low, high }, log, inside: [half, most], .. } =
                Means::of(asked, found, odds, &events);
            let interval = format!("[{low:.4}, {high:.4}]");
            let _ = writeln!(
                text,
                "{name:<12}{contacts:>10}{mean:>10.4}{interval:>20}{:>7.0} %{:>7.0} %{log:>9.2}",
                100.0 * half,
                100.0 * most
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
