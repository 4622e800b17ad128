// Systems of linear equations that may be singular. Twin: src/law/routh/inclusion/linear.rs. The
// kernel provides the matrix: entry_at, four_at, set_entry and set_four.

var<private> right: array<real, K>;
var<private> order: array<u32, K>;

// Number of vectors of four in a row of n numbers, padded with zeros. Loops take four columns per
// round, as a software driver limits the number of rounds. There is no twin.
fn fours(n: u32) -> u32 { return (n + 3u) / 4u; }

// Swaps two entries of the right side and of the order. There is no twin: Rust has slices.
fn swap_right(a: u32, b: u32) {
    let x = right[a];
    right[a] = right[b];
    right[b] = x;
}

fn swap_order(a: u32, b: u32) {
    let x = order[a];
    order[a] = order[b];
    order[b] = x;
}

// Solves the system of n equations.
fn eliminate(n: u32) {
    let fours = fours(n);
    let width = 4u * fours;
    for (var p = 0u; p < n; p++) {
        order[p] = p;
    }
    var rank = n;
    var least = ZERO;
    for (var p = 0u; p < n; p++) {
        let first = p / 4u;
        var best = ZERO;
        var row = p;
        var column = p;
        for (var i = p; i < n; i++) {
            for (var g = first; g < fours; g++) {
                let sizes = abs(four_at(i * fours + g));
                for (var j = 0u; j < 4u; j++) {
                    if (sizes[j] > best && 4u * g + j >= p) {
                        best = sizes[j];
                        row = i;
                        column = 4u * g + j;
                    }
                }
            }
        }
        if (p == 0u) {
            least = PIVOT * best;
        }
        if (best <= least) {
            rank = p;
            break;
        }
        if (row != p) {
            for (var g = first; g < fours; g++) {
                let x = four_at(p * fours + g);
                set_four(p * fours + g, four_at(row * fours + g));
                set_four(row * fours + g, x);
            }
            swap_right(p, row);
        }
        if (column != p) {
            for (var i = 0u; i < n; i++) {
                let x = entry_at(i * width + p);
                set_entry(i * width + p, entry_at(i * width + column));
                set_entry(i * width + column, x);
            }
            swap_order(p, column);
        }
        for (var i = p + 1u; i < n; i++) {
            let factor = ZERO - entry_at(i * width + p) / entry_at(p * width + p);
            for (var g = first; g < fours; g++) {
                let x = four_at(i * fours + g) + factor * four_at(p * fours + g);
                set_four(i * fours + g, x);
            }
            right[i] += factor * right[p];
        }
    }
    for (var p = rank; p < n; p++) {
        right[p] = ZERO;
    }
    for (var q = rank; q > 0u; q--) {
        let p = q - 1u;
        var sum = right[p];
        for (var j = q; j < rank; j++) {
            sum -= entry_at(p * width + j) * right[j];
        }
        right[p] = sum / entry_at(p * width + p);
    }
    for (var p = 0u; p < n; p++) {
        while (order[p] != p) {
            let q = order[p];
            swap_right(p, q);
            swap_order(p, q);
        }
    }
}
