use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector, Vector2};

use super::given::InclusionMotion;
use super::state::{EventState, Held, Mode, TouchPlace, Work};
use crate::model::Surface;
use crate::model::spatial::Contact;
use carom_core::cones::space::ConeSpace;
use carom_core::error::Result;
use carom_core::lcp::cone;
use carom_law::finite::cone_complementarity::{ConeComplementarity, solutions};

/// Difference step along the motion for derivatives, relative to a typical coordinate.
const DIFFERENCE: f64 = 1e-5;
/// Largest error of the equations of a mode, relative to their terms.
const MISSED: f64 = 1e-9;
/// Size, relative to the largest, below which a singular value counts as 0.
const SINGULAR: f64 = 1e-10;
/// Approximate number of linear systems in a search for forces from one start.
const SEARCH: usize = 10;
/// Cosine of the largest rotation of a normal in a step; beyond it the normal jumps.
const TURNED: f64 = 0.95;
/// Relative difference of accelerations, compared with `|b|`, of distinct solutions.
const DISTINCT: f64 = 1e-6;

/// The equations of motion at a state, with m closed contacts of n coordinates:
///
/// ```text
/// dv/dt = a + M^-1 J' f,   du/dt = b + W f       u = J v, normals before tangents
/// ```
pub struct ForceEquations {
    /// `a`, the acceleration without contacts (n).
    free: DVector<f64>,
    /// `M^-1 J'` (n,(1+d) m).
    response: DMatrix<f64>,
    /// `u` ((1+d) m).
    pub u: DVector<f64>,
    /// `b` ((1+d) m).
    b: DVector<f64>,
    /// `W = J M^-1 J'`.
    w: DMatrix<f64>,
    /// The size of the terms of `b`.
    size: f64,
    mu: Vec<f64>,
    /// Number d of tangents of each contact.
    d: usize,
    work: Work,
}

impl InclusionMotion {
    /// Contacts of a configuration; pairs beyond twice the contact tolerance may be left out. A
    /// closed contact keeps its number at a site: it is matched to the touch nearest to its earlier
    /// place.
    pub(super) fn contacts(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
    ) -> BTreeMap<TouchPlace, Contact> {
        self.places(q, held, |_, _| true, 2.0 * self.given().tolerance())
    }

    /// Closed contacts, in order. If a further touch of a site has vanished, another one counts
    /// twice.
    pub(super) fn closed(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
    ) -> Vec<Contact> {
        let closed = |first, second| {
            held.keys().any(|(site, _)| (site.first, site.second) == (first, second))
        };
        let all = self.places(q, held, closed, f64::INFINITY);
        let found = |place: &TouchPlace| {
            let of_site = || all.range((place.0, 0)..=(place.0, usize::MAX)).next();
            all.get(place).or_else(|| of_site().map(|(_, contact)| contact))
        };
        held.keys().filter_map(|place| found(place).cloned()).collect()
    }

    /// The contacts of the pairs that are `wanted`; pairs farther apart than `within` may be left
    /// out.
    fn places(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
        wanted: impl Fn(Surface, usize) -> bool,
        within: f64,
    ) -> BTreeMap<TouchPlace, Contact> {
        let mechanism = self.given().mechanism();
        let mut all: BTreeMap<TouchPlace, Contact> =
            mechanism.places(q, wanted, within).into_iter().collect();
        let mut named: Vec<TouchPlace> = Vec::new();
        for (place, held) in held {
            let (site, number) = *place;
            let was = mechanism.world(q, site.second, held.at);
            let nearest = (all.range((site, 0)..=(site, usize::MAX)))
                .filter(|(other, _)| !named.contains(other))
                .map(|(other, contact)| (other.1, (contact.touch.point - was).norm()))
                .min_by(|(_, a), (_, b)| a.total_cmp(b));
            named.push(*place);
            if let Some((other, _)) = nearest.filter(|(other, _)| *other != number) {
                let [here, there] = [all.remove(&(site, other)), all.remove(place)];
                all.extend(here.map(|contact| (*place, contact)));
                all.extend(there.map(|contact| ((site, other), contact)));
            }
        }
        all
    }

    pub(super) fn rows(&self, q: &DVector<f64>, contacts: &[Contact]) -> DMatrix<f64> {
        self.given().mechanism().rows(q, contacts)
    }

    /// The equations of motion with the closed contacts of a state at configuration `q` and
    /// velocity `v`.
    ///
    /// Accelerations come from velocities, not from the rates of momenta: where a body has almost
    /// no inertia about an axis that turns, a rounding of its momentum is a large velocity.
    pub(super) fn equations(
        &self,
        [q, v]: [&DVector<f64>; 2],
        EventState { held, work, .. }: &EventState,
    ) -> Result<ForceEquations> {
        let mechanism = self.given().mechanism();
        work.spend(v.len(), [held.len(), mechanism.tangents()])?;
        let factor = mechanism.factor(q)?;
        let rows = self.rows(q, &self.closed(q, held));
        let response = factor.solve(&rows.transpose());
        let free = factor.solve(&(mechanism.forces(q, v) - mechanism.bias(q, v)));
        let u = &rows * v;
        let mut b = &rows * &free;
        let mut size = (rows.abs() * free.abs()).sum();
        let fastest = v.component_div(&self.sizes).amax();
        if fastest > 0.0 && !held.is_empty() {
            let along = self.along(q, held, &u, (v, DIFFERENCE / fastest));
            size += along.abs().sum();
            b += along;
        }
        let w = &rows * &response;
        let mu = held.keys().map(|place| self.friction(place)).collect();
        let (d, work) = (mechanism.tangents(), work.clone());
        Ok(ForceEquations { free, response, u, b, w, size, mu, d, work })
    }

    /// The derivative of `u = J(q) v` along the motion at constant `v`, by a central difference
    /// over the time `step`; where a normal jumps on one side, by a difference on the other.
    fn along(
        &self,
        q: &DVector<f64>,
        held: &BTreeMap<TouchPlace, Held>,
        u: &DVector<f64>,
        (v, step): (&DVector<f64>, f64),
    ) -> DVector<f64> {
        let mechanism = self.given().mechanism();
        let here = self.closed(q, held);
        let there = |steps: f64| -> Option<DVector<f64>> {
            let q = mechanism.moved(q, v, steps * step);
            let contacts = self.closed(&q, held);
            let jumped = here.iter().zip(&contacts).any(|(a, b)| jumps(a, b));
            (!jumped).then(|| self.rows(&q, &contacts) * v)
        };
        let side = |near: DVector<f64>, sign: f64| {
            let difference = match there(2.0 * sign) {
                Some(far) => (near * 4.0 - u * 3.0 - far) * 0.5,
                None => near - u,
            };
            difference * (sign / step)
        };
        match (there(1.0), there(-1.0)) {
            (Some(after), Some(before)) => (after - before) / (2.0 * step),
            (Some(after), None) => side(after, 1.0),
            (None, Some(before)) => side(before, -1.0),
            (None, None) => DVector::zeros(u.len()),
        }
    }
}

/// Whether the normal of a contact turns by more than bodies rotate in a step: a corner slides off
/// the end of an edge.
pub fn jumps(a: &Contact, b: &Contact) -> bool {
    a.touch.normal.dot(&b.touch.normal) < TURNED
}

impl ForceEquations {
    /// The number m of closed contacts.
    fn count(&self) -> usize {
        self.mu.len()
    }

    /// The entries of contact `i`'s tangents.
    fn tangents(&self, i: usize) -> std::ops::Range<usize> {
        let first = self.count() + self.d * i;
        first..first + self.d
    }

    /// The tangential part of `x` at contact `i`.
    pub fn across(&self, x: &DVector<f64>, i: usize) -> Vector2<f64> {
        Vector2::from_fn(|a, _| if a < self.d { x[self.tangents(i).start + a] } else { 0.0 })
    }

    /// The mean of `W` along contact `i`'s tangents.
    fn mobility(&self, i: usize) -> f64 {
        self.tangents(i).map(|k| self.w[(k, k)]).sum::<f64>() / self.d as f64
    }

    /// `dv/dt = a + M^-1 J' f` (n).
    pub fn acceleration(&self, forces: &DVector<f64>) -> DVector<f64> {
        &self.free + &self.response * forces
    }

    /// `du/dt = b + W f`.
    pub fn accelerations(&self, forces: &DVector<f64>) -> DVector<f64> {
        &self.b + &self.w * forces
    }

    /// Whether the accelerations with two forces are the same.
    pub fn coincide(&self, one: &DVector<f64>, other: &DVector<f64>) -> bool {
        (&self.w * (one - other)).amax() <= DISTINCT * self.size
    }

    /// Time in s in which friction or acceleration would stop a sliding contact; infinite without
    /// them.
    pub fn stop(&self, i: usize, forces: &DVector<f64>) -> f64 {
        let friction = self.mu[i] * forces[i] * self.mobility(i);
        let slows = friction.max(self.across(&self.accelerations(forces), i).norm());
        if slows > 0.0 { self.across(&self.u, i).norm() / slows } else { f64::INFINITY }
    }

    /// Direction in which contact `i` starts to slide with friction `-mu f_n` along it: the
    /// direction of `du_t/dt`. `modes` are the modes of all contacts; one step of a fixed-point
    /// iteration from the present direction.
    pub fn turned(&self, i: usize, modes: &[Mode]) -> Mode {
        let Mode::Slide(way) = modes[i] else { return modes[i] };
        let forces = self.forces(modes);
        let drive = self.across(&self.accelerations(&forces), i)
            + way * (self.mu[i] * forces[i] * self.mobility(i)).max(0.0);
        Mode::Slide(drive.try_normalize(0.0).unwrap_or(way))
    }

    /// Forces that keep the contacts in their modes, whatever their signs: for sticking contacts
    /// `du_n/dt = du_t/dt = 0`, for contacts sliding along d `du_n/dt = 0` and `f_t = -mu f_n d`.
    /// If not unique, the least-norm forces.
    pub fn forces(&self, modes: &[Mode]) -> DVector<f64> {
        let k = self.b.len();
        let mut edges = Vec::new();
        let mut kept = Vec::new();
        let unit = |row: usize| DVector::from_fn(k, |j, _| f64::from(j == row));
        for (i, mode) in modes.iter().enumerate() {
            match mode {
                Mode::Off => continue,
                Mode::Stick => {
                    edges.extend(self.tangents(i).map(unit));
                    kept.extend(self.tangents(i));
                    edges.push(unit(i));
                }
                Mode::Slide(way) => edges.push(self.edge(i, -*way)),
            }
            kept.push(i);
        }
        if kept.is_empty() {
            return DVector::zeros(k);
        }
        let edges = DMatrix::from_columns(&edges);
        let system = (&self.w * &edges).select_rows(&kept);
        let wanted = -self.b.select_rows(&kept);
        edges * least(system, &wanted)
    }

    /// The edge of contact `i`'s friction cone along `way`: normal force 1.
    fn edge(&self, i: usize, way: Vector2<f64>) -> DVector<f64> {
        let mut edge = DVector::zeros(self.b.len());
        edge[i] = 1.0;
        self.tangents(i).enumerate().for_each(|(a, k)| edge[k] = self.mu[i] * way[a]);
        edge
    }

    /// Forces with which the modes hold, for contacts previously in the modes `present`: `f_n >=
    /// 0`, `|f_t| <= mu f_n`, `du_n/dt >= 0` for an open contact and 0 otherwise, friction against
    /// the sliding direction, and for a contact that begins to slide `du_t/dt` along the sliding
    /// direction.
    pub fn holding(&self, present: &[Mode], modes: &[Mode]) -> Option<DVector<f64>> {
        if self.d == 1 {
            return self.combined(present, modes);
        }
        let forces = self.forces(modes);
        if self.balances(&forces, modes) {
            return Some(forces);
        }
        // Other forces may have the same effect.
        self.balanced(present)
            .into_iter()
            .find(|other| (&self.w * (other - &forces)).amax() <= MISSED * self.size)
    }

    /// In a plane: feasibility of nonnegative combinations, solved by [`cone::nonnegative`] even
    /// for singular W.
    fn combined(&self, present: &[Mode], modes: &[Mode]) -> Option<DVector<f64>> {
        let m = self.count();
        let mut forces: Vec<DVector<f64>> = Vec::new();
        let mut slacks: Vec<DVector<f64>> = Vec::new();
        let mut kept: Vec<usize> = Vec::new();
        let slack = |row: usize, sign: f64| {
            let size = sign * self.w[(row, row)].max(f64::MIN_POSITIVE);
            DVector::from_fn(2 * m, |k, _| if k == row { size } else { 0.0 })
        };
        for (i, (present, mode)) in present.iter().zip(modes).enumerate() {
            let mu = self.mu[i];
            let scale = 1.0 / mu.max(1.0);
            kept.push(i);
            match mode {
                Mode::Off => slacks.push(slack(i, -1.0)),
                Mode::Stick => {
                    let sides = [Vector2::x(), -Vector2::x()];
                    forces.extend(sides.map(|way| self.edge(i, way) * scale));
                    if mu > 1.0 {
                        // Sum of the edges: a normal part that is not small compared with the
                        // tangential part.
                        forces.push(self.edge(i, Vector2::zeros()));
                    }
                    kept.push(m + i);
                }
                Mode::Slide(way) => {
                    forces.push(self.edge(i, -*way) * scale);
                    if *present == Mode::Stick && mu > 0.0 {
                        slacks.push(slack(m + i, -way[0]));
                        kept.push(m + i);
                    }
                }
            }
        }
        let columns: Vec<_> = forces.iter().map(|force| &self.w * force).chain(slacks).collect();
        let a = DMatrix::from_columns(&columns).select_rows(&kept);
        let (x, distance) = cone::nonnegative(&a, &-self.b.select_rows(&kept));
        let sum = || forces.iter().zip(&x).map(|(force, x)| force * *x).sum::<DVector<f64>>();
        let none = DVector::zeros(2 * m);
        (distance <= MISSED * self.size).then(|| if forces.is_empty() { none } else { sum() })
    }

    /// In space: whether forces of the modes lie in the friction cones and solve the equations.
    fn balances(&self, forces: &DVector<f64>, modes: &[Mode]) -> bool {
        let after = self.accelerations(forces);
        let most = MISSED * self.size;
        modes.iter().enumerate().all(|(i, mode)| {
            let pushes = forces[i] * self.w[(i, i)];
            let rest = after[i].abs() <= most && pushes >= -most;
            match mode {
                Mode::Off => after[i] >= -most,
                Mode::Stick => {
                    let holds = self.across(forces, i).norm() - self.mu[i] * forces[i];
                    rest && holds * self.mobility(i) <= most
                        && self.across(&after, i).norm() <= most
                }
                Mode::Slide(_) => rest,
            }
        })
    }

    /// In space: forces of all contacts with circular friction cones, for contacts previously in
    /// the modes `present`, as far as Newton's method finds solutions. Source:
    /// [`ConeComplementarity`] with accelerations in place of velocities.
    pub fn balanced(&self, present: &[Mode]) -> Vec<DVector<f64>> {
        let mut space = ConeSpace::of(&self.w, &self.b, &self.mu, self.d);
        for (sliding, mode) in space.sliding.iter_mut().zip(present) {
            if let Mode::Slide(way) = mode {
                *sliding = Some(*way);
            }
        }
        self.work.add(self.b.len(), SEARCH * ConeComplementarity::STARTS as usize);
        solutions(&space, ConeComplementarity::STARTS)
    }

    /// In space: modes of contacts under given forces, for contacts previously in the modes
    /// `present`.
    pub fn modes(&self, present: &[Mode], forces: &DVector<f64>) -> Vec<Mode> {
        let after = self.accelerations(forces);
        let most = MISSED * self.size;
        let mode = |(i, present): (usize, &Mode)| {
            let slip = self.across(&after, i);
            match present {
                _ if after[i] > most && forces[i] * self.w[(i, i)] <= most => Mode::Off,
                Mode::Stick if slip.norm() > most => Mode::Slide(slip.normalize()),
                other => *other,
            }
        };
        present.iter().enumerate().map(mode).collect()
    }
}

/// The `x` of least norm for which `W x` is nearest to `b`.
pub fn least(w: DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
    let svd = w.svd(true, true);
    let least = SINGULAR * svd.singular_values.amax();
    // Solving fails only without the factors, and both are there.
    svd.solve(b, least).unwrap_or_else(|_| DVector::zeros(b.len()))
}
