// A step by the list of critical regions in its cell: uniform among its distinct solutions. Twin:
// scan in src/law/lanes/locate.rs. Returns the residual, or -1 where the list has no solution or
// more than HITS, or two that are too close to be counted. The kernel provides tolerance, edge,
// list_at, candidate_at (region and class) and key_at.

const HITS = 4u;

// Key number `which` of the solution of region k: a weighted sum of its u+. The map is that of
// Regions::key in shaders/src/tables.rs. There is no twin.
fn key_of(k: u32, which: u32, x: ptr<function, array<real, X>>) -> real {
    var sum = ZERO;
    for (var j = 0u; j < X; j += 4u) {
        let four = key_at(((2u * k + which) * X + j) / 4u);
        sum += four.x * (*x)[j];
        sum += four.y * (*x)[j + 1u];
        sum += four.z * (*x)[j + 2u];
        sum += four.w * (*x)[j + 3u];
    }
    return sum;
}

// Solves the step under the name by which the kernel calls every way to solve one. Twin: scan in
// src/law/lanes/locate.rs.
fn solve_step(
    stream: Stream, s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    let cell = cells_find((*s).steps == 0u, edge(), &x);
    var list = vec2<u32>(0u, 0u);
    if (cell != NOWHERE) {
        list = list_at(cell);
    }
    // A region of each class that holds; the regions of a class are neighbours in the list.
    var regions: array<u32, HITS>;
    var hits = 0u;
    var class_before = NOWHERE;
    for (var i = list.x; i < list.x + list.y; i++) {
        let candidate = candidate_at(i);
        if (candidate.y != class_before && modes_holds(candidate.x, tolerance(), &x)) {
            class_before = candidate.y;
            for (var h = 0u; h < HITS; h++) {
                regions[h] = select(regions[h], candidate.x, h == hits);
            }
            hits += 1u;
        }
    }
    var keys: array<real, HITS>;
    var others: array<real, HITS>;
    for (var n = 0u; n < select(0u, min(hits, HITS), hits > 1u); n++) {
        var region = regions[0];
        for (var h = 1u; h < HITS; h++) {
            region = select(region, regions[h], h == n);
        }
        let key = key_of(region, 0u, &x);
        let other = key_of(region, 1u, &x);
        for (var h = 0u; h < HITS; h++) {
            keys[h] = select(keys[h], key, h == n);
            others[h] = select(others[h], other, h == n);
        }
    }
    // The rank of each solution in the order of keys; solutions with equal keys count once.
    var counts: array<bool, HITS>;
    var ranks: array<u32, HITS>;
    var count = 0u;
    var doubt = hits == 0u || hits > HITS;
    for (var h = 0u; h < HITS; h++) {
        counts[h] = h < hits;
        for (var j = 0u; j < h; j++) {
            let apart = abs(keys[h] - keys[j]);
            let both = counts[h] && counts[j];
            let same = larger(apart, abs(others[h] - others[j])) <= AMBIGUOUS;
            doubt = doubt || (both && !same && apart <= CLOSE);
            counts[h] = counts[h] && !(both && same);
        }
        count += select(0u, 1u, counts[h]);
    }
    for (var h = 0u; h < HITS; h++) {
        for (var j = 0u; j < h; j++) {
            let both = counts[h] && counts[j];
            ranks[h] += select(0u, 1u, both && keys[j] <= keys[h]);
            ranks[j] += select(0u, 1u, both && keys[h] < keys[j]);
        }
    }
    let rank = index_below(stream_block(stream, (*s).steps, PURPOSE_SOLUTION, 0u).x, count);
    var region = regions[0];
    for (var h = 0u; h < HITS; h++) {
        region = select(region, regions[h], counts[h] && ranks[h] == rank);
    }
    modes_impulse(region, &x, l);
    advance(&x, l, u_plus);
    let worst = residual(&x, l, u_plus);
    return select(-ONE, worst, worst <= RESIDUAL && !doubt);
}
