//! Identification: numbers that are known are found again, and its parts against naive twins.

use super::*;
use carom::study::forecast::Forecast;
use carom::study::identify::score::{Distances, MeanDistance};
use carom::study::identify::search::Compass;
use carom::study::identify::{Criterion, Dress, Estimate, Identify, Ingredient};
use carom::study::scoring::Odds;
use carom_core::event::Event;
use std::f64::consts::{PI, TAU};

/// Number `k` of a case, in [0, 1).
fn number(case: u64, k: u32) -> f64 {
    f64::from(stream::unit(Stream::new(77, case).draw(0, Purpose::User, k)))
}

/// Standard normal number `k` of a case.
fn normal(case: u64, k: u32) -> f64 {
    let [a, b] = [number(case, 100 + 2 * k), number(case, 101 + 2 * k)];
    (-2.0 * (a + 1e-9).ln()).sqrt() * (TAU * b).cos()
}

fn body(places: &[[f64; 2]], slope: f64, velocity: [f64; 3]) -> ContactProblem {
    bouncing(&problem(leaning(places, slope, 1e-3, velocity)), 0.4)
}

fn event(number: usize, problem: ContactProblem, gap: Option<Vec<f64>>) -> Event {
    let measured = problem.velocity().as_slice().to_vec();
    let toss = Some(number as f64);
    Event { number, problem, measured, noise: None, clean: None, gap, toss }
}

/// Blocks that land nearly flat, each with an outcome that `model` draws.
fn landings(model: &Model, count: usize) -> Vec<Event> {
    let landing = |i: usize| {
        let u = |k: u32| number(i as u64, k);
        let places = [[-0.05, -0.03], [0.05, -0.03]];
        let velocity = [u(0) - 0.5, -0.5 - u(1), 10.0 * (u(2) - 0.5)];
        let gap = Some(vec![0.002 * u(3), 0.002 * u(4)]);
        let mut event = event(i, body(&places, 0.0, velocity), gap);
        measure(&mut event, model);
        event
    };
    (0..count).map(landing).collect()
}

/// Measures an outcome of `model`, with its noise.
fn measure(event: &mut Event, model: &Model) {
    let forecast = model.forecast(event, 8, 12345, None).unwrap();
    let problem = &event.problem;
    let map = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap().map().clone();
    let error = |j: usize| model.noise * normal(event.number as u64, j as u32);
    let point = (0..3).map(|j| forecast.points[j] + error(j));
    let point = nalgebra::DVector::from_iterator(3, point);
    event.measured = (map.try_inverse().unwrap() * point).as_slice().to_vec();
}

fn identify(ingredients: &[Ingredient]) -> Identify {
    Identify {
        law: Law::Routh(Routh::default()),
        points: 32,
        folds: 4,
        seed: 1,
        criterion: Criterion::Energy,
        ingredients: ingredients.to_vec(),
        residual: false,
        seconds: None,
    }
}

fn truth() -> Model {
    Model {
        friction: [0.2, 0.2],
        restitution: [0.5, 0.5],
        noise: 0.02,
        inset: 0.015,
        ..Model::default()
    }
}

#[test]
fn known_numbers_are_found_again() {
    let truth = truth();
    let found = identify(&[Ingredient::Numbers, Ingredient::Inset])
        .run(&landings(&truth, 40), None, || ())
        .unwrap();
    let worth = |of| found.ingredients.iter().rfind(|worth| worth.ingredient == of).unwrap();
    assert!(worth(Ingredient::Inset).kept, "{:?}", found.ingredients);
    assert!(worth(Ingredient::Dress).why.is_some());
    for (name, value) in [("friction", 0.2), ("restitution", 0.5), ("inset", 0.015)] {
        let estimate = found.estimates.iter().find(|of| of.name == name).unwrap();
        let [low, high] = estimate.interval;
        assert!(low <= value && value <= high, "{estimate:?}");
        assert!((estimate.value - value).abs() < 0.15 * value, "{estimate:?}");
    }
    assert!((found.model.noise / 0.02 - 1.0).abs() < 0.2, "{}", found.model.noise);
    assert!(found.score[0] < 0.1 && !found.cut, "{:?}", found.score);
}

/// Blocks that land on one corner, with outcomes of `model`; numbered from `first` on.
fn corners(model: &Model, first: usize, count: usize) -> Vec<Event> {
    let landing = |i: usize| {
        let u = |k: u32| number(1000 + i as u64, k);
        let velocity = [u(0) - 0.5, -0.5 - u(1), 6.0 * (u(2) - 0.5)];
        let mut event = event(first + i, body(&[[0.02 + 0.02 * u(3), -0.05]], 0.0, velocity), None);
        measure(&mut event, model);
        event
    };
    (0..count).map(landing).collect()
}

/// One contact has other numbers than several: a model for all has both, and its forecasts of
/// events with several contacts are those of a model of these alone.
#[test]
fn one_contact_has_numbers_of_its_own() {
    let truth = truth();
    let other = Model { friction: [0.1; 2], restitution: [0.2; 2], noise: 0.01, ..truth.clone() };
    let (several, ones) = (landings(&truth, 12), corners(&other, 12, 12));
    let ingredients = [Ingredient::Numbers, Ingredient::Inset];
    let asked = Identify { points: 8, folds: 2, ..identify(&ingredients) };
    let run = |events: &[Event]| asked.run(events, None, || ()).unwrap();
    // All events, in another order than part by part.
    let (head, tail) = several.split_at(7);
    let all = [head, &ones, tail].concat();
    let (joint, alone) = (run(&all), run(&several));
    assert_eq!(joint.model.contacts, [[1, 12], [2, 12]]);
    assert_eq!((alone.model.contacts.clone(), alone.model.single.clone()), (vec![[2, 12]], None));
    let whole = Model { single: None, events: 12, contacts: vec![[2, 12]], ..joint.model.clone() };
    assert_eq!(whole, alone.model);
    let single = joint.model.single.clone().unwrap();
    // Nearer to the numbers of one contact than to those of several.
    for (name, one, other) in [("friction", 0.1, 0.2), ("restitution", 0.2, 0.5)] {
        let is_own = |of: &&Estimate| of.single && of.name == name;
        let value = joint.estimates.iter().find(is_own).unwrap().value;
        assert!((value - one).abs() < (value - other).abs(), "{name}: {value}");
    }
    assert!(single.noise < 0.015, "{}", single.noise);
    assert!(
        joint.ingredients.iter().any(|of| of.single && of.why == Some("no event has two contacts"))
    );
    // Scores stand at their events: those of the two parts in turn.
    let of_several = [&joint.scores[..7], &joint.scores[19..]].concat();
    assert_eq!(of_several, alone.scores);
    assert_eq!(joint.scores[7..19], run(&ones).scores[..]);
    assert_eq!(joint.folds.iter().map(|(_, held)| held.len()).sum::<usize>(), 24);
    // The file keeps both, and forecasts are those of each part.
    let again = Model::read("model.toml", &joint.model.text().unwrap()).unwrap();
    assert_eq!(again, joint.model);
    let forecast = |model: &Model, event: &Event| model.forecast(event, 16, 1, None).unwrap();
    assert_eq!(forecast(&again, &several[0]), forecast(&alone.model, &several[0]));
    assert_eq!(forecast(&again, &ones[0]), forecast(&single, &ones[0]));
    assert_ne!(forecast(&again, &ones[0]), forecast(&alone.model, &ones[0]));
    // With too few tosses of one contact all events share their numbers.
    let few = [&several[..], &ones[..5]].concat();
    let few = Identify { seconds: Some(0.0), ..asked }.run(&few, None, || ()).unwrap();
    let said = few.warnings().concat();
    assert!(few.model.single.is_none() && said.contains("too few tosses"), "{said}");
    assert_eq!(few.model.contacts, [[1, 5], [2, 12]]);
    assert!(!joint.few && joint.warnings().is_empty(), "{:?}", joint.warnings());
}

#[test]
fn threads_change_nothing() {
    let events = landings(&Model { noise: 0.03, ..Model::default() }, 12);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let identify =
            Identify { points: 8, folds: 2, ..identify(&[Ingredient::Numbers, Ingredient::Dress]) };
        let found = pool.install(|| identify.run(&events, None, || ())).unwrap();
        (found.model, found.score)
    };
    assert_eq!(run(1), run(3));
}

/// Blocks that slide off faster than the law says: forecasts of tosses that are held out gain by
/// what the residual learns, and the model's file keeps it.
#[test]
fn what_the_law_misses_is_learned() {
    let mut events = landings(&Model { noise: 0.01, ..Model::default() }, 48);
    for event in &mut events {
        let slip = event.problem.velocity()[0];
        event.measured[0] += 0.6 * slip;
    }
    let asked = Identify { residual: true, folds: 3, ..identify(&[Ingredient::Numbers]) };
    let found = asked.run(&events, None, || ()).unwrap();
    let mean = |odds: &[Odds]| odds.iter().map(|odds| odds.energy).sum::<f64>() / 48.0;
    let learned = mean(found.held_out.learned.as_ref().unwrap());
    let plain = mean(&found.held_out.odds);
    assert!(learned < 0.8 * plain, "{learned} {plain}");
    let again = Model::read("model.toml", &found.model.text().unwrap()).unwrap();
    assert_eq!(again, found.model);
    assert!(again.residual.is_some());
    let forecast = |model: &Model| model.forecast(&events[0], 16, 1, None).unwrap();
    assert_eq!(forecast(&again), forecast(&found.model));
    let bare = Model { residual: None, ..found.model.clone() };
    assert_ne!(forecast(&bare), forecast(&found.model));
}

#[test]
fn contacts_lie_and_lean_as_bodies_that_are_built_so() {
    let velocity = [0.3, -1.0, 2.0];
    let model = Model { inset: 0.01, slope: [0.1, 0.0], inertia: 1.5, ..Model::default() };
    let corners = [[0.05, -0.03], [-0.05, -0.03]];
    let placed = Placed::new(&model, &event(0, body(&corners, 0.0, velocity), None)).unwrap();
    // The slope first: then 1 cm along the tangent, towards the mass centre.
    let (sin, cos) = 0.1_f64.sin_cos();
    let (x, y) = (0.01 * cos, 0.01 * sin);
    let twin = body(&[[0.05 - x, -0.03 + y], [-0.05 + x, -0.03 - y]], 0.1, velocity);
    let apart = placed.first.jacobian() - twin.jacobian();
    assert!(apart.amax() < 1e-15, "{apart}");
    assert_eq!(placed.first.mass()[(2, 2)], 1.5e-3);
    assert!(placed.all.is_none());
    // No farther than below the mass centre; and a corner alone stays.
    let model = Model { inset: 1.0, ..Model::default() };
    let placed = Placed::new(&model, &event(0, body(&corners, 0.0, velocity), None));
    let normal = placed.unwrap().first.jacobian().row(0).into_owned();
    assert!(normal[2].abs() < 1e-15, "{normal}");
    let alone = body(&corners[..1], 0.0, velocity);
    let placed = Placed::new(&model, &event(0, alone.clone(), None)).unwrap();
    assert_eq!(placed.first.jacobian(), alone.jacobian());
    // In space.
    let rows = |places: [[f64; 3]; 2]| {
        problem(standing(&places, [2.0, 0.01], 0.2, [0.1, 0.2, -1.0, 1.0, 2.0, 3.0]))
    };
    let model = Model { inset: 0.01, ..Model::default() };
    let edge = rows([[0.03, -0.04, -0.05], [-0.03, -0.04, -0.05]]);
    let placed = Placed::new(&model, &event(0, edge, None)).unwrap();
    let inside = rows([[0.024, -0.032, -0.05], [-0.024, -0.032, -0.05]]);
    let apart = placed.first.jacobian() - inside.jacobian();
    assert!(apart.amax() < 1e-15, "{apart}");
    let two = load("billiard-break").spec().clone();
    let two = problem(ProblemSpec { points: None, ..two });
    let error = Placed::new(&model, &event(0, two, None)).unwrap_err();
    assert!(error.what.contains("one free body"), "{error}");
}

#[test]
fn late_contacts_close_in_a_second_impact() {
    let event = event(
        0,
        body(&[[-0.05, -0.03], [0.05, -0.03]], 0.0, [0.0, -1.0, 0.0]),
        Some(vec![0.001, 0.004]),
    );
    let certain = Model { friction: [0.0; 2], ..Model::default() };
    let speeds = |model: &Model| {
        let forecast = model.forecast(&event, 4, 0, None).unwrap();
        let problem = &event.problem;
        let set = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
        let point = vector(&forecast.points[..3]);
        let after = set.map().clone().try_inverse().unwrap() * point;
        (problem.jacobian() * after).as_slice()[..2].to_vec()
    };
    // One corner alone: it stops, and the other one speeds up: J = 1 / (1 + .05^2 / .001).
    let impulse = 1.0 / 3.5;
    let other = -1.0 + impulse * (1.0 - 2.5);
    let near = speeds(&Model { gap: Some(0.002), ..certain.clone() });
    assert!(near[0].abs() < 1e-4 && (near[1] - other).abs() < 1e-4, "{near:?}");
    let far = speeds(&Model { gap: Some(0.002), late: Some(0.0025), ..certain.clone() });
    assert_eq!(near, far);
    let late = speeds(&Model { gap: Some(0.002), late: Some(0.0035), ..certain.clone() });
    assert!(late.iter().all(|speed| *speed > -1e-4), "{late:?}");
    let both = speeds(&certain);
    assert!(both.iter().all(|speed| *speed > -1e-4), "{both:?}");
}

/// Without friction `J = 1 / (1 + x^2 / .001)`: `x` follows from the velocity after.
#[test]
fn four_samples_share_a_pose() {
    let event = event(0, body(&[[0.05, -0.03]], 0.0, [0.0, -1.0, 0.0]), None);
    let certain = Model { friction: [0.0; 2], ..Model::default() };
    let places = |model: &Model| {
        let forecast = model.forecast(&event, 1600, 0, None).unwrap();
        let problem = &event.problem;
        let set = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
        let back = set.map().clone().try_inverse().unwrap();
        let place = |point: &[f64]| {
            let after = &back * vector(point);
            after[2] * 1e-3 / (after[1] + 1.0)
        };
        let places: Vec<f64> = forecast.points.chunks_exact(3).map(place).collect();
        (forecast.block, places)
    };
    let (block, places_known) = places(&certain);
    assert_eq!(block, 1);
    assert!(places_known.iter().all(|x| (x - 0.05).abs() < 1e-5));
    let (block, drawn) = places(&Model { shift: 0.004, ..certain.clone() });
    assert_eq!((block, drawn.len()), (4, 1600));
    let poses: Vec<f64> = drawn.chunks_exact(4).map(|pose| pose[0]).collect();
    assert!(drawn.chunks_exact(4).all(|pose| pose.iter().all(|x| (x - pose[0]).abs() < 1e-6)));
    let mean = poses.iter().sum::<f64>() / 400.0;
    let deviation = (poses.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
    assert!((mean - 0.05).abs() < 0.001, "{mean} {deviation}");
    assert!((deviation - 0.004).abs() < 0.0006, "{mean} {deviation}");
    // A rotation by a moves the arm (.05, -.03) to .05 cos(a) + .03 sin(a).
    let (_, drawn) = places(&Model { attitude: 0.1, ..certain });
    let deviation = (drawn.iter().map(|x| (x - 0.05).powi(2)).sum::<f64>() / 1600.0).sqrt();
    assert!((deviation - 0.003).abs() < 0.0005, "{deviation}");
}

/// Errors of few degrees of freedom: the log score of tosses that are held out knows them.
#[test]
fn heavy_tails_are_found() {
    let truth = Model { noise: 0.02, freedom: Some(3), ..Model::default() };
    let mut events = landings(&truth, 60);
    for (i, event) in events.iter_mut().enumerate() {
        let problem = &event.problem;
        let map = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap().map().clone();
        let forecast = truth.forecast(event, 8, 12345, None).unwrap();
        let square: f64 = (10..13).map(|k| normal(i as u64, k).powi(2)).sum();
        let scale = truth.noise * (3.0 / square).sqrt();
        let point = (0..3).map(|j| forecast.points[j] + scale * normal(i as u64, j as u32));
        let point = nalgebra::DVector::from_iterator(3, point);
        event.measured = (map.try_inverse().unwrap() * point).as_slice().to_vec();
    }
    let asked = [Ingredient::Numbers, Ingredient::Tails];
    let asked = Identify { points: 16, criterion: Criterion::Log, ..identify(&asked) };
    let found = asked.run(&events, None, || ()).unwrap();
    assert!(found.model.freedom.is_some_and(|freedom| freedom <= 6), "{:?}", found.model.freedom);
    assert!((found.model.noise / 0.02 - 1.0).abs() < 0.4, "{}", found.model.noise);
    let shapes: Vec<_> = found.held_out.shapes.iter().copied().collect::<Option<_>>().unwrap();
    // What the model itself would gain is above 0 but for the error of few outcomes.
    let mean = shapes.iter().map(|shape| shape.expected).sum::<f64>() / 60.0;
    let square = shapes.iter().map(|shape| (shape.expected - mean).powi(2)).sum::<f64>() / 59.0;
    assert!(mean > -3.0 * (square / 60.0).sqrt(), "{mean} {square}");
}

#[test]
fn scores_are_means_over_errors() {
    // E|r + z| by the midpoint rule; in two dimensions over a grid.
    for r in [0.0, 0.3, 1.7, 6.0, 11.9, 13.0, 40.0] {
        let (step, count) = (0.01, 1600);
        let density = |x: f64| (-0.5 * x * x).exp() / TAU.sqrt();
        let grid = || (0..count).map(|i| (f64::from(i) + 0.5) * step - 8.0);
        let one: f64 = grid().map(|x| (r + x).abs() * density(x) * step).sum();
        let found = MeanDistance::new(1).of(r, 1.0);
        assert!((found - one).abs() < 2e-4, "{r}: {found} {one}");
        let row =
            |x: f64| -> f64 { grid().step_by(5).map(move |y| (r + x).hypot(y) * density(y)).sum() };
        let two: f64 = grid().step_by(5).map(|x| density(x) * row(x)).sum();
        let (two, found) = (two * (5.0 * step).powi(2), MeanDistance::new(2).of(3.0 * r, 3.0));
        assert!((found / 3.0 - two).abs() < 2e-3, "{r}: {found} {two}");
    }
    assert_eq!(MeanDistance::new(3).of(2.0, 0.0), 2.0);
    let points = vec![0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 3.0, 1.0];
    let forecast = Forecast { n: 2, points, block: 2, noise: 0.1, freedom: None };
    let distances = Distances::new(&forecast, &[1.0, 1.0]);
    // Pairs of different blocks: 1-3, 1-4, 2-3, 2-4.
    assert_eq!(distances.apart.len(), 4);
    let away = (2.0 * 2.0_f64.sqrt() + 1.0 + 2.0) / 4.0;
    let apart = (2.0 + 10.0_f64.sqrt() + 2.0 * 5.0_f64.sqrt()) / 4.0;
    let sharp = distances.energy(&MeanDistance::new(2), 1e-9);
    let root = |x: f64| x.sqrt();
    let expected = (root(2.0) + 1.0 + root(2.0) + 2.0) / 4.0
        - 0.5 * (2.0 + root(10.0) + root(5.0) + root(5.0)) / 4.0;
    assert!((sharp - expected).abs() < 1e-6 && away > apart * 0.1);
    let density: f64 =
        [2.0, 1.0, 2.0, 4.0].iter().map(|square| (-0.5 * square / 0.01_f64).exp()).sum::<f64>()
            / (4.0 * 2.0 * PI * 0.01);
    assert!((distances.log(&MeanDistance::new(2), 0.1) + density.ln()).abs() < 1e-9);
}

#[test]
fn a_dress_moves_the_mean_and_the_spread() {
    let event = event(0, body(&[[-0.05, -0.03], [0.05, -0.03]], 0.0, [0.3, -1.0, 1.0]), None);
    let bare = Model { restitution: [0.2, 0.6], ..Model::default() };
    let with = |dress: Dress| {
        let model = Model { dress: Some(dress), ..bare.clone() };
        model.forecast(&event, 64, 3, None).unwrap()
    };
    let plain = bare.forecast(&event, 64, 3, None).unwrap();
    let same = with(Dress::default());
    assert!(same.points.iter().zip(&plain.points).all(|(a, b)| (a - b).abs() < 1e-15));
    let mean = |forecast: &Forecast| {
        let sum = |j: usize| forecast.points.iter().skip(j).step_by(3).sum::<f64>();
        nalgebra::Vector3::from_fn(|j, _| sum(j) / forecast.len() as f64)
    };
    let wide = with(Dress { scale: 2.0, ..Dress::default() });
    assert!((mean(&wide) - mean(&plain)).norm() < 1e-12);
    let moved = with(Dress { bias: [0.03, 0.04], ..Dress::default() });
    assert!(((mean(&moved) - mean(&plain)).norm() - 0.05).abs() < 1e-12);
    for (i, x) in plain.points.iter().enumerate() {
        let center = mean(&plain)[i % 3];
        assert!((wide.points[i] - center - 2.0 * (x - center)).abs() < 1e-12);
    }
}

#[test]
fn the_search_finds_the_bottom_of_a_valley() {
    let of = |x: &[f64]| (x[0] - 3.0).powi(2) + 10.0 * (x[0] + x[1]).powi(2);
    let compass = Compass { steps: vec![1.0, 1.0], finest: 1e-3, most: 500 };
    let start = (vec![0.0, 0.0], of(&[0.0, 0.0]));
    let (x, value) = compass.search(start, |x| Ok(Some(of(x)))).unwrap();
    assert!(value < 1e-3 && (x[0] - 3.0).abs() < 0.1, "{x:?} {value}");
}

#[test]
fn model_files_say_what_is_wrong() {
    let model = Model {
        gap: Some(0.001),
        late: Some(0.003),
        block: Some(2.0),
        coverage: Some(0.5),
        dress: Some(Dress { bias: [0.1, -0.1], ..Dress::default() }),
        contacts: vec![[1, 30], [2, 12]],
        single: Some(Box::new(Model { noise: 0.03, ..Model::default() })),
        ..Model::default()
    };
    let text = model.text().unwrap();
    let single = text.split("[single]").nth(1).unwrap();
    assert!(!["source", "schema_version", "law"].iter().any(|key| single.contains(key)), "{text}");
    assert_eq!(Model::read("model.toml", &text).unwrap(), model);
    for (line, says) in [
        ("friction = [0.3, 0.2]", "0 <= A <= B"),
        ("restitution = [0.3, 1.2]", "<= 1"),
        ("inertia = 0.0", "> 0"),
        ("coverage = 1.5", "[0, 1]"),
        ("schema_version = 2", "1"),
        ("colour = 2", "colour"),
        ("noise = -0.1", ">= 0"),
        ("contacts = [[0, 3]]", "pairs"),
        ("[single]\nnoise = -0.1", ">= 0"),
        ("[single]\nsource = \"events.json\"", "the origin of the whole model"),
        ("[single.law]\nlaw = \"plus\"", "the law"),
        ("[dress]\nscale = -1.0\nbias = [0.0, 0.0]\nspread = [0.0, 0.0]", ">= 0"),
    ] {
        let error = Model::read("model.toml", line).unwrap_err();
        assert!(error.what.contains(says), "{line}: {error}");
        assert_eq!(error.excerpt.unwrap().name, "model.toml");
    }
    assert_eq!(Model::read("model.toml", "").unwrap(), Model::default());
}
