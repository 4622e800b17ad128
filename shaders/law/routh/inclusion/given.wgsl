// The modes of contacts, and the input of their forces. Twin: src/law/routh/inclusion/given.rs.

// The length of a vector in the tangent plane. WGSL has a function named as the twin. Twin: length
// in src/law/routh/inclusion/given.rs.
fn magnitude(x: vec2<real>) -> real { return sqrt(x.x * x.x + x.y * x.y); }

// The projection onto the disc of radius `radius`.
fn shorten(x: vec2<real>, radius: real) -> vec2<real> {
    let size = magnitude(x);
    if (size > radius) {
        return vec2<real>(x.x / size * radius, x.y / size * radius);
    }
    return x;
}

// The larger eigenvalue of the tangential block of contact i.
fn top(i: u32) -> real {
    let t = tangent(i);
    let a = w_at(t * K + t);
    if (AXES == 1u) {
        return a;
    }
    let b = w_at(t * K + t + 1u);
    let d = w_at((t + 1u) * K + t + 1u);
    return 0.5 * (a + d + magnitude(vec2<real>(a - d, b + b)));
}

// The first tangent row of contact i.
fn tangent(i: u32) -> u32 { return M + AXES * i; }

// The entries of `x` in the tangent rows of contact i; a planar contact has 0 in the second.
fn sideways(x: ptr<private, array<real, K>>, i: u32) -> vec2<real> {
    let t = tangent(i);
    if (AXES == 2u) {
        return vec2<real>((*x)[t], (*x)[t + 1u]);
    }
    return vec2<real>((*x)[t], ZERO);
}

fn set_sideways(x: ptr<private, array<real, K>>, i: u32, to: vec2<real>) {
    let t = tangent(i);
    (*x)[t] = to.x;
    if (AXES == 2u) {
        (*x)[t + 1u] = to.y;
    }
}

// x = W l (K), where W is symmetric.
fn weigh(l: ptr<private, array<real, K>>, x: ptr<private, array<real, K>>) {
    for (var j = 0u; j < rows(); j++) {
        var sum = ZERO;
        for (var i = 0u; i < rows(); i++) {
            sum += (*l)[i] * w_at(i * K + j);
        }
        (*x)[j] = sum;
    }
}
