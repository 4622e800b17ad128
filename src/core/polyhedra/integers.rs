//! Vectors of integers of any size.

use dashu_int::ops::{BitTest, Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig, Word};

use super::dyadic::{Dyadic, grain};
use super::vector::{MOST_ENTRIES, Vector};

/// Bound on the rounding error of an inner product of doubles, relative to the sum of the absolute
/// values of its terms.
const ROUNDING: f64 = 4.0 * MOST_ENTRIES as f64 * f64::EPSILON;

/// Power of two, relative to the largest entry, below which entries are 0 in doubles.
const LEAST_POWER: i64 = -900;

/// Bound on the error of inner products of rounded entries from omitted entries.
const FLUSHED: f64 = 1e-267;

/// A primitive integer vector, with its entries in doubles as well, which determine most signs.
#[derive(Clone, Debug)]
pub struct Integers {
    x: Vec<IBig>,
    near: [f64; MOST_ENTRIES],
}

impl Integers {
    /// The entries.
    pub fn entries(&self) -> &[IBig] {
        &self.x
    }

    /// The vector with the entries `x`, at most [`MOST_ENTRIES`].
    pub fn of(mut x: Vec<IBig>) -> Self {
        let mut divisor = UBig::ZERO;
        for size in x.iter().filter(|x| !x.is_zero()).map(UnsignedAbs::unsigned_abs) {
            divisor = if divisor.is_zero() { size } else { divisor.gcd(size) };
            if divisor.is_one() {
                break;
            }
        }
        if !divisor.is_zero() && !divisor.is_one() {
            let divisor = IBig::from(divisor);
            x.iter_mut().for_each(|x| *x /= &divisor);
        }
        let near = near(&x);
        Integers { x, near }
    }
}

impl Vector for Integers {
    type Scalar = IBig;

    const EXACT: bool = true;

    fn of_sums(entries: &[Vec<[f64; 3]>]) -> Self {
        let product = |terms: &[f64; 3]| {
            let [a, b, c] = terms.map(Dyadic::of);
            &(&a * &b) * &c
        };
        let of_entry = |terms: &Vec<[f64; 3]>| terms.iter().map(product).collect();
        let sums: Vec<Vec<Dyadic>> = entries.iter().map(of_entry).collect();
        // A common power of two makes all sums integers.
        let least = grain(sums.iter().flatten());
        let sum = |terms: Vec<Dyadic>| {
            terms.iter().fold(IBig::ZERO, |sum, term| sum + term.in_units(least))
        };
        Integers::of(sums.into_iter().map(sum).collect())
    }

    fn unit(n: usize, i: usize) -> Self {
        let x: Vec<IBig> = (0..n).map(|j| IBig::from(u8::from(i == j))).collect();
        let near = near(&x);
        Integers { x, near }
    }

    fn near(&self) -> &[f64; MOST_ENTRIES] {
        &self.near
    }

    fn moved(&self, by: f64, along: &Self) -> Self {
        // near = x 2^-bits
        let Dyadic { whole, power } = Dyadic::of(by);
        let shift = power + self.bits() as i64 - along.bits() as i64;
        let [here, there] = [(-shift).max(0), shift.max(0)].map(|shift| shift as usize);
        let pairs = self.x.iter().zip(&along.x);
        Integers::of(pairs.map(|(x, y)| (x << here) + ((&whole * y) << there)).collect())
    }

    fn bits(&self) -> usize {
        self.x.iter().map(BitTest::bit_len).max().unwrap_or(0)
    }

    fn opposite(&self) -> Self {
        Integers { x: self.x.iter().map(|x| -x).collect(), near: self.near.map(|x| -x) }
    }

    fn dot(&self, x: &Self) -> IBig {
        let terms = self.x.iter().zip(&x.x).filter(|(a, x)| !a.is_zero() && !x.is_zero());
        terms.fold(IBig::ZERO, |sum, (a, x)| sum + a * x)
    }

    fn side(&self, x: &Self) -> i32 {
        let (mut sum, mut sizes) = (0.0, 0.0);
        for (a, x) in self.near.iter().zip(&x.near) {
            sum += a * x;
            sizes += (a * x).abs();
        }
        match sum.abs() > ROUNDING * sizes + FLUSHED {
            true if sum > 0.0 => 1,
            true => -1,
            false => sign(&self.dot(x)),
        }
    }

    fn between(p: &IBig, x: &Self, q: &IBig, y: &Self) -> Self {
        let [p, q] = [p.unsigned_abs(), q.unsigned_abs()];
        let divisor = (&p).gcd(&q);
        let [p, q] = [p, q]
            .map(|factor| IBig::from(if divisor.is_one() { factor } else { factor / &divisor }));
        Integers::of(x.x.iter().zip(&y.x).map(|(x, y)| &p * x + &q * y).collect())
    }

    fn weight(&self) -> i32 {
        self.x.first().map_or(0, sign)
    }
}

/// 1, 0 or -1
pub(super) fn sign(x: &IBig) -> i32 {
    match x.sign() {
        _ if x.is_zero() => 0,
        Sign::Positive => 1,
        Sign::Negative => -1,
    }
}

/// The rounded entries times the power of two that scales the largest one to between 1/2 and 1.
fn near(x: &[IBig]) -> [f64; MOST_ENTRIES] {
    let bits = x.iter().map(BitTest::bit_len).max().unwrap_or(0) as i64;
    let mut near = [0.0; MOST_ENTRIES];
    for (near, x) in near.iter_mut().zip(x) {
        // The three highest words have more than 64 bits; lower words are below the rounding error.
        let (sign, words) = x.as_sign_words();
        let power = i64::from(Word::BITS) * words.len() as i64 - bits;
        let highest = words.iter().rev().take(3).enumerate();
        let size = highest.fold(0.0, |size, (k, word)| {
            size + *word as f64 * 2f64.powi(-((k + 1) as i32 * Word::BITS as i32))
        });
        if power >= LEAST_POWER {
            let size = size * 2f64.powi(power as i32);
            *near = if sign == Sign::Negative { -size } else { size };
        }
    }
    near
}
