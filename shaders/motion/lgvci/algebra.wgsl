// Vectors and matrices of three dimensions; a matrix is a list of rows. Twin:
// src/mechanics/motion/lgvci/algebra.rs.

struct Mat3 {
    x: vec3<real>,
    y: vec3<real>,
    z: vec3<real>,
}

fn vec3_dot(a: vec3<real>, b: vec3<real>) -> real {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn vec3_cross(a: vec3<real>, b: vec3<real>) -> vec3<real> {
    return vec3<real>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

fn norm(a: vec3<real>) -> real {
    return sqrt(vec3_dot(a, a));
}

fn apply(m: Mat3, a: vec3<real>) -> vec3<real> {
    return vec3<real>(vec3_dot(m.x, a), vec3_dot(m.y, a), vec3_dot(m.z, a));
}

fn apply_transposed(m: Mat3, a: vec3<real>) -> vec3<real> {
    return m.x * a.x + m.y * a.y + m.z * a.z;
}

fn product(a: Mat3, b: Mat3) -> Mat3 {
    return Mat3(apply_transposed(b, a.x), apply_transposed(b, a.y), apply_transposed(b, a.z));
}

fn mat3_determinant(m: Mat3) -> real {
    return vec3_dot(m.x, vec3_cross(m.y, m.z));
}

fn solve(m: Mat3, b: vec3<real>) -> vec3<real> {
    let c0 = vec3<real>(m.x.x, m.y.x, m.z.x);
    let c1 = vec3<real>(m.x.y, m.y.y, m.z.y);
    let c2 = vec3<real>(m.x.z, m.y.z, m.z.z);
    let x = vec3_cross(c1, c2);
    let d = vec3_dot(c0, x);
    return vec3<real>(
        vec3_dot(b, x) / d, vec3_dot(b, vec3_cross(c2, c0)) / d,
        vec3_dot(b, vec3_cross(c0, c1)) / d,
    );
}
