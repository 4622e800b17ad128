// All solutions of an impulse step, from the affine maps of its contact modes. Twin: src/lcp/modes.rs.
// The kernel provides span_at, condition_at and map_at.

struct Solutions {
    count: u32,
    ambiguous: bool,
    velocities: array<array<real, K>, MOST>,
    impulses: array<array<real, K>, MOST>,
    residuals: array<real, MOST>,
    keys: array<real, MOST>,
}

fn modes_solve(combinations: u32, tolerance: real, x: ptr<function, array<real, X>>, found: ptr<function, Solutions>) {
    (*found).count = 0u;
    (*found).ambiguous = false;
    for (var k = 0u; k < combinations; k++) {
        let span = span_at(k);
        var holds = true;
        for (var row = span.x; holds && row < span.x + span.y; row++) {
            var sum = ZERO;
            for (var j = 0u; j < X; j++) {
                sum += condition_at(row * X + j) * (*x)[j];
            }
            holds = !(sum < -tolerance);
        }
        if (!holds) {
            continue;
        }
        var l: array<real, K>;
        for (var i = 0u; i < K; i++) {
            var sum = ZERO;
            for (var j = 0u; j < X; j++) {
                sum += map_at((k * K + i) * X + j) * (*x)[j];
            }
            l[i] = sum;
        }
        clamp_impulse(x, &l);
        var u_plus: array<real, K>;
        advance(x, &l, &u_plus);
        let worst = residual(x, &l, &u_plus);
        if (worst <= RESIDUAL) {
            solutions_insert(found, &l, &u_plus, worst);
        }
    }
}

// Adds a solution unless it is there already. More than MOST are too many to count: ambiguous.
fn solutions_insert(found: ptr<function, Solutions>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>, worst: real) {
    var key = ZERO;
    for (var i = 0u; i < K; i++) {
        key += key_weight(i) * (*u_plus)[i] * sigma_at(i);
    }
    var position = 0u;
    for (var k = 0u; k < (*found).count; k++) {
        var distance = ZERO;
        for (var i = 0u; i < K; i++) {
            distance = larger(distance, abs(((*found).velocities[k][i] - (*u_plus)[i]) * sigma_at(i)));
        }
        if (distance <= DISTINCT) {
            (*found).ambiguous = (*found).ambiguous || distance > AMBIGUOUS;
            if (worst < (*found).residuals[k]) {
                (*found).velocities[k] = *u_plus;
                (*found).impulses[k] = *l;
                (*found).residuals[k] = worst;
            }
            return;
        }
        if ((*found).keys[k] < key) {
            position = k + 1u;
        }
    }
    if ((*found).count == MOST) {
        (*found).ambiguous = true;
        return;
    }
    for (var k = (*found).count; k > position; k--) {
        (*found).velocities[k] = (*found).velocities[k - 1u];
        (*found).impulses[k] = (*found).impulses[k - 1u];
        (*found).residuals[k] = (*found).residuals[k - 1u];
        (*found).keys[k] = (*found).keys[k - 1u];
    }
    (*found).count += 1u;
    (*found).velocities[position] = *u_plus;
    (*found).impulses[position] = *l;
    (*found).residuals[position] = worst;
    (*found).keys[position] = key;
}
