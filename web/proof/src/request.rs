//! What a page can ask.

use carom_analysis::bounds::{BoundKind, kinds};
use carom_core::Limits;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_law::Routh;
use carom_report::scope::Scope;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault;

/// Directions of the polygon.
const SIDES: usize = 32;

/// Half the width of the plane of a picture, in the scales of its axes.
const FAR: f64 = 1e6;

/// A request.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Request {
    /// Opens a problem, as JSON, for a picture with these axes, `A,B`.
    Open { problem: String, axes: String },
    /// Proves the bound in the next direction.
    Side,
}

/// A problem, and what is proved of it so far.
struct Opened {
    problem: ContactProblem,
    axes: String,
    kind: BoundKind,
    /// Numbers `[a, b, h]` with `a x + b y <= h`, in the scales of the axes.
    sides: Vec<[f64; 3]>,
    /// How many of them are proved, rounding included; others are the solver's.
    proved: usize,
}

/// What stays between requests.
#[derive(Default)]
pub struct Session {
    opened: Option<Opened>,
}

impl Session {
    /// The answer to a request in JSON: an object, with the key `error` where there is no answer.
    pub fn answer(&mut self, request: &[u8], _: &[u8]) -> Value {
        let request = serde_json::from_slice(request).map_err(|e| Error::usage(e.to_string()));
        request.and_then(|request| self.act(request)).unwrap_or_else(|e| fault::error(&e))
    }

    fn act(&mut self, request: Request) -> Result<Value> {
        match request {
            Request::Open { problem, axes } => {
                let opened = Opened::new(&problem, axes)?;
                let kind = opened.kind;
                self.opened = Some(opened);
                Ok(json!({ "sides": SIDES, "kind": kind.name(), "excludes": kind.excludes() }))
            }
            Request::Side => {
                let opened = self.opened.as_mut();
                opened.ok_or_else(|| Error::usage("no problem is open"))?.side()
            }
        }
    }
}

impl Opened {
    fn new(problem: &str, axes: String) -> Result<Self> {
        let spec = serde_json::from_str::<ProblemSpec>(problem);
        let problem = ContactProblem::new(spec.map_err(|e| Error::input(e.to_string()))?)?;
        let kind = kinds(&problem, &Routh::default().into()).next();
        let kind =
            kind.ok_or_else(|| Error::input("no bound holds with what is uncertain here"))?;
        Ok(Opened { problem, axes, kind, sides: Vec::new(), proved: 0 })
    }

    /// Proves the next side.
    fn side(&mut self) -> Result<Value> {
        let scope = Scope::new(&self.problem);
        let view = &scope.views(&[], std::slice::from_ref(&self.axes))?[0];
        let done = self.sides.len();
        let part = order().nth(done).ok_or_else(|| Error::usage("all sides are proved"))?;
        let angle = std::f64::consts::TAU * part as f64 / SIDES as f64;
        let side = scope.side(view, self.kind, angle, &Limits::default())?;
        let ([a, b], bound) = side.ok_or_else(|| {
            Error::input("the speed along a contact in space is not linear in the velocity")
                .hint("choose other axes")
        })?;
        self.sides.push([a, b, bound.value]);
        self.proved += usize::from(bound.certified);
        let scales = view.scales();
        let place = |p: &[f64; 2]| [0, 1].map(|i| p[i] * scales[i]);
        let polygon: Vec<[f64; 2]> = polygon(&self.sides).iter().map(place).collect();
        Ok(json!({ "polygon": polygon, "done": done + 1, "proved": self.proved }))
    }
}

/// The numbers of directions: a box first, then each time as many again between those before.
fn order() -> impl Iterator<Item = usize> {
    let every = |first: usize, step: usize| (first..SIDES).step_by(step);
    every(0, 8).chain(every(4, 8)).chain(every(2, 4)).chain(every(1, 2))
}

/// The part of a plane within these sides, corner by corner; none where it has no end.
fn polygon(sides: &[[f64; 3]]) -> Vec<[f64; 2]> {
    let plane = vec![[-FAR, -FAR], [FAR, -FAR], [FAR, FAR], [-FAR, FAR]];
    let polygon = sides.iter().fold(plane, |polygon, side| clipped(&polygon, side));
    match polygon.iter().flatten().any(|x| x.abs() == FAR) {
        true => Vec::new(),
        false => polygon,
    }
}

/// The part of a convex polygon on one side of a line.
fn clipped(polygon: &[[f64; 2]], [a, b, h]: &[f64; 3]) -> Vec<[f64; 2]> {
    let beyond = |[x, y]: [f64; 2]| a * x + b * y - h;
    let mut left = Vec::new();
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let (d, e) = (beyond(from), beyond(to));
        if d <= 0.0 {
            left.push(from);
        }
        if (d < 0.0 && e > 0.0) || (d > 0.0 && e < 0.0) {
            left.push([0, 1].map(|k| from[k] + d / (d - e) * (to[k] - from[k])));
        }
    }
    left
}
