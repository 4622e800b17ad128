// The search for the forces of a segment: by all combinations of modes, or by principal pivoting if
// they are too many. Twin: src/law/routh/events/solve.rs.

// Finds the forces of a segment; returns whether any exist. If principal pivoting fails, Rust
// continues with Lemke's method. Twin: Events::solve.
fn exact_solve(
    stream: Stream, s: ptr<function, Sample>, c: ptr<function, Course>, trial: ptr<function, Trial>,
) -> bool {
    (*c).restituting = 0u;
    for (var i = 0u; i < contacts(); i++) {
        (*c).restituting |= select(0u, 1u << i, (*c).stored[i] > ZERO && (*s).x[i] >= ZERO);
    }
    (*trial).tried = 0u;
    var found: Found;
    var count = 0u;
    for (var all = false; count == 0u && !all;) {
        all = ((*c).free & ALL) == ALL;
        count = segment_solve((*c).free, (*c).last, (*c).restituting, s, trial, &found);
        if (count == 0u) {
            (*c).free = ALL;
        }
    }
    if (count == TOO_MANY) {
        for (var path = 0u; path < PATHS; path++) {
            if (walk(stream, path, (*c).last, (*c).restituting, s, trial)) {
                (*c).last = (*trial).modes;
                return true;
            }
        }
        return false;
    }
    if (count == 0u || (*trial).tried > MOST_TRIALS) {
        return false;
    }
    var chosen = 0u;
    if (count > 1u) {
        chosen = index_below(stream_block(stream, (*s).steps, PURPOSE_SOLUTION, 0u).x, count);
    }
    (*c).last = found.modes[chosen];
    if ((*trial).modes != (*c).last) {
        _ = holds((*c).last, (*c).restituting, s, trial);
    }
    return true;
}
