// Contact modes after the impact. Twin: src/outcome/modes.rs.

// The mode of one planar contact, or of one without tangents. Twin: Mode::of, whose slice of
// tangents is here one and a count.
fn mode_of(normal: real, tangent: real, tangents: u32, rest: vec2<real>) -> u32 {
    if (normal > rest.x) {
        return MODE_LIFT;
    }
    if (tangents == 0u || tangent > rest.y) {
        return MODE_SLIDE;
    }
    return select(MODE_STICK, MODE_SLIDE_BACK, tangent < -rest.y);
}
