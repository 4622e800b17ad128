// Which combinations can hold, from the sides of a few hyperplanes on which x lies. Twin: src/lcp/cells.rs.
// The kernel provides plane_at and cell_at. All planes are looked at, in a loop of fixed length: their numbers are the
// same for all threads, while every thread would go down a tree its own way.

const NOWHERE = 0xffffffffu;

// The cell of x, in the first step or a later one; NOWHERE closer than `near` to a plane that bounds it.
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
