//! Dyadic rationals, integers times powers of two; every finite double is one.

use std::ops::{Add, Mul, Neg};

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};

use super::integers::sign;

/// `whole 2^power`
#[derive(Clone, Debug)]
pub struct Dyadic {
    pub(super) whole: IBig,
    pub(super) power: i64,
}

impl Dyadic {
    /// `whole 2^power`
    pub fn new(whole: IBig, power: i64) -> Self {
        Dyadic { whole, power }
    }

    /// A finite double.
    pub fn of(x: f64) -> Self {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let whole = if exponent == 0 { fraction << 1 } else { fraction | 1 << 52 };
        let zeros = if whole == 0 { 0 } else { whole.trailing_zeros() };
        let size = IBig::from(whole >> zeros);
        let whole = if x < 0.0 { -size } else { size };
        Dyadic { whole, power: exponent - 1075 + i64::from(zeros) }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.whole.is_zero()
    }

    /// 1, 0 or -1
    pub fn sign(&self) -> i32 {
        sign(&self.whole)
    }

    /// The number times `2^power`.
    pub fn shifted(&self, power: i64) -> Self {
        Dyadic { whole: self.whole.clone(), power: self.power + power }
    }

    /// The number in units of `2^power`; it must be a multiple.
    pub fn in_units(&self, power: i64) -> IBig {
        if self.is_zero() { IBig::ZERO } else { &self.whole << (self.power - power) as usize }
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: &Dyadic) -> Dyadic {
        let power = match (self.is_zero(), other.is_zero()) {
            (true, _) => other.power,
            (_, true) => self.power,
            _ => self.power.min(other.power),
        };
        Dyadic { whole: self.in_units(power) + other.in_units(power), power }
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;

    fn mul(self, other: &Dyadic) -> Dyadic {
        Dyadic { whole: &self.whole * &other.whole, power: self.power + other.power }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Dyadic {
        Dyadic { whole: -&self.whole, power: self.power }
    }
}

/// The smallest power of two that all numbers are multiples of; 0 where all are 0.
pub fn grain<'a>(numbers: impl Iterator<Item = &'a Dyadic>) -> i64 {
    numbers.filter(|x| !x.is_zero()).map(|x| x.power).min().unwrap_or(0)
}

/// The numbers in units of their [`grain`], as integers.
pub fn whole(numbers: &[Dyadic]) -> Vec<IBig> {
    let grain = grain(numbers.iter());
    numbers.iter().map(|x| x.in_units(grain)).collect()
}

/// `p / q` for `q` other than 0, rounded once to the nearest double (twice below 1e-307).
pub fn quotient(p: &Dyadic, q: &IBig) -> f64 {
    let negative = (p.whole.sign() == Sign::Negative) != (q.sign() == Sign::Negative);
    if p.is_zero() {
        return 0.0;
    }
    let [whole, q] = [&p.whole, q].map(UnsignedAbs::unsigned_abs);
    // 64 or 65 bits of the quotient; the last one is a sticky bit for the omitted bits.
    let shift = 64 + q.bit_len() as i64 - whole.bit_len() as i64;
    let up = |x: UBig, power: i64| if power > 0 { x << power as usize } else { x };
    let (whole, q) = (up(whole, shift), up(q, -shift));
    let (first, rest) = (&whole / &q, &whole % &q);
    let first = u128::try_from(first).unwrap_or(u128::MAX) | u128::from(!rest.is_zero());
    let size = scaled(first as f64, p.power - shift);
    if negative { -size } else { size }
}

/// `x 2^power`
fn scaled(x: f64, power: i64) -> f64 {
    let power = power.clamp(-4000, 4000) as i32;
    let half = power / 2;
    let quarter = half / 2;
    let parts = [quarter, half - quarter, (power - half) / 2, power - half - (power - half) / 2];
    parts.iter().fold(x, |x, power| x * 2f64.powi(*power))
}
