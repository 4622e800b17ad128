//! Sobol's points, scrambled: low-discrepancy draws for the sampler `sobol`.

use super::{Purpose, Stream};

/// Dimensions of the points.
pub const DIMENSIONS: usize = 128;

/// Bits of a coordinate.
pub const BITS: usize = 32;

/// From the second dimension on, a line each: the number `a` of the primitive polynomial, then
/// `m_1 .. m_s`, with `s` its degree. Source: \[JK08\], file new-joe-kuo-6.21201.
const TABLE: &[u8] = include_bytes!("joe_kuo.txt");

/// The direction numbers `v_1 .. v_32` of every dimension. `v_k` has its highest bits first:
/// `v_k = m_k 2^(32-k)`.
pub static DIRECTIONS: [[u32; BITS]; DIMENSIONS] = directions();

/// `v_k = v_(k-s) ^ (v_(k-s) >> s) ^ a_1 v_(k-1) ^ .. ^ a_(s-1) v_(k-s+1)` for `k > s`, with `a_1`
/// the highest bit of `a`.
///
/// Source: \[JK08\] Sec. 2, (1)-(3).
const fn directions() -> [[u32; BITS]; DIMENSIONS] {
    let mut v = [[0; BITS]; DIMENSIONS];
    let (mut d, mut k, mut at) = (1, 0, 0);
    while k < BITS {
        v[0][k] = 1 << (BITS - 1 - k);
        k += 1;
    }
    while d < DIMENSIONS {
        // A line has the number `a`, then the numbers m.
        let (mut a, mut s, mut word, mut over) = (0, 0, 0, false);
        let mut first = true;
        while !over {
            let byte = TABLE[at];
            at += 1;
            if byte.is_ascii_digit() {
                word = 10 * word + (byte - b'0') as u32;
                continue;
            }
            if first {
                a = word;
                first = false;
            } else {
                v[d][s] = word << (BITS - 1 - s);
                s += 1;
            }
            word = 0;
            over = byte == b'\n';
        }
        k = s;
        while k < BITS {
            let mut next = v[d][k - s] ^ (v[d][k - s] >> s);
            let mut j = 1;
            while j < s {
                next ^= ((a >> (s - 1 - j)) & 1) * v[d][k - j];
                j += 1;
            }
            v[d][k] = next;
            k += 1;
        }
        d += 1;
    }
    v
}

/// Coordinate `dimension` of point `index`, in units of 2^-32, not scrambled.
///
/// The exclusive or of the direction numbers at the bits of the Gray code of `index`, which gives
/// points the order in which they are commonly listed. Source: \[JK08\] Sec. 2, (4). Twin:
/// `shaders/rng/sobol.wgsl::sobol_word`.
#[inline]
pub fn sobol_word(index: u32, dimension: usize) -> u32 {
    let mut bits = index ^ (index >> 1);
    let mut word = 0;
    while bits != 0 {
        word ^= DIRECTIONS[dimension][bits.trailing_zeros() as usize];
        bits &= bits - 1;
    }
    word
}

/// Owen's scrambling of a coordinate by a hash: `key` and the higher bits determine whether a bit
/// is flipped. Any `2^k` points with one in each interval of length `2^-k` keep this property.
///
/// Source: \[B20\], the permutation of Laine and Karras. Twin: `shaders/rng/sobol.wgsl::scramble`.
#[inline]
pub fn scramble(word: u32, key: u32) -> u32 {
    let mut x = word.reverse_bits().wrapping_add(key);
    for factor in [0x6c50_b47c, 0xb82f_1e52, 0xc7af_e638, 0x8d22_f6e6_u32] {
        x ^= x.wrapping_mul(factor);
    }
    x.reverse_bits()
}

/// Block `block` of the draws of number `draw`, four of `count`, by Sobol's points; beyond the last
/// dimension by [`Purpose::Rate`].
///
/// Entry `i` of draw `d` is dimension `count d + i`; sample `j` has point `j mod 2^32`. The
/// scrambling keys depend on the seed, on the dimension, and on the sample's number divided by
/// 2^32. Twin: `shaders/rng/sobol.wgsl::sobol_block`.
#[inline]
pub fn sobol_block(stream: &Stream, draw: u32, block: u32, count: u32) -> [u32; 4] {
    let first = draw.saturating_mul(count).saturating_add(4 * block);
    let mut words = [0; 4];
    if first.saturating_add(4) > DIMENSIONS as u32 {
        words = stream.block(draw, Purpose::Rate, block);
    }
    if first < DIMENSIONS as u32 {
        let keys = stream.common().block(draw, Purpose::Scrambling, block);
        for j in 0..4.min(DIMENSIONS as u32 - first) {
            let word = sobol_word(stream.number(), (first + j) as usize);
            words[j as usize] = scramble(word, keys[j as usize]);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The first points of the first six dimensions that come with \[JK08\].
    #[test]
    fn the_first_points_are_the_published_ones() {
        let points = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25, 0.25, 0.75, 0.75],
            [0.25, 0.75, 0.75, 0.75, 0.25, 0.25],
            [0.375, 0.375, 0.625, 0.875, 0.375, 0.125],
        ];
        for (i, point) in points.iter().enumerate() {
            for (d, x) in point.iter().enumerate() {
                let found = f64::from(sobol_word(i as u32, d)) / 4_294_967_296.0;
                assert_eq!(found, *x, "point {i}, {d}");
            }
        }
    }

    /// An independent program has equal direction numbers and points.
    #[test]
    fn an_independent_program_agrees() {
        let parameters = sobol::params::JoeKuoD6::standard();
        let numbers = sobol::Sobol::<u32>::init_direction_vals(DIMENSIONS, BITS, &parameters);
        assert_eq!(numbers, DIRECTIONS.map(Vec::from));
        for (i, point) in sobol::Sobol::<u32>::new(DIMENSIONS, &parameters).take(1000).enumerate() {
            for (d, x) in point.into_iter().enumerate() {
                assert_eq!(sobol_word(i as u32, d), x, "point {i}, dimension {d}");
            }
        }
    }

    /// Scrambled or not, `2^k` points in a row fall one each into the intervals of length `2^-k`.
    #[test]
    fn every_dimension_stays_stratified() {
        for d in 0..DIMENSIONS {
            for key in [None, Some(0), Some(0x9e37_79b9_u32.wrapping_mul(d as u32 + 1))] {
                let cell = |i: u32| {
                    let word = sobol_word(i, d);
                    key.map_or(word, |key| scramble(word, key)) >> 24
                };
                for first in [0, 256, 1 << 20, 0xffff_ff00] {
                    let cells: BTreeSet<u32> = (first..=first + 255).map(cell).collect();
                    assert_eq!(cells.len(), 256);
                }
            }
        }
    }

    /// A bit is flipped or not whatever the bits below it are: points in one interval stay in one
    /// interval.
    #[test]
    fn scrambling_is_nested() {
        let mut flips = [0; 32];
        for n in 0..4096u32 {
            let (x, key) = (n.wrapping_mul(0x9e37_79b9), n.wrapping_mul(0x85eb_ca6b) ^ 77);
            for k in 1..32 {
                let other = x ^ (n.wrapping_mul(0xc2b2_ae35) >> k);
                assert_eq!(scramble(x, key) >> (32 - k), scramble(other, key) >> (32 - k));
            }
            (0..32).for_each(|k| flips[k] += ((scramble(x, key) ^ x) >> k) & 1);
        }
        assert!(flips.iter().all(|flips| (1500..2600).contains(flips)), "{flips:?}");
    }

    #[test]
    fn dimensions_run_out_into_independent_draws() {
        let stream = Stream::new(3, (5 << 32) | 17);
        let words = sobol_block(&stream, 25, 1, 5);
        let plain = stream.block(25, Purpose::Rate, 1);
        assert_eq!(words, plain);
        let words = sobol_block(&stream, 25, 0, 5);
        let keys = Stream::new(3, 5 << 32).block(25, Purpose::Scrambling, 0);
        assert_eq!(words[..3], [0, 1, 2].map(|j| scramble(sobol_word(17, 125 + j), keys[j])));
        assert_eq!(words[3], stream.block(25, Purpose::Rate, 0)[3]);
        assert_eq!(sobol_block(&stream, u32::MAX, 0, 5), stream.block(u32::MAX, Purpose::Rate, 0));
    }
}
