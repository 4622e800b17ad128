//! A scene drawn to scale: bodies, walls, contacts with their friction cones, and velocities before
//! the impact.

use super::eye;
use super::outline::{ROUND, outline, rounded};
use super::plot::{Axis, Mark, Panel, PlaceName, Series};
use carom_core::problem::ContactProblem;
use carom_core::text::{short, three_digits};
use carom_mechanics::model::spatial::{Vector, tangents};
use carom_scene::{ScenePlace, Scenery, Solid};

/// The length of normals and of the longest velocity, over the size of the scene.
const LONG: f64 = 0.22;
/// The room for names around a scene, over its size.
const NAME: f64 = 0.1;
/// Colours by number.
const BODY: usize = 3;
const WALL: usize = 7;
const CONE: usize = 7;
const VELOCITY: usize = 2;
const INK: usize = 6;

struct Stage<'a> {
    scenery: &'a Scenery,
    /// Size of the scene in m, and its centre.
    size: f64,
    middle: ScenePlace,
    series: Vec<Series>,
}

/// Projection of a point or direction of a scene into the picture, in m.
pub fn seen(scenery: &Scenery, place: ScenePlace) -> [f64; 2] {
    if scenery.spatial { eye::seen(place.into()) } else { [place[0], place[1]] }
}

/// The panel of a scene, and its series.
pub fn panel(scenery: &Scenery, problem: &ContactProblem) -> (Panel, Vec<Series>) {
    let axes = match scenery.spatial {
        false => ["x", "y"],
        true => ["across", "up, seen from above"],
    };
    let mut stage = Stage::new(scenery);
    stage.walls();
    stage.bodies();
    stage.contacts(problem);
    stage.velocities();
    let names = scenery.contacts.iter().zip(problem.contacts());
    let names = names.map(|([point, normal], name)| stage.name(*point, *normal, name)).collect();
    let title = "The scene before the impact";
    let panel = Panel::new(title, axes.map(|axis| Axis::new(axis, "m"))).called(&["scene"]);
    let panel = Panel { equal: true, view: Some(stage.view()), names, ..panel };
    (panel, stage.series)
}

impl<'a> Stage<'a> {
    fn new(scenery: &'a Scenery) -> Self {
        let [low, high] = scenery.bounds();
        let middle = [0, 1, 2].map(|i| 0.5 * (low[i] + high[i]));
        Stage { scenery, size: scenery.size(), middle, series: Vec::new() }
    }

    fn seen(&self, place: ScenePlace) -> [f64; 2] {
        seen(self.scenery, place)
    }

    /// Bounding box of the series, with margins for names.
    fn view(&self) -> [[f64; 2]; 2] {
        let points = || self.series.iter().flat_map(|series| series.points.iter().flatten());
        let end = |i: usize, side: f64| {
            let most = points().fold(f64::NEG_INFINITY, |most, point| most.max(side * point[i]));
            side * (most + NAME * self.size)
        };
        [[end(0, -1.0), end(1, -1.0)], [end(0, 1.0), end(1, 1.0)]]
    }

    /// The name of a contact, on the side away from its normal.
    fn name(&self, point: ScenePlace, normal: ScenePlace, name: &str) -> PlaceName {
        let [at, tip] = [point, plus(point, normal, self.size)].map(|place| self.seen(place));
        let away = [at[0] - tip[0], at[1] - tip[1]];
        let length = away[0].hypot(away[1]).max(f64::MIN_POSITIVE);
        PlaceName { at, towards: away.map(|x| x / length), name: name.to_string() }
    }

    fn add(&mut self, label: &str, colour: usize, mark: Mark, points: Vec<[f64; 2]>) {
        self.series.push(Series { label: label.to_string(), colour, mark, points: vec![points] });
    }

    /// Walls near the bodies: a strip of the plane, in space a square.
    fn walls(&mut self) {
        for [point, normal] in &self.scenery.walls {
            let far = (0..3).map(|i| (self.middle[i] - point[i]) * normal[i]).sum::<f64>();
            if far > 1.5 * self.size {
                continue;
            }
            let foot = plus(self.middle, *normal, -far);
            let corners: Vec<ScenePlace> = if self.scenery.spatial {
                let [a, b] = tangents(Vector::from(*normal)).map(ScenePlace::from);
                let half = 0.7 * self.size;
                [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]]
                    .map(|[s, t]| plus(plus(foot, a, s * half), b, t * half))
                    .to_vec()
            } else {
                let (along, half) = ([normal[1], -normal[0], 0.0], 0.75 * self.size);
                [[1.0, 0.0], [-1.0, 0.0], [-1.0, -0.04], [1.0, -0.04]]
                    .map(|[s, t]| plus(plus(foot, along, s * half), *normal, t * self.size))
                    .to_vec()
            };
            let corners = corners.into_iter().map(|corner| self.seen(corner)).collect();
            self.add("", WALL, Mark::Area, corners);
        }
    }

    fn bodies(&mut self) {
        for solid in &self.scenery.shapes {
            let corners = self.silhouette(solid);
            self.add("", BODY, Mark::Area, corners);
            for edge in &solid.edges {
                self.add("", BODY, Mark::Outline, edge.map(|end| self.seen(end)).to_vec());
            }
        }
        for link in &self.scenery.links {
            self.add("", INK, Mark::Line, link.map(|end| self.seen(end)).to_vec());
        }
    }

    fn silhouette(&self, solid: &Solid) -> Vec<[f64; 2]> {
        rounded(solid.vertices.iter().map(|v| self.seen(*v)), solid.radius)
    }

    fn contacts(&mut self, problem: &ContactProblem) {
        let long = LONG * self.size;
        let mut points = Vec::new();
        for (i, [point, normal]) in self.scenery.contacts.iter().enumerate() {
            let angle = problem.friction()[i].atan();
            let side = |t: ScenePlace| {
                plus(plus(*point, *normal, long * angle.cos()), t, long * angle.sin())
            };
            let mut cone = vec![*point];
            if self.scenery.spatial {
                let [a, b] = tangents(Vector::from(*normal)).map(ScenePlace::from);
                cone.extend((0..ROUND).map(|k| {
                    let (sin, cos) = (std::f64::consts::TAU * k as f64 / ROUND as f64).sin_cos();
                    side(plus(a.map(|x| x * cos), b, sin))
                }));
            } else {
                let t = [normal[1], -normal[0], 0.0];
                cone.extend([side(t), side(t.map(|x| -x))]);
            }
            let cone = outline(cone.into_iter().map(|place| self.seen(place)).collect());
            self.add("", CONE, Mark::Area, cone);
            self.arrow("", INK, *point, normal.map(|x| x * long));
            points.push(self.seen(*point));
        }
        self.add("contact, normal, friction cone", INK, Mark::Ring, points);
    }

    fn velocities(&mut self) {
        let speed = |v: &ScenePlace| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let fastest = self.scenery.velocities.iter().map(|[_, v]| speed(v)).fold(0.0, f64::max);
        if fastest == 0.0 || !fastest.is_finite() {
            return;
        }
        let mut label = format!("velocity, up to {} m/s", short(three_digits(fastest)));
        for [center, v] in &self.scenery.velocities {
            if speed(v) > 1e-9 * fastest {
                self.arrow(&label, VELOCITY, *center, v.map(|x| x / fastest * LONG * self.size));
                label.clear();
            }
        }
    }

    fn arrow(&mut self, label: &str, colour: usize, from: ScenePlace, along: ScenePlace) {
        let [a, b] = [from, plus(from, along, 1.0)].map(|place| self.seen(place));
        let d = [b[0] - a[0], b[1] - a[1]];
        let head = |side: f64| [b[0] - 0.2 * d[0] - side * d[1], b[1] - 0.2 * d[1] + side * d[0]];
        self.add(label, colour, Mark::Line, vec![a, b, head(0.12), b, head(-0.12)]);
    }
}

/// `a + s b`.
fn plus(a: ScenePlace, b: ScenePlace, s: f64) -> ScenePlace {
    [0, 1, 2].map(|i| a[i] + s * b[i])
}
