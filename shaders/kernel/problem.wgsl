// The numbers of the problem by name. numbers.wgsl or many_problems.wgsl provides number.

fn w_at(i: u32) -> real { return number(i); }
fn mu_at(i: u32) -> real { return number(PROBLEM_MU + i); }
fn sigma_at(i: u32) -> real { return number(PROBLEM_SIGMA + i); }
fn start_at(i: u32) -> real { return number(PROBLEM_START + i); }
fn cap_at(i: u32) -> real { return number(PROBLEM_CAPS + i); }
fn rest_at(i: u32) -> real { return number(PROBLEM_REST + i); }
fn key_weight(i: u32) -> real { return number(PROBLEM_KEYS + i); }
