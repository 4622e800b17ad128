//! Vectors and matrices of three dimensions, of any numbers. A matrix is a list of rows.

use std::ops::{Add, Div, Mul, Neg, Sub};

use carom_core::real::Real;

/// A number, or one number in each lane of a vector.
///
/// Methods are inlined into the function that is compiled for the vectors of a machine.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// `x` as a number like this one.
    fn like(self, x: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The smaller of two numbers.
    fn smaller(self, other: Self) -> Self;
}

impl<T: Real> Number for T {
    #[inline(always)]
    fn like(self, x: f64) -> Self {
        T::from_f64(x)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Real::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Real::abs(self)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Real::min(self, other)
    }
}

/// A vector.
pub type Vec3<T> = [T; 3];
/// A matrix, row by row.
pub type Mat3<T> = [[T; 3]; 3];

/// `a + b`.
#[inline(always)]
pub fn add<T: Number>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub fn sub<T: Number>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s a`.
#[inline(always)]
pub fn scaled<T: Number>(a: Vec3<T>, s: T) -> Vec3<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`.
#[inline(always)]
pub fn dot<T: Number>(a: Vec3<T>, b: Vec3<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[inline(always)]
pub fn cross<T: Number>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|`.
#[inline(always)]
pub fn norm<T: Number>(a: Vec3<T>) -> T {
    dot(a, a).sqrt()
}

/// `M a`.
#[inline(always)]
pub fn apply<T: Number>(m: &Mat3<T>, a: Vec3<T>) -> Vec3<T> {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}

/// `M' a`.
#[inline(always)]
pub fn apply_transposed<T: Number>(m: &Mat3<T>, a: Vec3<T>) -> Vec3<T> {
    add(add(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))
}

/// `A B`.
#[inline(always)]
pub fn product<T: Number>(a: &Mat3<T>, b: &Mat3<T>) -> Mat3<T> {
    [apply_transposed(b, a[0]), apply_transposed(b, a[1]), apply_transposed(b, a[2])]
}

/// `M'`.
#[inline(always)]
pub fn transposed<T: Number>(m: &Mat3<T>) -> Mat3<T> {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// The determinant.
#[inline(always)]
pub fn determinant<T: Number>(m: &Mat3<T>) -> T {
    dot(m[0], cross(m[1], m[2]))
}

/// The solution of `M y = b` by Cramer's rule, and the determinant; not finite where that is 0.
#[inline(always)]
pub fn solve<T: Number>(m: &Mat3<T>, b: Vec3<T>) -> (Vec3<T>, T) {
    let columns = transposed(m);
    let (x, y, z) = (
        cross(columns[1], columns[2]),
        cross(columns[2], columns[0]),
        cross(columns[0], columns[1]),
    );
    let d = dot(columns[0], x);
    ([dot(b, x) / d, dot(b, y) / d, dot(b, z) / d], d)
}

/// `M^-1`; not finite where `M` is singular.
pub fn inverse<T: Number>(m: &Mat3<T>) -> Mat3<T> {
    let d = determinant(m);
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    transposed(&columns.map(|column| column.map(|x| x / d)))
}
