//! Predictions against measured impacts: scores against naive loops.

use super::*;
use crate::support::events::{distance, samples, some_events, wedge};
use carom::study::reality::{Event, EventGroup, OddsGroup};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn events(text: &str) -> Vec<Event> {
    Document::new("events.json", text.to_string(), Format::Json).unwrap().events().unwrap()
}

fn scored(events: &[Event], plan: &Plan) -> Result<carom_forecast::Reality, Error> {
    carom_forecast::reality(&cpu(), events, plan, || ())
}

#[test]
fn scores_are_those_of_naive_loops() {
    let plan = Plan { samples: 200, seed: 5, ..Plan::default() };
    let text = file(&some_events(&plan));
    let events = events(&text);
    let reality = scored(&events, &plan).unwrap();
    assert_eq!(reality.contacts, [2, 1, 2]);
    assert_eq!((reality.terminated, reality.accepted), (600, 600));
    for (event, score) in events.iter().zip(&reality.set) {
        let (problem, y) = (&event.problem, &event.measured);
        let drawn = samples(problem, &plan);
        let count = drawn.len() as f64;
        let (mut nearest, mut away, mut pairs, mut squares, mut diameter) =
            (f64::INFINITY, 0.0, 0.0, 0.0, 0.0_f64);
        for a in &drawn {
            nearest = nearest.min(distance(problem, a, y));
            away += distance(problem, a, y) / count;
            for b in &drawn {
                let apart = distance(problem, a, b);
                pairs += apart / count / count;
                squares += apart * apart / count / count;
                diameter = diameter.max(apart);
            }
        }
        for (found, expected) in [
            (score.nearest, nearest),
            (score.energy, away - 0.5 * pairs),
            (score.size.rms, (0.5 * squares).sqrt()),
            (score.size.diameter, diameter),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!(score.hull <= score.nearest + 1e-9);
    }
    // At a sample, between two.
    assert!(reality.set[0].nearest < 1e-12 && reality.set[0].hull < 1e-11);
    assert!(reality.set[2].nearest > 1e-3 && reality.set[2].hull < 1e-9);
    // A single contact has one outcome: set, laws and ball are as far.
    let single = reality.set[1];
    assert!(single.nearest > 0.3 && single.size.diameter < 1e-6);
    for baseline in &reality.baselines[..3] {
        let score = baseline.scores.as_ref().unwrap()[1];
        assert!((score.nearest - single.nearest).abs() < 1e-6, "{}", baseline.name);
    }
}

#[test]
fn baselines_are_the_nearest_outcomes_and_a_ball_of_the_same_size() {
    let plan = Plan { samples: 300, seed: 5, ..Plan::default() };
    let events = events(&file(&some_events(&plan)));
    let reality = scored(&events, &plan).unwrap();
    let names: Vec<_> = reality.baselines.iter().map(|baseline| baseline.name).collect();
    let fitted = ["normal", "simultaneous", "regression"];
    assert_eq!(names, [&["anitescu-potra", "sequential", "ball"][..], &fitted].concat());
    let scores: Vec<_> =
        reality.baselines.iter().map(|baseline| baseline.scores.as_ref().unwrap()).collect();
    for (k, event) in events.iter().enumerate() {
        let problem = &event.problem;
        let nearest = |velocities: &mut dyn Iterator<Item = Vec<f64>>| {
            velocities.map(|v| distance(problem, &v, &event.measured)).fold(f64::INFINITY, f64::min)
        };
        let simultaneous = AnitescuPotra::default().resolve(problem).unwrap().outcomes;
        let expected = nearest(&mut simultaneous.into_iter().map(|outcome| outcome.velocity));
        assert!((scores[0][k].nearest - expected).abs() < 1e-9);
        // Two contacts have two orders, one for each start.
        let alternating = Sequential::default().resolve(problem).unwrap().outcomes;
        assert_eq!(scores[1][k].points, alternating.len());
        let expected = nearest(&mut alternating.into_iter().map(|outcome| outcome.velocity));
        assert!((scores[1][k].nearest - expected).abs() < 1e-9);
        let (set, ball) = (reality.set[k].size, scores[2][k].size);
        assert!((set.rms - ball.rms).abs() < 1e-12 && scores[2][k].points == 300);
        assert!(ball.diameter > 2.0 * ball.rms || set.rms < 1e-9);
    }
}

#[test]
fn groups_count_their_events() {
    let plan = Plan { samples: 50, seed: 5, ..Plan::default() };
    let events = events(&file(&some_events(&plan)));
    let reality = scored(&events, &plan).unwrap();
    let groups = EventGroup::of(&reality.contacts, &reality.set);
    let names: Vec<_> =
        groups.iter().map(|group| (group.contacts.as_str(), group.events)).collect();
    assert_eq!(names, [("1", 1), ("2", 2), ("multi", 2), ("all", 3)]);
    let nearest: Vec<f64> = reality.set.iter().map(|score| score.nearest).collect();
    assert!((groups[1].median - 0.5 * (nearest[0] + nearest[2])).abs() < 1e-15);
    assert_eq!(groups[0].median, nearest[1]);
    assert_eq!(groups[0].p90, nearest[1]);
    assert_eq!(groups[0].shares, [0.0; 3]);
    assert_eq!(groups[0].hull_share, 0.0);
    for (k, bound) in EventGroup::WITHIN.into_iter().enumerate() {
        let within = nearest.iter().filter(|x| **x <= bound).count() as f64 / 3.0;
        assert_eq!(groups[3].shares[k], within);
    }
    assert!(groups[3].shares[2] > 0.3 && groups[3].hull_share > 0.6);
    assert!((3.0 * groups[3].rms - 2.0 * groups[1].rms - groups[0].rms).abs() < 1e-15);
}

/// Samples that are equally likely, with the measured noise as their errors.
#[test]
fn odds_are_those_of_the_samples_with_measured_noise() {
    let plan = Plan { samples: 200, seed: 5, ..Plan::default() };
    let events = events(&file(&some_events(&plan)));
    let reality = scored(&events, &plan).unwrap();
    let (event, odds) = (&events[0], reality.odds[0]);
    let sigma = 0.01 / 3_f64.sqrt();
    assert_eq!(event.deviation(), sigma);
    let density = |sample: &Vec<f64>| {
        let apart = distance(&event.problem, sample, &event.measured) / sigma;
        (-0.5 * apart * apart).exp() / (sigma * std::f64::consts::TAU.sqrt()).powi(3) / 200.0
    };
    let expected = samples(&event.problem, &plan).iter().map(density).sum::<f64>().ln();
    assert!((odds.log - expected).abs() < 1e-9, "{} {expected}", odds.log);
    assert!((odds.energy - reality.set[0].energy).abs() < 0.01 && odds.rank > 0.0);
    // Without measured noise: no density; the energy score lacks pairs of a point with itself.
    let (score, odds) = (reality.set[2], reality.odds[2]);
    assert!(odds.log == f64::NEG_INFINITY && odds.rank.is_nan());
    let pairs = 0.5 * score.size.spread / 199.0;
    assert!((odds.energy - (score.energy - pairs)).abs() < 1e-9);
    for baseline in &reality.baselines {
        assert_eq!(baseline.odds.len(), 3, "{}", baseline.name);
    }
    let groups = OddsGroup::of(&reality.contacts, &reality.tosses, &reality.odds, 5);
    let mean = reality.odds.iter().map(|odds| odds.energy).sum::<f64>() / 3.0;
    assert!((groups[3].energy.mean - mean).abs() < 1e-12 && groups[3].contacts == "all");
    assert!(groups[3].energy.low < mean);
    assert!(mean < groups[3].energy.high && groups[3].in_90.is_nan());
}

/// Spatial events with restitution: a frictionless law, and bounces in every order.
#[test]
fn spatial_events_are_scored() {
    let bouncing = json!({ "restitution": [0.5, 0.5] });
    let events = events(&file(&[event(wedge(), &[0.3, 0.4, 0.7], bouncing)]));
    let law = carom_law::Law::Propagative(Default::default());
    let plan = Plan { samples: 64, law, ..Plan::default() };
    let reality = scored(&events, &plan).unwrap();
    assert_eq!((reality.set[0].points, reality.accepted), (64, 64));
    let sequential = reality.baselines[1].scores.as_ref().unwrap()[0];
    assert!(sequential.points == 2 && sequential.nearest < 1.0 && sequential.size.diameter > 1e-3);
}

#[test]
fn a_stopped_run_ends() {
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let plan = Plan { samples: 50, stop, ..Plan::default() };
    let events = events(&file(&some_events(&Plan { samples: 20, ..Plan::default() })));
    let error = scored(&events, &plan).map(drop).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
}
