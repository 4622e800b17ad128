use carom_core::Real;

/// Solves `A x = b` (n), row by row, by elimination with complete pivoting; `x` replaces `b`, and
/// `A` is destroyed. Pivots below [`Real::PIVOT`] times the largest entry count as 0. With a
/// singular `A`, undetermined unknowns are 0, and inconsistent equations are dropped.
pub(super) fn eliminate<R: Real>(a: &mut [R], b: &mut [R], order: &mut Vec<usize>) {
    let n = b.len();
    order.clear();
    order.extend(0..n);
    let mut rank = n;
    let mut least = R::ZERO;
    for p in 0..n {
        let (mut best, mut at) = (R::ZERO, (p, p));
        for i in p..n {
            for j in p..n {
                let size = a[i * n + j].abs();
                if size > best {
                    (best, at) = (size, (i, j));
                }
            }
        }
        if p == 0 {
            least = R::PIVOT * best;
        }
        if best <= least {
            rank = p;
            break;
        }
        let (row, column) = at;
        if row != p {
            for j in 0..n {
                a.swap(p * n + j, row * n + j);
            }
            b.swap(p, row);
        }
        if column != p {
            for i in 0..n {
                a.swap(i * n + p, i * n + column);
            }
            order.swap(p, column);
        }
        for i in p + 1..n {
            let factor = R::ZERO - a[i * n + p] / a[p * n + p];
            for j in p + 1..n {
                let other = a[p * n + j];
                a[i * n + j] += factor * other;
            }
            let other = b[p];
            b[i] += factor * other;
        }
    }
    b[rank..].fill(R::ZERO);
    for p in (0..rank).rev() {
        let mut sum = b[p];
        for j in p + 1..rank {
            sum -= a[p * n + j] * b[j];
        }
        b[p] = sum / a[p * n + p];
    }
    for p in 0..n {
        while order[p] != p {
            let q = order[p];
            b.swap(p, q);
            order.swap(p, q);
        }
    }
}
