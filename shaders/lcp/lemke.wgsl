// Lemke's method in dictionary form. Twin: src/core/lcp/lemke.rs. The kernel provides the
// dictionary (table_at, table_set) and the variable indices (basic_at, nonbasic_at, place_at and
// their setters): `n` rows, `n + 2` columns. `n` is a run-time value, so that loops stay rolled.
// Threads that share a dictionary each process every stride()-th row from first() on, or every
// row_stride()-th row and column_stride()-th column from first_row() and first_column() on. They
// synchronise in join(), and agree in agreed(). A thread with its own dictionary processes all
// rows. If threads share a dictionary, keep_column and keep_ratios store the values of kept_at and
// ratio_at.

const LEMKE_SOLVED = 0u;
const LEMKE_RAY = 1u;
const LEMKE_PIVOT_LIMIT = 2u;
const LEMKE_RUNNING = 3u;
const NONE = 0xffffffffu;

// The state of Lemke's method. The method is resumed pivot by pivot, so that a dispatch does a
// bounded amount of work: drivers end long dispatches, and lavapipe ends all loops of a thread
// after 65 535 rounds in total.
struct Lemke {
    row: u32,
    column: u32,
    rounds: u32,
}

// Takes a pivot. Twin: a round of Lemke::run.
fn lemke_advance(n: u32, lemke: ptr<function, Lemke>) -> u32 {
    let leaving = basic_at((*lemke).row);
    lemke_pivot(n, (*lemke).row, (*lemke).column);
    (*lemke).rounds += select(1u, 0u, leaving == 2u * n);
    let goes_on = select(LEMKE_RUNNING, LEMKE_PIVOT_LIMIT, (*lemke).rounds >= 20u * n + 100u);
    let end = agreed(select(goes_on, LEMKE_SOLVED, leaving == 2u * n));
    if (end != LEMKE_RUNNING) {
        return end;
    }
    let entering = select(leaving - n, leaving + n, leaving < n);
    (*lemke).column = place_at(entering) - n;
    (*lemke).row = lemke_ratio_test(n, (*lemke).column);
    return select(LEMKE_RUNNING, LEMKE_RAY, (*lemke).row == NONE);
}

// Names the variables of a dictionary that has been filled. Twin: the beginning of Lemke::solve.
fn lemke_begin(n: u32) {
    for (var i = first(); i < n; i += stride()) {
        basic_set(i, i);
        nonbasic_set(i, n + i);
        place_set(i, i);
        place_set(n + i, n + i);
    }
    if (first() == 0u) {
        nonbasic_set(n, 2u * n);
        place_set(2u * n, 2u * n);
    }
    join();
}

// Writes the impulse of the current basis. Twin: the end of Lemke::solve, then
// StepProblem::impulse_of.
fn lemke_impulse(n: u32, l: ptr<function, array<real, K>>) {
    for (var i = 0u; i < K; i++) {
        (*l)[i] = ZERO;
    }
    for (var i = 0u; i < n; i++) {
        let variable = basic_at(i);
        if (variable < n + M || variable >= n + M + K + AXES * M) {
            continue;
        }
        let value = table_at(n, i, n + 1u);
        let k = variable - n - M;
        if (k < K) {
            (*l)[k] += value;
        } else {
            (*l)[k - AXES * M] -= value;
        }
    }
}

fn lemke_first_row(n: u32) -> u32 {
    var best = NONE;
    var smallest = ZERO;
    for (var i = 0u; i < n; i++) {
        let constant = table_at(n, i, n + 1u);
        let ratio = constant / table_at(n, i, n);
        if (constant < ZERO && ratio <= smallest) {
            best = i;
            smallest = ratio;
        }
    }
    return best;
}

// Ratio test: largest value of the entering variable before row i reaches 0; HUGE if unbounded, or
// if the slope has the size of rounding errors.
fn lemke_ratio(n: u32, i: u32, column: u32, zero: real) -> real {
    let slope = -table_at(n, i, column);
    if (slope <= zero) {
        return HUGE;
    }
    return larger(table_at(n, i, n + 1u), ZERO) / slope;
}

fn lemke_ratio_test(n: u32, column: u32) -> u32 {
    var size = ONE;
    for (var i = 0u; i < n; i++) {
        size = larger(size, abs(table_at(n, i, column)));
    }
    let zero = PIVOT * size;
    keep_ratios(n, column, zero);
    var best = NONE;
    var smallest = HUGE;
    for (var i = 0u; i < n; i++) {
        let ratio = ratio_at(n, i, column, zero);
        if (ratio == HUGE) {
            continue;
        }
        let tie = TIE * larger(ONE, smaller(abs(ratio), smallest));
        var take = false;
        if (best == NONE) {
            take = true;
        } else if (ratio < smallest - tie) {
            take = true;
        } else if (ratio > smallest + tie) {
            take = false;
        } else if (basic_at(best) == 2u * n) {
            take = false;
        } else {
            take = basic_at(i) == 2u * n || lemke_lexicographically_less(n, i, best, column);
        }
        if (take) {
            best = i;
            smallest = ratio;
        }
    }
    return best;
}

// Whether row a of B^-1, divided by its entry in the column, is lexicographically less than row b.
fn lemke_lexicographically_less(n: u32, a: u32, b: u32, column: u32) -> bool {
    let slope_a = -table_at(n, a, column);
    let slope_b = -table_at(n, b, column);
    for (var j = 0u; j < n; j++) {
        let place = place_at(j);
        var x = select(ZERO, ONE, place == a);
        var y = select(ZERO, ONE, place == b);
        if (place >= n) {
            x = -table_at(n, a, place - n);
            y = -table_at(n, b, place - n);
        }
        x = x / slope_a;
        y = y / slope_b;
        let tie = TIE * larger(ONE, smaller(abs(x), abs(y)));
        if (x < y - tie) {
            return true;
        }
        if (x > y + tie) {
            return false;
        }
    }
    return false;
}

// Exchanges the basic variable of the row with the nonbasic one of the column.
fn lemke_pivot(n: u32, row: u32, column: u32) {
    let inverse = ONE / table_at(n, row, column);
    let leaving = basic_at(row);
    let entering = nonbasic_at(column);
    keep_column(n, column);
    join();
    for (var j = first(); j < n + 2u; j += stride()) {
        table_set(n, row, j, select(-(table_at(n, row, j) * inverse), inverse, j == column));
    }
    join();
    for (var i = first_row(); i < n; i += row_stride()) {
        let factor = kept_at(n, i, column);
        if (i == row || factor == ZERO) {
            continue;
        }
        for (var j = first_column(); j < n + 2u; j += column_stride()) {
            let before = select(table_at(n, i, j), ZERO, j == column);
            table_set(n, i, j, before + factor * table_at(n, row, j));
        }
    }
    if (first() == 0u) {
        basic_set(row, entering);
        nonbasic_set(column, leaving);
        place_set(entering, row);
        place_set(leaving, n + column);
    }
    join();
}
