// The conditions under which the affine maps of the contact modes hold. Twin: ModeTable::holds in
// src/core/lcp/table.rs. The kernel provides span_at and condition_at.

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
