use std::collections::BTreeSet;

use nalgebra::{DMatrix, DVector, Vector3};

use super::given::Midpoint;
use super::impact::{Coefficients, ImpactLaw, problem};
use super::state::MechanismState;
use crate::model::spatial::Contact;
use crate::model::{Site, Surface};
use carom_core::cones::space::ConeSpace;
use carom_core::error::{Error, Result};
use carom_core::status::Status;
use carom_law::finite::cone_complementarity::solution_near;
use carom_law::{ConeComplementarity, FiniteLaw};

/// Maximum number of configuration corrections in a step.
const CORRECTIONS: usize = 8;
/// Size, relative to the largest, below which a singular value counts as 0.
const SINGULAR: f64 = 1e-12;

/// Configuration and momentum of a mechanism after a time without impacts.
pub struct Moved {
    /// Configuration and momentum.
    pub q: DVector<f64>,
    pub p: DVector<f64>,
    /// Configuration before the correction of overlaps at sustained contacts.
    pub raw: DVector<f64>,
    /// Mean forces of the sustained contacts, as [`MechanismState::forces`].
    pub forces: Forces,
}

/// Forces in N with their pairs.
pub type Forces = Vec<((Surface, usize), Vector3<f64>)>;

/// Step of `h` from a state under contact forces: inelastic, with Coulomb friction. `free` are
/// configuration and momentum after the step without contacts.
///
/// ```text
/// v1 = vf + M(qm)^-1 J' L,   q1 = qf + h/2 (v1 - vf),
/// 0 <= ln _|_ un1 + g/h >= 0,   lt in the friction disk, against ut1       at qm = q + h/2 v
/// ```
///
/// with the free `qf` and `vf`, and `g >= 0` the gap at `qm`, so that a body that barely hovers
/// does not fall onto its contact. Only the sites in sustained contact act, within
/// [`Midpoint::hop`]. The step is of first order; without impulses it equals
/// [`flow`](super::flow::flow). Overlaps left by the linear step are corrected along `M^-1 Jn'`.
/// Source: \[AP97\] with gaps as in D. E. Stewart, J. C. Trinkle: An implicit time-stepping scheme
/// for rigid body dynamics with inelastic collisions and Coulomb friction. Int. J. Numer. Methods
/// Eng. 39 (1996) 2673-2691, and contacts at the middle of the step, as in J. J. Moreau's sweeping
/// steps. Deviation: the free motion follows the variational integrator.
pub(super) fn rest(
    given: &Midpoint,
    state: &MechanismState,
    (free, momentum): (DVector<f64>, DVector<f64>),
    h: f64,
) -> Result<Moved> {
    let mechanism = given.mechanism();
    let middle = mechanism.moved(&state.q, &mechanism.velocity(&state.q, &state.p)?, 0.5 * h);
    let before = mechanism.velocity(&free, &momentum)?;
    let mut contacts = mechanism.touching_sites(&middle, given.hop());
    contacts.retain(|(site, _)| state.sustained.contains(site));
    let contacts: Vec<Contact> = contacts.into_iter().map(|(_, contact)| contact).collect();
    let (after, forces) = match contacts.is_empty() {
        true => (before.clone(), Vec::new()),
        false => settle(given, &contacts, &middle, &before, &state.forces, h)?,
    };
    let raw = mechanism.moved(&free, &(&after - before), 0.5 * h);
    let mut end = raw.clone();
    correct(given, &state.sustained, &mut end);
    let momentum = mechanism.momentum(&end, &after);
    Ok(Moved { q: end, p: momentum, raw, forces })
}

/// Velocity at which no contact closes its gap within `h`, and mean forces over `h`; `last` are the
/// initial forces of the search.
fn settle(
    given: &Midpoint,
    contacts: &[Contact],
    q: &DVector<f64>,
    v: &DVector<f64>,
    last: &Forces,
    h: f64,
) -> Result<(DVector<f64>, Forces)> {
    let mechanism = given.mechanism();
    let rows = mechanism.rows(q, contacts);
    let response = mechanism.factor(q)?.solve(&rows.transpose());
    let pairs = || contacts.iter().map(|contact| (contact.first, contact.second));
    let mu: Vec<f64> = pairs().map(|(a, b)| given.coefficients().friction_of(a, b)).collect();
    let mut u = &rows * v;
    for (u, contact) in u.iter_mut().zip(contacts) {
        *u += contact.touch.gap.max(0.0) / h;
    }
    let w = &rows * &response;
    let space = ConeSpace::of(&w, &u, &mu, mechanism.tangents());
    let mut near = DVector::zeros(u.len());
    let mut last = last.clone();
    for (i, pair) in pairs().enumerate() {
        if let Some(at) = last.iter().position(|(other, _)| *other == pair) {
            space.set_part(&mut near, i, last.remove(at).1 * h);
        }
    }
    let impulse = match solution_near(&space, near.as_slice()) {
        Some(impulse) => impulse,
        None => {
            // Velocity with the contact separation rates u.
            let change = w.svd(true, true).solve(&(&u - &rows * v), SINGULAR);
            let v = v + &response * change.unwrap_or_else(|_| DVector::zeros(u.len()));
            DVector::from_vec(searched(given, contacts, q, &v)?)
        }
    };
    let force = |(i, pair)| (pair, space.part(&impulse, i) / h);
    Ok((v + response * &impulse, pairs().enumerate().map(force).collect()))
}

/// The impulse of the simultaneous inelastic impact, by a longer search.
fn searched(
    given: &Midpoint,
    contacts: &[Contact],
    q: &DVector<f64>,
    v: &DVector<f64>,
) -> Result<Vec<f64>> {
    let coefficients = given.coefficients();
    let inelastic = Coefficients {
        restitution: None,
        pairs: coefficients.pairs.iter().map(|(pair, [mu, _])| (*pair, [*mu, None])).collect(),
        ..*coefficients
    };
    let problem = problem(given.mechanism(), &inelastic, contacts, q, v)?;
    let cones = ConeComplementarity::default();
    let first = cones.first(&problem)?.outcomes.into_iter().next();
    if let Some(first) = first.filter(|first| first.status == Status::Terminated) {
        return Ok(first.impulse);
    }
    let law = ImpactLaw::Finite(FiniteLaw::ConeComplementarity(cones));
    let outcome = law.resolve(&problem, 0, 0)?.ok_or_else(|| {
        Error::empty("no forces are found that keep sustained contacts apart")
            .hint("take a smaller time step")
    })?;
    Ok(outcome.impulse)
}

/// Separates bodies that overlap at sustained sites, by the smallest displacement in the norm of
/// the mass matrix.
fn correct(given: &Midpoint, sustained: &BTreeSet<Site>, q: &mut DVector<f64>) {
    let mechanism = given.mechanism();
    for _ in 0..CORRECTIONS {
        let touching = mechanism.touching_sites(q, given.tolerance()).into_iter();
        let deep: Vec<Contact> = touching
            .filter(|(site, contact)| contact.touch.gap < 0.0 && sustained.contains(site))
            .map(|(_, contact)| contact)
            .collect();
        if deep.is_empty() {
            return;
        }
        let rows = mechanism.normal_rows(q, &deep);
        let Some(cholesky) = mechanism.mass(q).cholesky() else { return };
        let response: DMatrix<f64> = cholesky.solve(&rows.transpose());
        let gaps = DVector::from_iterator(deep.len(), deep.iter().map(|contact| contact.touch.gap));
        let Ok(push) = (&rows * &response).svd(true, true).solve(&-gaps, SINGULAR) else { return };
        *q = mechanism.moved(q, &(response * push), 1.0);
    }
}
