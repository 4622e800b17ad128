//! What a picture holds: readable numbers, visible points, well-formed XML.

use carom::internals::engine::{Device, Engine, Plan};
use carom::internals::output::pictures::{self, Wanted};
use carom::internals::output::plot::{Axis, Mark, Panel, Picture, Series};
use carom::internals::problem::{ContactProblem, ProblemSpec};
use carom::internals::scene;
use carom::internals::study::SampledSet;
use serde_json::json;

const HOSTILE: &str = "<&\"'\u{1}\u{ffff}]]>";

/// Whether tags are balanced, attributes quoted, and text holds nothing that XML forbids.
fn is_xml(text: &str) -> bool {
    let mut open = Vec::new();
    for part in text.split('<').skip(1) {
        let Some((tag, words)) = part.split_once('>') else { return false };
        let entities = words.split('&').skip(1).chain(tag.split('&').skip(1));
        if !entities.into_iter().all(|e| e.find(';').is_some_and(|end| end < 6))
            || tag.matches('"').count() % 2 == 1
        {
            return false;
        }
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("").to_string();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.pop().as_ref() != Some(&name) => return false,
            (false, false) => open.push(name),
            _ => {}
        }
    }
    open.is_empty() && !text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{ffff}')
}

fn drawn(problem: &ContactProblem) -> String {
    let plan = Plan { samples: 300, ..Plan::default() };
    let (run, samples) = Engine::open(&Device::Cpu).unwrap().collect(problem, &plan).unwrap();
    let mut set = SampledSet::new::<f64>(problem).unwrap();
    set.add(&samples, run.summary.tolerance().residual);
    pictures::set(&set, None, &json!({}), &Wanted::default()).unwrap().svg(None).unwrap()
}

#[test]
fn names_cannot_break_a_picture() {
    let spec = scene::load("disk-stack").unwrap().spec().clone();
    let name = |i: usize| format!("{HOSTILE}{i}{}", "long ".repeat(50));
    let spec = ProblemSpec {
        name: HOSTILE.repeat(80),
        coordinates: Some((0..spec.velocity.len()).map(name).collect()),
        contacts: Some((0..spec.normal.len()).map(name).collect()),
        units: Some(vec![HOSTILE.to_string(); spec.velocity.len()]),
        ..spec
    };
    let svg = drawn(&ContactProblem::new(spec).unwrap());
    assert!(is_xml(&svg) && !svg.contains(&"long ".repeat(40)));
    assert!(!is_xml("<a><b></a>") && !is_xml("<a>&</a>") && !is_xml("<a>\u{1}</a>"));
}

#[test]
fn scenes_have_units_and_a_panel_for_each_contact() {
    let svg = drawn(&scene::load("disk-stack").unwrap());
    assert_eq!(svg.matches(">Contact ").count(), 5);
    assert!(svg.contains("m/s)") && !svg.contains("SI units"));
    assert!(drawn(&scene::load("rocking-block").unwrap()).contains("rad/s)"));
    for velocity in [1e-9, 1e9] {
        let mut problem = scene::load("rocking-block").unwrap();
        let scaled: Vec<f64> = problem.velocity().iter().map(|v| velocity * v).collect();
        problem.set_velocity(&scaled).unwrap();
        let svg = drawn(&problem);
        assert!(svg.contains(if velocity < 1.0 { "(1e-1" } else { "(1e7 " }) && !svg.contains(">0.000"));
    }
}

#[test]
fn outcomes_that_are_points_have_rings_and_outliers_arrows() {
    let cloud = |number: usize, points: Vec<[f64; 2]>| Series {
        label: number.to_string(),
        colour: number,
        mark: Mark::Cloud(number),
        points: vec![points],
    };
    let axes = [Axis::new("x", "m/s"), Axis::new("y", "")];
    let mut picture = Picture {
        title: String::new(),
        panels: vec![Panel { title: String::new(), axes, view: None }],
        series: vec![cloud(0, (0..50).map(|i| [f64::from(i), 0.0]).collect()), cloud(1, vec![[3.0, 0.0]; 9])],
        note: String::new(),
    };
    let ring = " 0 1 0 ";
    assert!(picture.svg(None).unwrap().contains(ring) && is_xml(&picture.svg(None).unwrap()));
    picture.series.pop();
    assert!(!picture.svg(None).unwrap().contains(ring));
    picture.panels[0].view = Some([[0.0, -1.0], [10.0, 1.0]]);
    assert!(picture.svg(None).unwrap().contains(">11, 0<"));
    picture.series[0].points[0].push([f64::NAN, 0.0]);
    assert!(picture.svg(None).is_err());
}
