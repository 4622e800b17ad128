// The affine maps of the contact modes. Twin: ModeTable in src/core/lcp/table.rs. Its methods begin
// with modes_ here. The kernel provides map_at.

// The impulse of combination k, moved into its bounds.
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
