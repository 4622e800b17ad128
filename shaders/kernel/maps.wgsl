// The affine maps of the contact modes.

@group(0) @binding(3) var<storage, read> maps: array<vec4<real>>;

fn tolerance() -> real { return number(PROBLEM_TOLERANCE); }
fn map_at(i: u32) -> vec4<real> { return maps[first_map() + i]; }
