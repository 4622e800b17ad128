//! Rows at rest: held normals and sticking tangents, projected out of all other rows.

use carom_core::Real;

use crate::array::{add, dot};
use crate::range::Problem;

/// Squared length, after projection, below which a row counts as dependent on the others.
const DEPENDENT: f64 = 1e-10;

/// An orthonormal basis `N` of the rows at rest `B_E`, and the factorization that gives their
/// forces.
#[derive(Clone, Debug)]
pub struct Rest<R, const P: usize> {
    /// The rows at rest: `(j, [a, b], w)` is `a` times row `j` plus `b` times row `j + 1`; among
    /// redundant rows, forces with larger weights `w` change more, see [`Rest::react`].
    pub rows: Vec<(usize, [R; 2], R)>,
    /// `N`, as rows.
    pub basis: Vec<[R; P]>,
    /// `B_E N'`: the components of each row at rest.
    parts: Vec<[R; P]>,
    /// The lower factor of `N B_E' B_E N'`.
    factor: Vec<[R; P]>,
    left: Vec<[R; P]>,
    sizes: Vec<R>,
}

impl<R: Real, const P: usize> Rest<R, P> {
    pub fn new(k: usize) -> Self {
        Rest {
            rows: Vec::with_capacity(k),
            basis: Vec::with_capacity(P),
            parts: Vec::with_capacity(k),
            factor: Vec::with_capacity(P),
            left: Vec::with_capacity(k),
            sizes: Vec::with_capacity(k),
        }
    }

    /// Orthonormalizes the rows in `rows`, by Gram-Schmidt with pivots.
    pub fn project(&mut self, problem: &Problem<'_, R, P>) {
        let Rest { rows, basis, parts, factor, left, sizes, .. } = self;
        basis.clear();
        parts.clear();
        left.clear();
        sizes.clear();
        for &(j, [a, b], _) in rows.iter() {
            let mut row = [R::ZERO; P];
            add(&mut row, a, &problem.rows[j]);
            if b != R::ZERO {
                add(&mut row, b, &problem.rows[j + 1]);
            }
            left.push(row);
            sizes.push(dot(&row, &row));
            parts.push([R::ZERO; P]);
        }
        let least = R::from_f64(DEPENDENT);
        while basis.len() < problem.rank && !rows.is_empty() {
            let mut best = 0;
            for e in 1..rows.len() {
                if sizes[e] > sizes[best] {
                    best = e;
                }
            }
            let independent = sizes[best] > least;
            if !independent {
                break;
            }
            let over = R::ONE / dot(&left[best], &left[best]).sqrt();
            let mut unit = left[best];
            unit.iter_mut().for_each(|x| *x = *x * over);
            let j = basis.len();
            for e in 0..rows.len() {
                let part = dot(&left[e], &unit);
                parts[e][j] = part;
                if sizes[e] > R::ZERO {
                    add(&mut left[e], R::ZERO - part, &unit);
                    sizes[e] = dot(&left[e], &left[e]);
                }
            }
            sizes[best] = R::ZERO;
            basis.push(unit);
        }
        for (part, (.., weight)) in parts.iter_mut().zip(&*rows) {
            part.iter_mut().for_each(|x| *x = *x * *weight);
        }
        let n = basis.len();
        factor.clear();
        factor.resize(n, [R::ZERO; P]);
        for part in parts.iter() {
            for (a, row) in factor.iter_mut().enumerate() {
                let x = part[a];
                if x != R::ZERO {
                    add(row, x, part);
                }
            }
        }
        for a in 0..n {
            for b in 0..=a {
                let mut d = factor[a][b];
                for k in 0..b {
                    d -= factor[a][k] * factor[b][k];
                }
                factor[a][b] =
                    if a == b { Real::max(d, R::from_f64(1e-20)).sqrt() } else { d / factor[b][b] };
            }
        }
    }

    /// The components of `x` along the basis.
    #[inline(always)]
    pub fn along(&self, x: &[R; P]) -> [R; P] {
        let mut along = [R::ZERO; P];
        for (along, basis) in along.iter_mut().zip(&self.basis) {
            *along = dot(x, basis);
        }
        along
    }

    /// `x` without the components `along`.
    #[inline(always)]
    pub fn without(&self, mut x: [R; P], along: &[R; P]) -> [R; P] {
        for (along, basis) in along.iter().zip(&self.basis) {
            add(&mut x, R::ZERO - *along, basis);
        }
        x
    }

    /// Splits `x` into its part orthogonal to the basis and its components along the basis.
    #[inline(always)]
    pub fn split(&self, x: [R; P]) -> ([R; P], [R; P]) {
        let along = self.along(&x);
        (self.without(x, &along), along)
    }

    /// Adds to the forces `l` in the rows at rest the change that cancels a push with components
    /// `along`; the sum of its squares over `w^2` is least.
    #[inline(always)]
    pub fn react(&self, along: &[R; P], l: &mut [R]) {
        let n = self.basis.len();
        let mut x = [R::ZERO; P];
        for a in 0..n {
            let mut d = along[a];
            for k in 0..a {
                d -= self.factor[a][k] * x[k];
            }
            x[a] = d / self.factor[a][a];
        }
        for a in (0..n).rev() {
            let mut d = x[a];
            for k in a + 1..n {
                d -= self.factor[k][a] * x[k];
            }
            x[a] = d / self.factor[a][a];
        }
        for (&(j, [a, b], weight), part) in self.rows.iter().zip(&self.parts) {
            let force = weight * dot(part, &x);
            l[j] -= a * force;
            if b != R::ZERO {
                l[j + 1] -= b * force;
            }
        }
    }
}
