// Support functions of shapes. Twin: src/mechanics/motion/lgvci/shape. The kernel provides parts, part,
// number, vector and rows.

struct Support {
    value: real,
    point: vec3<real>,
}

// Twin: Shape::support.
fn support(q: vec3<real>) -> Support {
    var first = part_support(0u, q);
    for (var p = 1u; p < parts(); p++) {
        let next = part_support(p, q);
        if (next.value < first.value) {
            first = next;
        }
    }
    return first;
}

// The support of a part: its kind, the place of its numbers, and its number of corners. Twin:
// ShapePart::support.
fn part_support(p: u32, q: vec3<real>) -> Support {
    let given = part(p);
    if (given.x == POLYHEDRON) {
        return of_corners(given.y, given.z, q);
    }
    let center = vector(given.y);
    let half = rows(given.y + 3u);
    let y = apply_transposed(half, q);
    if (given.x == ELLIPSOID) {
        return of_ball(center, half, y, q);
    }
    return of_cube(center, half, y, q, number(given.y + 12u));
}

fn of_ball(center: vec3<real>, half: Mat3, y: vec3<real>, q: vec3<real>) -> Support {
    let size = norm(y);
    return Support(vec3_dot(q, center) - size, center - apply(half, y * (ONE / size)));
}

fn of_cube(
    center: vec3<real>, half: Mat3, y: vec3<real>, q: vec3<real>, rounding: real,
) -> Support {
    let side = vec3<real>(side_of(y.x), side_of(y.y), side_of(y.z));
    let value = vec3_dot(q, center) - (abs(y.x) + abs(y.y) + abs(y.z));
    return Support(value - rounding, (center - apply(half, side)) - q * rounding);
}

// The sign of a number, 0 of 0. Its twin is in Image::of_cube.
fn side_of(y: real) -> real {
    return select(select(ZERO, -ONE, y < ZERO), ONE, y > ZERO);
}

// The corner that comes first, of a list after the rounding. Its twin is in ShapePart::support.
fn of_corners(place: u32, count: u32, q: vec3<real>) -> Support {
    var first = Support(HUGE, vec3<real>(ZERO, ZERO, ZERO));
    for (var i = 0u; i < count; i++) {
        let corner = vector(place + 1u + 3u * i);
        let value = vec3_dot(q, corner);
        if (value < first.value) {
            first = Support(value, corner);
        }
    }
    let rounding = number(place);
    return Support(first.value - rounding, first.point - q * rounding);
}
