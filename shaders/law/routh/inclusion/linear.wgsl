// Systems of linear equations that may be singular. Twin: src/law/routh/inclusion/linear.rs.

var<private> matrix: array<real, K * K>;
var<private> right: array<real, K>;
var<private> order: array<u32, K>;

// Exchanges two numbers of the matrix. There is no twin: Rust has slices.
fn swap_matrix(a: u32, b: u32) {
    let x = matrix[a];
    matrix[a] = matrix[b];
    matrix[b] = x;
}

// Exchanges two numbers of the right side and of the order. There is no twin: Rust has slices.
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
    for (var p = 0u; p < n; p++) {
        order[p] = p;
    }
    var rank = n;
    var least = ZERO;
    for (var p = 0u; p < n; p++) {
        var best = ZERO;
        var row = p;
        var column = p;
        for (var i = p; i < n; i++) {
            for (var j = p; j < n; j++) {
                let size = abs(matrix[i * n + j]);
                if (size > best) {
                    best = size;
                    row = i;
                    column = j;
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
            for (var j = 0u; j < n; j++) {
                swap_matrix(p * n + j, row * n + j);
            }
            swap_right(p, row);
        }
        if (column != p) {
            for (var i = 0u; i < n; i++) {
                swap_matrix(i * n + p, i * n + column);
            }
            swap_order(p, column);
        }
        for (var i = p + 1u; i < n; i++) {
            let factor = ZERO - matrix[i * n + p] / matrix[p * n + p];
            for (var j = p + 1u; j < n; j++) {
                matrix[i * n + j] += factor * matrix[p * n + j];
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
            sum -= matrix[p * n + j] * right[j];
        }
        right[p] = sum / matrix[p * n + p];
    }
    for (var p = 0u; p < n; p++) {
        while (order[p] != p) {
            let q = order[p];
            swap_right(p, q);
            swap_order(p, q);
        }
    }
}
