//! Vectors of the machine at hand, for kernels that are generic over instruction set and precision.

use bytemuck::Pod;
use pulp::Simd;

use crate::Real;

/// The operations of kernels on vectors of `R`, one number per lane.
///
/// In each lane they equal the scalar operations, except that [`Vector::fma`] rounds once where the
/// machine supports it.
pub trait Vector<R: Real>: Instructions {
    /// A vector.
    type V: Pod + Send + Sync;
    /// A mask: one truth value per lane.
    type M: Copy;
    /// Lanes of a vector.
    const LANES: usize = size_of::<Self::V>() / size_of::<R>();

    /// `x` in every lane.
    fn splat(self, x: R) -> Self::V;
    /// `a + b`
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a - b`
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a b`
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a b + c`
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `a / b`
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller number.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger number.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// Square root.
    fn sqrt(self, a: Self::V) -> Self::V;
    /// Absolute value.
    fn abs(self, a: Self::V) -> Self::V;
    /// `a < b`; false where one is NaN.
    fn lt(self, a: Self::V, b: Self::V) -> Self::M;
    /// `a <= b`; false where one is NaN.
    fn le(self, a: Self::V, b: Self::V) -> Self::M;
    /// `yes` where the mask is true, else `no`.
    fn select(self, mask: Self::M, yes: Self::V, no: Self::V) -> Self::V;
    /// 0 where the mask is true, else `x`.
    fn unless(self, mask: Self::M, x: Self::V) -> Self::V;
    /// Whether both are true.
    fn both(self, a: Self::M, b: Self::M) -> Self::M;
    /// Whether at least one is true.
    fn either(self, a: Self::M, b: Self::M) -> Self::M;
    /// Whether it is false.
    fn not(self, a: Self::M) -> Self::M;
    /// Bit i is lane i.
    fn bits(self, mask: Self::M) -> u32;
    /// Number of entries below `x`.
    fn count_below(self, numbers: &[R; 8], x: R) -> usize;
    /// The transpose of eight rows.
    fn columns(self, rows: &[[R; 8]; 8]) -> [[R; 8]; 8];
}

/// Operations with different implementations per instruction set.
pub trait Instructions: Simd {
    /// Bit i is lane i of a mask over 32-bit numbers.
    #[inline(always)]
    fn bits_32(self, mask: Self::m32s) -> u32 {
        let ones = self.select_u32s(mask, self.splat_u32s(1), self.splat_u32s(0));
        let lanes: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&ones));
        lanes.iter().enumerate().fold(0, |bits, (i, one)| bits | (one << i))
    }

    /// Bit i is lane i of a mask over 64-bit numbers.
    #[inline(always)]
    fn bits_64(self, mask: Self::m64s) -> u32 {
        let ones = self.select_u64s(mask, self.splat_u64s(1), self.splat_u64s(0));
        let lanes: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&ones));
        lanes.iter().enumerate().fold(0, |bits, (i, one)| bits | ((*one as u32) << i))
    }

    /// 0 where the mask is true, else `x`.
    #[inline(always)]
    fn unless_f32(self, mask: Self::m32s, x: Self::f32s) -> Self::f32s {
        self.select_f32s(mask, self.splat_f32s(0.0), x)
    }

    /// 0 where the mask is true, else `x`.
    #[inline(always)]
    fn unless_f64(self, mask: Self::m64s, x: Self::f64s) -> Self::f64s {
        self.select_f64s(mask, self.splat_f64s(0.0), x)
    }

    /// Number of entries below `x`.
    #[inline(always)]
    fn count_below_f32(self, numbers: &[f32; 8], x: f32) -> usize {
        count_below(numbers, x)
    }

    /// Number of entries below `x`.
    #[inline(always)]
    fn count_below_f64(self, numbers: &[f64; 8], x: f64) -> usize {
        count_below(numbers, x)
    }

    /// The transpose of eight rows.
    #[inline(always)]
    fn columns_f32(self, rows: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
        columns(rows)
    }

    /// The transpose of eight rows.
    #[inline(always)]
    fn columns_f64(self, rows: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
        columns(rows)
    }
}

#[inline(always)]
fn count_below<R: Real>(numbers: &[R; 8], x: R) -> usize {
    // Vector instructions count bytes; a sum of truth values would compile to scalar code.
    let mut below = [0; 8];
    for i in 0..8 {
        below[i] = u8::from(numbers[i] < x);
    }
    u64::from_ne_bytes(below).count_ones() as usize
}

#[inline(always)]
fn columns<R: Real>(rows: &[[R; 8]; 8]) -> [[R; 8]; 8] {
    let mut columns = [[R::ZERO; 8]; 8];
    for i in 0..8 {
        for j in 0..8 {
            columns[j][i] = rows[i][j];
        }
    }
    columns
}

impl Instructions for pulp::Scalar128b {}

#[cfg(target_arch = "aarch64")]
impl Instructions for pulp::aarch64::Neon {}

/// Implements [`Vector`] by the operations of [`Simd`] and [`Instructions`], one column per
/// precision.
macro_rules! vector {
    (
        $($method:ident($($x:ident: $t:ty),+) -> $result:ty: $of_32:ident, $of_64:ident;)+
    ) => {
        vector!(@f32, f32s, m32s, splat_f32s, and_f32s,
            count_below_f32, columns_f32;
            $($method($($x: $t),+) -> $result: $of_32;)+);
        vector!(@f64, f64s, m64s, splat_f64s, and_f64s,
            count_below_f64, columns_f64;
            $($method($($x: $t),+) -> $result: $of_64;)+);
    };
    (
        @$r:ident, $v:ident, $m:ident, $splat:ident, $without:ident,
        $count_below:ident, $columns:ident;
        $($method:ident($($x:ident: $t:ty),+) -> $result:ty: $of:ident;)+
    ) => {
        impl<S: Instructions> Vector<$r> for S {
            type V = S::$v;
            type M = S::$m;

            #[inline(always)]
            fn splat(self, x: $r) -> Self::V {
                self.$splat(x)
            }
            #[inline(always)]
            fn abs(self, a: Self::V) -> Self::V {
                // The compiler does not always inline the vectors' own function.
                self.$without(a, self.$splat($r::from_bits(!$r::to_bits(-0.0))))
            }
            #[inline(always)]
            fn count_below(self, numbers: &[$r; 8], x: $r) -> usize {
                self.$count_below(numbers, x)
            }
            #[inline(always)]
            fn columns(self, rows: &[[$r; 8]; 8]) -> [[$r; 8]; 8] {
                self.$columns(rows)
            }
            $(
                #[inline(always)]
                fn $method(self, $($x: $t),+) -> $result {
                    self.$of($($x),+)
                }
            )+
        }
    };
}

vector! {
    add(a: Self::V, b: Self::V) -> Self::V: add_f32s, add_f64s;
    sub(a: Self::V, b: Self::V) -> Self::V: sub_f32s, sub_f64s;
    mul(a: Self::V, b: Self::V) -> Self::V: mul_f32s, mul_f64s;
    fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V: mul_add_e_f32s, mul_add_e_f64s;
    div(a: Self::V, b: Self::V) -> Self::V: div_f32s, div_f64s;
    min(a: Self::V, b: Self::V) -> Self::V: min_f32s, min_f64s;
    max(a: Self::V, b: Self::V) -> Self::V: max_f32s, max_f64s;
    sqrt(a: Self::V) -> Self::V: sqrt_f32s, sqrt_f64s;
    lt(a: Self::V, b: Self::V) -> Self::M: less_than_f32s, less_than_f64s;
    le(a: Self::V, b: Self::V) -> Self::M: less_than_or_equal_f32s, less_than_or_equal_f64s;
    select(mask: Self::M, yes: Self::V, no: Self::V) -> Self::V: select_f32s, select_f64s;
    unless(mask: Self::M, x: Self::V) -> Self::V: unless_f32, unless_f64;
    both(a: Self::M, b: Self::M) -> Self::M: and_m32s, and_m64s;
    either(a: Self::M, b: Self::M) -> Self::M: or_m32s, or_m64s;
    not(a: Self::M) -> Self::M: not_m32s, not_m64s;
    bits(mask: Self::M) -> u32: bits_32, bits_64;
}
