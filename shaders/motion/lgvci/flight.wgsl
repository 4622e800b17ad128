// Free flight. Twin: src/mechanics/motion/lgvci/flight.rs. The kernel provides inertia, inverse, near,
// rounding and iterations.

// The Cayley vector of a step's rotation, if Newton's method finds the principal solution from the
// first guess. Twin: the first way of rotation in src/mechanics/motion/lgvci/flight.rs.
fn rotation(a: vec3<real>, f: ptr<function, vec3<real>>) -> bool {
    let j = inertia();
    var g = apply(inverse(), a) * HALF;
    var last = HUGE;
    var found = false;
    for (var i = 0u; i < iterations() && !found; i++) {
        let change = correction(j, a, g);
        let size = norm(change);
        g = g + change;
        let scale = norm(g);
        found = size <= rounding() * scale || (last <= near() * scale && last <= size + size);
        last = size;
    }
    *f = g;
    return found && is_principal(j, g);
}

fn correction(j: Mat3, a: vec3<real>, f: vec3<real>) -> vec3<real> {
    let along = vec3_dot(a, f);
    let carried = (a + vec3_cross(a, f)) + f * along;
    let residual = apply(j, f) * TWO - carried;
    let x = a * f.x - j.x * TWO;
    let y = a * f.y - j.y * TWO;
    let z = a * f.z - j.z * TWO;
    let jacobian = Mat3(
        vec3<real>(x.x + along, x.y - a.z, x.z + a.y),
        vec3<real>(y.x + a.z, y.y + along, y.z - a.x),
        vec3<real>(z.x - a.y, z.y + a.x, z.z + along),
    );
    return solve(jacobian, residual);
}

fn is_principal(j: Mat3, f: vec3<real>) -> bool {
    let minor = minors(j, f);
    return minor.x > ZERO && minor.y > ZERO && minor.z > ZERO;
}

fn minors(j: Mat3, f: vec3<real>) -> vec3<real> {
    let trace = (j.x.x + j.y.y + j.z.z) * HALF;
    let reduced = Mat3(
        vec3<real>(trace - j.x.x, -j.x.y, -j.x.z),
        vec3<real>(-j.y.x, trace - j.y.y, -j.y.z),
        vec3<real>(-j.z.x, -j.z.y, trace - j.z.z),
    );
    let turned = product(matrix(f), reduced);
    let x = -(turned.y.z + turned.z.y) * HALF;
    let y = -(turned.x.z + turned.z.x) * HALF;
    let z = -(turned.x.y + turned.y.x) * HALF;
    let rows = Mat3(
        vec3<real>(turned.y.y + turned.z.z, z, y),
        vec3<real>(z, turned.x.x + turned.z.z, x),
        vec3<real>(y, x, turned.x.x + turned.y.y),
    );
    return vec3<real>(rows.x.x, rows.x.x * rows.y.y - z * z, mat3_determinant(rows));
}

fn matrix(f: vec3<real>) -> Mat3 {
    let square = vec3_dot(f, f);
    let factor = TWO / (ONE + square);
    return Mat3(
        vec3<real>(
            ONE + factor * (f.x * f.x - square),
            factor * (f.x * f.y - f.z),
            factor * (f.x * f.z + f.y),
        ),
        vec3<real>(
            factor * (f.x * f.y + f.z),
            ONE + factor * (f.y * f.y - square),
            factor * (f.y * f.z - f.x),
        ),
        vec3<real>(
            factor * (f.x * f.z - f.y),
            factor * (f.y * f.z + f.x),
            ONE + factor * (f.z * f.z - square),
        ),
    );
}
