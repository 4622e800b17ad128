//! Vectors and matrices of three dimensions, of real numbers. A matrix is a list of rows.

use carom_core::real::Real;

/// A vector.
pub type Vec3<T> = [T; 3];
/// A matrix, row by row.
pub type Mat3<T> = [[T; 3]; 3];

/// `a + b`.
pub fn add<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
pub fn sub<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s a`.
pub fn scaled<T: Real>(a: Vec3<T>, s: T) -> Vec3<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`.
pub fn dot<T: Real>(a: Vec3<T>, b: Vec3<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
pub fn cross<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|`.
pub fn norm<T: Real>(a: Vec3<T>) -> T {
    dot(a, a).sqrt()
}

/// `M a`.
pub fn apply<T: Real>(m: &Mat3<T>, a: Vec3<T>) -> Vec3<T> {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}

/// `M' a`.
pub fn apply_transposed<T: Real>(m: &Mat3<T>, a: Vec3<T>) -> Vec3<T> {
    add(add(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))
}

/// `A B`.
pub fn product<T: Real>(a: &Mat3<T>, b: &Mat3<T>) -> Mat3<T> {
    [apply_transposed(b, a[0]), apply_transposed(b, a[1]), apply_transposed(b, a[2])]
}

/// `M'`.
pub fn transposed<T: Real>(m: &Mat3<T>) -> Mat3<T> {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// The determinant.
pub fn determinant<T: Real>(m: &Mat3<T>) -> T {
    dot(m[0], cross(m[1], m[2]))
}

/// The solution of `M y = b` by Cramer's rule, and the determinant; not finite where that is 0.
pub fn solve<T: Real>(m: &Mat3<T>, b: Vec3<T>) -> (Vec3<T>, T) {
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
pub fn inverse<T: Real>(m: &Mat3<T>) -> Mat3<T> {
    let d = determinant(m);
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    transposed(&columns.map(|column| column.map(|x| x / d)))
}
