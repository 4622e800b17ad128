//! The forces of closed contacts: the change of contact velocities, and the modes in which forces
//! exist.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::given::InclusionMotion;
use super::state::{Held, TouchPlace};
use crate::error::Result;
use crate::law::anitescu_potra::ContactMode;
use crate::lcp::cone;
use crate::model::{Contact, Surface, TangentRule};

/// Length of the differences along the motion by which derivatives are taken, as a part of a
/// typical coordinate.
const DIFFERENCE: f64 = 1e-5;
/// Largest error of the equations of a mode, relative to their terms.
const MISSED: f64 = 1e-9;
/// Size, relative to the largest, below which a singular value counts as 0.
const SINGULAR: f64 = 1e-10;
/// Cosine of the largest angle by which a normal turns in a step, unless it jumps.
const TURNED: f64 = 0.95;

/// The equations of motion at a state, with m closed contacts of n coordinates:
///
/// ```text
/// dq/dt = v = M^-1 p,   dp/dt = h + J' f,   du/dt = b + W f       u = J v, normals before tangents
/// ```
pub struct ForceEquations {
    /// `v` (n).
    pub v: DVector<f64>,
    /// `h = dL/dq + forces` (n).
    pub h: DVector<f64>,
    /// `J` (2m,n).
    pub rows: DMatrix<f64>,
    /// `M^-1 J'` (n,2m).
    pub response: DMatrix<f64>,
    /// `b` (2m).
    b: DVector<f64>,
    /// `W = J M^-1 J'` (2m,2m).
    w: DMatrix<f64>,
    /// The size of the terms of `b`.
    size: f64,
    /// Friction (m).
    mu: Vec<f64>,
}

impl InclusionMotion {
    /// The contacts of a configuration; touches that are too far apart are left out. A closed
    /// contact keeps its number at a site: of two touches it is the one nearer to its earlier
    /// place.
    pub fn contacts(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
    ) -> BTreeMap<TouchPlace, Contact> {
        self.places(q, held, |_, _| true)
    }

    /// The closed contacts, in order. Where a second touch of a site has gone, the first one counts
    /// twice.
    pub fn closed(&self, q: &DVector<f64>, held: &BTreeMap<TouchPlace, Held>) -> Vec<Contact> {
        let closed = |first, second| {
            held.keys().any(|(site, _)| (site.first, site.second) == (first, second))
        };
        let all = self.places(q, held, closed);
        let found = |(site, number): &TouchPlace| {
            all.get(&(*site, *number)).or_else(|| all.get(&(*site, 1 - number)))
        };
        held.keys().filter_map(|place| found(place).cloned()).collect()
    }

    /// The contacts of the pairs that are `wanted`.
    fn places(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
        wanted: impl Fn(Surface, usize) -> bool,
    ) -> BTreeMap<TouchPlace, Contact> {
        let model = self.model();
        let poses = model.poses(q.as_slice());
        let mut all: BTreeMap<TouchPlace, Contact> =
            model.places(&poses, wanted).into_iter().collect();
        for (place, held) in held {
            let (site, number) = *place;
            let was = poses[site.second].point(held.at);
            let far = |number| Some((number, (all.get(&(site, number))?.touch.point - was).norm()));
            let nearest =
                [0, 1].into_iter().filter_map(far).min_by(|(_, a), (_, b)| a.total_cmp(b));
            if let Some((other, _)) = nearest.filter(|(other, _)| *other != number) {
                let [here, there] = [all.remove(&(site, other)), all.remove(place)];
                all.extend(here.map(|contact| (*place, contact)));
                all.extend(there.map(|contact| ((site, other), contact)));
            }
        }
        all
    }

    /// `J` (2m,n) of m contacts.
    pub fn rows(&self, q: &DVector<f64>, contacts: &[Contact]) -> DMatrix<f64> {
        let model = self.model();
        let poses = model.poses(q.as_slice());
        let [normal, tangent] = [
            model.normal_rows(&poses, contacts),
            model.tangent_rows(&poses, contacts, TangentRule::Perpendicular),
        ];
        let m = contacts.len();
        DMatrix::from_fn(
            2 * m,
            q.len(),
            |i, j| if i < m { normal[(i, j)] } else { tangent[(i - m, j)] },
        )
    }

    /// The equations of motion with the closed contacts `held`.
    ///
    /// The part of `b` without `J M^-1 h` is the derivative of `J(q) M(q)^-1 p` along `q' = v` at
    /// constant p.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn equations(
        &self,
        q: &DVector<f64>,
        p: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
    ) -> Result<ForceEquations> {
        let mechanism = self.given().mechanism();
        let factor = mechanism.factor(q)?;
        let v = factor.solve(p);
        let h = mechanism.slope(q, &v) + mechanism.forces(q, &v);
        let rows = self.rows(q, &self.closed(q, held));
        let response = factor.solve(&rows.transpose());
        let free = factor.solve(&h);
        let mut b = &rows * &free;
        let mut size = (rows.abs() * free.abs()).sum();
        let fastest = v.component_div(self.sizes()).amax();
        if fastest > 0.0 && !held.is_empty() {
            let along = self.along(q, p, held, &rows * &v, (&v, DIFFERENCE / fastest))?;
            size += along.abs().sum();
            b += along;
        }
        let w = &rows * &response;
        let mu = held.keys().map(|place| self.friction(place)).collect();
        Ok(ForceEquations { v, h, rows, response, b, w, size, mu })
    }

    /// The derivative of `u = J(q) M(q)^-1 p` along `q' = v` at constant p, by a central difference
    /// over the time `step`; where a normal jumps on one side, by a difference on the other.
    fn along(
        &self,
        q: &DVector<f64>,
        p: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
        u: DVector<f64>,
        (v, step): (&DVector<f64>, f64),
    ) -> Result<DVector<f64>> {
        let here = self.closed(q, held);
        let there = |steps: f64| -> Result<Option<DVector<f64>>> {
            let q = q + v * (steps * step);
            let contacts = self.closed(&q, held);
            if here.iter().zip(&contacts).any(|(a, b)| jumps(a, b)) {
                return Ok(None);
            }
            Ok(Some(self.rows(&q, &contacts) * self.given().mechanism().velocity(&q, p)?))
        };
        let side = |near: DVector<f64>, sign: f64| -> Result<DVector<f64>> {
            let difference = match there(2.0 * sign)? {
                Some(far) => (near * 4.0 - &u * 3.0 - far) * 0.5,
                None => near - &u,
            };
            Ok(difference * (sign / step))
        };
        match (there(1.0)?, there(-1.0)?) {
            (Some(after), Some(before)) => Ok((after - before) / (2.0 * step)),
            (Some(after), None) => side(after, 1.0),
            (None, Some(before)) => side(before, -1.0),
            (None, None) => Ok(DVector::zeros(u.len())),
        }
    }
}

/// Whether the normal of a contact turns by more than bodies do in a step: a corner slides off the
/// end of an edge.
pub fn jumps(a: &Contact, b: &Contact) -> bool {
    a.touch.normal.dot(&b.touch.normal) < TURNED
}

impl ForceEquations {
    /// The number m of closed contacts.
    fn count(&self) -> usize {
        self.mu.len()
    }

    /// The forces (2m) that keep the contacts in their modes, whatever their signs: for sticking
    /// contacts `du_n/dt = du_t/dt = 0`, for sliding ones `du_n/dt = 0` and `f_t = -+ mu f_n`.
    /// Where they are not unique, the smallest.
    pub fn forces(&self, modes: &[ContactMode]) -> DVector<f64> {
        let m = self.count();
        let mut edges = Vec::new();
        let mut kept = Vec::new();
        for (i, mode) in modes.iter().enumerate() {
            let mut edge = DVector::zeros(2 * m);
            match mode {
                ContactMode::Off => continue,
                ContactMode::Stick => {
                    let mut across = DVector::zeros(2 * m);
                    across[m + i] = 1.0;
                    edges.push(across);
                    kept.push(m + i);
                }
                ContactMode::Slide => edge[m + i] = -self.mu[i],
                ContactMode::SlideBack => edge[m + i] = self.mu[i],
            }
            edge[i] = 1.0;
            edges.push(edge);
            kept.push(i);
        }
        if kept.is_empty() {
            return DVector::zeros(2 * m);
        }
        let edges = DMatrix::from_columns(&edges);
        let system = (&self.w * &edges).select_rows(&kept);
        let wanted = -self.b.select_rows(&kept);
        edges * least(system, &wanted)
    }

    /// Whether the modes hold: whether there are forces `f_n >= 0`, `|f_t| <= mu f_n` with
    /// `du_n/dt >= 0` where a contact is off and 0 elsewhere, friction against the sliding
    /// direction, and for a contact that begins to slide `du_t/dt` in that direction.
    ///
    /// The question is one of nonnegative combinations, which [`cone::nonnegative`] answers even
    /// where W is singular.
    pub fn hold<'a>(&self, held: impl Iterator<Item = &'a Held>, modes: &[ContactMode]) -> bool {
        let m = self.count();
        let mut columns: Vec<DVector<f64>> = Vec::new();
        let mut kept: Vec<usize> = Vec::new();
        for (i, (held, mode)) in held.zip(modes).enumerate() {
            let mu = self.mu[i];
            let force = |ln: f64, lt: f64| {
                (self.w.column(i) * ln + self.w.column(m + i) * lt) / mu.max(1.0)
            };
            let slack = |row: usize, sign: f64| {
                DVector::from_fn(2 * m, |k, _| {
                    if k == row { sign * self.w[(row, row)].max(f64::MIN_POSITIVE) } else { 0.0 }
                })
            };
            kept.push(i);
            match mode {
                ContactMode::Off => columns.push(slack(i, -1.0)),
                ContactMode::Stick => {
                    columns.extend([force(1.0, mu), force(1.0, -mu)]);
                    if mu > 1.0 {
                        // The sum of the edges, whose normal part is not small beside the
                        // tangential one.
                        columns.push(force(mu, 0.0));
                    }
                    kept.push(m + i);
                }
                ContactMode::Slide | ContactMode::SlideBack => {
                    let sign = if *mode == ContactMode::Slide { 1.0 } else { -1.0 };
                    columns.push(force(1.0, -sign * mu));
                    if held.sliding.is_none() && mu > 0.0 {
                        columns.push(slack(m + i, -sign));
                        kept.push(m + i);
                    }
                }
            }
        }
        if kept.is_empty() {
            return true;
        }
        let a = DMatrix::from_columns(&columns).select_rows(&kept);
        let (_, distance) = cone::nonnegative(&a, &-self.b.select_rows(&kept));
        distance <= MISSED * self.size
    }
}

/// The modes that a closed contact may have.
pub fn modes_of(held: &Held, mu: f64) -> &'static [ContactMode] {
    use ContactMode::{Off, Slide, SlideBack, Stick};
    match held.sliding {
        _ if mu == 0.0 => &[Off, Slide],
        Some(Slide) => &[Off, Slide],
        Some(_) => &[Off, SlideBack],
        None => &[Off, Stick, Slide, SlideBack],
    }
}

/// The `x` of least norm for which `W x` is nearest to `b`.
pub fn least(w: DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
    let svd = w.svd(true, true);
    let least = SINGULAR * svd.singular_values.amax();
    // Solving fails only without the factors, and both are there.
    svd.solve(b, least).unwrap_or_else(|_| DVector::zeros(b.len()))
}
