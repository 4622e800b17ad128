// Contact modes after the impact. Twin: src/core/outcome/modes.rs.

// The mode of one contact. Twin: Mode::of, whose slice of tangents is here a vector and a count.
fn mode_of(normal: real, tangent: vec2<real>, tangents: u32, rest: vec2<real>) -> u32 {
    if (normal > rest.x) {
        return MODE_LIFT;
    }
    if (tangents == 2u) {
        let square = tangent.x * tangent.x + tangent.y * tangent.y;
        return select(MODE_STICK, MODE_SLIDE, square > rest.y * rest.y);
    }
    if (tangents == 0u || tangent.x > rest.y) {
        return MODE_SLIDE;
    }
    return select(MODE_STICK, MODE_SLIDE_BACK, tangent.x < -rest.y);
}
