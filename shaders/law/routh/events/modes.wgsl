// The modes of planar contacts. Twin: Mode in src/law/routh/events/maps.rs. A combination of modes
// has three bits for each contact, a list of modes has three bits for each place.

const OFF = 0u;
const HELD_STICK = 1u;
const HELD_SLIDE = 2u;
const HELD_BACK = 3u;
const FULL_STICK = 4u;
const FULL_SLIDE = 5u;
const FULL_BACK = 6u;

// Difference between a mode at the impulse bound and the corresponding held mode.
const TO_FULL = 3u;

fn held(mode: u32) -> bool { return mode >= HELD_STICK && mode <= HELD_BACK; }
fn full(mode: u32) -> bool { return mode >= FULL_STICK; }
fn sticks(mode: u32) -> bool { return mode == HELD_STICK || mode == FULL_STICK; }

// The mode at a place. There is no twin: Rust has lists.
fn mode_at(modes: u32, place: u32) -> u32 { return (modes >> (3u * place)) & 7u; }

// The list of modes with the mode at a place replaced. There is no twin: Rust has lists.
fn with_mode(modes: u32, place: u32, mode: u32) -> u32 {
    return (modes & ~(7u << (3u * place))) | (mode << (3u * place));
}

// The possible modes of a contact, and their number. There is no twin: Rust has lists.
struct Possible {
    modes: u32,
    count: u32,
}

// Whether contact i has no friction that could change a velocity. WGSL reserves the name of the
// twin. Twin: smooth in src/law/routh/events/segment.rs.
fn is_smooth(i: u32) -> bool {
    let t = M + i;
    return mu_at(i) == ZERO || w_at(t * K + t) == ZERO;
}

// Lists the possible modes of contact i, which may be restituting. Twin: list in
// src/law/routh/events/segment.rs.
fn list(i: u32, restituting: bool, s: ptr<function, Sample>) -> Possible {
    let un = (*s).x[i];
    let ut = (*s).x[M + i];
    if ((un > ZERO && !restituting) || (*s).x[K + i] == ZERO) {
        return Possible(OFF, 1u);
    }
    var n = 1u;
    var held_modes = HELD_BACK;
    if (ut > ZERO || is_smooth(i)) {
        held_modes = HELD_SLIDE;
    } else if (!(ut < ZERO)) {
        n = 3u;
        held_modes = HELD_STICK | (HELD_SLIDE << 3u) | (HELD_BACK << 6u);
    }
    let all_full = TO_FULL | (TO_FULL << 3u) | (TO_FULL << 6u);
    let full_modes = held_modes + select(TO_FULL, all_full, n == 3u);
    if (un < ZERO || restituting) {
        return Possible(full_modes, n);
    }
    return Possible(OFF | (held_modes << 3u) | (full_modes << (3u + 3u * n)), 2u * n + 1u);
}
