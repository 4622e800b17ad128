// The cells of the table of one problem. Steps that they do not solve are left unsolved: another way within the kernel
// would cost every step, for threads that run in step execute all ways.

@group(0) @binding(8) var<uniform> planes: array<vec4<real>, PLANE_FOURS>;
// The planes that bound each cell, the sides where it lies, then its region; or where its list begins and how long it is.
@group(0) @binding(9) var<uniform> cells: array<vec4<u32>, CELLS>;

fn edge() -> real { return number(PROBLEM_EDGE); }
fn plane_at(i: u32) -> vec4<real> { return planes[i]; }
fn cell_at(i: u32) -> vec4<u32> { return cells[i]; }
fn region_at(cell: u32) -> u32 { return cells[cell].z; }
fn list_at(cell: u32) -> vec2<u32> { return cells[cell].zw; }
