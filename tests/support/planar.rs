//! Planar inelastic problems of mixed kinds, among them those whose motions chatter for long.

use std::f64::consts::PI;

use super::draws::Draws;
use carom_core::problem::ProblemSpec;

/// What problems of a kind have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planar {
    /// Rows of any direction, with 3, 4 or 6 coordinates.
    Raw,
    /// Rows of any direction, with four coordinates and friction 1, 3, 10 or 100 at all contacts.
    Rough,
    /// One rigid body with contacts around it.
    Body,
    /// Two rigid bodies that meet each other and the ground.
    Bodies,
    /// Two disks that meet each other and the ground.
    Disks,
    /// One rigid body on contacts with one normal.
    Parallel,
    /// The first contact twice.
    Repeated,
    /// A body, its contacts and its velocity, symmetric about the vertical.
    Symmetric,
    /// Masses from 1e-6 to 1e6.
    Masses,
    /// Small whole numbers: velocities start on boundaries of cells.
    Whole,
}

use Planar::*;

impl Planar {
    pub const ALL: [Planar; 10] =
        [Raw, Rough, Body, Bodies, Disks, Parallel, Repeated, Symmetric, Masses, Whole];

    /// Problem `number` with `m` contacts, one of which approaches.
    pub fn problem(self, m: usize, number: usize) -> ProblemSpec {
        let mut draws = Draws::of(770 + 10 * m as u64 + self as u64, number);
        loop {
            let spec = self.draw(m, &mut draws);
            let approaches = |row: &Vec<f64>| {
                row.iter().zip(&spec.velocity).map(|(a, v)| a * v).sum::<f64>() < 0.0
            };
            if spec.normal.iter().any(approaches) {
                return spec;
            }
        }
    }

    fn draw(self, m: usize, draws: &mut Draws) -> ProblemSpec {
        let friction = |draws: &mut Draws| match draws.below(8) {
            0 => 0.0,
            1 => 100.0,
            2 => 1.0,
            _ => 10f64.powf(draws.uniform(-1.5, 1.5)),
        };
        let mut mu: Vec<f64> = (0..m).map(|_| friction(draws)).collect();
        let (mass, mut rows, mut velocity): (Vec<f64>, Vec<[Vec<f64>; 2]>, Vec<f64>) = match self {
            Raw | Rough | Masses => {
                let n = if self == Rough { 4 } else { [3, 4, 6][draws.below(3)] };
                let decades = if self == Masses { 6.0 } else { 0.7 };
                if self == Rough {
                    mu = vec![[1.0, 3.0, 10.0, 100.0][draws.below(4)]; m];
                }
                let mass = (0..n).map(|_| 10f64.powf(draws.uniform(-decades, decades))).collect();
                let rows = (0..m).map(|_| [normal(draws, n), normal(draws, n)]).collect();
                (mass, rows, normal(draws, n))
            }
            Body | Parallel | Repeated => {
                let tilt = |draws: &mut Draws| {
                    if self == Parallel { 0.0 } else { draws.uniform(-1.2, 1.2) }
                };
                let corner = |draws: &mut Draws| {
                    let angle = tilt(draws);
                    row([draws.uniform(-1.0, 1.0), draws.uniform(-1.0, -0.2)], angle)
                };
                let rows = (0..m).map(|_| corner(draws)).collect();
                let falls =
                    [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, -0.1), draws.uniform(-1.0, 1.0)];
                (vec![1.0, 1.0, draws.uniform(0.05, 0.7)], rows, falls.to_vec())
            }
            Symmetric => {
                let (arm, down, angle) =
                    (draws.uniform(0.1, 1.0), draws.uniform(-1.0, -0.2), draws.uniform(-1.2, 1.2));
                let mut rows =
                    vec![row([arm, down], angle), row([-arm, down], -angle), row([0.0, down], 0.0)];
                rows.truncate(m);
                (vec![1.0, 1.0, draws.uniform(0.05, 0.7)], rows, vec![0.0, -1.0, 0.0])
            }
            Bodies | Disks => {
                let disks = self == Disks;
                let angle = draws.uniform(-1.0, 1.0);
                let at = |draws: &mut Draws, down: f64| match disks {
                    true => [0.0, down],
                    false => [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, 1.0)],
                };
                let turned = |size: f64| [size * angle.sin(), size * angle.cos()];
                // Normals point into the second body, which lies on the first one.
                let [below, above] = match disks {
                    true => [turned(1.0), turned(-1.0)],
                    false => [at(draws, 0.0), at(draws, 0.0)],
                };
                let [first, second] = [row(below, angle), row(above, angle)];
                let pair = |k: usize| {
                    let first = first[k].iter().map(|x| -x);
                    first.chain(second[k].iter().copied()).collect::<Vec<_>>()
                };
                let zero = vec![0.0; 3];
                let ground =
                    [0, 1].map(|k| [row(at(draws, -1.0), 0.0)[k].clone(), zero.clone()].concat());
                let other =
                    [0, 1].map(|k| [zero.clone(), row(at(draws, -1.0), 0.0)[k].clone()].concat());
                let mut rows = vec![ground, [pair(0), pair(1)], other];
                rows.truncate(m);
                let inertia =
                    |draws: &mut Draws| if disks { 0.5 } else { draws.uniform(0.05, 0.7) };
                let mass = [1.0, 1.0, inertia(draws), 1.0, 1.0, inertia(draws)].to_vec();
                let heavier = draws.uniform(0.2, 3.0);
                let weighed = |(i, x): (usize, &f64)| if i < 3 { *x } else { x * heavier };
                let mass = mass.iter().enumerate().map(weighed).collect();
                (mass, rows, draws.numbers(6))
            }
            Whole => {
                let n = [3, 4][draws.below(2)];
                let whole = |draws: &mut Draws| {
                    (0..n).map(|_| draws.below(5) as f64 - 2.0).collect::<Vec<_>>()
                };
                let rows = (0..m).map(|_| [whole(draws), whole(draws)]).collect();
                mu = (0..m).map(|_| [0.5, 1.0, 2.0][draws.below(3)]).collect();
                let mass = (0..n).map(|_| 1.0 + draws.below(3) as f64).collect();
                (mass, rows, whole(draws))
            }
        };
        if self == Repeated {
            rows[1] = rows[0].clone();
        }
        if self == Symmetric {
            mu[1] = mu[0];
        }
        if draws.below(2) == 0 && matches!(self, Disks | Bodies) {
            velocity[1] = -1.0;
        }
        let n = mass.len();
        let entry = |i: usize, j: usize| if i == j { mass[i] } else { 0.0 };
        ProblemSpec {
            mass: (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect(),
            normal: rows.iter().map(|rows| rows[0].clone()).collect(),
            tangent: rows.iter().map(|rows| rows[1].clone()).collect(),
            friction: Some(mu),
            velocity,
            ..ProblemSpec::default()
        }
    }
}

/// Normally distributed numbers, by Box and Muller's method.
fn normal(draws: &mut Draws, count: usize) -> Vec<f64> {
    let one = |draws: &mut Draws| {
        (-2.0 * draws.uniform(1e-9, 1.0).ln()).sqrt() * (2.0 * PI * draws.uniform(0.0, 1.0)).cos()
    };
    (0..count).map(|_| one(draws)).collect()
}

/// The normal and the tangent of a contact of a body at `arm` from its centre, the normal turned
/// from the vertical.
fn row([x, y]: [f64; 2], angle: f64) -> [Vec<f64>; 2] {
    let (sin, cos) = angle.sin_cos();
    [[sin, cos], [cos, -sin]].map(|[a, b]| vec![a, b, x * b - y * a])
}
