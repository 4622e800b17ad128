//! Search for the critical regions that contain the point of each lane.

use super::draws::Draw;
use super::map::Map;
use carom_core::vectors::Vector;
use carom_core::{Purpose, Real, stream};

/// Limit of distinct solutions of all lanes of a vector together; further lanes are left to the
/// slow solver.
const SLOTS: usize = 24;

/// The impulse of the step in each lane, drawn uniformly among the distinct solutions, and a mask
/// of the lanes with a solution.
///
/// Lanes with solutions too close to be counted are left to the slow solver.
#[inline(always)]
pub fn scan<S: Vector<R>, R: Real, const K: usize, const X: usize>(
    simd: S,
    map: &Map<R>,
    x: &[S::V; X],
    alive: u32,
    draw: Draw<'_>,
) -> ([S::V; K], u32) {
    let table = &map.table;
    let least = simd.splat(-table.tolerance);
    let (same, close) = (simd.splat(map.same), simd.splat(map.close));
    let none = simd.splat(R::HUGE);
    let mut l = [simd.splat(R::ZERO); K];
    let (mut found, mut several, mut doubt) = (0, 0, 0);
    // Impulses and keys of the distinct solutions; a key is HUGE in lanes without its solution.
    let mut keys = [none; SLOTS];
    let mut impulses = [l; SLOTS];
    let mut slots = 0;
    'regions: for (k, &[first, rows]) in table.spans.iter().enumerate() {
        let mut holds = simd.le(none, none);
        let rows = &table.conditions[first as usize * X..(first + rows) as usize * X];
        for row in rows.chunks_exact(X) {
            holds = simd.both(holds, simd.le(least, dot::<S, R, X>(simd, row, x)));
            if simd.bits(holds) & alive == 0 {
                continue 'regions;
            }
        }
        let mut key =
            simd.select(holds, dot::<S, R, X>(simd, &map.keys[k * X..(k + 1) * X], x), none);
        for &other in &keys[..slots] {
            let gap = simd.abs(simd.sub(key, other));
            let known = simd.le(gap, same);
            doubt |= simd.bits(simd.le(gap, close)) & !simd.bits(known);
            key = simd.select(known, none, key);
        }
        let new = alive & !simd.bits(simd.le(none, key));
        if new == 0 {
            continue;
        }
        several |= found & new;
        found |= new;
        if slots == SLOTS {
            return (l, 0);
        }
        let absent = simd.le(none, key);
        for i in 0..K {
            let at = (k * K + i) * X;
            impulses[slots][i] = dot::<S, R, X>(simd, &table.impulses[at..at + X], x);
            l[i] = simd.select(absent, l[i], impulses[slots][i]);
        }
        keys[slots] = key;
        slots += 1;
    }
    if several == 0 {
        return (l, found & !doubt);
    }
    // The rank of each solution in its lane, and the number of solutions of the lane.
    let (zero, one) = (simd.splat(R::ZERO), simd.splat(R::ONE));
    let mut ranks = [zero; SLOTS];
    let mut count = zero;
    for a in 0..slots {
        count = simd.add(count, simd.select(simd.le(none, keys[a]), zero, one));
        for b in 0..a {
            let later = simd.le(keys[b], keys[a]);
            ranks[a] = simd.add(ranks[a], simd.select(later, one, zero));
            ranks[b] = simd.add(ranks[b], simd.select(later, zero, one));
        }
    }
    let words = draw.words(Purpose::Solution);
    let mut wanted = count;
    let lanes: &mut [R] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut wanted));
    for (wanted, &word) in lanes.iter_mut().zip(&words) {
        *wanted = R::from_f64(f64::from(stream::index(word, wanted.to_f64() as u32)));
    }
    for slot in 0..slots {
        let ranked = simd.both(simd.le(ranks[slot], wanted), simd.le(wanted, ranks[slot]));
        let absent = simd.le(none, keys[slot]);
        for i in 0..K {
            let taken = simd.select(ranked, impulses[slot][i], l[i]);
            l[i] = simd.select(absent, l[i], taken);
        }
    }
    (l, found & !doubt)
}

#[inline(always)]
fn dot<S: Vector<R>, R: Real, const X: usize>(simd: S, row: &[R], x: &[S::V; X]) -> S::V {
    let row: &[R; X] = row.try_into().expect("a row has 3m entries");
    let mut sum = simd.mul(simd.splat(row[0]), x[0]);
    for j in 1..X {
        sum = simd.fma(simd.splat(row[j]), x[j], sum);
    }
    sum
}
