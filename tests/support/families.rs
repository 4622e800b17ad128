//! Random planar inelastic problems of many families, with numbers that doubles have exactly.

use super::draws::Draws;
use carom_core::problem::ProblemSpec;

/// A problem, row by row.
#[derive(Clone, Debug)]
pub struct Rows {
    pub mass: Vec<Vec<f64>>,
    pub normal: Vec<Vec<f64>>,
    pub tangent: Vec<Vec<f64>>,
    pub friction: Vec<f64>,
    pub velocity: Vec<f64>,
}

impl Rows {
    pub fn spec(&self) -> ProblemSpec {
        let Rows { mass, normal, tangent, friction, velocity } = self.clone();
        let friction = Some(friction);
        ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() }
    }
}

/// Every family, by what its problems have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Rows of any direction, 2 to 6 coordinates, a full mass matrix.
    Raw,
    /// Two or three points of a rigid body, with normals of any direction.
    Body,
    /// Two or three disks on each other and on the ground.
    Disks,
    /// Integers from -2 to 2.
    Integers,
    /// All normals are parallel, or all tangents.
    Parallel,
    /// The last contact repeats the first.
    Repeated,
    /// The first contact does not move along its normal before the impact.
    Touching,
    /// A mirror maps the first two contacts onto each other.
    Symmetric,
    /// Masses from 1e-6 to 1e6.
    Masses,
    /// Two contacts differ by 1e-3 to 1e-9.
    Near,
    /// Two contacts are opposed, but for 1e-3 to 1e-9.
    Opposed,
}

use Family::*;

impl Family {
    pub const ALL: [Family; 11] = [
        Raw, Body, Disks, Integers, Parallel, Repeated, Touching, Symmetric, Masses, Near, Opposed,
    ];

    /// Problem number `number` with `m >= 2` contacts, of which one approaches.
    pub fn problem(self, m: usize, number: usize) -> Rows {
        let mut draws = Draws::of(100 * (self as u64 + 1) + m as u64, number);
        loop {
            let rows = self.draw(m, &mut draws);
            let approaches = |row: &Vec<f64>| {
                row.iter().zip(&rows.velocity).map(|(a, b)| a * b).sum::<f64>() < 0.0
            };
            let moves = rows.normal.iter().all(|row| row.iter().any(|x| *x != 0.0));
            if moves && rows.normal.iter().any(approaches) {
                return rows;
            }
        }
    }

    fn draw(self, m: usize, draws: &mut Draws) -> Rows {
        let mut rows = match self {
            Raw => raw(m, 2 + draws.below(5), draws),
            Body => body(m, draws),
            Disks => disks(m, draws),
            Integers => integers(m, draws),
            Masses => Rows { mass: diagonal(&masses(3, draws)), ..raw(m, 3, draws) },
            // All other families are made of these.
            _ if draws.below(2) == 0 => body(m, draws),
            _ => raw(m, 2 + draws.below(3), draws),
        };
        let n = rows.velocity.len();
        match self {
            Parallel => {
                let parallel =
                    if draws.below(2) == 0 { &mut rows.normal } else { &mut rows.tangent };
                for i in 1..m {
                    let size = [-1.0, 1.0, 2.0][draws.below(3)];
                    parallel[i] = parallel[0].iter().map(|x| size * x).collect();
                }
            }
            Repeated => {
                rows.normal[m - 1] = rows.normal[0].clone();
                rows.tangent[m - 1] = rows.tangent[0].clone();
            }
            Touching => {
                rows.normal[0] = (0..n).map(|a| f64::from(a == 1)).collect();
                rows.velocity[1] = 0.0;
            }
            Symmetric => mirror(&mut rows),
            Near | Opposed => {
                let sign = if self == Near { 1.0 } else { -1.0 };
                let small = 2f64.powi(-10 - draws.below(20) as i32);
                for part in [&mut rows.normal, &mut rows.tangent] {
                    part[m - 1] =
                        part[0].iter().map(|x| sign * x + small * grid(draws, 4.0)).collect();
                }
            }
            _ => {}
        }
        rows
    }
}

/// A number from -1 to 1, a multiple of 1 over `parts`.
fn grid(draws: &mut Draws, parts: f64) -> f64 {
    (draws.uniform(-1.0, 1.0) * parts).round() / parts
}

fn vector(n: usize, parts: f64, draws: &mut Draws) -> Vec<f64> {
    (0..n).map(|_| grid(draws, parts)).collect()
}

pub fn diagonal(entries: &[f64]) -> Vec<Vec<f64>> {
    let n = entries.len();
    (0..n).map(|a| (0..n).map(|b| if a == b { entries[a] } else { 0.0 }).collect()).collect()
}

fn masses(n: usize, draws: &mut Draws) -> Vec<f64> {
    (0..n).map(|_| 2f64.powi(draws.below(41) as i32 - 20)).collect()
}

/// Friction of every size, one contact as another.
fn friction(m: usize, draws: &mut Draws) -> Vec<f64> {
    let mut one = || [0.0, 0.125, 0.5, 0.5, 1.0, 1.0, 1.5, 3.0, 10.0, 100.0][draws.below(10)];
    (0..m).map(|_| one()).collect()
}

fn raw(m: usize, n: usize, draws: &mut Draws) -> Rows {
    let root: Vec<Vec<f64>> = (0..n).map(|_| vector(n, 4.0, draws)).collect();
    let product =
        |a: usize, b: usize| root[a].iter().zip(&root[b]).map(|(x, y)| x * y).sum::<f64>();
    let entry = |a: usize, b: usize| product(a, b) + 0.25 * f64::from(a == b);
    Rows {
        mass: (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect(),
        normal: (0..m).map(|_| vector(n, 64.0, draws)).collect(),
        tangent: (0..m).map(|_| vector(n, 64.0, draws)).collect(),
        friction: friction(m, draws),
        velocity: vector(n, 64.0, draws),
    }
}

/// The normal and the tangent of a point `(x, y)` of a body whose normal is `(a, b)`.
fn point([x, y]: [f64; 2], [a, b]: [f64; 2]) -> [Vec<f64>; 2] {
    [vec![a, b, x * b - y * a], vec![b, -a, -x * a - y * b]]
}

fn body(m: usize, draws: &mut Draws) -> Rows {
    let flat = draws.below(2) == 0;
    let contacts: Vec<[Vec<f64>; 2]> = (0..m)
        .map(|_| {
            let at = [grid(draws, 64.0), -0.25 - grid(draws, 64.0).abs()];
            let lean = if flat { 0.0 } else { grid(draws, 16.0) };
            point(at, [lean, 1.0])
        })
        .collect();
    let velocity = vec![grid(draws, 64.0), -0.25 - grid(draws, 64.0).abs(), grid(draws, 64.0)];
    Rows {
        mass: diagonal(&[1.0, 1.0, [0.125, 0.25, 0.5, 1.0][draws.below(4)]]),
        normal: contacts.iter().map(|rows| rows[0].clone()).collect(),
        tangent: contacts.iter().map(|rows| rows[1].clone()).collect(),
        friction: friction(m, draws),
        velocity,
    }
}

/// A disk of radius 1 on the ground; contacts after the first are those of a second one with the
/// first, with the ground, and of a third one with the second, and so on. Coordinates are
/// `(x, y, r angle)` of each.
fn disks(m: usize, draws: &mut Draws) -> Rows {
    let count = 1 + m / 2;
    let lean = [[0.0, 4.0], [3.0, 4.0], [4.0, 3.0], [-3.0, 4.0]][draws.below(4)].map(|x| x / 4.0);
    // Rows of the second disk: a push by (a, b) at distance r from its centre; the other disk gets
    // the opposite one.
    let pair = |k: usize, on: Option<usize>, [a, b]: [f64; 2]| {
        let (mut normal, mut tangent) = (vec![0.0; 3 * count], vec![0.0; 3 * count]);
        let turn = if on.is_some() { 1.25 } else { 1.0 };
        normal[3 * k..3 * k + 3].copy_from_slice(&[a, b, 0.0]);
        tangent[3 * k..3 * k + 3].copy_from_slice(&[b, -a, turn]);
        if let Some(j) = on {
            normal[3 * j..3 * j + 3].copy_from_slice(&[-a, -b, 0.0]);
            tangent[3 * j..3 * j + 3].copy_from_slice(&[-b, a, turn]);
        }
        [normal, tangent]
    };
    let contacts: Vec<[Vec<f64>; 2]> = (0..m)
        .map(|i| match i % 2 {
            0 => pair(i / 2, None, [0.0, 1.0]),
            _ => pair(i / 2 + 1, Some(i / 2), lean),
        })
        .collect();
    let mut velocity = vector(3 * count, 16.0, draws);
    velocity[1] = -1.0;
    let mass = if draws.below(2) == 0 { masses(count, draws) } else { vec![1.0; count] };
    let mass: Vec<f64> = mass.iter().flat_map(|mass| [*mass, *mass, 0.5 * mass]).collect();
    Rows {
        mass: diagonal(&mass),
        normal: contacts.iter().map(|rows| rows[0].clone()).collect(),
        tangent: contacts.iter().map(|rows| rows[1].clone()).collect(),
        friction: friction(m, draws),
        velocity,
    }
}

fn integers(m: usize, draws: &mut Draws) -> Rows {
    let n = 2 + draws.below(3);
    let mut row = || (0..n).map(|_| draws.below(5) as f64 - 2.0).collect::<Vec<f64>>();
    let [normal, tangent] = [(); 2].map(|()| (0..m).map(|_| row()).collect::<Vec<_>>());
    let velocity = row();
    let mass = diagonal(&(0..n).map(|_| 1.0 + draws.below(2) as f64).collect::<Vec<f64>>());
    let friction = (0..m).map(|_| draws.below(3) as f64).collect();
    Rows { mass, normal, tangent, friction, velocity }
}

/// Makes the second contact the mirror image of the first: the first coordinate and those from the
/// third on change their signs.
fn mirror(rows: &mut Rows) {
    let n = rows.velocity.len();
    let image = |row: &[f64], sign: f64| -> Vec<f64> {
        row.iter().enumerate().map(|(a, x)| if a == 1 { sign * x } else { -sign * x }).collect()
    };
    rows.mass = diagonal(&(0..n).map(|a| rows.mass[a][a]).collect::<Vec<f64>>());
    rows.normal[1] = image(&rows.normal[0], 1.0);
    rows.tangent[1] = image(&rows.tangent[0], -1.0);
    rows.friction[1] = rows.friction[0];
    rows.velocity = (0..n).map(|a| if a == 1 { -1.0 } else { 0.0 }).collect();
}
