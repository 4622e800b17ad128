//! What a picture holds: readable numbers, visible points, well-formed XML.

use carom::internals::analysis::bounds::BoundKind;
use carom::internals::engine::{Device, Engine, Plan};
use carom::internals::output::pictures::{self, Wanted};
use carom::internals::output::plot::{Axis, Mark, Panel, Picture, Series};
#[cfg(feature = "images")]
use carom::internals::output::plot::{Form, PictureSize};
use carom::internals::problem::{ContactProblem, ProblemSpec};
use carom::internals::scene::{self, Document};
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

fn sampled(problem: &ContactProblem) -> SampledSet {
    let plan = Plan { samples: 300, ..Plan::default() };
    let (run, samples) = Engine::open(&Device::Cpu).unwrap().collect(problem, &plan).unwrap();
    let mut set = SampledSet::new::<f64>(problem).unwrap();
    set.add(&samples, run.summary.tolerance().residual);
    set
}

fn drawn(problem: &ContactProblem) -> String {
    pictures::set(&sampled(problem), None, &json!({}), &Wanted::default())
        .unwrap()
        .svg(None)
        .unwrap()
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
        assert!(
            svg.contains(if velocity < 1.0 { "(1e-1" } else { "(1e7 " }) && !svg.contains(">0.000")
        );
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
        panels: vec![Panel::new("", axes)],
        series: vec![
            cloud(0, (0..50).map(|i| [f64::from(i), 0.0]).collect()),
            cloud(1, vec![[3.0, 0.0]; 9]),
        ],
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

#[test]
fn scenes_are_drawn_where_their_bodies_are() {
    let scenery = |name: &str| {
        let document = Document::open(name).unwrap();
        let problem = document.problem(&[]).unwrap();
        (document.scenery(&[], &problem).unwrap().unwrap(), problem)
    };
    // The block is 1 m wide and 2 m high, and has fallen 0.01 m.
    let (block, problem) = scenery("rocking-block");
    let mut corners = block.shapes[0].vertices.clone();
    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(corners, [[-0.5, 0.0, 0.0], [-0.5, 2.0, 0.0], [0.5, 0.0, 0.0], [0.5, 2.0, 0.0]]);
    assert_eq!(
        block.contacts,
        [[[-0.5, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.5, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    );
    let [center, velocity] = block.velocities[0];
    assert_eq!(center, [0.0, 1.0, 0.0]);
    assert!((velocity[1] + (2.0 * 9.81 * 0.01_f64).sqrt()).abs() < 1e-6 && velocity[0] == 0.0);
    let wanted = Wanted { scenery: Some(block), ..Wanted::default() };
    let picture = pictures::set(&sampled(&problem), None, &json!({}), &wanted).unwrap();
    assert_eq!(picture.panels.len(), 4);
    assert!(picture.panels[0].equal && is_xml(&picture.svg(None).unwrap()));
    // The legs of the gait, 1 m long, hang from the hip and stand on the floor.
    let (gait, _) = scenery("compass-gait");
    assert_eq!(gait.links.len(), 2);
    for [hip, foot] in gait.links {
        let d: Vec<f64> = hip.iter().zip(foot).map(|(a, b)| a - b).collect();
        assert!(
            (d.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs() < 1e-12
                && foot[1].abs() < 1e-9
        );
    }
    let (cube, _) = scenery("cube-on-edge");
    assert_eq!((cube.shapes[0].edges.len(), cube.spatial), (12, true));
    assert!(
        cube.contacts
            .iter()
            .all(|[point, normal]| point[2].abs() < 1e-9 && *normal == [0.0, 0.0, 1.0])
    );
    assert_eq!(cube.velocities[0][1], [0.4, -0.3, -1.0]);
}

#[test]
fn outcomes_are_within_the_bounds_that_are_drawn() {
    for (name, kind) in [
        ("box-and-wall", BoundKind::Exact),
        ("box-and-wall", BoundKind::Conic),
        ("cube-on-edge", BoundKind::Conic),
    ] {
        let problem = scene::load(name).unwrap();
        let wanted = Wanted { bound: Some(kind), ..Wanted::default() };
        let picture = pictures::set(&sampled(&problem), None, &json!({}), &wanted).unwrap();
        let bound = picture.series.iter().find(|series| series.mark == Mark::Bound).unwrap();
        let clouds = picture.series.iter().filter(|series| matches!(series.mark, Mark::Cloud(_)));
        let (mut seen, mut close) = (0, f64::INFINITY);
        for cloud in clouds {
            for (points, corners) in
                cloud.points.iter().zip(&bound.points).filter(|(_, corners)| !corners.is_empty())
            {
                let reach = corners.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
                for [x, y] in points {
                    for (i, [a, b]) in corners.iter().enumerate() {
                        let [c, d] = corners[(i + 1) % corners.len()];
                        // Sides follow each other counter-clockwise; the point is to the left of
                        // all.
                        let left = ((c - a) * (y - b) - (d - b) * (x - a)) / (reach * reach);
                        assert!(left >= -1e-6, "{name}: {left}");
                        close = close.min(left);
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 1000 && close < 0.1, "{name}: {seen} {close}");
    }
}

#[cfg(feature = "images")]
#[test]
fn images_are_as_large_as_asked_for() {
    let problem = scene::load("rocking-block").unwrap();
    let picture = pictures::set(&sampled(&problem), None, &json!({}), &Wanted::default()).unwrap();
    let size = |text: &str| Some(text.parse::<PictureSize>().unwrap());
    let png = picture.file(Form::Png, size("85x200mm")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert!(
        (side(16) - 85.0 / 25.4 * 300.0).abs() <= 1.0
            && (side(20) - 200.0 / 25.4 * 300.0).abs() <= 1.0
    );
    let pdf =
        String::from_utf8_lossy(&picture.file(Form::Pdf, size("85x200mm")).unwrap()).into_owned();
    let page = pdf.split("/MediaBox [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let page: Vec<f64> = page.split_whitespace().map(|x| x.parse().unwrap()).collect();
    assert!(pdf.starts_with("%PDF-") && (page[2] - 85.0 / 25.4 * 72.0).abs() < 0.1, "{page:?}");
    assert!((page[3] - 200.0 / 25.4 * 72.0).abs() < 0.1, "{page:?}");
    // The letters of the PDF are in it.
    assert!(pdf.contains("/FontFile"));
}
