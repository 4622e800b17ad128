//! Systems of linear equations with several right-hand sides, which may be singular.

use crate::Real;

/// Solves `A X = B` with `A` (n,n) and `B` (n, width - n) side by side in `system`, by elimination
/// with complete pivoting; `X` replaces `B`. Free unknowns of a singular `A` are 0. Returns whether
/// the remaining equations hold.
pub fn eliminate<R: Real>(
    system: &mut [R],
    n: usize,
    width: usize,
    pivot: R,
    order: &mut Vec<usize>,
) -> bool {
    let largest =
        |x: &mut dyn Iterator<Item = R>| x.fold(R::ZERO, |size, x| Real::max(size, x.abs()));
    order.clear();
    order.extend(0..n);
    let size =
        largest(&mut (0..n).flat_map(|i| system[i * width + n..(i + 1) * width].iter().copied()));
    let mut rank = n;
    // The row with the largest remaining number, and this number.
    let mut next = (0, R::ZERO);
    for (i, row) in system.chunks_exact(width.max(1)).enumerate() {
        next = further(next, i, peak(&row[..n]));
    }
    let scale = Real::max(next.1, R::ONE);
    for p in 0..n {
        let (row, most) = next;
        if most <= pivot * scale {
            rank = p;
            break;
        }
        let columns = &system[row * width..row * width + n];
        let column = (p..n).rev().find(|&j| columns[j].abs() == most).unwrap_or(p);
        for j in 0..width {
            system.swap(p * width + j, row * width + j);
        }
        for i in 0..n {
            system.swap(i * width + p, i * width + column);
        }
        order.swap(p, column);
        let (above, below) = system.split_at_mut((p + 1) * width);
        let above = &above[p * width + p..];
        next = (p + 1, R::ZERO);
        for (i, row) in below.chunks_exact_mut(width).enumerate() {
            let row = &mut row[p..];
            let factor = row[0] / above[0];
            row.iter_mut().zip(above).for_each(|(x, above)| *x -= factor * *above);
            next = further(next, p + 1 + i, peak(&row[1..n - p]));
        }
    }
    if (rank..n)
        .any(|i| system[i * width + n..(i + 1) * width].iter().any(|x| x.abs() > pivot * size))
    {
        return false;
    }
    for b in n..width {
        for i in rank..n {
            system[i * width + b] = R::ZERO;
        }
        for p in (0..rank).rev() {
            let terms = (p + 1..rank).map(|j| system[p * width + j] * system[j * width + b]);
            let known = terms.fold(R::ZERO, |sum, term| sum + term);
            system[p * width + b] = (system[p * width + b] - known) / system[p * width + p];
        }
    }
    // Restores the order of the unknowns.
    for p in 0..n {
        while order[p] != p {
            let q = order[p];
            for b in n..width {
                system.swap(p * width + b, q * width + b);
            }
            order.swap(p, q);
        }
    }
    true
}

/// The larger one of `most` and the number `size` of row `row`; the row if they are equal.
#[inline(always)]
fn further<R: Real>(most: (usize, R), row: usize, size: R) -> (usize, R) {
    if size >= most.1 { (row, size) } else { most }
}

/// The largest absolute value, in lanes that the compiler vectorises.
#[inline(always)]
fn peak<R: Real>(row: &[R]) -> R {
    let larger = |a: R, b: R| if a > b { a } else { b };
    let mut lanes = [R::ZERO; 8];
    let chunks = row.chunks_exact(8);
    let rest = chunks.remainder().iter().fold(R::ZERO, |most, x| larger(x.abs(), most));
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(x.abs(), *lane);
        }
    }
    lanes.into_iter().fold(rest, larger)
}
