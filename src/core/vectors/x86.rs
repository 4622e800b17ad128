//! Operations of AVX2 and AVX-512 with instructions of their own.

use std::arch::x86_64::__m256d;

use pulp::{Simd, f64x4};

use super::vector::Instructions;

impl Instructions for pulp::x86::V3 {
    #[inline(always)]
    fn bits_32(self, mask: Self::m32s) -> u32 {
        self.avx._mm256_movemask_ps(pulp::cast(mask)) as u32
    }

    #[inline(always)]
    fn bits_64(self, mask: Self::m64s) -> u32 {
        self.avx._mm256_movemask_pd(pulp::cast(mask)) as u32
    }

    #[inline(always)]
    fn unless_f32(self, mask: Self::m32s, x: Self::f32s) -> Self::f32s {
        pulp::cast(self.avx._mm256_andnot_ps(pulp::cast(mask), pulp::cast(x)))
    }

    #[inline(always)]
    fn unless_f64(self, mask: Self::m64s, x: Self::f64s) -> Self::f64s {
        pulp::cast(self.avx._mm256_andnot_pd(pulp::cast(mask), pulp::cast(x)))
    }

    #[inline(always)]
    fn count_below_f32(self, numbers: &[f32; 8], x: f32) -> usize {
        self.bits_32(self.less_than_f32s(pulp::cast(*numbers), self.splat_f32s(x))).count_ones()
            as usize
    }

    #[inline(always)]
    fn count_below_f64(self, numbers: &[f64; 8], x: f64) -> usize {
        let [low, high]: [f64x4; 2] = pulp::cast(*numbers);
        let bits = |some| self.bits_64(self.less_than_f64s(some, self.splat_f64s(x)));
        (bits(low) << 4 | bits(high)).count_ones() as usize
    }

    #[inline(always)]
    fn columns_f32(self, rows: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
        let avx = self.avx;
        let mut columns = [[[0.0f32; 8]; 4]; 2];
        let row = |i: usize| pulp::cast(rows[i]);
        for half in 0..2 {
            // Concatenates a half of row i and a half of row i + 4.
            let beside = |i: usize| match half {
                0 => avx._mm256_permute2f128_ps::<0x20>(row(i), row(i + 4)),
                _ => avx._mm256_permute2f128_ps::<0x31>(row(i), row(i + 4)),
            };
            let (a, b, c, d) = (beside(0), beside(1), beside(2), beside(3));
            let pairs = [
                [avx._mm256_unpacklo_ps(a, b), avx._mm256_unpacklo_ps(c, d)],
                [avx._mm256_unpackhi_ps(a, b), avx._mm256_unpackhi_ps(c, d)],
            ];
            let [[a, b], [c, d]]: [[__m256d; 2]; 2] = pulp::cast(pairs);
            columns[half] = pulp::cast([
                avx._mm256_unpacklo_pd(a, b),
                avx._mm256_unpackhi_pd(a, b),
                avx._mm256_unpacklo_pd(c, d),
                avx._mm256_unpackhi_pd(c, d),
            ]);
        }
        pulp::cast(columns)
    }

    #[inline(always)]
    fn columns_f64(self, rows: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
        let avx = self.avx;
        let mut columns = [[[0.0; 4]; 2]; 8];
        let rows: &[[[f64; 4]; 2]; 8] = bytemuck::cast_ref(rows);
        for (left, low) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let row = |i: usize| pulp::cast(rows[4 * low + i][left]);
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            let (even, odd) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b));
            let (even_2, odd_2) = (avx._mm256_unpacklo_pd(c, d), avx._mm256_unpackhi_pd(c, d));
            let four = [
                avx._mm256_permute2f128_pd::<0x20>(even, even_2),
                avx._mm256_permute2f128_pd::<0x20>(odd, odd_2),
                avx._mm256_permute2f128_pd::<0x31>(even, even_2),
                avx._mm256_permute2f128_pd::<0x31>(odd, odd_2),
            ];
            for j in 0..4 {
                columns[4 * left + j][low] = pulp::cast(four[j]);
            }
        }
        pulp::cast(columns)
    }
}

impl Instructions for pulp::x86::V4 {
    #[inline(always)]
    fn count_below_f32(self, numbers: &[f32; 8], x: f32) -> usize {
        (*self).count_below_f32(numbers, x)
    }

    #[inline(always)]
    fn count_below_f64(self, numbers: &[f64; 8], x: f64) -> usize {
        (*self).count_below_f64(numbers, x)
    }

    #[inline(always)]
    fn columns_f32(self, rows: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
        (*self).columns_f32(rows)
    }

    #[inline(always)]
    fn columns_f64(self, rows: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
        (*self).columns_f64(rows)
    }

    #[inline(always)]
    fn bits_32(self, mask: Self::m32s) -> u32 {
        u32::from(mask.0)
    }

    #[inline(always)]
    fn bits_64(self, mask: Self::m64s) -> u32 {
        u32::from(mask.0)
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::{bytes_of, pod_read_unaligned};
    use pulp::x86::{V3, V4};

    use crate::real::Real;
    use crate::vectors::Vector;

    /// Compares counts, columns, masks and absolute values with scalar results.
    fn agrees<R: Real, S: Vector<R>>(simd: S) {
        let rows: [[R; 8]; 8] =
            std::array::from_fn(|i| std::array::from_fn(|j| R::from_f64((10 * i + j) as f64)));
        let columns = simd.columns(&rows);
        assert!((0..8).all(|i| (0..8).all(|j| columns[j][i] == rows[i][j])));

        let numbers = [0.0, 1.0, 1.0, 2.0, 5.0, 5.0, 9.0, f64::INFINITY].map(R::from_f64);
        for x in [-1.0, 0.0, 0.5, 1.0, 5.0, 7.0, 10.0, f64::NAN].map(R::from_f64) {
            let below = numbers.iter().filter(|number| **number < x).count();
            assert_eq!(simd.count_below(&numbers, x), below);
        }

        let signed: [R; 16] = std::array::from_fn(|l| R::from_f64(l as f64 - 5.0));
        let vector: S::V = pod_read_unaligned(&bytes_of(&signed)[..size_of::<S::V>()]);
        let mask = simd.le(vector, simd.splat(R::ZERO));
        let held: Vec<bool> = signed[..S::LANES].iter().map(|x| *x <= R::ZERO).collect();
        let bits = held.iter().rev().fold(0, |bits, held| 2 * bits + u32::from(*held));
        assert_eq!(simd.bits(mask), bits);
        let (kept, sizes) = (simd.unless(mask, vector), simd.abs(vector));
        let lane = |vector: &S::V, l: usize| {
            bytemuck::cast_slice::<S::V, R>(std::slice::from_ref(vector))[l]
        };
        for l in 0..S::LANES {
            assert_eq!(lane(&kept, l), if held[l] { R::ZERO } else { signed[l] });
            assert_eq!(lane(&sizes, l), signed[l].abs());
        }
    }

    #[test]
    fn vectors_do_what_single_numbers_do() {
        agrees::<f32, _>(pulp::Scalar128b);
        agrees::<f64, _>(pulp::Scalar128b);
        if let Some(simd) = V3::try_new() {
            agrees::<f32, _>(simd);
            agrees::<f64, _>(simd);
        }
        if let Some(simd) = V4::try_new() {
            agrees::<f32, _>(simd);
            agrees::<f64, _>(simd);
        }
    }
}
