//! The intersection of ellipsoids: a small convex program for each direction.

use super::ellipsoid::{Image, Support};
use crate::motion::lgvci::algebra::{
    Mat3, Vec3, add, apply, apply_transposed, cross, dot, norm, scaled, sub,
};
use carom_core::real::Real;

/// Largest number of ellipsoids of an intersection.
pub const MOST: usize = 8;
/// Most Newton steps along the barrier's path, and most Newton steps of the polish.
const STEPS: usize = 400;
const POLISH: usize = 30;

/// The program `min q.x` with `f_i(x) = |B_i (x - c_i)|^2 - 1 <= 0`, `B_i = H_i^-1`, in terms of
/// its multipliers.
///
/// With `w >= 0` not all 0 the Lagrangian has the minimiser
/// `x(w) = (sum w_i P_i)^-1 (sum w_i P_i c_i - q/2)`, `P_i = B_i' B_i`, and the dual function
/// `g(w) = q.x + sum w_i f_i(x)` is concave with gradient `f(x(w))` and second derivatives
/// `-2 u_i . (sum w P)^-1 u_j`, `u_i = P_i (x - c_i)`.
struct Program<'a> {
    parts: &'a [Image],
    q: Vec3,
}

/// The program at some multipliers.
struct Place {
    x: Vec3,
    /// The dual function g.
    dual: f64,
    /// The constraints f.
    slack: [f64; MOST],
    /// `-d^2 g`.
    curvature: [[f64; MOST]; MOST],
}

/// The least `q . x` of an intersection, for a unit vector `q`; `None` where it is empty.
///
/// Where the least point of one ellipsoid lies in all others, that point is the answer. Otherwise
/// multipliers follow the path of the logarithmic barrier `g(w) + t sum log w_i` by damped Newton
/// steps to `t` of rounding, and Newton's method on the active constraints polishes the result.
/// Source: \[TL24\] Sec. 6.4, which leaves the minimum open; own method. Guarantee: the functions
/// are self-concordant up to a factor, so the path is followed from any start; duality proves that
/// an intersection is empty where `g` exceeds the largest value on the first ellipsoid. Accuracy:
/// about 1e-15 of the size of the ellipsoids in f64, for the point 1e-12 unless constraints are
/// active and idle at once, or nearly parallel.
pub fn support(parts: &[Image], q: Vec3) -> Option<Support> {
    let slack = 8.0 * f64::EPSILON;
    for (i, part) in parts.iter().enumerate() {
        let single = part.of_ball(q);
        let inside = |other: &Image| {
            let z = other.preimage(single.point);
            dot(z, z) - 1.0 <= slack
        };
        if parts.iter().enumerate().all(|(j, other)| j == i || inside(other)) {
            return Some(single);
        }
    }
    Program { parts, q }.solve()
}

impl Program<'_> {
    /// The program at multipliers; `None` where the matrix cannot be inverted.
    fn at(&self, w: &[f64; MOST]) -> Option<Place> {
        // The first centre is the origin, for the sake of digits.
        let origin = self.parts[0].center;
        let mut matrix = [[0.0; 3]; 3];
        let mut right = scaled(self.q, -0.5);
        for (part, &w) in self.parts.iter().zip(w) {
            let b = &part.inverse;
            for i in 0..3 {
                for j in 0..3 {
                    matrix[i][j] += w * (b[0][i] * b[0][j] + b[1][i] * b[1][j] + b[2][i] * b[2][j]);
                }
            }
            let shifted = apply_transposed(b, apply(b, sub(part.center, origin)));
            right = add(right, scaled(shifted, w));
        }
        let inverted = symmetric_inverse(&matrix)?;
        let x = add(apply(&inverted, right), origin);
        let mut place =
            Place { x, dual: dot(self.q, x), slack: [0.0; MOST], curvature: [[0.0; MOST]; MOST] };
        let mut gradients = [[0.0; 3]; MOST];
        for (i, part) in self.parts.iter().enumerate() {
            let z = part.preimage(x);
            place.slack[i] = dot(z, z) - 1.0;
            place.dual += w[i] * place.slack[i];
            gradients[i] = apply_transposed(&part.inverse, z);
        }
        for i in 0..self.parts.len() {
            let lifted = apply(&inverted, gradients[i]);
            for j in 0..self.parts.len() {
                place.curvature[i][j] = 2.0 * dot(lifted, gradients[j]);
            }
        }
        place.dual.is_finite().then_some(place)
    }

    /// Follows the barrier's path, and polishes its end.
    fn solve(&self) -> Option<Support> {
        let k = self.parts.len();
        let count = k as f64;
        let mut w = [0.0; MOST];
        let mut size = 0.0;
        for i in 0..k {
            let reach = norm(apply_transposed(&self.parts[i].half, self.q));
            w[i] = reach / (count + count);
            size = Real::max(size, reach);
        }
        // A bound that no point of the first ellipsoid exceeds.
        let most = -self.parts[0].of_ball(scaled(self.q, -1.0)).value + size * (1e-6);
        let mut barrier = size;
        let end = size * (0.1 * f64::EPSILON);
        let mut place = self.at(&w)?;
        for _ in 0..STEPS {
            if place.dual > most {
                return None;
            }
            let mut matrix = place.curvature;
            let mut right = place.slack;
            for i in 0..k {
                let inverse = 1.0 / w[i];
                // Constraints may depend on each other.
                matrix[i][i] += matrix[i][i] * (32.0 * f64::EPSILON) + barrier * inverse * inverse;
                right[i] += barrier * inverse;
            }
            let Some(change) = cholesky(&matrix, right, k) else { break };
            // Newton's decrement over the barrier, and the farthest relative step towards 0.
            let mut decrement = 0.0;
            for i in 0..k {
                decrement += right[i] * change[i];
            }
            let decrement = (Real::max(decrement, 0.0) / barrier).sqrt();
            let damping = if decrement < 0.25 { 1.0 } else { 1.0 / (1.0 + decrement) };
            let before = w;
            for i in 0..k {
                w[i] = Real::max(w[i] + damping * change[i], before[i] * 0.01);
            }
            match self.at(&w) {
                Some(next) => place = next,
                None => {
                    w = before;
                    break;
                }
            }
            if decrement < 0.5 {
                if barrier <= end {
                    break;
                }
                barrier *= 0.1;
            }
        }
        Some(self.polished(w, place, size))
    }

    /// Newton's method on the constraints that carry load; the result is taken if it violates less.
    fn polished(&self, mut w: [f64; MOST], mut place: Place, size: f64) -> Support {
        let k = self.parts.len();
        let mut active = [0; MOST];
        let mut count = 0;
        for i in 0..k {
            if w[i] >= -place.slack[i] * size {
                active[count] = i;
                count += 1;
            } else {
                w[i] = 0.0;
            }
        }
        let violation = |place: &Place, w: &[f64; MOST]| {
            let mut most = 0.0;
            for i in 0..k {
                let gap = if w[i] > 0.0 { place.slack[i].abs() } else { place.slack[i] };
                most = Real::max(most, gap);
            }
            most
        };
        if let Some(again) = self.at(&w) {
            place = again;
        }
        let mut best = violation(&place, &w);
        for _ in 0..POLISH {
            let mut matrix = [[0.0; MOST]; MOST];
            let mut right = [0.0; MOST];
            let mut largest = 0.0;
            for a in 0..count {
                right[a] = place.slack[active[a]];
                for b in 0..count {
                    matrix[a][b] = place.curvature[active[a]][active[b]];
                }
                largest = Real::max(largest, matrix[a][a]);
            }
            for a in 0..count {
                // Constraints may depend on each other.
                matrix[a][a] += largest * (64.0 * f64::EPSILON);
            }
            let Some(change) = cholesky(&matrix, right, count) else { break };
            let mut next = w;
            for a in 0..count {
                next[active[a]] += change[a];
            }
            if (0..k).any(|i| next[i] < 0.0) {
                break;
            }
            let Some(found) = self.at(&next) else { break };
            let now = violation(&found, &next);
            if now >= best {
                break;
            }
            (w, place, best) = (next, found, now);
        }
        // The dual function is less than the minimum by the square of the error of the point.
        Support { value: place.dual, point: place.x }
    }
}

/// The inverse of a symmetric positive definite matrix; `None` where the matrix is not one.
fn symmetric_inverse(m: &Mat3) -> Option<Mat3> {
    let rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let d = dot(m[0], rows[0]);
    if d > 0.0 && d.is_finite() { Some(rows.map(|row| scaled(row, 1.0 / d))) } else { None }
}

/// The solution of `A y = b` for a symmetric positive definite matrix of size k; `None` where the
/// matrix is not one.
fn cholesky(a: &[[f64; MOST]; MOST], mut b: [f64; MOST], k: usize) -> Option<[f64; MOST]> {
    let mut l = *a;
    for j in 0..k {
        for i in j..k {
            let mut sum = l[i][j];
            for p in 0..j {
                sum -= l[i][p] * l[j][p];
            }
            l[i][j] = if i > j {
                sum / l[j][j]
            } else if sum > 0.0 {
                sum.sqrt()
            } else {
                return None;
            };
        }
    }
    for i in 0..k {
        for p in 0..i {
            let part = l[i][p] * b[p];
            b[i] -= part;
        }
        b[i] /= l[i][i];
    }
    for i in (0..k).rev() {
        for p in i + 1..k {
            let part = l[p][i] * b[p];
            b[i] -= part;
        }
        b[i] /= l[i][i];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}
