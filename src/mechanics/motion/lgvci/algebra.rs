//! Real vectors and matrices in three dimensions. A matrix is an array of rows.

/// A vector.
pub type Vec3 = [f64; 3];
/// A matrix, row by row.
pub type Mat3 = [[f64; 3]; 3];

/// `a + b`.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s a`.
pub fn scaled(a: Vec3, s: f64) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`.
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|`.
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// `M a`.
pub fn apply(m: &Mat3, a: Vec3) -> Vec3 {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}

/// `M' a`.
pub fn apply_transposed(m: &Mat3, a: Vec3) -> Vec3 {
    add(add(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))
}

/// `A B`.
pub fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    [apply_transposed(b, a[0]), apply_transposed(b, a[1]), apply_transposed(b, a[2])]
}

/// `M'`.
pub fn transposed(m: &Mat3) -> Mat3 {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// The determinant.
pub fn determinant(m: &Mat3) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}

/// Solution of `M y = b` by Cramer's rule, and the determinant; not finite if the determinant is 0.
pub fn solve(m: &Mat3, b: Vec3) -> (Vec3, f64) {
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
pub fn inverse(m: &Mat3) -> Mat3 {
    let d = determinant(m);
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    transposed(&columns.map(|column| column.map(|x| x / d)))
}
