// One solution of a segment with many combinations of modes, by principal pivoting. Twin:
// src/law/routh/events/walk.rs.

// The random numbers of a run of principal pivoting.
struct Draws {
    stream: Stream,
    segment: u32,
    path: u32,
    drawn: u32,
    words: vec4<u32>,
}

fn next(draws: ptr<function, Draws>) -> u32 {
    if ((*draws).drawn % 4u == 0u) {
        let block = ((*draws).path << 16u) | ((*draws).drawn / 4u);
        (*draws).words = stream_block((*draws).stream, (*draws).segment, PURPOSE_COVERING, block);
    }
    (*draws).drawn += 1u;
    return (*draws).words[((*draws).drawn - 1u) % 4u];
}

// Principal pivoting from one combination of modes to the next, up to a solution; returns whether
// one was found.
fn walk(
    stream: Stream, path: u32, last: u32, restituting: u32, s: ptr<function, Sample>,
    trial: ptr<function, Trial>,
) -> bool {
    var draws = Draws(stream, (*s).steps, path, 0u, vec4<u32>());
    var again = false;
    if (path == 0u) {
        again = next(&draws) % 2u == 0u;
    }
    var possible: array<Possible, M>;
    var modes = 0u;
    for (var i = 0u; i < contacts(); i++) {
        let at = list(i, is_restituting(restituting, i), s);
        possible[i] = at;
        var mode = mode_at(at.modes, 0u);
        if (at.count > 1u) {
            var keeps = false;
            for (var place = 0u; place < at.count; place++) {
                keeps = keeps || (again && mode_at(at.modes, place) == mode_at(last, i));
            }
            if (keeps) {
                mode = mode_at(last, i);
            } else {
                mode = mode_at(at.modes, index_below(next(&draws), at.count));
            }
        }
        modes = with_mode(modes, i, mode);
    }
    for (var change = 0u; change < CHANGES; change++) {
        if (holds(modes, restituting, s, trial)) {
            return true;
        }
        let violated = (*trial).violated;
        if (violated == 0u) {
            // The linear system is singular for the present modes.
            let i = index_below(next(&draws), M);
            let place = index_below(next(&draws), possible[i].count);
            modes = with_mode(modes, i, mode_at(possible[i].modes, place));
        } else if (change < BLOCKS) {
            for (var i = 0u; i < contacts(); i++) {
                let both = (violated >> (2u * i)) & 3u;
                if (both != 0u) {
                    let mode = changed(i, (both & 1u) != 0u, possible[i].modes, s, trial);
                    modes = with_mode(modes, i, mode);
                }
            }
        } else {
            var skip = index_below(next(&draws), countOneBits(violated));
            for (var i = 0u; i < rows(); i++) {
                if (((violated >> i) & 1u) != 0u) {
                    if (skip == 0u) {
                        let j = i / 2u;
                        let mode = changed(j, i % 2u == 0u, possible[j].modes, s, trial);
                        modes = with_mode(modes, j, mode);
                        break;
                    }
                    skip -= 1u;
                }
            }
        }
    }
    return false;
}

// The next mode of contact i, whose normal or tangential conditions the tried forces violate. Twin:
// Segment::change.
fn changed(
    i: u32, normal: bool, possible: u32, s: ptr<function, Sample>, trial: ptr<function, Trial>,
) -> u32 {
    let mode = mode_at((*trial).modes, i);
    if (mode == OFF) {
        // Without friction, and for a sliding contact, there is one held mode.
        return select(OFF, mode_at(possible, 1u), normal);
    }
    if (normal) {
        if (full(mode)) {
            return mode - TO_FULL;
        }
        return select(OFF, mode + TO_FULL, (*trial).x[i] > (*s).x[K + i]);
    }
    if (sticks(mode)) {
        let back = (*trial).x[M + i] > ZERO;
        return mode + select(HELD_SLIDE - HELD_STICK, HELD_BACK - HELD_STICK, back);
    }
    return select(HELD_STICK, FULL_STICK, full(mode));
}
