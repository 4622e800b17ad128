// Polynomials over a step. Twin: src/law/routh/inclusion/curve.rs.

// A polynomial of fourth degree: its value at 0, and its other coefficients. Twin: Curve.
struct Curve {
    first: real,
    more: vec4<real>,
}

// Twin: Curve::at.
fn curve_at(c: Curve, x: real) -> real {
    return c.first + x * (c.more.x + x * (c.more.y + x * (c.more.z + x * c.more.w)));
}

// The integral of a cubic. Twin: Curve::integral.
fn curve_integral(c: Curve) -> Curve {
    return Curve(ZERO, vec4<real>(c.first, 0.5 * c.more.x, THIRD_PART * c.more.y, 0.25 * c.more.z));
}

// Twins: Curve::scaled, then Curve::plus.
fn curve_sum(c: Curve, by: real, other: Curve) -> Curve {
    return Curve(by * c.first + other.first, c.more * by + other.more);
}

// A root between 0 and 1, where signs at the ends are opposite. Twin: Curve::root.
fn curve_root(c: Curve) -> real {
    var a = ZERO;
    var b = ONE;
    var at_a = c.first;
    var at_b = curve_at(c, ONE);
    let small = EPSILON * (abs(at_a) + abs(at_b));
    var x = b;
    for (var evaluation = 0u; evaluation < EVALUATIONS; evaluation++) {
        x = (a * at_b - b * at_a) / (at_b - at_a);
        let at_x = curve_at(c, x);
        if (abs(at_x) <= small) {
            break;
        }
        if ((at_x > ZERO) == (at_b > ZERO)) {
            at_a = at_a * 0.5;
        } else {
            a = b;
            at_a = at_b;
        }
        b = x;
        at_b = at_x;
    }
    return x;
}
