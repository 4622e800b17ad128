//! Random impacts in space: one body that strikes the ground at many points, or a stack in which
//! each body strikes the one below.

use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::rng::{Stream, StreamRng, stream};
use rand_core::Rng;

/// How the contacts of a problem are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One body. From three contacts on the Delassus matrix is singular.
    Body,
    /// One body per contact. The Delassus matrix is regular.
    Stack,
}

impl Kind {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "body" => Some(Kind::Body),
            "stack" => Some(Kind::Stack),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Body => "one body",
            Kind::Stack => "a stack",
        }
    }

    /// The first `count` problems with `m` contacts in which some contact approaches.
    pub fn problems(self, m: usize, count: usize) -> Vec<ContactProblem> {
        let drawn = (0..).map(|number| self.problem(m, number));
        drawn.filter(ContactProblem::approaches).take(count).collect()
    }

    fn problem(self, m: usize, number: u64) -> ContactProblem {
        let test = 2 * m as u64 + u64::from(self == Kind::Body);
        let mut draws = Draws(Stream::new(test, number).rng());
        let bodies = if self == Kind::Body { 1 } else { m };
        let n = 6 * bodies;
        let inertia: Vec<f64> =
            (0..n).map(|k| if k % 6 < 3 { 1.0 } else { draws.uniform(0.1, 0.6) }).collect();
        let (mut normal, mut tangent) = (Vec::new(), Vec::new());
        for i in 0..m {
            let body = i % bodies;
            let below = (self == Kind::Stack && i > 0).then(|| body - 1);
            let mut rows = contact(&mut draws, n, body, below).into_iter();
            normal.extend(rows.next());
            tangent.extend(rows);
        }
        let friction = (0..m).map(|_| draws.uniform(0.1, 1.0)).collect();
        let most = |k: usize| if k % 6 == 2 { 0.0 } else { 1.0 };
        let velocity = (0..n).map(|k| draws.uniform(-1.0, most(k))).collect();
        let row = |i: usize| (0..n).map(|j| if i == j { inertia[i] } else { 0.0 }).collect();
        let mass = (0..n).map(row).collect();
        let spec = ProblemSpec { mass, normal, tangent, velocity, ..ProblemSpec::default() };
        ContactProblem::new(ProblemSpec { friction: Some(friction), ..spec }).expect("a problem")
    }
}

/// The normal and the tangents of a contact at the lower side of a body, with the ground or the
/// upper side of a body below.
fn contact(draws: &mut Draws, n: usize, body: usize, below: Option<usize>) -> Vec<Vec<f64>> {
    let normal = unit([draws.uniform(-0.3, 0.3), draws.uniform(-0.3, 0.3), 1.0]);
    let tangent = unit(cross(normal, [1.0, 0.0, 0.0]));
    let mut arm =
        |low, high| [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, 1.0), draws.uniform(low, high)];
    let arms = [(Some(body), 1.0, arm(-1.0, -0.3)), (below, -1.0, arm(0.3, 1.0))];
    let row = |way: [f64; 3]| {
        let mut row = vec![0.0; n];
        for (body, sign, arm) in arms {
            if let Some(body) = body {
                let turn = cross(arm, way);
                for k in 0..3 {
                    row[6 * body + k] = sign * way[k];
                    row[6 * body + 3 + k] = sign * turn[k];
                }
            }
        }
        row
    };
    [normal, tangent, cross(normal, tangent)].map(row).to_vec()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

struct Draws(StreamRng);

impl Draws {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(stream::unit(self.0.next_u32()))
    }
}
