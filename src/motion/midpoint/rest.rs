//! Sustained contact: steps in which contacts push all the time.

use nalgebra::{DMatrix, DVector};

use super::impact::{Coefficients, ImpactLaw, problem};
use crate::error::Result;
use crate::law::{AnitescuPotra, ConeComplementarity, FiniteLaw};
use crate::model::spatial::Contact;
use crate::motion::mechanism::{Mechanism, Model};

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
///
/// ```text
/// qm = q + h/2 v,   v1 = M(qm)^-1 (p + h (dL/dq + f) + J' L),
/// L solves the simultaneous inelastic impact,   q1 = qm + h/2 v1
/// ```
///
/// The step is of first order. Overlaps that the linear step leaves are corrected along `M^-1 Jn'`.
/// Source: \[AP97\] with the configuration at the middle of the step, as in J. J. Moreau's sweeping
/// steps.
///
/// # Errors
/// A configuration whose contact problem cannot be made or solved.
pub fn rest(
    mechanism: &Mechanism,
    coefficients: &Coefficients,
    tolerance: f64,
    (q, p): (&DVector<f64>, &DVector<f64>),
    h: f64,
) -> Result<Moved> {
    let v = mechanism.velocity(q, p)?;
    let middle = mechanism.moved(q, &v, 0.5 * h);
    let free = p + mechanism.push(&middle, &v, p) * h;
    let start = mechanism.velocity(&middle, &free)?;
    let contacts = mechanism.touching(&middle, tolerance);
    let after = settle(mechanism, coefficients, &contacts, &middle, start)?;
    let raw = mechanism.moved(&middle, &after, 0.5 * h);
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
    if contacts.is_empty() {
        return Ok(v);
    }
    let inelastic = Coefficients {
        restitution: None,
        pairs: coefficients.pairs.iter().map(|(pair, [mu, _])| (*pair, [*mu, None])).collect(),
        ..*coefficients
    };
    let problem = problem(mechanism, &inelastic, contacts, q, &v)?;
    let law = ImpactLaw::Finite(match &mechanism.model {
        Model::Planar(_) => FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
        Model::Spatial(_) => FiniteLaw::ConeComplementarity(ConeComplementarity::default()),
    });
    Ok(DVector::from_vec(law.resolve(&problem, 0, 0)?.velocity))
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
