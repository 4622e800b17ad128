// The conditions under which a sample is solved again, or accepted. Twin:
// src/core/outcome/verdict.rs.

struct FlagLimits {
    residual: f32,
    long_run: u32,
}

fn is_flagged(
    status: u32, steps: u32, residual: f32, at_rest: bool, finite: bool, limits: FlagLimits,
) -> bool {
    let ended = (status == TERMINATED && at_rest) || status == STEP_LIMIT;
    let sound = residual <= limits.residual && steps < limits.long_run && finite;
    return !(ended && sound);
}

fn is_accepted(status: u32, residual: f32, finite: bool, most: real) -> bool {
    return status == TERMINATED && real(residual) <= most && finite;
}
