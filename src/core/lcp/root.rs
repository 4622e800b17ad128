//! The root of an underdetermined system nearest to the origin, within bounds.

use nalgebra::{DMatrix, DVector, SVD};

/// Half the width of a central difference.
const DIFFERENCE: f64 = 1e-6;
/// Singular values below this share of the largest one count as zero.
const RANK: f64 = 1e-9;
/// The shortest step of a line search.
const SHORTEST: f64 = 1e-9;
/// The search ends when a step along the solutions is shorter than this.
const STILL: f64 = 1e-7;

/// A system `F(y) = 0` of r equations in n unknowns within `lower <= y <= upper`, bounds that may
/// be infinite.
pub struct System<F> {
    /// `F` (always r entries), or `None` where it is undefined.
    pub value: F,
    /// Lower bounds (n).
    pub lower: DVector<f64>,
    /// Upper bounds (n).
    pub upper: DVector<f64>,
    /// `y` is a root if `max|F_i|` is at most this.
    pub tolerance: f64,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// The point (n), within the bounds.
    pub point: DVector<f64>,
    /// `F` there (r).
    pub value: DVector<f64>,
    /// Number of steps, towards the solutions and along them.
    pub iterations: usize,
    /// Whether `value` is within the tolerance.
    pub found: bool,
}

impl<F: Fn(&DVector<f64>) -> Option<DVector<f64>>> System<F> {
    /// The root nearest to the origin, which must lie within the bounds; if none is found, the
    /// point of least `|F|`.
    ///
    /// ```text
    /// towards   d = -J^+ F              least-norm Gauss-Newton step, halved until |F| falls
    /// along     t = -(I - J^+ J) y      then towards again; halved until |y| falls
    /// ```
    ///
    /// An entry of `y` that a step would take beyond a bound stays at the bound (active
    /// constraint), and the step is computed again for the other entries. `J` is computed by
    /// central differences. `None` where `F` is undefined at the origin. Guarantee: at most `limit`
    /// iterations; a root meets `tolerance`. It is the nearest one locally only, and a search
    /// without a result does not prove that there is no root. Cost: 2 n values of `F` an iteration.
    pub fn nearest(&self, limit: usize) -> Option<Root> {
        let origin = DVector::zeros(self.lower.len());
        let value = self.at(&origin)?;
        let mut root =
            self.towards(Root { point: origin, value, iterations: 0, found: false }, limit);
        let mut along = 1.0;
        while root.found && root.iterations < limit && along > SHORTEST {
            let slide = self.tangent(&root.point) * along;
            if slide.amax() <= STILL {
                break;
            }
            let start = self.within(&(&root.point + slide));
            let Some(value) = self.at(&start) else {
                along *= 0.5;
                continue;
            };
            let iterations = root.iterations + 1;
            let other = self.towards(Root { point: start, value, iterations, found: false }, limit);
            if other.found && other.point.norm_squared() < root.point.norm_squared() {
                (root, along) = (other, (2.0 * along).min(1.0));
            } else {
                (root.iterations, along) = (other.iterations, 0.5 * along);
            }
        }
        Some(root)
    }

    /// Gauss-Newton steps while `|F|` decreases.
    fn towards(&self, mut root: Root, limit: usize) -> Root {
        while root.iterations < limit && root.value.amax() > 0.0 {
            let step = self.step(&root);
            let mut length = 1.0;
            let better = loop {
                let point = self.within(&(&root.point + &step * length));
                let falls = |f: &DVector<f64>| f.norm() < (1.0 - 1e-4 * length) * root.value.norm();
                if let Some(value) = self.at(&point).filter(falls) {
                    break Some((point, value));
                }
                length *= 0.5;
                if length < SHORTEST {
                    break None;
                }
            };
            let Some((point, value)) = better else { break };
            root = Root { point, value, iterations: root.iterations + 1, found: false };
        }
        root.found = root.value.amax() <= self.tolerance;
        root
    }

    /// The step of least norm to a minimum of the linearised `|F|`, within the bounds.
    fn step(&self, root: &Root) -> DVector<f64> {
        let jacobian = self.jacobian(&root.point, root.value.len());
        let n = root.point.len();
        let mut step = DVector::zeros(n);
        let mut held = vec![false; n];
        for _ in 0..=n {
            let rest = -(&root.value + &jacobian * hold(&step, &held, true));
            let free = inverse(&without(&jacobian, &held)) * rest;
            step = hold(&step, &held, true) + free;
            let beyond: Vec<usize> =
                (0..n).filter(|&i| !held[i] && self.leaves(&root.point, &step, i)).collect();
            if beyond.is_empty() {
                break;
            }
            for i in beyond {
                let bound = if step[i] > 0.0 { self.upper[i] } else { self.lower[i] };
                (step[i], held[i]) = (bound - root.point[i], true);
            }
        }
        step
    }

    /// The direction along the solutions that shortens `y` most, without components that would
    /// leave the bounds at once.
    fn tangent(&self, point: &DVector<f64>) -> DVector<f64> {
        let n = point.len();
        let Some(value) = self.at(point) else { return DVector::zeros(n) };
        let jacobian = self.jacobian(point, value.len());
        let mut held = vec![false; n];
        loop {
            let open = without(&jacobian, &held);
            let wish = -hold(point, &held, false);
            let slide = &wish - inverse(&open) * (&open * &wish);
            let at_bound = |i: usize| {
                if slide[i] > 0.0 { point[i] >= self.upper[i] } else { point[i] <= self.lower[i] }
            };
            let blocked: Vec<usize> =
                (0..n).filter(|&i| !held[i] && slide[i] != 0.0 && at_bound(i)).collect();
            if blocked.is_empty() {
                return slide;
            }
            blocked.into_iter().for_each(|i| held[i] = true);
        }
    }

    /// `dF/dy` (r,n) by central differences, one-sided at a bound; zero where `F` is undefined next
    /// to the point.
    fn jacobian(&self, point: &DVector<f64>, rows: usize) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(rows, point.len());
        for i in 0..point.len() {
            let moved = |by: f64| {
                let mut point = point.clone();
                point[i] = (point[i] + by).max(self.lower[i]).min(self.upper[i]);
                (point[i], self.at(&point))
            };
            let ((a, Some(before)), (b, Some(after))) = (moved(-DIFFERENCE), moved(DIFFERENCE))
            else {
                continue;
            };
            if b > a {
                jacobian.set_column(i, &((after - before) / (b - a)));
            }
        }
        jacobian
    }

    fn at(&self, point: &DVector<f64>) -> Option<DVector<f64>> {
        (self.value)(point).filter(|value| value.iter().all(|x| x.is_finite()))
    }

    fn leaves(&self, point: &DVector<f64>, step: &DVector<f64>, i: usize) -> bool {
        !(self.lower[i]..=self.upper[i]).contains(&(point[i] + step[i]))
    }

    fn within(&self, point: &DVector<f64>) -> DVector<f64> {
        point.zip_zip_map(&self.lower, &self.upper, |x, lower, upper| x.max(lower).min(upper))
    }
}

/// The entries with `held[i] == wanted`; 0 elsewhere.
fn hold(vector: &DVector<f64>, held: &[bool], wanted: bool) -> DVector<f64> {
    DVector::from_fn(vector.len(), |i, _| if held[i] == wanted { vector[i] } else { 0.0 })
}

/// The matrix with the columns of held entries set to zero.
fn without(matrix: &DMatrix<f64>, held: &[bool]) -> DMatrix<f64> {
    let entry = |i: usize, j: usize| if held[j] { 0.0 } else { matrix[(i, j)] };
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), entry)
}

/// The pseudo-inverse; zero if the singular value decomposition fails.
fn inverse(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let svd = SVD::try_new(matrix.clone(), true, true, f64::EPSILON, 10_000);
    let inverse = svd.and_then(|svd| {
        let least = RANK * svd.singular_values.amax();
        svd.pseudo_inverse(least).ok()
    });
    inverse.unwrap_or_else(|| DMatrix::zeros(matrix.ncols(), matrix.nrows()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(value: fn(&[f64]) -> Vec<f64>, lower: &[f64], upper: &[f64]) -> Root {
        let system = System {
            value: |y: &DVector<f64>| Some(DVector::from_vec(value(y.as_slice()))),
            lower: DVector::from_row_slice(lower),
            upper: DVector::from_row_slice(upper),
            tolerance: 1e-12,
        };
        system.nearest(200).unwrap()
    }

    const WIDE: ([f64; 2], [f64; 2]) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);

    #[test]
    fn the_nearest_point_of_lines_and_curves() {
        let line = nearest(|y| vec![3.0 * y[0] + 4.0 * y[1] - 5.0], &WIDE.0, &WIDE.1);
        assert!(line.found && (&line.point - DVector::from_row_slice(&[0.6, 0.8])).amax() < 1e-7);
        // Two copies of an equation, and an equation that always holds.
        let twice =
            |y: &[f64]| vec![3.0 * y[0] + 4.0 * y[1] - 5.0, 6.0 * y[0] + 8.0 * y[1] - 10.0, 0.0];
        assert!((nearest(twice, &WIDE.0, &WIDE.1).point - &line.point).amax() < 1e-7);
        // The Lagrange conditions of the point of a hyperbola nearest to the origin.
        let curve = nearest(|y| vec![(y[0] + 1.0) * (y[1] + 1.5) - 4.0], &WIDE.0, &WIDE.1);
        let (x, y) = (curve.point[0], curve.point[1]);
        assert!(curve.found && (x * (x + 1.0) - y * (y + 1.5)).abs() < 1e-6, "{curve:?}");
    }

    #[test]
    fn bounds_hold() {
        let line = |y: &[f64]| vec![3.0 * y[0] + 4.0 * y[1] - 5.0];
        let root = nearest(line, &[-1.0, -1.0], &[2.0, 0.5]);
        assert!(root.found && (root.point - DVector::from_row_slice(&[1.0, 0.5])).amax() < 1e-9);
        let none = nearest(line, &[-1.0, -1.0], &[0.5, 0.5]);
        assert!(!none.found && (none.point - DVector::from_row_slice(&[0.5, 0.5])).amax() < 1e-9);
        let fixed = nearest(line, &[0.0, -9.0], &[0.0, 9.0]);
        assert!(fixed.found && (fixed.point[1] - 1.25).abs() < 1e-12 && fixed.point[0] == 0.0);
    }

    #[test]
    fn systems_without_a_root_or_a_value() {
        let none = nearest(|y| vec![y[0] * y[0] + 1.0], &WIDE.0[..1], &WIDE.1[..1]);
        assert!(!none.found && none.iterations <= 200);
        let not_a_number = |_: &DVector<f64>| Some(DVector::from_element(1, f64::NAN));
        let zero = DVector::zeros(1);
        let system =
            System { value: not_a_number, lower: zero.clone(), upper: zero, tolerance: 1.0 };
        assert_eq!(system.nearest(9), None);
    }
}
