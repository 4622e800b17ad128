// A solution of an impulse step in its K unknowns, by iterating over contact modes. Twin:
// src/core/lcp/mixed.rs. The kernel provides w_at and mu_at.

const OFF = 0u;
const FULL = 1u;
const ENDING = 2u;
const STICK = 0u;
const PLUS = 4u;
const MINUS = 8u;
const SYSTEM = K * (K + 1u);

struct Mixed {
    modes: array<u32, M>,
    system: array<real, SYSTEM>,
    unknowns: array<u32, K>,
    slopes: array<real, K>,
    l: array<real, K>,
    u: array<real, K>,
    // Number of rounds that the step took.
    rounds: u32,
}

// Writes the impulse of the step at x; returns false where the modes did not settle.
fn mixed_solve(
    x: ptr<function, array<real, X>>, mixed: ptr<function, Mixed>, l: ptr<function, array<real, K>>,
) -> bool {
    for (var i = 0u; i < K; i++) {
        (*mixed).l[i] = ZERO;
        (*mixed).u[i] = (*x)[i];
    }
    mixed_sweep(x, mixed);
    for (var i = 0u; i < M; i++) {
        (*mixed).modes[i] = 0xffffffffu;
    }
    for (var round = 0u; round < MODE_ROUNDS; round++) {
        (*mixed).rounds = round + 1u;
        if (!mixed_classify(x, mixed)) {
            *l = (*mixed).l;
            return true;
        }
        mixed_solve_modes(x, mixed);
        var impulse = (*mixed).l;
        var u_plus: array<real, K>;
        advance(x, &impulse, &u_plus);
        (*mixed).u = u_plus;
    }
    return false;
}

// A projected Gauss-Seidel sweep over the contacts.
fn mixed_sweep(x: ptr<function, array<real, X>>, mixed: ptr<function, Mixed>) {
    for (var i = 0u; i < M; i++) {
        let pushed = (*mixed).l[i] - (*mixed).u[i];
        mixed_change(mixed, i, clamped(pushed, ZERO, (*x)[K + i]));
        let bound = mu_at(i) * (*mixed).l[i];
        let dragged = (*mixed).l[M + i] - (*mixed).u[M + i];
        mixed_change(mixed, M + i, clamped(dragged, -bound, bound));
    }
}

fn mixed_change(mixed: ptr<function, Mixed>, i: u32, value: real) {
    let change = value - (*mixed).l[i];
    (*mixed).l[i] = value;
    for (var j = 0u; j < K; j++) {
        (*mixed).u[j] += w_at(j * K + i) * change;
    }
}

// Sets for each contact the mode that the natural map selects; returns whether a mode changed.
fn mixed_classify(x: ptr<function, array<real, X>>, mixed: ptr<function, Mixed>) -> bool {
    var changed = false;
    for (var i = 0u; i < M; i++) {
        let pushed = (*mixed).l[i] - (*mixed).u[i];
        var normal = ENDING;
        if (pushed <= ZERO) {
            normal = OFF;
        } else if (pushed >= (*x)[K + i]) {
            normal = FULL;
        }
        let bound = mu_at(i) * (*mixed).l[i];
        let dragged = (*mixed).l[M + i] - (*mixed).u[M + i];
        var tangent = STICK;
        if (normal == OFF) {
            tangent = STICK;
        } else if (dragged >= bound) {
            tangent = MINUS;
        } else if (dragged <= -bound) {
            tangent = PLUS;
        }
        changed = changed || (*mixed).modes[i] != (normal | tangent);
        (*mixed).modes[i] = normal | tangent;
    }
    return changed;
}

// Solves the equations of the current modes into mixed.l.
fn mixed_solve_modes(x: ptr<function, array<real, X>>, mixed: ptr<function, Mixed>) {
    var n = 0u;
    for (var i = 0u; i < M; i++) {
        let normal = (*mixed).modes[i] & 3u;
        let tangent = (*mixed).modes[i] & 12u;
        let slope = select(select(ZERO, mu_at(i), tangent == MINUS), -mu_at(i), tangent == PLUS);
        (*mixed).l[i] = select(ZERO, (*x)[K + i], normal == FULL);
        (*mixed).l[M + i] = slope * (*mixed).l[i];
        if (normal == ENDING) {
            (*mixed).unknowns[n] = i;
            (*mixed).slopes[n] = slope;
            n += 1u;
        }
        if (normal != OFF && tangent == STICK) {
            (*mixed).unknowns[n] = M + i;
            (*mixed).slopes[n] = ZERO;
            n += 1u;
        }
    }
    let stride = n + 1u;
    for (var a = 0u; a < n; a++) {
        let row = (*mixed).unknowns[a];
        for (var b = 0u; b < n; b++) {
            let column = (*mixed).unknowns[b];
            var entry = w_at(row * K + column);
            if (column < M) {
                entry += w_at(row * K + M + column) * (*mixed).slopes[b];
            }
            (*mixed).system[a * stride + b] = entry;
        }
        var sum = (*x)[row];
        for (var j = 0u; j < K; j++) {
            sum += w_at(row * K + j) * (*mixed).l[j];
        }
        (*mixed).system[a * stride + n] = -sum;
    }
    mixed_eliminate(mixed, n);
    for (var a = 0u; a < n; a++) {
        let column = (*mixed).unknowns[a];
        let change = (*mixed).system[a * stride + n];
        (*mixed).l[column] += change;
        if (column < M) {
            (*mixed).l[M + column] += (*mixed).slopes[a] * change;
        }
    }
}

// Gauss elimination with partial pivoting of the (n, n+1) system in place; the solution is left in
// its last column. An unknown without a nonzero pivot is set to zero, and its equation is dropped.
fn mixed_eliminate(mixed: ptr<function, Mixed>, n: u32) {
    let stride = n + 1u;
    var size = ZERO;
    for (var e = 0u; e < n * stride; e++) {
        size = larger(size, abs((*mixed).system[e]));
    }
    let zero = SINGULAR * size;
    for (var k = 0u; k < n; k++) {
        var pivot = k;
        for (var i = k + 1u; i < n; i++) {
            if (abs((*mixed).system[i * stride + k]) > abs((*mixed).system[pivot * stride + k])) {
                pivot = i;
            }
        }
        let regular = abs((*mixed).system[pivot * stride + k]) > zero;
        if (!regular) {
            for (var i = 0u; i < n; i++) {
                (*mixed).system[i * stride + k] = ZERO;
            }
            for (var j = k; j < stride; j++) {
                (*mixed).system[k * stride + j] = ZERO;
            }
            (*mixed).system[k * stride + k] = ONE;
            continue;
        }
        for (var j = k; j < stride; j++) {
            let held = (*mixed).system[k * stride + j];
            (*mixed).system[k * stride + j] = (*mixed).system[pivot * stride + j];
            (*mixed).system[pivot * stride + j] = held;
        }
        for (var i = 0u; i < n; i++) {
            if (i == k) {
                continue;
            }
            let factor = (*mixed).system[i * stride + k] / (*mixed).system[k * stride + k];
            for (var j = k; j < stride; j++) {
                (*mixed).system[i * stride + j] -= factor * (*mixed).system[k * stride + j];
            }
        }
    }
    for (var k = 0u; k < n; k++) {
        let pivot = (*mixed).system[k * stride + k];
        (*mixed).system[k * stride + n] = (*mixed).system[k * stride + n] / pivot;
    }
}
