// All samples belong to one problem.

fn enter(i: u32) {}
fn problem_number() -> u32 { return 0u; }
fn max_steps() -> u32 { return run.max_steps; }
fn first_span() -> u32 { return 0u; }
fn combinations() -> u32 { return run.combinations; }
fn first_condition() -> u32 { return 0u; }
fn first_map() -> u32 { return run.first_map; }
fn seed_of(i: u32) -> vec2<u32> { return run.seed; }
