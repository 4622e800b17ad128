use nalgebra::{DMatrix, DVector};

use crate::bounds::certified::domain::{Domain, span};
use crate::bounds::proof::{dual_length_within, length, smallest};
use crate::bounds::rounding::{Sum, up};
use crate::bounds::whitened::Whitened;
use carom_core::problem::ContactProblem;

/// Coordinates `y = A v` (r) of the subspace that impulses can change, with a nearly Euclidean
/// kinetic metric and `|y-|` near 1; and the law in them. A contact sliding along the unit vector
/// `t` pushes along `push - share rub t` for a `share` between [`Contact::least`] and 1; a sticking
/// one with any `|t| <= 1`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// `A` (r,n).
    pub map: DMatrix<f64>,
    pub before: DVector<f64>,
    /// Upper bound on `|y|` during the impact.
    pub radius: f64,
    pub contacts: Vec<Contact>,
    /// Upper bound on the errors of products of contacts' vectors with `y`, of pushes, and of
    /// `before`.
    pub error: f64,
}

#[derive(Clone, Debug)]
pub struct Contact {
    /// Unit vector whose product with `y` is proportional to the normal velocity.
    pub normal: DVector<f64>,
    /// Vectors whose products with `y` are proportional to the tangential velocity; empty without
    /// friction.
    pub tangents: Vec<DVector<f64>>,
    /// Ratios of the normal and the tangential velocity to these products.
    pub scales: [f64; 2],
    /// Push of the normal impulse; scaled so that the longest push has length 1.
    pub push: DVector<f64>,
    /// Pushes of friction at its maximum coefficient, along each tangent.
    pub rub: Vec<DVector<f64>>,
    /// Length of the longest push per unit of normal impulse.
    pub size: f64,
    /// Ratio of the minimum to the maximum coefficient of friction.
    pub least: f64,
    /// Maximum coefficient of restitution.
    pub restitution: f64,
}

/// Threshold on singular values: smaller ones count as directions that impulses do not change.
const CHANGED: f64 = 1e-9;
/// Maximum error that counts as rounding.
const ROUNDED: f64 = 1e-6;

/// Orthonormal basis (n,r) of the velocities, in `space`, that impulses can change.
pub fn changed(problem: &ContactProblem, space: &Whitened) -> Option<DMatrix<f64>> {
    let mut columns = space.columns(problem);
    for mut column in columns.column_iter_mut() {
        let size = column.norm();
        if size > 0.0 {
            column /= size;
        }
    }
    span(columns, CHANGED)
}

impl Frame {
    /// Frame of a problem whose coefficients are the maxima of the ranges. `least`: minimum
    /// coefficients of friction (m); `basis`: from [`changed`]. `None` if rounding is too large for
    /// a proof.
    pub fn new(
        problem: &ContactProblem,
        space: &Whitened,
        domain: &Domain,
        basis: &DMatrix<f64>,
        least: &[f64],
    ) -> Option<Self> {
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let reach = basis.tr_mul(&space.before).norm() * space.speed;
        if reach <= 1e-9 * space.speed {
            return None;
        }
        let factor = space.factor_transposed();
        let map = basis.tr_mul(&factor) / reach;
        let columns = basis.tr_mul(&space.columns(problem));
        let restitution = problem.restitution();
        let contact = |i: usize| {
            let mu = problem.friction()[i];
            let rows = m + d * i..m + d * (i + 1);
            let longest = rows.clone().map(|k| columns.column(k).norm()).fold(0.0, f64::max);
            let rows = if mu > 0.0 && longest > 0.0 { rows } else { 0..0 };
            let normal = columns.column(i).into_owned();
            let rub: Vec<_> = rows.clone().map(|k| columns.column(k) * (mu / reach)).collect();
            let push = &normal / reach;
            let size = rub.iter().map(DVector::norm).fold(push.norm(), f64::max);
            (normal.norm() > 0.0 && size > 0.0 && size.is_finite()).then(|| Contact {
                scales: [normal.norm() * reach, longest * reach],
                tangents: rows.map(|k| columns.column(k) / longest).collect(),
                push: push / size,
                rub: rub.into_iter().map(|rub| rub / size).collect(),
                size,
                least: if mu > 0.0 { least[i] / mu } else { 1.0 },
                restitution: restitution.map_or(0.0, |e| e[i]),
                normal: normal.normalize(),
            })
        };
        let contacts = (0..m).map(contact).collect::<Option<Vec<_>>>()?;
        let before = &map * problem.velocity();
        let mut frame = Frame { map, before, radius: 0.0, contacts, error: 0.0 };
        (frame.error, frame.radius) = Rounding::new(problem, space, &frame.map).of(&frame, domain);
        (frame.error < ROUNDED && frame.radius < 1.5).then_some(frame)
    }

    pub fn dimension(&self) -> usize {
        self.before.len()
    }
}

/// Computed `A M^-1` with error bounds.
struct Rounding<'a> {
    problem: &'a ContactProblem,
    space: &'a Whitened,
    smallest: f64,
    map: &'a DMatrix<f64>,
    /// `M^-1 a_k` of each row of `A`, with an upper bound on `|a_k - M (M^-1 a_k)|_{M^-1}`.
    solved: Vec<(DVector<f64>, f64)>,
}

impl<'a> Rounding<'a> {
    fn new(problem: &'a ContactProblem, space: &'a Whitened, map: &'a DMatrix<f64>) -> Self {
        let mut rounding =
            Rounding { problem, space, smallest: smallest(problem.mass()), map, solved: vec![] };
        let mass = problem.mass();
        let solve = |k: usize| {
            let row = map.row(k).transpose();
            let solved = space.solve(&row);
            let left = |i: usize| Sum::of(mass.row(i).iter().zip(solved.iter())).and(-row[i]);
            let left = rounding.dual(&(0..row.len()).map(left).collect::<Vec<_>>());
            (solved, left)
        };
        rounding.solved = (0..map.nrows()).map(solve).collect();
        rounding
    }

    /// Upper bound on `|w|_{M^-1}` of a vector of sums.
    fn dual(&self, sums: &[Sum]) -> f64 {
        let vector = |of: fn(&Sum) -> f64| DVector::from_iterator(sums.len(), sums.iter().map(of));
        let (value, error) = (vector(Sum::value), vector(Sum::error));
        dual_length_within(self.problem.mass(), self.space, self.smallest, &value, &error)
    }

    /// Upper bound on `|row|_{M^-1}`.
    fn size(&self, row: impl Iterator<Item = f64>) -> f64 {
        self.dual(&row.map(|x| Sum::of([(&x, &1.0)])).collect::<Vec<_>>())
    }

    /// Error and radius of a frame.
    ///
    /// ```text
    /// |b.y - J v / s| <= |J / s - b A|_{M^-1} |v|_M
    /// a M^-1 J' = q.J' + (a - M q).M^-1 J',     q about M^-1 a
    /// |A v| <= |A f| + |A M^-1 A'|^(1/2) |v - f|_M
    /// ```
    fn of(&self, frame: &Frame, domain: &Domain) -> (f64, f64) {
        let problem = self.problem;
        let (m, d, n) =
            (problem.contact_count(), problem.tangents_per_contact(), problem.coordinate_count());
        let (jacobian, speed) = (problem.jacobian(), length(problem.mass(), problem.velocity()));
        let mut error: f64 = 16.0 * f64::EPSILON;
        for (i, contact) in frame.contacts.iter().enumerate() {
            let [normal, tangent] = contact.scales;
            let rows = std::iter::once((i, normal, &contact.normal, &contact.push, 1.0));
            let mu = problem.friction()[i];
            let tangents = contact.tangents.iter().zip(&contact.rub).enumerate();
            let rows =
                rows.chain(tangents.map(|(a, (t, rub))| (m + d * i + a, tangent, t, rub, mu)));
            let (mut of_form, mut of_push) = (0.0, 0.0);
            for (row, scale, form, push, factor) in rows {
                let off = |k: usize| {
                    Sum::of(form.iter().zip(self.map.column(k).iter()))
                        .and(-jacobian[(row, k)] / scale)
                };
                of_form += up(self.dual(&(0..n).map(off).collect::<Vec<_>>()) * speed);
                let reach = self.size(jacobian.row(row).iter().copied());
                for (k, (solved, left)) in self.solved.iter().enumerate() {
                    let factor = factor / contact.size;
                    let mut sum = Sum::default();
                    let row = jacobian.row(row);
                    solved.iter().zip(row.iter()).for_each(|(q, j)| sum.add(factor * q * j));
                    sum.add(-push[k]);
                    of_push += up(sum.most_absolute() + up(2.0 * factor * up(left * reach)));
                }
            }
            error = largest(error, largest(up(1.01 * of_form), up(1.01 * of_push)));
        }
        let image = |v: &DVector<f64>, k: usize| Sum::of(frame.map.row(k).iter().zip(v.iter()));
        let start = |k: usize| image(problem.velocity(), k).and(-frame.before[k]).most_absolute();
        let start: f64 = (0..frame.dimension()).map(start).sum();
        let fixed = |k: usize| image(&domain.fixed, k).most_absolute();
        let fixed: f64 = (0..frame.dimension()).map(fixed).sum();
        let sizes: Vec<_> = self.map.row_iter().map(|row| self.size(row.iter().copied())).collect();
        let gram = |(solved, left): &(DVector<f64>, f64)| -> f64 {
            let of_row = |l: usize| {
                let row = self.map.row(l);
                let product = Sum::of(solved.iter().zip(row.iter())).most_absolute();
                up(product + up(left * sizes[l]))
            };
            (0..frame.dimension()).map(of_row).sum()
        };
        let gram = self.solved.iter().map(gram).fold(0.0, largest);
        let radius = up(1.01 * fixed) + up(up(1.0 + 1e-14) * up(gram).sqrt() * domain.rest);
        (largest(error, up(1.01 * start)), up(radius * (1.0 + 1e-14)))
    }
}

/// Maximum, or infinity if an argument is NaN.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}
