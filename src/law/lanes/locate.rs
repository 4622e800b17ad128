//! The critical region that holds in each lane: guessed by a decision tree, or found by a search
//! through all regions.

use super::column::{Column, N, SOLE};
use super::draws::Draw;
use super::map::{FlatTree, Map, NODES, REGIONS};
use carom_core::vectors::{Table, Vector};
use carom_core::{Purpose, Real, stream};

/// Number of vectors that descend a tree together.
const ABREAST: usize = 4;

/// Largest number of distinct solutions of all lanes of a vector together; lanes with further ones
/// are left to the slow solver.
const SLOTS: usize = 24;

/// The critical region that the tree guesses for each sample in progress.
#[inline(always)]
pub fn descend<S: Vector<f32>, R: Real, const X: usize>(
    simd: S,
    tree: &FlatTree<R>,
    x: &[Column<R>; X],
    begun: &Column<R>,
) -> [u32; N] {
    let planes: &[Table<f32, NODES>; X] =
        tree.planes[..].try_into().expect("a plane has 3m entries");
    let mut single = [Column([0.0f32; N]); X];
    let mut region = Column([0.0f32; N]);
    for l in 0..N {
        for j in 0..X {
            single[j].0[l] = x[j].0[l].to_f64() as f32;
        }
        region.0[l] = if begun.0[l] == R::ZERO { tree.roots[0] } else { tree.roots[1] };
    }
    let last_node = simd.splat(S::INDEX_BASE + (NODES - 1) as f32);
    let zero = simd.splat(0.0);
    for first in (0..N / S::LANES).step_by(ABREAST) {
        let mut node = [zero; ABREAST];
        for a in 0..ABREAST {
            node[a] = region.at(first + a);
        }
        for _ in 0..tree.depth {
            for a in 0..ABREAST {
                let plane = simd.lookup_32(&planes[0], node[a]);
                let mut side = simd.mul(plane, single[0].at(first + a));
                for j in 1..X {
                    let plane = simd.lookup_32(&planes[j], node[a]);
                    side = simd.fma(plane, single[j].at(first + a), side);
                }
                let low = simd.lookup_32(&tree.children[0], node[a]);
                let high = simd.lookup_32(&tree.children[1], node[a]);
                let child = simd.select(simd.le(side, zero), low, high);
                node[a] = simd.select(simd.le(node[a], last_node), child, node[a]);
            }
        }
        for a in 0..ABREAST {
            region.put(first + a, node[a]);
        }
    }
    let mut regions = [0; N];
    for l in 0..N {
        regions[l] = region.0[l].to_bits() % NODES as u32;
    }
    regions
}

/// The impulse in the guessed critical region of each lane.
#[inline(always)]
pub fn impulse<S: Vector<R>, R: Real, const K: usize, const X: usize>(
    simd: S,
    tree: &FlatTree<R>,
    x: &[S::V; X],
    region: S::V,
) -> [S::V; K] {
    let mut l = [simd.splat(R::ZERO); K];
    for i in 0..K {
        let row: &[Table<R, REGIONS>; X] =
            tree.impulses[i * X..(i + 1) * X].try_into().expect("an impulse map has 2m rows");
        let mut sum = simd.mul(simd.lookup_16(&row[0], region), x[0]);
        for j in 1..X {
            sum = simd.fma(simd.lookup_16(&row[j], region), x[j], sum);
        }
        l[i] = sum;
    }
    l
}

/// The impulse of the step's solution in each lane, drawn uniformly among the distinct solutions,
/// and a mask of the lanes in which one was found.
///
/// Lanes whose solutions are too close to be counted are left to the slow solver.
#[inline(always)]
pub fn scan<S: Vector<R>, R: Real, const K: usize, const X: usize, const WAY: u8>(
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
    // The distinct solutions found so far: their impulses, and their keys, which are HUGE in lanes
    // that do not have the solution.
    let mut keys = [none; SLOTS];
    let mut impulses = [l; SLOTS];
    let mut slots = 0;
    // Long conditions are evaluated several at a time: a branch that is hard to predict costs more
    // than they do.
    let together = if X > 9 { 4 } else { 1 };
    'regions: for (k, &[first, rows]) in table.spans.iter().enumerate() {
        let mut holds = simd.le(none, none);
        for some in
            table.conditions[first as usize * X..(first + rows) as usize * X].chunks(together * X)
        {
            for row in some.chunks_exact(X) {
                holds = simd.both(holds, simd.le(least, dot::<S, R, X>(simd, row, x)));
            }
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
        let slot = if WAY == SOLE { 0 } else { slots };
        if slot == SLOTS {
            return (l, 0);
        }
        let absent = simd.le(none, key);
        for i in 0..K {
            let at = (k * K + i) * X;
            impulses[slot][i] = dot::<S, R, X>(simd, &table.impulses[at..at + X], x);
            l[i] = simd.select(absent, l[i], impulses[slot][i]);
        }
        keys[slot] = if WAY == SOLE { simd.select(absent, keys[slot], key) } else { key };
        slots = slot + 1;
    }
    if WAY == SOLE || several == 0 {
        return (l, found & !several & !doubt);
    }
    // The rank of each solution among those of its lane, and the number of solutions.
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
