// The lists of the cells, after the spans; and the keys of the regions, after the maps.

fn candidate_at(i: u32) -> vec2<u32> { return spans[i]; }
fn key_at(i: u32) -> vec4<real> { return maps[run.first_key + i]; }
