// Which critical regions can contain a step x, from the signs of a few hyperplanes at x. Twin: src/lcp/cells.rs.
// The kernel provides plane_at and cell_at. The loop evaluates all planes and has a fixed length: all threads then read
// the same numbers, whereas in a tree each thread would take its own path.

const NOWHERE = 0xffffffffu;

// The cell of x, in the first step or a later one; NOWHERE if x is closer than `near` to a plane that bounds the cell.
fn cells_find(first: bool, near: real, x: ptr<function, array<real, X>>) -> u32 {
    var sides = select(0x80000000u, 0u, first);
    var close = 0u;
    for (var i = 0u; i < PLANES; i++) {
        var side = ZERO;
        for (var j = 0u; j < X; j += 4u) {
            let four = plane_at((i * X + j) / 4u);
            side += four.x * (*x)[j];
            side += four.y * (*x)[j + 1u];
            side += four.z * (*x)[j + 2u];
            side += four.w * (*x)[j + 3u];
        }
        sides |= select(0u, 1u << i, side > ZERO);
        close |= select(0u, 1u << i, abs(side) < near);
    }
    var found = NOWHERE;
    for (var i = 0u; i < CELLS; i++) {
        let cell = cell_at(i);
        found = select(found, i, (sides & cell.x) == cell.y && (close & cell.x) == 0u);
    }
    return found;
}
