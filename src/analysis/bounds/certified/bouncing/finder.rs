//! Search for a function of the velocity and the stored energies that never rises along the law and
//! bounds `c.v` at ends.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector, RowDVector};

use super::Goal;
use super::certificate::{Certificate, Function, Slope, pair, pairs};
use crate::bounds::certified::absence::{self, Claim};
use crate::bounds::certified::cells::{Push, Pushes};
use crate::bounds::certified::fan::{Fan, FanFace};
use crate::bounds::certified::finder::{Landings, inverse, landings};
use carom_core::cones::conic::{ConicProgram, ConicRow, Limits};

/// Certificate, not yet checked, and rays for the next refinement.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The certificate.
    pub certificate: Certificate,
    /// Rays that receive most impulse from faces, as combinations of known rays.
    pub landings: Landings,
}

/// Variables of the program: first the weights of the function.
struct Layout {
    count: usize,
    rays: usize,
    pairs: BTreeMap<(usize, usize), usize>,
    energy: usize,
    contacts: usize,
}

const CONSTANT: usize = 0;

impl Layout {
    fn new(fan: &Fan, contacts: usize) -> Self {
        let rays = fan.rays.len();
        let pairs: BTreeMap<_, _> = pairs(fan).into_iter().zip(1 + 2 * rays..).collect();
        let energy = 1 + 2 * rays + pairs.len();
        Layout { count: energy + 1 + contacts, rays, pairs, energy, contacts }
    }

    fn block(&mut self, size: usize) -> usize {
        self.count += size;
        self.count - size
    }

    fn linear(&self, ray: usize) -> usize {
        1 + ray
    }

    fn square(&self, ray: usize) -> usize {
        1 + self.rays + ray
    }

    fn product(&self, s: usize, t: usize) -> usize {
        self.pairs[&pair(s, t)]
    }

    fn stored(&self, contact: usize) -> usize {
        self.energy + 1 + contact
    }

    fn function(&self, x: &[f64]) -> Function {
        Function {
            constant: x[CONSTANT],
            energy: x[self.energy].max(0.0),
            stored: (0..self.contacts).map(|i| x[self.stored(i)].max(0.0)).collect(),
            linear: (0..self.rays).map(|ray| x[self.linear(ray)]).collect(),
            square: (0..self.rays).map(|ray| x[self.square(ray)]).collect(),
            product: self.pairs.iter().map(|(pair, at)| (*pair, x[*at])).collect(),
        }
    }
}

/// Program under construction.
struct Program<'a> {
    fan: &'a Fan,
    cells: &'a Pushes,
    goal: &'a Goal,
    layout: Layout,
    nonnegative: Vec<ConicRow>,
    round: Vec<Vec<ConicRow>>,
}

fn times(row: &[(usize, f64)], by: f64) -> Vec<(usize, f64)> {
    row.iter().map(|(at, x)| (*at, by * x)).collect()
}

impl Program<'_> {
    /// Constraint `sum of row >= 0`.
    fn at_least_zero(&mut self, row: Vec<(usize, f64)>) {
        self.nonnegative.push((times(&row, -1.0), 0.0));
    }

    /// Constraint `|rest|^2 <= 4 a b`.
    fn below_product(&mut self, rest: Vec<Vec<(usize, f64)>>, a: usize, b: usize) {
        let rest = rest.into_iter().map(|row| (row, 0.0));
        let heads = [(vec![(a, -1.0), (b, -1.0)], 0.0), (vec![(a, -1.0), (b, 1.0)], 0.0)];
        self.round.push(heads.into_iter().chain(rest).collect());
    }

    /// Constraint that the function does not rise along a push; `slopes`: variables across the
    /// face.
    fn falls(
        &mut self,
        face: &FanFace,
        parts: &RowDVector<f64>,
        (contact, push): (usize, &Push),
        slopes: usize,
    ) {
        let size = push.along.norm().max(f64::MIN_POSITIVE);
        let across: Vec<f64> =
            face.held().filter_map(|j| Some(push.along[self.cells.tangent[j]?] / size)).collect();
        let each = 1 + face.rays.len();
        let across = |k: usize| {
            let all = across.iter().enumerate();
            all.map(move |(j, g)| (slopes + j * each + k, *g)).collect::<Vec<_>>()
        };
        let mut row = across(0);
        row.extend(face.rays.iter().zip(parts.iter()).map(|(t, h)| (self.layout.linear(*t), *h)));
        self.nonnegative.push((row, -MARGIN));
        for (k, &t) in face.rays.iter().enumerate() {
            let products = face.rays.iter().zip(parts.iter()).filter(|(s, _)| **s != t);
            let mut row = across(1 + k);
            row.extend(products.map(|(s, h)| (self.layout.product(*s, t), *h)));
            row.push((self.layout.square(t), 2.0 * parts[k]));
            let [power, given_back] = powers(self.cells, contact, push, &self.fan.rays[t].along);
            row.push((self.layout.energy, power / size));
            row.push((self.layout.stored(contact), -given_back / size));
            self.nonnegative.push((row, 0.0));
        }
    }

    /// Constraint that a linear function with values `q` on rays is below the function plus `cost`;
    /// returns the variables `q` and `cost` of each ray.
    fn below(&mut self, rays: &[usize]) -> BTreeMap<usize, [usize; 2]> {
        let mut all = BTreeMap::new();
        for &t in rays {
            let [q, over, cost] = [(); 3].map(|()| self.layout.block(1));
            self.at_least_zero(vec![(q, -1.0), (self.layout.linear(t), 1.0), (over, 1.0)]);
            self.below_product(vec![vec![(over, -1.0)]], self.layout.square(t), cost);
            all.insert(t, [q, cost]);
        }
        all
    }

    /// Constraint that the function is at least the direction on a cone in which motions end.
    fn ends(
        &mut self,
        rays: &[usize],
        inverse: &DMatrix<f64>,
        below: &BTreeMap<usize, [usize; 2]>,
    ) {
        let radius = self.goal.before.norm();
        let through = &self.goal.columns * inverse * radius;
        // Rows radius (d - B p), p = inverse q.
        let row = |k: usize| -> ConicRow {
            let entries = rays.iter().enumerate().map(|(t, ray)| (below[ray][0], through[(k, t)]));
            (entries.collect(), radius * self.goal.direction[k])
        };
        let mut rest: Vec<ConicRow> = (0..through.nrows()).map(row).collect();
        for (k, &t) in rays.iter().enumerate() {
            for &s in &rays[..k] {
                self.at_least_zero(vec![(self.layout.product(s, t), 1.0)]);
            }
        }
        let (curved, straight) = (self.layout.block(1), self.layout.block(1));
        let part = self.layout.block(rest.len());
        rest.iter_mut().enumerate().for_each(|(k, (row, _))| row.push((part + k, radius)));
        let parts = (0..rest.len()).map(|k| vec![(part + k, 2f64.sqrt())]).collect();
        self.round.push(std::iter::once((vec![(straight, -1.0)], 0.0)).chain(rest).collect());
        self.below_product(parts, self.layout.energy, curved);
        let costs = rays.iter().map(|t| (below[t][1], -1.0));
        let room = costs.chain([(CONSTANT, 1.0), (straight, -1.0), (curved, -1.0)]).collect();
        self.at_least_zero(room);
    }
}

/// Power of a push at a velocity, and its part drawn from the contact's stored energy, in units of
/// `|v-|_M^2`, per unit of normal impulse in units of `|v-|_M`.
fn powers(cells: &Pushes, contact: usize, push: &Push, u: &DVector<f64>) -> [f64; 2] {
    let normal = cells.scale[contact] * u[contact];
    let friction = cells.tangent[contact].map_or(0.0, |t| push.friction * cells.scale[t] * u[t]);
    let e = if normal < 0.0 { cells.restitution[contact] } else { 1.0 };
    [normal + friction, if cells.bounces(contact) { e * e * normal } else { 0.0 }]
}

/// Best function among those quadratic on the cones of a fan.
///
/// ```text
/// minimise    V(v-)
/// over        V, slopes of the faces, q on the rays of cones in which the impact may end
/// subject to  f(0) <= 0 and f(ray) - f(0) <= 0  for f = the change of V along g, with the slopes
///               across the face, for every face, direction g there and ray of the face
///             for every cone in which the impact may end, with `a` the weight of the energy and
///               `p` the gradient of `q`,
///               product >= 0,  (q_t - linear_t)^2 <= 4 square_t cost_t  where q_t > linear_t,
///               |d - B p - e| radius + |e|^2 / (2 a) + sum_t cost_t <= constant
/// ```
///
/// `d`: direction in coordinates with a Euclidean kinetic metric; `B`: [`Goal`]'s columns;
/// velocities are at most `radius = |y-|` long. `None` if the solver fails or the flag is raised.
pub fn find(fan: &Fan, cells: &Pushes, goal: &Goal, limits: &Limits) -> Option<Candidate> {
    let all = fan.faces(cells);
    let absent = absence::witnesses(cells, fan, &all, limits)?;
    let layout = Layout::new(fan, cells.contacts);
    let mut program =
        Program { fan, cells, goal, layout, nonnegative: Vec::new(), round: Vec::new() };
    let (mut flows, mut slopes) = (Vec::new(), Vec::new());
    for (f, face) in all.iter().enumerate().filter(|(f, _)| absent[*f].is_none()) {
        let (free, inverse) = inverse(fan, cells, face)?;
        let slope = program.layout.block(face.held().count() * (1 + face.rays.len()));
        slopes.push(slope);
        for (contact, push) in face.pushes(cells) {
            let inner = DVector::from_fn(free.len(), |k, _| push.along[free[k]]);
            let parts = inner.transpose() * &inverse / push.along.norm().max(f64::MIN_POSITIVE);
            program.falls(face, &parts, (contact, push), slope);
            flows.resize(program.nonnegative.len(), (f, parts));
        }
    }
    let mut of_ends: Vec<_> = fan.ends(cells.contacts).flat_map(|cone| cone.rays.clone()).collect();
    of_ends.sort_unstable();
    of_ends.dedup();
    let below = program.below(&of_ends);
    let mut ends = Vec::new();
    for cone in fan.ends(cells.contacts) {
        let inverse = fan.of_cone(&cone.rays).try_inverse()?;
        program.ends(&cone.rays, &inverse, &below);
        ends.push((&cone.rays, inverse));
    }
    for i in 0..cells.contacts {
        program.at_least_zero(vec![(program.layout.stored(i), 1.0)]);
    }
    // Without motions nearby the function would be unbounded.
    let weights = 1..=program.layout.energy + cells.contacts;
    program.nonnegative.extend(weights.map(|at| (vec![(at, 1.0)], LARGEST)));

    let Program { layout, nonnegative, round, .. } = program;
    let mut objective = vec![0.0; layout.count];
    let (start, length) = goal.start;
    objective[CONSTANT] = 1.0;
    objective[layout.linear(start)] = length;
    objective[layout.square(start)] = length * length;
    objective[layout.energy] = goal.before.norm_squared() / 2.0;
    let mut conic = ConicProgram::minimise(objective, limits);
    conic.nonnegative(nonnegative);
    round.into_iter().for_each(|cone| conic.round(cone));
    let solved = conic.solve()?;
    let x = &solved.x;
    let mut slopes = slopes.into_iter();
    let claims = all.iter().zip(absent).map(|(face, absent)| match absent {
        Some(weights) => Claim::Absent(weights),
        None => {
            let (first, k) = (slopes.next().unwrap_or(0), face.rays.len());
            let slope = |j: usize| {
                let of = &x[first + j * (1 + k)..first + (j + 1) * (1 + k)];
                Slope { constant: of[0], along: of[1..].to_vec() }
            };
            Claim::Falls((0..face.held().count()).map(slope).collect())
        }
    });
    let end = |(rays, inverse): (&Vec<usize>, DMatrix<f64>)| {
        inverse * DVector::from_iterator(rays.len(), rays.iter().map(|t| x[below[t][0]]))
    };
    let ends = ends.into_iter().map(end).collect();
    let certificate = Certificate { claims: claims.collect(), function: layout.function(x), ends };
    Some(Candidate { certificate, landings: landings(&all, &flows, &solved.dual) })
}

/// Maximum weight of a function, and minimum fall, as a margin against solver errors.
const LARGEST: f64 = 100.0;
const MARGIN: f64 = 1e-8;
