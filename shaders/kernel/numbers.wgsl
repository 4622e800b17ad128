// The numbers of one problem, in uniform memory, where constant indices are read once for all
// threads.

@group(0) @binding(1) var<uniform> problem: array<vec4<real>, PROBLEM_FOURS>;

fn number(i: u32) -> real { return problem[i / 4u][i % 4u]; }
