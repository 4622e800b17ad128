// All solutions of an impulse step, from the affine maps of its contact modes. Twin:
// src/core/lcp/table.rs; methods of ModeTable begin with modes_ here. The kernel provides span_at,
// condition_at and map_at.

// Whether combination k holds at x.
fn modes_holds(k: u32, tolerance: real, x: ptr<function, array<real, X>>) -> bool {
    let span = span_at(k);
    for (var row = span.x; row < span.x + span.y; row++) {
        var sum = ZERO;
        for (var j = 0u; j < X; j += 4u) {
            let four = condition_at((row * X + j) / 4u);
            sum += four.x * (*x)[j];
            sum += four.y * (*x)[j + 1u];
            sum += four.z * (*x)[j + 2u];
            sum += four.w * (*x)[j + 3u];
        }
        if (sum < -tolerance) {
            return false;
        }
    }
    return true;
}

// The impulse of combination k, clipped to its bounds.
fn modes_impulse(k: u32, x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>) {
    for (var i = 0u; i < K; i++) {
        var sum = ZERO;
        for (var j = 0u; j < X; j += 4u) {
            let four = map_at(((k * K + i) * X + j) / 4u);
            sum += four.x * (*x)[j];
            sum += four.y * (*x)[j + 1u];
            sum += four.z * (*x)[j + 2u];
            sum += four.w * (*x)[j + 3u];
        }
        (*l)[i] = sum;
    }
    clamp_impulse(x, l);
}

struct Solutions {
    count: u32,
    ambiguous: bool,
    velocities: array<real, MOST_K>,
    combinations: array<u32, MOST>,
    residuals: array<real, MOST>,
    keys: array<real, MOST>,
}

// The conditions of 32 combinations are evaluated at a time; then each thread processes the
// combinations that hold, so that threads with different combinations still work at the same time.
fn modes_solve(
    combinations: u32, tolerance: real, x: ptr<function, array<real, X>>,
    found: ptr<function, Solutions>,
) {
    (*found).count = 0u;
    (*found).ambiguous = false;
    for (var first = 0u; first < combinations; first += 32u) {
        var hits = 0u;
        for (var k = first; k < min(first + 32u, combinations); k++) {
            if (modes_holds(k, tolerance, x)) {
                hits |= 1u << (k - first);
            }
        }
        while (hits != 0u) {
            let k = first + firstTrailingBit(hits);
            hits &= hits - 1u;
            var l: array<real, K>;
            var u_plus: array<real, K>;
            modes_impulse(k, x, &l);
            advance(x, &l, &u_plus);
            let worst = residual(x, &l, &u_plus);
            if (worst <= RESIDUAL) {
                solutions_insert(found, k, &u_plus, worst);
            }
        }
    }
}

// Adds a solution, unless an equal one is there already. More than MOST solutions cannot be
// counted: the step is ambiguous.
fn solutions_insert(
    found: ptr<function, Solutions>, combination: u32, u_plus: ptr<function, array<real, K>>,
    worst: real,
) {
    var slot = (*found).count;
    for (var k = 0u; k < (*found).count; k++) {
        var distance = ZERO;
        for (var i = 0u; i < K; i++) {
            let change = (*found).velocities[k * K + i] - (*u_plus)[i];
            distance = larger(distance, abs(change * sigma_at(i)));
        }
        if (distance <= DISTINCT) {
            (*found).ambiguous = (*found).ambiguous || distance > AMBIGUOUS;
            if (!(worst < (*found).residuals[k])) {
                return;
            }
            slot = k;
            break;
        }
    }
    if (slot == MOST) {
        (*found).ambiguous = true;
        return;
    }
    var key = ZERO;
    for (var i = 0u; i < K; i++) {
        key += key_weight(i) * (*u_plus)[i] * sigma_at(i);
        (*found).velocities[slot * K + i] = (*u_plus)[i];
    }
    (*found).combinations[slot] = combination;
    (*found).residuals[slot] = worst;
    (*found).keys[slot] = key;
    (*found).count = max((*found).count, slot + 1u);
}

// The solution of rank `rank` in the order of keys.
fn solutions_pick(found: ptr<function, Solutions>, rank: u32) -> u32 {
    for (var k = 0u; k < (*found).count; k++) {
        var before = 0u;
        for (var j = 0u; j < (*found).count; j++) {
            let less = (*found).keys[j] < (*found).keys[k];
            let tied = (*found).keys[j] == (*found).keys[k] && j < k;
            before += select(0u, 1u, less || tied);
        }
        if (before == rank) {
            return k;
        }
    }
    return 0u;
}
