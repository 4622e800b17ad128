// The places of each combination's conditions among the maps, and the conditions.

@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;

fn span_at(k: u32) -> vec2<u32> { return spans[first_span() + k]; }
fn condition_at(i: u32) -> vec4<real> { return maps[first_condition() + i]; }
