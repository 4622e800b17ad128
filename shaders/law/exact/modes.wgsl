// The modes of planar contacts. Twin: Mode in src/law/exact/maps.rs. A combination of modes has
// three bits for each contact, a list of modes has three bits for each place.

const OFF = 0u;
const HELD_STICK = 1u;
const HELD_SLIDE = 2u;
const HELD_BACK = 3u;
const FULL_STICK = 4u;
const FULL_SLIDE = 5u;
const FULL_BACK = 6u;

// A mode at full cap is the held mode and this.
const TO_FULL = 3u;

fn held(mode: u32) -> bool { return mode >= HELD_STICK && mode <= HELD_BACK; }
fn full(mode: u32) -> bool { return mode >= FULL_STICK; }
fn sticks(mode: u32) -> bool { return mode == HELD_STICK || mode == FULL_STICK; }

// The mode at a place. There is no twin: Rust has lists.
fn mode_at(modes: u32, place: u32) -> u32 { return (modes >> (3u * place)) & 7u; }

// The same modes with another one at a place. There is no twin, as above.
fn with_mode(modes: u32, place: u32, mode: u32) -> u32 {
    return (modes & ~(7u << (3u * place))) | (mode << (3u * place));
}

// Modes that a contact may have, and how many. There is no twin, as above.
struct Possible {
    modes: u32,
    count: u32,
}

// Whether contact i has no friction that could change a velocity. The name is another because WGSL
// reserves it. Twin: smooth in src/law/exact/segment.rs.
fn is_smooth(i: u32) -> bool {
    let t = M + i;
    return mu_at(i) == ZERO || w_at(t * K + t) == ZERO;
}

// Lists the modes that are possible at contact i, which may give back. Twin: list in
// src/law/exact/segment.rs.
fn list(i: u32, gives: bool, s: ptr<function, Sample>) -> Possible {
    let un = (*s).x[i];
    let ut = (*s).x[M + i];
    if ((un > ZERO && !gives) || (*s).x[K + i] == ZERO) {
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
    let full_modes = held_modes + select(TO_FULL, TO_FULL | (TO_FULL << 3u) | (TO_FULL << 6u), n == 3u);
    if (un < ZERO || gives) {
        return Possible(full_modes, n);
    }
    return Possible(OFF | (held_modes << 3u) | (full_modes << (3u + 3u * n)), 2u * n + 1u);
}
