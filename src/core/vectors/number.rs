//! Formulas for single numbers and for vectors, written once.
//!
//! Functions over [`Number`] are always inlined, so that they are compiled for the instruction set.
//! They pass no vectors to closures, which would not be inlined.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::vector::Vector;
use crate::Real;

/// One number, or one in each lane of a vector. Each lane operates and rounds like a single number,
/// so a result does not depend on its lane.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The number of a lane.
    type Scalar: Real;
    /// The instruction set.
    type Set: Copy;
    /// One truth value in each lane.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + Not<Output = Self::Mask>;
    /// Lanes.
    const LANES: usize;

    /// `x` in every lane.
    fn splat(set: Self::Set, x: Self::Scalar) -> Self;
    /// `x` in every lane, on the instruction set of this number.
    fn like(self, x: Self::Scalar) -> Self;
    /// `x` in every lane, on the instruction set of this number.
    #[inline(always)]
    fn number(self, x: f64) -> Self {
        self.like(Self::Scalar::from_f64(x))
    }
    /// The numbers, each in every lane, on the instruction set of this number.
    #[inline(always)]
    fn numbers<const N: usize>(self, x: [f64; N]) -> [Self; N] {
        let mut all = [self; N];
        for i in 0..N {
            all[i] = self.number(x[i]);
        }
        all
    }
    /// `self < other`; false where one is NaN.
    fn below(self, other: Self) -> Self::Mask;
    /// `self <= other`; false where one is NaN.
    fn up_to(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, else `no`.
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Bit i is lane i.
    fn bits(mask: Self::Mask) -> u32;
    /// Whether the mask is true in some lane.
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::bits(mask) != 0
    }
    /// Absolute value.
    fn magnitude(self) -> Self;
    /// Square root.
    fn square_root(self) -> Self;
    /// The smaller of two numbers; the second if one is NaN.
    fn smaller(self, other: Self) -> Self;
    /// The larger of two numbers; the second if one is NaN.
    fn larger(self, other: Self) -> Self;
    /// Whether the number is neither infinite nor NaN.
    #[inline(always)]
    fn finite(self) -> Self::Mask {
        self.magnitude().up_to(self.like(Self::Scalar::HUGE))
    }
    /// The number in a lane.
    fn lane(&self, lane: usize) -> Self::Scalar;
    /// Sets the number in a lane.
    fn set_lane(&mut self, lane: usize, x: Self::Scalar);
}

impl<R: Real> Number for R {
    type Scalar = R;
    type Set = ();
    type Mask = bool;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat((): (), x: R) -> R {
        x
    }
    #[inline(always)]
    fn like(self, x: R) -> R {
        x
    }
    #[inline(always)]
    fn below(self, other: R) -> bool {
        self < other
    }
    #[inline(always)]
    fn up_to(self, other: R) -> bool {
        self <= other
    }
    #[inline(always)]
    fn pick(mask: bool, yes: R, no: R) -> R {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn magnitude(self) -> R {
        self.abs()
    }
    #[inline(always)]
    fn square_root(self) -> R {
        self.sqrt()
    }
    #[inline(always)]
    fn smaller(self, other: R) -> R {
        Real::min(self, other)
    }
    #[inline(always)]
    fn larger(self, other: R) -> R {
        Real::max(self, other)
    }
    #[inline(always)]
    fn lane(&self, _: usize) -> R {
        *self
    }
    #[inline(always)]
    fn set_lane(&mut self, _: usize, x: R) {
        *self = x;
    }
}

/// A vector of an instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<S: Vector<R>, R: Real> {
    simd: S,
    v: S::V,
}

/// One truth value in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Mask<S: Vector<R>, R: Real> {
    simd: S,
    m: S::M,
}

macro_rules! operation {
    ($operator:ident, $method:ident, $on:ident, $field:ident, $of:ident) => {
        impl<S: Vector<R>, R: Real> $operator for $on<S, R> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let simd = self.simd;
                $on { simd, $field: simd.$of(self.$field, other.$field) }
            }
        }
    };
}

operation!(Add, add, Lanes, v, add);
operation!(Sub, sub, Lanes, v, sub);
operation!(Mul, mul, Lanes, v, mul);
operation!(Div, div, Lanes, v, div);
operation!(BitAnd, bitand, Mask, m, both);
operation!(BitOr, bitor, Mask, m, either);

impl<S: Vector<R>, R: Real> Not for Mask<S, R> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Mask { simd: self.simd, m: Vector::not(self.simd, self.m) }
    }
}

impl<S: Vector<R>, R: Real> Number for Lanes<S, R> {
    type Scalar = R;
    type Set = S;
    type Mask = Mask<S, R>;
    const LANES: usize = S::LANES;

    #[inline(always)]
    fn splat(simd: S, x: R) -> Self {
        Lanes { simd, v: Vector::splat(simd, x) }
    }
    #[inline(always)]
    fn like(self, x: R) -> Self {
        Self::splat(self.simd, x)
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        Mask { simd: self.simd, m: self.simd.lt(self.v, other.v) }
    }
    #[inline(always)]
    fn up_to(self, other: Self) -> Self::Mask {
        Mask { simd: self.simd, m: self.simd.le(self.v, other.v) }
    }
    #[inline(always)]
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Lanes { simd: yes.simd, v: yes.simd.select(mask.m, yes.v, no.v) }
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.simd.bits(mask.m)
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        Lanes { simd: self.simd, v: self.simd.abs(self.v) }
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        Lanes { simd: self.simd, v: Vector::sqrt(self.simd, self.v) }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Lanes { simd: self.simd, v: Vector::min(self.simd, self.v, other.v) }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Lanes { simd: self.simd, v: Vector::max(self.simd, self.v, other.v) }
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> R {
        bytemuck::cast_slice(std::slice::from_ref(&self.v))[lane]
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, x: R) {
        bytemuck::cast_slice_mut(std::slice::from_mut(&mut self.v))[lane] = x;
    }
}
