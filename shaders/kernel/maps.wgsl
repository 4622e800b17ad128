// The places of each combination's conditions; the conditions, then the affine maps of the contact
// modes.

@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> maps: array<vec4<real>>;

fn tolerance() -> real { return number(PROBLEM_TOLERANCE); }
fn span_at(k: u32) -> vec2<u32> { return spans[first_span() + k]; }
fn condition_at(i: u32) -> vec4<real> { return maps[first_condition() + i]; }
fn map_at(i: u32) -> vec4<real> { return maps[first_map() + i]; }
