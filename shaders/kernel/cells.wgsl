// The cells of the table of one problem. Steps that the cells do not solve are left unsolved:
// another way within the kernel would cost every step, because threads that run in step execute all
// ways.

@group(0) @binding(8) var<storage, read> planes: array<vec4<real>>;
// The roots; then nodes and leaves, see Buffers::cells in shaders/src/tables.rs.
@group(0) @binding(9) var<storage, read> entries: array<vec4<u32>>;

fn edge() -> real { return number(PROBLEM_EDGE); }
fn plane_at(i: u32) -> vec4<real> { return planes[i]; }
fn entry_at(i: u32) -> vec4<u32> { return entries[i]; }
fn region_at(leaf: u32) -> u32 { return entries[leaf].x; }
fn list_at(leaf: u32) -> vec2<u32> { return entries[leaf].xy; }
