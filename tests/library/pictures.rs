//! What a picture holds: readable numbers, visible points, well-formed XML.

use crate::prelude::*;
use carom::output::pictures::Wanted;
use carom::output::plot::{Axis, Form, Mark, Panel, Picture, PictureSize, Series, colour};
use carom::output::{histogram, pictures};
use carom::study::SampledSet;
use carom_analysis::bounds::BoundKind;

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
    let (run, samples) = cpu().collect(problem, &plan).unwrap();
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
    let spec = load("disk-stack").spec().clone();
    let name = |i: usize| format!("{HOSTILE}{i}{}", "long ".repeat(50));
    let spec = ProblemSpec {
        name: format!("{HOSTILE} ").repeat(80),
        coordinates: Some((0..spec.velocity.len()).map(name).collect()),
        contacts: Some((0..spec.normal.len()).map(name).collect()),
        units: Some(vec![HOSTILE.to_string(); spec.velocity.len()]),
        ..spec
    };
    let svg = drawn(&problem(spec));
    assert!(is_xml(&svg) && !svg.contains(&"long ".repeat(40)));
    // The title has two lines; no letter is narrower than a quarter of its height.
    assert_eq!(svg.matches("font-size=\"15\"").count(), 2);
    let width: f64 = quoted(&svg, "viewBox").split(' ').nth(2).unwrap().parse().unwrap();
    for text in svg.split("<text ").skip(1) {
        let (style, words) = text.split_once('>').unwrap();
        let size: f64 = quoted(style, "font-size").parse().unwrap();
        let mut parts = words.split('<').next().unwrap().split('&');
        let plain = parts.next().unwrap().chars().count();
        let letters = plain
            + parts.map(|part| part[part.find(';').unwrap()..].chars().count()).sum::<usize>();
        assert!(0.25 * size * (letters as f64) < width, "{words}");
    }
    assert!(!is_xml("<a><b></a>") && !is_xml("<a>&</a>") && !is_xml("<a>\u{1}</a>"));
}

#[test]
fn scenes_have_units_and_a_panel_for_each_contact() {
    let svg = drawn(&load("disk-stack"));
    assert_eq!(svg.matches(">Contact ").count(), 5);
    assert!(svg.contains("m/s)") && !svg.contains("SI units"));
    assert!(drawn(&load("box-and-wall")).contains("rad/s)"));
    for velocity in [1e-9, 1e9] {
        let mut problem = load("rocking-block");
        let scaled: Vec<f64> = problem.velocity().iter().map(|v| velocity * v).collect();
        problem.set_velocity(&scaled).unwrap();
        let svg = drawn(&problem);
        assert!(svg.contains(if velocity < 1.0 { "(1e-1" } else { "(1e8 " }));
        assert!(!svg.contains(">0.000"));
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
        assert!((d.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs() < 1e-12);
        assert!(foot[1].abs() < 1e-9);
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
        let problem = load(name);
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
                        // Sides go counter-clockwise; the point is to their left.
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

/// The set of the box is a triangle: its velocities are drawn where its area is seen, also where
/// most samples lie on one side of it.
#[test]
fn velocities_are_drawn_where_the_set_is_largest() {
    let problem = load("box-and-wall");
    let picture = pictures::set(&sampled(&problem), None, &json!({}), &Wanted::default()).unwrap();
    let panel = &picture.panels[0];
    assert_eq!(panel.axes.clone().map(|axis| axis.name), ["box.x", "box.theta"]);
    let words = "velocity in box.x and box.theta, on which the set is largest";
    assert!(picture.note.contains(words), "{}", picture.note);
}

/// A histogram has bars as high as the counts; a column with any number in it has one. And it has
/// the eight coordinates that vary most, and says how many others vary.
#[test]
fn a_histogram_counts_what_it_leaves_out() {
    let set = sampled(&load("disk-stack"));
    let [low, high] = set.extents();
    let varying = low.iter().zip(&high).filter(|(low, high)| high > low).count();
    let text = histogram::text(&set);
    let last = text.lines().last().unwrap();
    assert_eq!((varying, text.lines().count()), (9, 11), "{text}");
    assert_eq!(last, "  and 1 more coordinate that varies less");
    let problem = load("box-and-wall");
    let set = sampled(&problem);
    let ([low, high], text) = (set.extents(), histogram::text(&set));
    assert!(!text.contains("more"), "{text}");
    for line in text.lines().skip(2) {
        let named = |name: &String| line.trim().starts_with(name);
        let i = problem.coordinates().iter().position(named).unwrap();
        let mut counts = [0_usize; 40];
        for at in 0..set.len() {
            let place = 40.0 * ((set.velocity(at)[i] - low[i]) / (high[i] - low[i]));
            counts[(place as usize).min(39)] += 1;
        }
        let most = counts.iter().copied().max().unwrap();
        let bars: Vec<char> = " ▁▂▃▄▅▆▇█".chars().collect();
        let bars: String = counts.iter().map(|count| bars[(8 * count).div_ceil(most)]).collect();
        assert!(line.contains(&bars), "{bars}: {text}");
    }
}

/// Many samples are drawn in part, but every corner of their hull is.
#[test]
fn corners_of_the_hull_are_drawn() {
    let problem = load("disk-stack");
    let plan = Plan { samples: 20_000, ..Plan::default() };
    let (run, samples) = cpu().collect(&problem, &plan).unwrap();
    let mut set = SampledSet::new::<f64>(&problem).unwrap();
    set.add(&samples, run.summary.tolerance().residual);
    let picture = pictures::set(&set, None, &json!({}), &Wanted::default()).unwrap();
    let hull = picture.series.iter().find(|series| series.mark == Mark::Outline).unwrap();
    let clouds = || picture.series.iter().filter(|series| matches!(series.mark, Mark::Cloud(_)));
    for (panel, corners) in hull.points.iter().enumerate() {
        assert!(corners.len() > 2);
        for corner in corners {
            assert!(clouds().any(|cloud| cloud.points[panel].contains(corner)), "{panel}");
        }
    }
    let drawn: usize = clouds().map(|cloud| cloud.points[0].len()).sum();
    let (thousands, rest) = (drawn / 1000, drawn % 1000);
    let words = format!("20 000 accepted samples, {thousands} {rest:03} of them drawn");
    assert!(drawn < 20_000 && picture.note.contains(&words), "{}", picture.note);
}

fn in_rows(count: usize) -> Picture {
    let axes = || [Axis::new("x", "m/s"), Axis::new("y", "m/s")];
    Picture {
        title: String::new(),
        panels: (0..count).map(|i| Panel::new(i.to_string(), axes()).called(&["all"])).collect(),
        series: vec![Series {
            label: String::new(),
            colour: 0,
            mark: Mark::Line,
            points: (0..count)
                .map(|i| vec![[0.0, 0.0], [1.0, 1.0 / (1 + 20 * i) as f64]])
                .collect(),
        }],
        note: "note".to_string(),
    }
}

/// The first value of an attribute.
fn quoted<'t>(text: &'t str, name: &str) -> &'t str {
    let rest = text.split(&format!("{name}=\"")).nth(1).unwrap();
    rest.split('"').next().unwrap()
}

/// The left, upper, right and lower end of each panel.
fn frames(svg: &str) -> Vec<[f64; 4]> {
    let rectangles = svg.split("<clipPath").skip(1).map(|part| {
        let number = |name: &str| quoted(part, name).parse::<f64>().unwrap();
        let [x, y, width, height] = ["x", "y", "width", "height"].map(number);
        [x, y, x + width, y + height]
    });
    rectangles.collect()
}

/// Panels fill rows; a picture of given width is at most as high, and says what is left out.
#[test]
fn panels_fill_their_rows() {
    for count in 1..=9 {
        let svg = in_rows(count).svg(None).unwrap();
        let all = frames(&svg);
        assert_eq!(all.len(), count);
        let right = all.iter().map(|frame| frame[2]).fold(0.0, f64::max);
        let mut rows: Vec<f64> = all.iter().map(|frame| frame[1]).collect();
        rows.dedup();
        let ends = all.iter().filter(|frame| (frame[2] - right).abs() < 0.1).count();
        assert_eq!(ends, rows.len(), "{count}: {all:?}");
        for size in ["85mm", "170mm"] {
            let svg = in_rows(count).svg(size.parse().ok()).unwrap();
            let side = |name| quoted(&svg, name).trim_end_matches("mm").parse::<f64>().unwrap();
            assert!(side("height") <= side("width") + 0.01, "{count} {size}");
            let shown = frames(&svg).len();
            let said = svg.contains(&format!("note; {shown} of {count} panels"));
            assert_eq!(said, shown < count, "{count} {size}: {shown}");
            assert!(shown == count || count > 4);
        }
    }
}

#[test]
fn axes_of_a_picture_share_their_unit() {
    let svg = in_rows(3).svg(None).unwrap();
    assert_eq!(svg.matches("y (m/s)").count(), 3);
    // Numbers that would take many decimals have a power of ten.
    let mut picture = in_rows(2);
    picture.series[0].points[1] = vec![[0.0, 0.0], [1.0, 1e-7]];
    assert_eq!(picture.svg(None).unwrap().matches("y (1e-7 m/s)").count(), 1);
}

/// What the y axis says of numbers that a line goes through, and what it has for a title.
fn shown(numbers: &[f64], scale: f64) -> (Vec<String>, String) {
    let mut picture = in_rows(1);
    picture.panels[0].axes = [Axis::new("x", ""), Axis { scale, ..Axis::new("y", "m/s") }];
    picture.series[0].points = vec![numbers.iter().map(|y| [0.0, *y]).collect()];
    let svg = picture.svg(None).unwrap();
    let words = |style: &str| -> Vec<String> {
        let texts = svg.split("<text ").filter(|text| text.contains(style));
        texts.map(|text| text.split(['>', '<']).nth(1).unwrap().to_string()).collect()
    };
    (words("text-anchor=\"end\""), words("rotate(-90").remove(0))
}

#[test]
fn ticks_are_readable_at_any_scale() {
    let whole = ["0", "1", "2", "3", "4"].map(String::from).to_vec();
    assert_eq!(shown(&[0.0, 4.0], 0.0), (whole, "y (m/s)".to_string()));
    assert_eq!(shown(&[-1e-9, 1e-9], 0.0).0, ["-1.0", "-0.5", "0", "0.5", "1.0"]);
    assert_eq!(shown(&[-1e-9, 1e-9], 0.0).1, "y (1e-9 m/s)");
    assert_eq!(shown(&[0.0, 3e9], 0.0).1, "y (1e9 m/s)");
    assert_eq!(shown(&[1.00001, 1.00003], 0.0).1, "y - 1.000020e0 (1e-5 m/s)");
    for scale in [6e-308, 1e-300, 1e-288, 1e-9, 1e-3, 1.0, 7e5, 1e9, 1e300] {
        let numbers = [[0.0, 1.0], [-1.0, 1.0], [1.0, 1.01], [1.0, 1.0], [1e-13, 0.0]];
        for numbers in numbers.map(|numbers| numbers.map(|x| x * scale)) {
            let (ticks, title) = shown(&numbers, scale);
            assert!((2..12).contains(&ticks.len()), "{numbers:?}: {ticks:?} {title}");
            let fits = ticks.iter().all(|tick| tick.len() <= 7 && tick != "-0");
            assert!(fits, "{numbers:?}: {ticks:?}");
            let mut distinct = ticks.clone();
            distinct.dedup();
            assert_eq!(distinct, ticks, "{numbers:?}");
        }
    }
}

/// Coordinates of a file are multiples of a hundredth of a pixel.
#[test]
fn a_constant_is_in_the_middle() {
    for (y, scale) in [(0.0, 0.0), (0.0, 1.0), (-2.0, 0.0), (1e-9, 0.0), (1e-12, 1.0)] {
        let mut picture = in_rows(1);
        picture.panels[0].axes[1].scale = scale;
        picture.series[0].points = vec![vec![[0.0, y], [1.0, y]]];
        let svg = picture.svg(None).unwrap();
        let [_, top, _, bottom] = frames(&svg)[0];
        let line = quoted(svg.split("<g clip-path").nth(1).unwrap(), " d");
        let heights = line.trim_start_matches('M').split('L').map(|at| at.split(' ').nth(1));
        for height in heights.map(|height| height.unwrap().parse::<f64>().unwrap()) {
            assert!((height - 0.5 * (top + bottom)).abs() < 0.02, "{y} {scale}: {height}");
        }
    }
}

/// The lightness L* of a colour, from 0 to 100. Source: IEC 61966-2-1 (sRGB) and CIE 15.
fn lightness(colour: &str) -> f64 {
    let linear = |at: usize| {
        let x = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
    };
    let luminance = 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
    if luminance > 0.008856 { 116.0 * luminance.cbrt() - 16.0 } else { 903.3 * luminance }
}

#[test]
fn colours_differ_in_lightness() {
    let mut all: Vec<f64> = (0..7).map(|number| lightness(colour(number))).collect();
    all.sort_by(f64::total_cmp);
    assert!(all.windows(2).all(|pair| pair[1] - pair[0] > 7.0), "{all:?}");
    assert!((lightness("#ffffff") - 100.0).abs() < 0.01);
}

#[test]
fn panels_are_chosen_by_name() {
    let mut picture = in_rows(3);
    picture.panels[2] = picture.panels[2].clone().called(&["last"]);
    picture.series.push(Series { points: vec![vec![[0.0; 2]]], ..picture.series[0].clone() });
    let chosen = picture.clone().chosen(&["last".to_string(), "all".to_string()]).unwrap();
    let titles: Vec<&str> = chosen.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["2", "0", "1"]);
    assert_eq!(chosen.series[1].points, [vec![], vec![[0.0; 2]], vec![]]);
    let one = picture.clone().chosen(&["last".to_string()]).unwrap();
    assert_eq!((one.panels.len(), one.series.len()), (1, 1));
    let error = picture.chosen(&["first".to_string()]).unwrap_err();
    assert!(error.what.contains("first"), "{error}");
    assert!(error.hint.clone().is_some_and(|hint| hint.contains("all, last")), "{error}");
}

/// Marks of laws that pick one point lie side by side, each with a line to the point.
#[test]
fn marks_at_one_point_are_fanned_out() {
    let mark = |mark: Mark| Series {
        label: String::new(),
        colour: 0,
        mark,
        points: vec![vec![[0.0, 0.0]]],
    };
    let mut picture = in_rows(1);
    let leaders = |picture: &Picture| {
        let svg = picture.svg(None).unwrap();
        let path =
            svg.split('<').find(|part| part.contains("stroke=\"#606060\"")).map(str::to_string);
        path.map_or(0, |path| path.matches('M').count())
    };
    picture.series.push(mark(Mark::Diamond));
    assert_eq!(leaders(&picture), 0);
    picture.series.extend([Mark::Square, Mark::Cross, Mark::Plus].map(mark));
    assert_eq!(leaders(&picture), 4);
}

#[test]
fn images_are_as_large_as_asked_for() {
    let problem = load("rocking-block");
    let picture = pictures::set(&sampled(&problem), None, &json!({}), &Wanted::default()).unwrap();
    let size = |text: &str| Some(text.parse::<PictureSize>().unwrap());
    let png = picture.file(Form::Png, size("85x200mm")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert!((side(16) - 85.0 / 25.4 * 300.0).abs() <= 1.0);
    assert!((side(20) - 200.0 / 25.4 * 300.0).abs() <= 1.0);
    let pdf =
        String::from_utf8_lossy(&picture.file(Form::Pdf, size("85x200mm")).unwrap()).into_owned();
    let page = pdf.split("/MediaBox [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let page: Vec<f64> = page.split_whitespace().map(|x| x.parse().unwrap()).collect();
    assert!(pdf.starts_with("%PDF-") && (page[2] - 85.0 / 25.4 * 72.0).abs() < 0.1, "{page:?}");
    assert!((page[3] - 200.0 / 25.4 * 72.0).abs() < 0.1, "{page:?}");
    // The letters of the PDF are in it, of the family that an SVG file names first.
    assert!(pdf.contains("/FontFile") && pdf.contains("NotoSans"));
    let svg = picture.svg(None).unwrap();
    assert!(svg.contains("font-family=\"'Noto Sans',"));
}
