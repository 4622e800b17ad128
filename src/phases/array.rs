//! Vectors of fixed length, padded with zeros, and small systems of linear equations.

use carom_core::Real;

/// The inner product.
#[inline(always)]
pub fn dot<R: Real, const P: usize>(a: &[R; P], b: &[R; P]) -> R {
    let mut sums = [R::ZERO; 4];
    for i in (0..P).step_by(4) {
        for j in 0..4 {
            sums[j] += a[i + j] * b[i + j];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// `a += x b`.
#[inline(always)]
pub fn add<R: Real, const P: usize>(a: &mut [R; P], x: R, b: &[R; P]) {
    for i in 0..P {
        a[i] += x * b[i];
    }
}

/// The length of a vector in the tangent plane.
#[inline(always)]
pub fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

/// The entries of a contact's tangents.
#[inline(always)]
pub fn pair<R: Real>(x: &[R], t: usize) -> [R; 2] {
    [x[t], x[t + 1]]
}

/// Factors an n by n matrix with row exchanges; false where a pivot is below `least`.
#[inline(always)]
pub fn factor<R: Real>(a: &mut [R], order: &mut [usize], n: usize, least: R) -> bool {
    for p in 0..n {
        let mut best = p;
        for i in p + 1..n {
            if a[i * n + p].abs() > a[best * n + p].abs() {
                best = i;
            }
        }
        let regular = a[best * n + p].abs() > least;
        if !regular {
            return false;
        }
        order[p] = best;
        if best != p {
            for j in 0..n {
                a.swap(p * n + j, best * n + j);
            }
        }
        let over = R::ONE / a[p * n + p];
        for i in p + 1..n {
            let f = a[i * n + p] * over;
            a[i * n + p] = f;
            if f != R::ZERO {
                for j in p + 1..n {
                    a[i * n + j] -= f * a[p * n + j];
                }
            }
        }
    }
    true
}

/// Solves with the factors of [`factor`]; the solution replaces `b`.
#[inline(always)]
pub fn back<R: Real>(a: &[R], order: &[usize], n: usize, b: &mut [R]) {
    for p in 0..n {
        b.swap(p, order[p]);
    }
    for i in 1..n {
        let mut s = b[i];
        for j in 0..i {
            s -= a[i * n + j] * b[j];
        }
        b[i] = s;
    }
    for i in (0..n).rev() {
        let mut s = b[i];
        for j in i + 1..n {
            s -= a[i * n + j] * b[j];
        }
        b[i] = s / a[i * n + i];
    }
}
