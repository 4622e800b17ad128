//! Fractions of any size, and what the planar law is in them: nothing shared with the code that
//! they judge.

use std::ops::{Add, Div, Mul, Neg, Sub};

use carom_core::problem::ContactProblem;
use dashu_int::ops::{BitTest, Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};

use super::draws::Draws;

/// `top / bottom` in lowest terms, with `bottom` > 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Fraction {
    top: IBig,
    bottom: UBig,
}

impl Fraction {
    /// A finite double, by repeated doubling.
    pub fn of(x: f64) -> Self {
        let (mut whole, mut halvings) = (x, 0);
        while whole.fract() != 0.0 {
            whole *= 2.0;
            halvings += 1;
        }
        let mut doublings = 0;
        while whole.abs() >= 2f64.powi(60) {
            whole /= 2.0;
            doublings += 1;
        }
        Fraction::new(IBig::from(whole as i64) << doublings, IBig::ONE << halvings)
    }

    fn new(top: IBig, bottom: IBig) -> Self {
        let top = if bottom.sign() == Sign::Negative { -top } else { top };
        let bottom = bottom.unsigned_abs();
        assert!(!bottom.is_zero());
        if top.is_zero() {
            return Fraction { top, bottom: UBig::ONE };
        }
        let common = (&top).unsigned_abs().gcd(&bottom);
        Fraction { top: top / IBig::from(common.clone()), bottom: bottom / common }
    }

    pub fn sign(&self) -> i32 {
        match self.top.sign() {
            _ if self.top.is_zero() => 0,
            Sign::Positive => 1,
            Sign::Negative => -1,
        }
    }

    /// To about 60 bits.
    pub fn near(&self) -> f64 {
        let shift = 60 + self.bottom.bit_len() as i64 - self.top.bit_len() as i64;
        let up = |x: IBig, by: i64| if by > 0 { x << by as usize } else { x };
        let whole = up(self.top.clone(), shift) / up(IBig::from(self.bottom.clone()), -shift);
        i64::try_from(whole).unwrap() as f64 * 2f64.powi(-shift as i32)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, |$a:ident, $b:ident| $top:expr, $bottom:expr) => {
        impl $name for &Fraction {
            type Output = Fraction;

            fn $method(self, other: &Fraction) -> Fraction {
                let whole = |x: &UBig| IBig::from(x.clone());
                let [$a, $b] = [self, other].map(|x| (x.top.clone(), whole(&x.bottom)));
                Fraction::new($top, $bottom)
            }
        }
    };
}

operator!(Add, add, |a, b| &a.0 * &b.1 + &b.0 * &a.1, a.1 * b.1);
operator!(Sub, sub, |a, b| &a.0 * &b.1 - &b.0 * &a.1, a.1 * b.1);
operator!(Mul, mul, |a, b| a.0 * b.0, a.1 * b.1);
operator!(Div, div, |a, b| a.0 * b.1, a.1 * b.0);

impl Neg for &Fraction {
    type Output = Fraction;

    fn neg(self) -> Fraction {
        &Fraction::of(0.0) - self
    }
}

pub type Matrix = Vec<Vec<Fraction>>;

pub fn matrix(rows: &[Vec<f64>]) -> Matrix {
    rows.iter().map(|row| row.iter().map(|x| Fraction::of(*x)).collect()).collect()
}

pub fn dot(a: &[Fraction], b: &[Fraction]) -> Fraction {
    a.iter().zip(b).fold(Fraction::of(0.0), |sum, (a, b)| &sum + &(a * b))
}

/// `A^-1 B` for the columns of `B`, given as rows, by Gauss's method.
pub fn solved(a: &Matrix, columns: &Matrix) -> Matrix {
    let n = a.len();
    let right = |i: usize| columns.iter().map(move |column| column[i].clone());
    let mut rows: Matrix = (0..n).map(|i| a[i].iter().cloned().chain(right(i)).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).find(|i| rows[*i][k].sign() != 0).unwrap();
        rows.swap(k, pivot);
        for i in (0..n).filter(|i| *i != k) {
            let factor = &rows[i][k] / &rows[k][k];
            for j in k..rows[i].len() {
                rows[i][j] = &rows[i][j] - &(&factor * &rows[k][j]);
            }
        }
    }
    (0..columns.len()).map(|c| (0..n).map(|i| &rows[i][n + c] / &rows[i][i]).collect()).collect()
}

/// How many rows are linearly independent.
pub fn rank(rows: &Matrix) -> usize {
    let (mut rows, mut rank) = (rows.clone(), 0);
    for k in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|i| rows[*i][k].sign() != 0) else { continue };
        rows.swap(rank, pivot);
        for i in rank + 1..rows.len() {
            let factor = &rows[i][k] / &rows[rank][k];
            for j in 0..rows[i].len() {
                rows[i][j] = &rows[i][j] - &(&factor * &rows[rank][j]);
            }
        }
        rank += 1;
    }
    rank
}

/// A planar problem in fractions.
pub struct Exactly {
    /// The rows of all normals, then of all tangents (2m,n).
    pub jacobian: Matrix,
    /// `M^-1 J'`, each column a row (2m,n).
    pub response: Matrix,
    pub friction: Vec<Fraction>,
    pub velocity: Vec<Fraction>,
}

impl Exactly {
    pub fn of(problem: &ContactProblem) -> Self {
        let spec = problem.spec();
        let jacobian = matrix(&[&spec.normal[..], &spec.tangent[..]].concat());
        Exactly {
            response: solved(&matrix(&spec.mass), &jacobian),
            friction: problem.friction().iter().map(|mu| Fraction::of(*mu)).collect(),
            velocity: spec.velocity.iter().map(|v| Fraction::of(*v)).collect(),
            jacobian,
        }
    }

    /// `W_kl`
    pub fn delassus(&self, k: usize, l: usize) -> Fraction {
        dot(&self.jacobian[k], &self.response[l])
    }

    /// A motion from event to event in which one contact at a time pushes, a random one that
    /// approaches, for all of the way to the next event or half of it; where it ends (n). `None` if
    /// it does not end soon.
    pub fn walk(&self, draws: &mut Draws) -> Option<Vec<Fraction>> {
        let m = self.friction.len();
        let mut v = self.velocity.clone();
        for _ in 0..40 {
            let u = |k: usize| dot(&self.jacobian[k], &v);
            let approaching: Vec<usize> = (0..m).filter(|i| u(*i).sign() < 0).collect();
            if approaching.is_empty() {
                return Some(v);
            }
            let i = approaching[draws.below(approaching.len())];
            let (n, t, mu) = (i, m + i, &self.friction[i]);
            let (wnt, wtt) = (self.delassus(n, t), self.delassus(t, t));
            let [least, most] = [-mu, mu.clone()];
            // The tangent force over the normal one.
            let rubs = match u(t).sign() {
                1 => least,
                -1 => most,
                _ if mu.sign() == 0 || wtt.sign() == 0 => Fraction::of(0.0),
                _ => {
                    let holds = -&(&wnt / &wtt);
                    match ((&holds - &least).sign(), (&most - &holds).sign()) {
                        (-1, _) => least,
                        (_, -1) => most,
                        _ => holds,
                    }
                }
            };
            let rise_n = &self.delassus(n, n) + &(&rubs * &wnt);
            let rise_t = &wnt + &(&rubs * &wtt);
            let mut steps = Vec::new();
            if rise_n.sign() > 0 {
                steps.push(-&(&u(n) / &rise_n));
            }
            if u(t).sign() * rise_t.sign() < 0 && mu.sign() > 0 {
                steps.push(-&(&u(t) / &rise_t));
            }
            let mut step =
                steps.into_iter().reduce(|a, b| if (&a - &b).sign() < 0 { a } else { b })?;
            if draws.below(5) == 0 {
                step = &step * &Fraction::of(0.5);
            }
            let pushed = &step * &rubs;
            for (j, v) in v.iter_mut().enumerate() {
                *v = &(&*v + &(&self.response[n][j] * &step)) + &(&self.response[t][j] * &pushed);
            }
        }
        None
    }
}
