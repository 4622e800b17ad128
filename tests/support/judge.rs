//! A judge of outcomes that shares nothing with the library: motions of the planar inelastic law in
//! rational numbers, from event to event, at rates that an adversary chooses.

use super::draws::Draws;
use super::families::Rows;
use super::fractions::{Fraction, Matrix, dot, matrix, solved};

/// A solution of linear equations, rows of coefficients and right-hand side; unknowns that are left
/// free are 0.
fn solve(mut rows: Matrix) -> Option<Vec<Fraction>> {
    let n = rows[0].len() - 1;
    let (mut pivots, mut done) = (vec![None; n], 0);
    for column in 0..n {
        let Some(at) = (done..rows.len()).find(|r| rows[*r][column].sign() != 0) else { continue };
        rows.swap(done, at);
        let by = rows[done][column].clone();
        rows[done].iter_mut().for_each(|x| *x = &*x / &by);
        let pivot = rows[done].clone();
        for r in (0..rows.len()).filter(|r| *r != done) {
            let factor = rows[r][column].clone();
            if factor.sign() != 0 {
                (0..=n).for_each(|k| rows[r][k] = &rows[r][k] - &(&factor * &pivot[k]));
            }
        }
        pivots[column] = Some(done);
        done += 1;
    }
    let consistent = rows[done..].iter().all(|row| row[n].sign() == 0);
    let value = |pivot: &Option<usize>| pivot.map_or(Fraction::of(0.0), |r| rows[r][n].clone());
    consistent.then(|| pivots.iter().map(value).collect())
}

/// What the normal force does: it is 0, or holds `u_n = 0`, or is at its cap.
#[derive(Clone, Copy, PartialEq)]
pub enum Normal {
    Off,
    Held,
    Full,
}

/// What friction does: it holds `u_t = 0`, or is `-mu l_n`, or `mu l_n`.
#[derive(Clone, Copy, PartialEq)]
pub enum Tangent {
    Stick,
    Plus,
    Minus,
}

type Mode = (Normal, Tangent);

/// The planar inelastic law of a problem, in coordinates.
pub struct Judge {
    m: usize,
    mu: Vec<Fraction>,
    velocity: Vec<Fraction>,
    /// Normals, then tangents (2m,n); `M^-1 J'` (n,2m); `J M^-1 J'` (2m,2m).
    jacobian: Matrix,
    response: Matrix,
    w: Matrix,
}

/// Most events of a motion; one that has not ended by then is given up.
const EVENTS: usize = 60;

impl Judge {
    pub fn new(rows: &Rows) -> Judge {
        let exact = |x: &[f64]| x.iter().map(|x| Fraction::of(*x)).collect::<Vec<Fraction>>();
        let jacobian = matrix(&[&rows.normal[..], &rows.tangent].concat());
        let columns = solved(&matrix(&rows.mass), &jacobian);
        let n = rows.velocity.len();
        Judge {
            m: rows.normal.len(),
            mu: exact(&rows.friction),
            velocity: exact(&rows.velocity),
            w: jacobian
                .iter()
                .map(|j| columns.iter().map(|column| dot(j, column)).collect())
                .collect(),
            response: (0..n)
                .map(|a| columns.iter().map(|column| column[a].clone()).collect())
                .collect(),
            jacobian,
        }
    }

    /// An outcome: the velocity (n) with which a motion ends that seeks to go far in direction `d`
    /// (n). `None` if it takes long.
    pub fn walk(&self, d: &[f64], draws: &mut Draws) -> Option<Vec<f64>> {
        let mut v = self.velocity.clone();
        let greed = draws.uniform(0.0, 1.0);
        for _ in 0..EVENTS {
            let u: Vec<Fraction> = self.jacobian.iter().map(|row| dot(row, &v)).collect();
            if (0..self.m).all(|i| u[i].sign() >= 0) {
                return Some(v.iter().map(Fraction::near).collect());
            }
            // Some caps, all forces that the law allows with them, and the farthest or any of
            // these.
            let mut moves: Vec<(f64, Vec<Fraction>)> = Vec::new();
            for _ in 0..3 {
                let caps = self.caps(&u, draws);
                for l in self.forces(&u, &caps, draws) {
                    moves.extend(self.advance(&u, &l, d));
                }
            }
            let most = moves.iter().map(|(far, _)| *far).fold(f64::NEG_INFINITY, f64::max);
            let greedy = draws.uniform(0.0, 1.0) < greed;
            moves.retain(|(far, _)| !greedy || *far == most);
            if moves.is_empty() {
                continue;
            }
            let (_, change) = &moves[draws.below(moves.len())];
            // Now and then rates change before an event.
            let part = if draws.below(6) == 0 { Fraction::of(0.5) } else { Fraction::of(1.0) };
            v = v.iter().zip(change).map(|(v, change)| v + &(change * &part)).collect();
        }
        None
    }

    /// Caps, of which at least one of a contact that approaches is above 0.
    fn caps(&self, u: &[Fraction], draws: &mut Draws) -> Vec<Fraction> {
        loop {
            let sizes = [0.0, 0.0, 0.0, 0.25, 1.0, 1.0, 1.5, 4.0];
            let caps: Vec<Fraction> =
                (0..self.m).map(|_| Fraction::of(sizes[draws.below(8)])).collect();
            if (0..self.m).any(|i| u[i].sign() < 0 && caps[i].sign() > 0) {
                return caps;
            }
        }
    }

    /// The modes that contact `i` may have.
    fn possible(&self, i: usize, u: &[Fraction], caps: &[Fraction]) -> Vec<Mode> {
        use {Normal::*, Tangent::*};
        if caps[i].sign() == 0 || u[i].sign() > 0 {
            return vec![(Off, Plus)];
        }
        let normal = if u[i].sign() < 0 { vec![Full] } else { vec![Held, Full] };
        let tangent = match u[self.m + i].sign() {
            _ if self.mu[i].sign() == 0 => vec![Plus],
            0 => vec![Stick, Plus, Minus],
            1 => vec![Plus],
            _ => vec![Minus],
        };
        let pairs = normal.iter().flat_map(|n| tangent.iter().map(move |t| (*n, *t)));
        let off = (u[i].sign() == 0).then_some((Off, Plus));
        off.into_iter().chain(pairs).collect()
    }

    /// Forces (2m) that the law allows at contact velocity `u`: all of them, or one where there are
    /// many combinations of modes.
    fn forces(&self, u: &[Fraction], caps: &[Fraction], draws: &mut Draws) -> Matrix {
        let possible: Vec<Vec<Mode>> = (0..self.m).map(|i| self.possible(i, u, caps)).collect();
        let count: usize = possible.iter().map(Vec::len).product();
        let (first, mut found) = (draws.below(count), Vec::new());
        for k in 0..count {
            let mut rest = (first + k) % count;
            let mode = |modes: &Vec<Mode>| {
                let at = rest % modes.len();
                rest /= modes.len();
                modes[at]
            };
            let modes: Vec<Mode> = possible.iter().map(mode).collect();
            found.extend(self.with(&modes, u, caps));
            if count > 49 && !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The forces (2m) of a combination of modes, if the law allows them.
    fn with(&self, modes: &[Mode], u: &[Fraction], caps: &[Fraction]) -> Option<Vec<Fraction>> {
        let m = self.m;
        let unit = |k: usize, x: Fraction| {
            (0..=2 * m)
                .map(|j| if j == k { x.clone() } else { Fraction::of(0.0) })
                .collect::<Vec<Fraction>>()
        };
        let still = |row: usize| [self.w[row].clone(), vec![Fraction::of(0.0)]].concat();
        let mut equations = Vec::new();
        for (i, (normal, tangent)) in modes.iter().enumerate() {
            let mut at = unit(i, Fraction::of(1.0));
            if *normal == Normal::Full {
                at[2 * m] = caps[i].clone();
            }
            equations.push(if *normal == Normal::Held { still(i) } else { at });
            let mut slides = unit(m + i, Fraction::of(1.0));
            slides[i] = if *tangent == Tangent::Plus { self.mu[i].clone() } else { -&self.mu[i] };
            let sticks = *tangent == Tangent::Stick && *normal != Normal::Off;
            equations.push(if sticks { still(m + i) } else { slides });
        }
        let l = solve(equations)?;
        let slope = |row: usize| dot(&self.w[row], &l).sign();
        let allowed = |i: usize| {
            let (normal, tangent) = modes[i];
            let touches = u[i].sign() == 0 && caps[i].sign() > 0;
            let pushes = match normal {
                Normal::Off => !touches || slope(i) >= 0,
                Normal::Held => l[i].sign() >= 0 && (&l[i] - &caps[i]).sign() <= 0,
                Normal::Full => !touches || slope(i) <= 0,
            };
            let bound = &self.mu[i] * &l[i];
            let turns = normal != Normal::Off && u[m + i].sign() == 0 && self.mu[i].sign() > 0;
            let rubs = match tangent {
                Tangent::Stick => {
                    (&bound - &l[m + i]).sign() >= 0 && (&bound + &l[m + i]).sign() >= 0
                }
                Tangent::Plus => !turns || slope(m + i) >= 0,
                Tangent::Minus => !turns || slope(m + i) <= 0,
            };
            pushes && rubs
        };
        (0..m).all(allowed).then_some(l)
    }

    /// The change of the velocity (n) by forces `l` up to the first event, and how far it goes in
    /// direction `d`.
    fn advance(&self, u: &[Fraction], l: &[Fraction], d: &[f64]) -> Option<(f64, Vec<Fraction>)> {
        let meets = |row: usize| {
            let slope = dot(&self.w[row], l);
            let matters = row < self.m || l[row - self.m].sign() > 0;
            (matters && u[row].sign() * slope.sign() < 0).then(|| -&(&u[row] / &slope))
        };
        let sooner = |a: Fraction, b: Fraction| if (&a - &b).sign() > 0 { b } else { a };
        let time = (0..2 * self.m).filter_map(meets).reduce(sooner)?;
        let change: Vec<Fraction> = self.response.iter().map(|row| &dot(row, l) * &time).collect();
        let far = change.iter().zip(d).map(|(x, d)| x.near() * d).sum();
        Some((far, change))
    }
}

/// How far a point lies outside the convex hull of `vertices`, at least: by a plane between them,
/// which Wolfe's nearest point of the hull gives. Inside it is 0.
pub fn outside(vertices: &[Vec<f64>], point: &[f64]) -> f64 {
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let points: Vec<Vec<f64>> =
        vertices.iter().map(|v| v.iter().zip(point).map(|(v, p)| v - p).collect()).collect();
    let mut active = vec![(0, 1.0)];
    let mut least = 0.0f64;
    for _ in 0..100 * points.len() {
        let nearest: Vec<f64> = (0..point.len())
            .map(|k| active.iter().map(|(at, part)| part * points[*at][k]).sum())
            .collect();
        let length = inner(&nearest, &nearest).sqrt();
        let low = (0..points.len())
            .min_by(|a, b| inner(&points[*a], &nearest).total_cmp(&inner(&points[*b], &nearest)));
        let Some(low) = low.filter(|_| length > 0.0) else { return 0.0 };
        least = least.max(inner(&points[low], &nearest) / length);
        if active.iter().any(|(at, _)| *at == low)
            || length - inner(&points[low], &nearest) / length < 1e-13
        {
            return least;
        }
        active.push((low, 0.0));
        // Weights of the point nearest to 0 on the flat through the active vertices, as long as all
        // are positive.
        while let Some(weights) = flat(&active, &points) {
            let shrink = |((_, old), new): (&(usize, f64), &f64)| {
                if *new < 0.0 { old / (old - new) } else { 1.0 }
            };
            let part = active.iter().zip(&weights).map(shrink).fold(1.0, f64::min);
            active.iter_mut().zip(&weights).for_each(|((_, old), new)| *old += part * (new - *old));
            active.retain(|(_, weight)| *weight > 1e-15);
            if part == 1.0 {
                break;
            }
        }
    }
    least
}

/// The weights of active vertices whose sum is nearest to 0, which may be negative: by modified
/// Gram-Schmidt.
fn flat(active: &[(usize, f64)], points: &[Vec<f64>]) -> Option<Vec<f64>> {
    let (base, k) = (&points[active[0].0], active.len() - 1);
    let mut rest: Vec<f64> = base.iter().map(|x| -x).collect();
    let (mut basis, mut upper) = (Vec::<Vec<f64>>::new(), vec![vec![0.0; k]; k]);
    let mut along = vec![0.0; k];
    for j in 0..k {
        let mut q: Vec<f64> =
            points[active[j + 1].0].iter().zip(base).map(|(a, b)| a - b).collect();
        for (i, unit) in basis.iter().enumerate() {
            upper[i][j] = q.iter().zip(unit).map(|(a, b)| a * b).sum();
            q.iter_mut().zip(unit).for_each(|(q, unit)| *q -= upper[i][j] * unit);
        }
        upper[j][j] = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if upper[j][j] == 0.0 {
            return None;
        }
        q.iter_mut().for_each(|x| *x /= upper[j][j]);
        along[j] = rest.iter().zip(&q).map(|(a, b)| a * b).sum();
        rest.iter_mut().zip(&q).for_each(|(rest, q)| *rest -= along[j] * q);
        basis.push(q);
    }
    let mut weights = vec![0.0; k + 1];
    for j in (0..k).rev() {
        let known: f64 = (j + 1..k).map(|i| upper[j][i] * weights[i + 1]).sum();
        weights[j + 1] = (along[j] - known) / upper[j][j];
    }
    weights[0] = 1.0 - weights[1..].iter().sum::<f64>();
    weights.iter().all(|x| x.is_finite()).then_some(weights)
}
