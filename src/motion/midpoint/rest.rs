//! Sustained contact: steps in which contacts push all the time.

use nalgebra::{DMatrix, DVector};

use super::impact::{Coefficients, ImpactLaw, problem};
use crate::error::Result;
use crate::law::{AnitescuPotra, ConeComplementarity, FiniteLaw};
use crate::model::spatial::Contact;
use crate::motion::mechanism::{Mechanism, Model};
use crate::status::Status;

/// Most corrections of the configuration in a step.
const CORRECTIONS: usize = 8;

/// The configuration and momentum of a mechanism after a time without impacts.
pub struct Moved {
    /// Configuration and momentum.
    pub q: DVector<f64>,
    pub p: DVector<f64>,
    /// The configuration before overlaps of sustained contacts were corrected.
    pub raw: DVector<f64>,
}

/// A step of `h` in which the contacts within `tolerance` act: inelastic, with Coulomb friction.
/// `free` are configuration and momentum after the step without contacts.
///
/// ```text
/// v1 = vf + M(qm)^-1 J' L,   q1 = qf + h/2 (v1 - vf),
/// L solves the simultaneous inelastic impact with vf at qm = q + h/2 v
/// ```
///
/// with `qf` and `vf` the free ones. The step is of first order; without impulses it is that of
/// [`flow`](super::flow::flow). Overlaps that the linear step leaves are corrected along
/// `M^-1 Jn'`. Source: \[AP97\] with the contacts at the middle of the step, as in J. J. Moreau's
/// sweeping steps. Deviation: the free motion is that of the variational integrator.
///
/// # Errors
/// A configuration whose contact problem cannot be made or solved.
pub fn rest(
    mechanism: &Mechanism,
    coefficients: &Coefficients,
    tolerance: f64,
    (q, p): (&DVector<f64>, &DVector<f64>),
    (free, momentum): (DVector<f64>, DVector<f64>),
    h: f64,
) -> Result<Moved> {
    let middle = mechanism.moved(q, &mechanism.velocity(q, p)?, 0.5 * h);
    let before = mechanism.velocity(&free, &momentum)?;
    let contacts = mechanism.touching(&middle, tolerance);
    let after = match contacts.is_empty() {
        true => before.clone(),
        false => settle(mechanism, coefficients, &contacts, &middle, before.clone())?,
    };
    let raw = mechanism.moved(&free, &(&after - before), 0.5 * h);
    let mut end = raw.clone();
    correct(mechanism, tolerance, &mut end);
    let momentum = mechanism.momentum(&end, &after);
    Ok(Moved { q: end, p: momentum, raw })
}

/// The velocity at which no contact approaches any more.
fn settle(
    mechanism: &Mechanism,
    coefficients: &Coefficients,
    contacts: &[Contact],
    q: &DVector<f64>,
    v: DVector<f64>,
) -> Result<DVector<f64>> {
    let inelastic = Coefficients {
        restitution: None,
        pairs: coefficients.pairs.iter().map(|(pair, [mu, _])| (*pair, [*mu, None])).collect(),
        ..*coefficients
    };
    let problem = problem(mechanism, &inelastic, contacts, q, &v)?;
    let law = match &mechanism.model {
        Model::Planar(_) => FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
        Model::Spatial(_) => {
            let cones = ConeComplementarity::default();
            let found = cones.first(&problem)?.outcomes.into_iter().next();
            if let Some(found) = found.filter(|found| found.status == Status::Terminated) {
                return Ok(DVector::from_vec(found.velocity));
            }
            FiniteLaw::ConeComplementarity(cones)
        }
    };
    Ok(DVector::from_vec(ImpactLaw::Finite(law).resolve(&problem, 0, 0)?.velocity))
}

/// Moves bodies that overlap apart, as little as possible in the norm of the mass matrix.
fn correct(mechanism: &Mechanism, tolerance: f64, q: &mut DVector<f64>) {
    for _ in 0..CORRECTIONS {
        let mut deep = mechanism.touching(q, tolerance);
        deep.retain(|contact| contact.touch.gap < 0.0);
        if deep.is_empty() {
            return;
        }
        let rows = mechanism.normal_rows(q, &deep);
        let Some(cholesky) = mechanism.mass(q).cholesky() else { return };
        let response: DMatrix<f64> = cholesky.solve(&rows.transpose());
        let gaps = DVector::from_iterator(deep.len(), deep.iter().map(|contact| contact.touch.gap));
        let Ok(push) = (&rows * &response).svd(true, true).solve(&-gaps, 1e-12) else { return };
        *q = mechanism.moved(q, &(response * push), 1.0);
    }
}
