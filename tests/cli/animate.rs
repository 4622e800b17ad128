//! Animated pictures.

use super::*;

/// A disk that spins and falls on its way to the right.
const DISK: &str = r#"integrator = "midpoint"
gravity = 9.81
time_step = 0.01
steps = 100
friction = 0
[[walls]]
name = "ground"
normal = [0, 1]
[[bodies]]
name = "disk"
mass = 1
shapes = [{ disk = 0.5 }]
position = [0, 20]
velocity = [2, 0]
angular_velocity = 30
"#;

/// The film that a command writes.
fn film(dir: &Path, args: &str) -> String {
    done(dir, &format!("{args} --animate film.svg"));
    let film = read(dir, "film.svg");
    for word in ["<script", "href", "onload", "url(http", "<style", "@import", "NaN", "inf"] {
        assert!(!film.contains(word), "{args:?}: {word}");
    }
    for animation in elements(&film, "<animate") {
        let keys = numbers(attribute(animation, "keyTimes"));
        assert_eq!(keys.len(), attribute(animation, "values").split(';').count(), "{animation}");
        assert!(keys.len() <= 2 * 240 + 3 && keys[0] == 0.0 && keys.is_sorted(), "{keys:?}");
        assert!(animation.contains("discrete") || keys[keys.len() - 1] == 1.0, "{keys:?}");
        assert!(attribute(animation, "repeatCount") == "indefinite");
    }
    film
}

/// The elements that begin so.
fn elements<'a>(film: &'a str, start: &str) -> Vec<&'a str> {
    film.match_indices(start).map(|(at, _)| &film[at..at + film[at..].find('>').unwrap()]).collect()
}

fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let parts = element.split_once(&format!(" {name}=\""));
    parts.unwrap_or_else(|| panic!("{name}: {element}")).1.split('"').next().unwrap()
}

fn numbers(list: &str) -> Vec<f64> {
    list.split([';', ' ']).map(|number| number.parse().unwrap()).collect()
}

/// The rows of a file of states, without its head.
fn rows(dir: &Path, name: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let csv = read(dir, name);
    let mut lines = csv.lines();
    let head = lines.next().unwrap().split(',').map(str::to_string).collect();
    (head, lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

/// What is drawn at key times is the state at those times, to a tenth of a pixel; angles go on
/// beyond a turn.
#[test]
fn key_frames_are_states() {
    let dir = directory();
    write(&dir, "disk.toml", DISK);
    for speed in [1.0, 0.1] {
        let svg = film(&dir, &format!("simulate disk.toml --out s.csv --speed {speed}"));
        let (head, rows) = rows(&dir, "s.csv");
        let column = |name: &str| head.iter().position(|column| column == name).unwrap();
        let transforms = elements(&svg, "<animateTransform");
        let [places, turns] = &transforms[..] else { panic!("{transforms:?}") };
        let length: f64 = attribute(places, "dur").trim_end_matches('s').parse().unwrap();
        assert!((length - (1.0 / speed + 1.0)).abs() < 1e-4);
        let keys = numbers(attribute(places, "keyTimes"));
        let places = numbers(attribute(places, "values"));
        let turns = numbers(attribute(turns, "values"));
        let last = &rows[rows.len() - 1];
        let fallen = last[column("disk.y")] - rows[0][column("disk.y")];
        let scale = (places[places.len() - 1] - places[1]) / -fallen;
        assert!(keys.len() >= 100);
        for (i, key) in keys.iter().enumerate().take(keys.len() - 1) {
            let time = key * length * speed;
            let row = rows.iter().find(|row| (row[column("time")] - time).abs() < 1e-3).unwrap();
            let drawn =
                [places[2 * i] - places[0], places[1] - places[2 * i + 1]].map(|x| x / scale);
            let moved = ["disk.x", "disk.y"].map(|name| row[column(name)] - rows[0][column(name)]);
            let near = (0..2).all(|j| (drawn[j] - moved[j]).abs() * scale < 0.1);
            assert!(near, "{time}: {drawn:?} {moved:?}");
            assert!((-turns[i].to_radians() - row[column("disk.theta")]).abs() < 1e-5, "{time}");
        }
    }
}

/// Key frames at even times and at impacts: the kink of a bounce is sharp.
#[test]
fn impacts_are_key_frames_and_flash() {
    let dir = directory();
    let svg = film(&dir, "simulate bouncing-rod --json --steps 110");
    let report = parsed(&dir, "simulate bouncing-rod --json --steps 110");
    let hits = report["collisions"].as_array().unwrap();
    let times: Vec<f64> = hits.iter().map(|hit| hit["time"].as_f64().unwrap()).collect();
    let places = elements(&svg, "<animateTransform")[0];
    let keys = numbers(attribute(places, "keyTimes"));
    assert!(!times.is_empty());
    for time in times {
        assert!(keys.iter().any(|key| (key * 2.1 - time).abs() < 2e-5), "{time}: {keys:?}");
    }
    assert!(svg.matches("attributeName=\"r\"").count() >= 1);
}

/// Bodies in space have outlines whose points move; there are few enough key frames for a file that
/// is sent around.
#[test]
fn bodies_in_space_move() {
    let dir = directory();
    for name in ["ellipsoid", "ellipsoid-tilted", "ellipsoid-union", "cube"] {
        let svg = film(&dir, &format!("simulate {name}"));
        assert!(svg.len() < 3_000_000, "{name}: {}", svg.len());
        assert!(svg.matches("<animate attributeName=\"d\"").count() >= 5, "{name}");
    }
    // Hidden faces are faint, and others are hidden later.
    let faces = film(&dir, "simulate cube");
    assert_eq!(faces.matches(" opacity=\"0.25\"").count(), 3);
    assert!(faces.contains("attributeName=\"opacity\""));
}

/// A tree of futures: every branch is there for its time, in all three files.
#[test]
fn branches_part_where_the_tree_forks() {
    let dir = directory();
    let args = "simulate falling-block --branch 3 --max-branches 5 --branch-samples 256";
    let report = reported(&dir, &format!("{args} --out tree.csv -o tree.svg"));
    let nodes = report["futures"]["nodes"].as_array().unwrap();
    let svg = film(&dir, args);
    let parts = svg.matches("<g opacity=").count();
    assert_eq!(parts, nodes.len());
    let hidden = " visibility=\"hidden\"><animate attributeName=\"visibility\"";
    assert!(svg.matches(hidden).count() >= parts - 1);
    let (head, rows) = rows(&dir, "tree.csv");
    assert_eq!(head[..4], ["branch", "step", "collisions", "time"].map(str::to_string));
    for (number, node) in nodes.iter().enumerate() {
        let own: Vec<&Vec<f64>> = rows.iter().filter(|row| row[0] == number as f64).collect();
        let (first, last) = (own[0], own[own.len() - 1]);
        let begins = node["fork"]["time"].as_f64().unwrap_or(0.0);
        assert!((first[3] - begins).abs() < 1e-12 && own.is_sorted_by(|a, b| a[3] <= b[3]));
        let position: Vec<f64> = serde_json::from_value(node["position"].clone()).unwrap();
        assert_eq!(last[4..4 + position.len()], position[..]);
    }
    let drawn = read(&dir, "tree.svg");
    assert!(drawn.contains("falling block"));
}

/// Scenes without a motion: bodies come in, and leave with outcomes.
#[test]
fn outcomes_of_a_scene_are_shown() {
    let dir = directory();
    for (name, most) in
        [("rocking-block", 7), ("disk-stack", 7), ("compass-gait", 7), ("brick-on-vertex", 7)]
    {
        let svg = film(&dir, &format!("plot {name} -n 500"));
        let shown = svg.matches("of the samples</text>").count();
        assert!((1..most).contains(&shown), "{name}: {shown}");
        let told = svg.contains("before the impact</text>") && svg.contains("a second shows");
        assert!(told, "{name}");
    }
    let one = film(&dir, "plot disk-stack -n 500 --outcomes 1 -o set.svg");
    assert!(one.contains("100.00 % of the samples"));
    assert!(names_in(&dir).contains(&"set.svg".to_string()));
}

#[test]
fn what_cannot_be_animated_is_refused() {
    let dir = directory();
    std::fs::create_dir(dir.join("folder.svg")).unwrap();
    let cases = "
        2 simulate cube --animate film.png => an .svg file | film.png
        2 simulate cube --animate film => an .svg file | film
        2 simulate cube --animate film.gif => an .svg file | film.gif
        2 simulate cube --animate folder.svg => directory
        2 simulate cube --animate missing/film.svg => missing
        2 simulate cube --animate a.svg -o a.svg => same name
        2 simulate cube --speed 2 => --animate
        2 simulate cube --animate a.svg --speed 0 => --speed
        3 plot block.json --animate a.svg => no bodies | block.json
        2 plot cube-on-edge --animate a.svg --paths 3 => -o FILE
        2 plot cube-on-edge => --out
        2 plot cube-on-edge --outcomes 3 -o a.svg => --animate";
    refusals(&dir, "", cases);
}
