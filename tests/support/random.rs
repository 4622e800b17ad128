//! Random problems of many kinds: one body with contacts around it, or rows of any direction; with
//! friction from 0.01 to 100.

use std::time::{Duration, Instant};

use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::status::Status;
use carom_engine::{Plan, Prepared};
use carom_law::Law;

use super::draws::Draws;

/// What all problems of a kind have in common.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub spatial: bool,
    /// Whether it is one rigid body.
    pub body: bool,
    pub bounces: bool,
}

impl Kind {
    pub fn all() -> [Kind; 8] {
        std::array::from_fn(|i| Kind { spatial: i & 4 > 0, body: i & 2 > 0, bounces: i & 1 > 0 })
    }

    /// Problems that approach, with the numbers of their draws.
    pub fn problems(self) -> impl Iterator<Item = (usize, ContactProblem)> {
        let all = (0..).map(move |number| (number, problem(self, number)));
        all.filter(|(_, problem)| problem.approaches())
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let space = if self.spatial { "spatial" } else { "planar" };
        let rows = if self.body { "a body" } else { "any rows" };
        let e = if self.bounces { "e > 0" } else { "e = 0" };
        write!(f, "{space}, {rows}, {e}")
    }
}

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// The normal and the tangents of a contact below the centre of a body, as rows of its Jacobian.
fn contact(spatial: bool, draws: &mut Draws) -> Vec<Vec<f64>> {
    if !spatial {
        let (sin, cos) = draws.uniform(-0.7, 0.7).sin_cos();
        let arm = [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, -0.3)];
        let row = |[x, y]: [f64; 2]| vec![x, y, arm[0] * y - arm[1] * x];
        return [[sin, cos], [cos, -sin]].map(row).to_vec();
    }
    let normal = unit([draws.uniform(-0.5, 0.5), draws.uniform(-0.5, 0.5), 1.0]);
    let tangent = unit(cross(normal, [1.0, 0.0, 0.0]));
    let arm = [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, 1.0), draws.uniform(-1.0, -0.3)];
    [normal, tangent, cross(normal, tangent)].map(|d| [d, cross(arm, d)].concat()).to_vec()
}

/// A problem with one to eight contacts.
fn problem(kind: Kind, number: usize) -> ContactProblem {
    let Kind { spatial, body, bounces } = kind;
    let mut draws = Draws::of(
        [spatial, body, bounces].iter().fold(1, |test, part| 2 * test + u64::from(*part)),
        number,
    );
    let m = 1 + draws.below(8);
    let (places, rows) = if spatial { (3, 3) } else { (2, 2) };
    let least = (m / 2).max(3);
    let n = if body { 3 * (places - 1) } else { least + draws.below(2 * m + 4 - least) };
    let inertia: Vec<f64> = (0..n)
        .map(|i| match body {
            true if i < places => 1.0,
            true => draws.uniform(0.1, 0.6),
            false => draws.uniform(0.5, 2.0),
        })
        .collect();
    let contacts: Vec<Vec<Vec<f64>>> = (0..m)
        .map(|_| match body {
            true => contact(spatial, &mut draws),
            false => (0..rows).map(|_| draws.numbers(n)).collect(),
        })
        .collect();
    let mut velocity = draws.numbers(n);
    if body {
        velocity[places - 1] = -velocity[places - 1].abs();
    }
    let entry = |i: usize, j: usize| if i == j { inertia[i] } else { 0.0 };
    ContactProblem::new(ProblemSpec {
        mass: (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect(),
        normal: contacts.iter().map(|rows| rows[0].clone()).collect(),
        tangent: contacts.iter().flat_map(|rows| rows[1..].to_vec()).collect(),
        friction: Some((0..m).map(|_| 10f64.powf(draws.uniform(-2.0, 2.0))).collect()),
        restitution: bounces.then(|| (0..m).map(|_| draws.uniform(0.1, 0.9)).collect()),
        velocity,
        ..ProblemSpec::default()
    })
    .unwrap()
}

/// How a sample ended, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub status: Status,
    pub accepted: bool,
    pub time: Duration,
}

/// The first samples of the process that is the default, in f64, one by one.
pub fn outcomes(problem: &ContactProblem, samples: u64) -> Vec<Outcome> {
    let most = Law::default().prepare::<f64>(problem).unwrap().most_residual::<f64>();
    let mut sampler = Prepared::<f64>::new(problem, &Plan::default()).unwrap();
    let one = |i| {
        let clock = Instant::now();
        let found = sampler.sample(i, 1);
        let time = clock.elapsed();
        Outcome { status: found.status[0], accepted: !found.accepted(most).is_empty(), time }
    };
    (0..samples).map(one).collect()
}
