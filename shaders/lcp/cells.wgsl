// The critical regions that can contain a step x, from the signs of a few hyperplanes at x. Twin:
// src/core/lcp/cells.rs. The kernel provides plane_at and entry_at, of the tables of
// Regions::buffers in shaders/src/tables.rs.

const NOWHERE = 0xffffffffu;
// Bit that marks a leaf.
const LEAF = 0x80000000u;

// The leaf of x, in the first step or a later one; NOWHERE if x is in no cell, or closer than
// `near` to a plane that bounds its cell.
fn cells_find(first: bool, near: real, x: ptr<function, array<real, X>>) -> u32 {
    let roots = entry_at(0u);
    var at = select(roots.z, roots.y, first);
    while (at < LEAF) {
        let node = entry_at(at);
        var side = ZERO;
        for (var j = 0u; j < X; j += 4u) {
            let four = plane_at((node.x * X + j) / 4u);
            side += four.x * (*x)[j];
            side += four.y * (*x)[j + 1u];
            side += four.z * (*x)[j + 2u];
            side += four.w * (*x)[j + 3u];
        }
        at = select(select(node.y, node.z, side > ZERO), NOWHERE, abs(side) < near);
    }
    return select(at & ~LEAF, NOWHERE, at == NOWHERE);
}
