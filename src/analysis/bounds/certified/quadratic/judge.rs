//! Proof checker for quadratic functions, in arithmetic that rounds up.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::certificate::{Certificate, Claim, Fall, Function, Piece, Region, aims, needed};
use super::frame::{Contact, Frame};
use crate::bounds::rounding::{Sum, up};
use carom_core::cones::conic::Limits;

/// Linear function of `z = (1, y, t)`: coefficients by entry of `z`.
type Linear = Vec<(usize, f64)>;

/// Quadratic function of `z`, with a [`Sum`] for each coefficient.
struct Form {
    size: usize,
    coefficients: Vec<Sum>,
}

impl Form {
    fn new(size: usize) -> Self {
        Form { size, coefficients: vec![Sum::default(); size * size] }
    }

    /// Adds a product of two linear functions and a number, of four numbers at most.
    fn add(&mut self, a: &Linear, b: &Linear, weight: f64) {
        for &(i, x) in a {
            for &(k, y) in b {
                self.coefficients[i.min(k) * self.size + i.max(k)].add(weight * x * y);
            }
        }
    }

    /// Upper bound on `-form(z)` for `|z|^2 <= square`.
    ///
    /// If the Cholesky factorisation of `X + d` succeeds, no eigenvalue of `X` is below `-d` minus
    /// the rounding term, at most `(k + 1) u / (1 - (k + 1) u)` times the trace for size k: \[H02\]
    /// Theorem 10.3.
    fn depth(&self, square: f64) -> f64 {
        let k = self.size;
        let at = |i: usize, j: usize| &self.coefficients[i.min(j) * k + i.max(j)];
        let half = |i: usize, j: usize| if i == j { 1.0 } else { 0.5 };
        let matrix = DMatrix::from_fn(k, k, |i, j| half(i, j) * at(i, j).value());
        let error =
            (0..k).map(|i| (0..k).map(|j| at(i, j).error()).sum::<f64>()).fold(0.0, f64::max);
        if !matrix.iter().all(|x| x.is_finite()) {
            return f64::INFINITY;
        }
        let lowest = matrix.symmetric_eigenvalues().min();
        let mut shift = (-lowest).max(0.0) * 1.001 + 1e-15 * k as f64 * matrix.amax();
        while shift < 1.0 {
            let moved = &matrix + DMatrix::identity(k, k) * shift;
            let rounding = 4.0 * (k + 2) as f64 * f64::EPSILON * moved.trace().abs();
            if Cholesky::new(moved).is_some() {
                let depth = up(up(shift * (1.0 + f64::EPSILON)) + rounding + 1.01 * error);
                return up(depth * square);
            }
            shift = 10.0 * shift + f64::MIN_POSITIVE;
        }
        f64::INFINITY
    }
}

/// Proof checker in a frame.
pub struct Judge<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Upper bound on `sum_i rises_i L_i` of all impulses together.
    pub cost: &'a dyn Fn(&[f64]) -> f64,
}

impl Judge<'_> {
    /// Upper bound on `direction.y` at ends of the impact; infinite if a claim is missing.
    pub fn bound(
        &self,
        certificate: &Certificate,
        direction: &DVector<f64>,
        limits: &Limits,
    ) -> f64 {
        let function = &certificate.function;
        let needed = needed(self.frame, !function.pieces.is_empty());
        let mut rises = vec![0.0_f64; self.frame.contacts.len()];
        if needed.len() != certificate.falls.len() {
            return f64::INFINITY;
        }
        for ((contact, share, region), fall) in needed.iter().zip(&certificate.falls) {
            let same = (fall.contact, fall.share, &fall.region) == (*contact, *share, region);
            if limits.stopped() || !same {
                return f64::INFINITY;
            }
            rises[*contact] = rises[*contact].max(self.rise(function, fall));
        }
        let ends = self.ends(function, direction, &certificate.ends);
        up(up(self.start(function) + ends) + (self.cost)(&rises))
    }

    /// Linear function of `t` plus a constant.
    fn of_slide(&self, constant: f64, vector: impl Iterator<Item = f64>) -> Linear {
        let first = 1 + self.frame.dimension();
        let rest = vector.enumerate().map(|(a, x)| (first + a, x));
        std::iter::once((0, constant)).chain(rest).collect()
    }

    /// Upper bound on the rise of a function along a push, per unit of normal impulse.
    ///
    /// ```text
    /// V' = (linear + square y).g - sum_i (n_i' (kink_i + bend_i.y) + n_i bend_i.g)
    ///    + sum_(i<j) pair_ij (n_i' n_j + n_i n_j') - stored e^2 n
    /// g = push - share rub t,   n_i' = normal_i.g
    /// ```
    pub fn rise(&self, function: &Function, fall: &Fall) -> f64 {
        let (frame, signs) = (self.frame, &fall.region.signs);
        let contact = &frame.contacts[fall.contact];
        let r = frame.dimension();
        let mut form = Form::new(1 + r + contact.tangents.len());
        let along = |k: usize| {
            self.of_slide(contact.push[k], contact.rub.iter().map(|rub| -fall.share * rub[k]))
        };
        let along: Vec<Linear> = (0..r).map(along).collect();
        for (k, g) in along.iter().enumerate() {
            let mut slope = linear(&function.square.column(k).into_owned());
            slope.push((0, function.linear[k]));
            form.add(&slope, g, -1.0);
        }
        let pushed = |i: usize| function.pieces.len() > i && signs[i] < 0;
        let normal = |i: usize| &frame.contacts[i].normal;
        for i in (0..signs.len()).filter(|i| pushed(*i)) {
            let piece = &function.pieces[i];
            let mut slope = linear(&piece.bend);
            slope.push((0, piece.kink));
            let n = linear(normal(i));
            for (k, g) in along.iter().enumerate() {
                form.add(&slope, g, normal(i)[k]);
                form.add(&n, g, piece.bend[k]);
            }
            for j in (i + 1..signs.len()).filter(|j| pushed(*j)) {
                let (weight, other) = (function.pair[(i, j)], linear(normal(j)));
                for (k, g) in along.iter().enumerate() {
                    form.add(&other, g, -weight * normal(i)[k]);
                    form.add(&n, g, -weight * normal(j)[k]);
                }
            }
        }
        let e = contact.restitution;
        let given_back = if signs[fall.contact] < 0 { e * e } else { 1.0 };
        let stored = if e > 0.0 { function.stored[fall.contact] } else { 0.0 };
        form.add(&vec![(0, stored * given_back)], &linear(&contact.normal), 1.0);
        let short = self.subtract(&mut form, &fall.region, &fall.claim, Some(contact));
        let square = up(2.0 + up(frame.radius * frame.radius));
        let rounding = up(16.0 * frame.error * weights(function));
        let rise = up(up(form.depth(square) + up(1.001 * short)) + rounding);
        if stored >= 0.0 && rise.is_finite() { up(rise * contact.size) } else { f64::INFINITY }
    }

    /// Upper bound on `direction.y - V` at ends of the impact.
    pub fn ends(&self, function: &Function, direction: &DVector<f64>, claim: &Claim) -> f64 {
        let (frame, r) = (self.frame, self.frame.dimension());
        let mut form = Form::new(1 + r);
        form.add(&vec![(0, function.constant)], &vec![(0, 1.0)], 1.0);
        form.add(&linear(&function.linear), &vec![(0, 1.0)], 1.0);
        form.add(&linear(direction), &vec![(0, 1.0)], -1.0);
        for k in 0..r {
            let slope = linear(&function.square.column(k).into_owned());
            form.add(&slope, &vec![(1 + k, 0.5)], 1.0);
        }
        let region = Region::of_ends(frame.contacts.len());
        let short = self.subtract(&mut form, &region, claim, None);
        let square = up(1.0 + up(frame.radius * frame.radius));
        up(form.depth(square) + up(1.001 * short))
    }

    /// Upper bound on the function at the velocity before the impact.
    pub fn start(&self, function: &Function) -> f64 {
        let y = &self.frame.before;
        let mut sum = Sum::of([(&function.constant, &1.0)]);
        y.iter().zip(function.linear.iter()).for_each(|(y, x)| sum.add(y * x));
        for k in 0..y.len() {
            let column = function.square.column(k);
            y.iter().zip(column.iter()).for_each(|(l, x)| sum.add(0.5 * x * l * y[k]));
        }
        let normal: Vec<f64> =
            self.frame.contacts.iter().map(|contact| contact.normal.dot(y).min(0.0)).collect();
        for (i, piece) in function.pieces.iter().enumerate() {
            sum.add(-normal[i] * piece.kink);
            piece.bend.iter().zip(y.iter()).for_each(|(b, y)| sum.add(-normal[i] * b * y));
            (i + 1..normal.len())
                .for_each(|j| sum.add(function.pair[(i, j)] * normal[i] * normal[j]));
        }
        // The frame's error exceeds the rounding of the products above.
        up(sum.most() + up(16.0 * self.frame.error * (y.len() + 1) as f64 * weights(function)))
    }

    /// Subtracts the products of a claim from a form; returns by how much they may be negative.
    fn subtract(
        &self,
        form: &mut Form,
        region: &Region,
        claim: &Claim,
        contact: Option<&Contact>,
    ) -> f64 {
        let (frame, eps, radius) = (self.frame, self.frame.error, self.frame.radius);
        let one = vec![(0, 1.0)];
        let mut short = Sum::default();
        let mut add_short = |x: f64| short.add(up(x.max(0.0)));
        form.add(&one, &one, -claim.ball);
        for k in 1..=frame.dimension() {
            form.add(&vec![(k, 1.0)], &vec![(k, 1.0)], claim.ball);
        }
        add_short(claim.ball.abs() * (radius * radius - 1.0 + 4.0 * f64::EPSILON));
        add_short(-claim.ball * 4.0);
        let tangents = contact.map_or(0, |contact| contact.tangents.len());
        for (i, &sign) in region.signs.iter().enumerate().filter(|(_, sign)| **sign != 0) {
            let n = linear(&(&frame.contacts[i].normal * f64::from(sign)));
            // The product of p >= -eps, |p| <= radius, with q >= a - |b| s, |b| s the largest b.q.
            let mut product =
                |a: f64, b: &DVector<f64>, reach: f64, form: &mut Form, other: Linear| {
                    let most = up(length(b) * reach);
                    form.add(&n, &other, -1.0);
                    add_short(eps * up(a.abs() + most));
                    add_short((most - a) * up(radius + eps));
                };
            if let Some((a, b)) = claim.approach.get(i).and_then(Option::as_ref) {
                let mut other = linear(b);
                other.push((0, *a));
                product(*a, b, radius, form, other);
            }
            let aside = claim.aside.get(i).and_then(Option::as_ref);
            if let Some((a, b)) = aside.filter(|_| tangents > 0) {
                product(*a, b, 1.0, form, self.of_slide(*a, b.iter().copied()));
            }
        }
        if let Some(contact) = contact.filter(|_| tangents > 0) {
            let first = 1 + frame.dimension();
            if let Some((x, b)) = &claim.slide {
                for (a, tangent) in contact.tangents.iter().enumerate() {
                    let u = linear(tangent);
                    form.add(&u, &vec![(first + a, 1.0)], -x);
                    form.add(&u, &one, b[a]);
                }
                let size = length(b);
                add_short(up(x.abs() + size) * eps);
                add_short((size - x) * 2.0 * radius);
            }
            form.add(&one, &one, -claim.disk);
            for a in first..first + tangents {
                form.add(&vec![(a, 1.0)], &vec![(a, 1.0)], claim.disk);
            }
            add_short(-claim.disk);
            if let [u, v] = &contact.tangents[..] {
                form.add(&vec![(first, 1.0)], &linear(v), -claim.parallel);
                form.add(&vec![(first + 1, 1.0)], &linear(u), claim.parallel);
                add_short(2.0 * claim.parallel.abs() * eps);
            }
        }
        for (a, w) in aims(tangents).iter().zip(&claim.rising) {
            let mut rising = linear(w);
            rising.extend(w.iter().zip(frame.before.iter()).map(|(w, y)| (0, -w * y)));
            form.add(&self.of_slide(1.0, a.iter().copied()), &rising, -1.0);
            let size = length(w);
            add_short(2.0 * self.drop(w));
            add_short((length(a) - 1.0) * size * (radius + 2.0));
        }
        short.most()
    }

    /// Upper bound on `-w.(y - y-)` during the impact.
    fn drop(&self, w: &DVector<f64>) -> f64 {
        let size = length(w);
        let dot = |x: &DVector<f64>| Sum::of(x.iter().zip(w.iter()));
        let fall = |contact: &Contact| {
            let square: f64 = contact.rub.iter().map(|rub| dot(rub).most_absolute().powi(2)).sum();
            let push = dot(&contact.push);
            let least = push.value() - 2.0 * push.error();
            let fall = up(up(square).sqrt() - least) + up(3.0 * size * self.frame.error);
            up(fall.max(0.0) * contact.size)
        };
        let falls: Vec<f64> = self.frame.contacts.iter().map(fall).collect();
        up((self.cost)(&falls) + up(size * self.frame.error))
    }
}

fn linear(vector: &DVector<f64>) -> Linear {
    vector.iter().enumerate().map(|(k, x)| (1 + k, *x)).collect()
}

/// Upper bound on the length of a vector.
fn length(of: &DVector<f64>) -> f64 {
    up(Sum::of(of.iter().zip(of.iter())).most().sqrt())
}

/// Upper bound on the sum of absolute weights without the constant.
fn weights(function: &Function) -> f64 {
    let of = |piece: &Piece| piece.kink.abs() + piece.bend.iter().map(|x| x.abs()).sum::<f64>();
    let pieces: f64 = function.pieces.iter().map(of).sum();
    let all =
        [&function.square, &function.pair].map(|all| all.iter().map(|x| x.abs()).sum::<f64>());
    let linear: f64 = function.linear.iter().map(|x| x.abs()).sum();
    up(1.001 * (pieces + all[0] + all[1] + linear + function.stored.iter().sum::<f64>()))
}
