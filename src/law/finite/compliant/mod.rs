//! Compliant contact: springs, dampers and friction at all contacts, integrated over the impact.

mod details;
pub mod force;
pub mod friction;
mod motion;

pub use details::{CompliantDetails, CompliantMoment};
pub use force::ContactModel;
pub use friction::Stribeck;

use serde_json::Value;

use crate::Describe;
use carom_core::{ContactProblem, Error, Limits, Outcome, OutcomeSet, Result, Status, short};
use force::Force;
use motion::{CompliantMotion, Track};

/// Relative tolerance of the integration; its outcome is compared with the outcome at ten times
/// this tolerance.
const TOLERANCE: f64 = 1e-8;

/// Springs and dampers at the contacts, and friction that grows steeply with the sliding velocity.
///
/// With gaps `phi` (m) and impulse `L`, at a fixed configuration: `phi' = u_n`, `L' = (ln, lt)`,
/// `u = u- + W L`. A contact with `phi < 0` has the normal force `ln(phi, u_n) >= 0` of its
/// [`ContactModel`], and friction `lt = -mu ln u_t / sqrt(|u_t|^2 + eps^2)`, `eps = 1e-7 max|u-|`,
/// or with [`Stribeck`] friction `lt = -mu(|u_t|) ln u_t/|u_t|`. The coefficient of restitution
/// determines the damping: a single contact separates with exactly this fraction of its velocity.
/// If all coefficients are 0, the impact ends as soon as no contact approaches, and the energy of
/// the springs is lost; the damping ratio is then [`Compliant::INELASTIC`]. Otherwise the impact
/// ends when no contact has a force or approaches. Gravity does not act; the outcome depends only
/// on the ratios of the stiffnesses. Source: \[HP23\] Sec. 5.4.1, (88) to (90), for springs and
/// dampers in parallel. K. H. Hunt, F. R. E. Crossley: Coefficient of restitution interpreted as
/// damping in vibroimpact, J. Appl. Mech. 42 (1975), for the other model. Deviation: \[HP23\] move
/// the bodies, let gravity act, regularise friction by `max(|u_t|, eps)`, and take the damping
/// ratio 5 with the mass of the block. Guarantee: the residual is the difference, over `max|u-|`,
/// from an integration with ten times the tolerance; after [`Compliant::STEPS`] steps the outcome
/// is [`Status::StepLimit`], after [`Limits::WORK`] [`Status::Budget`].
#[derive(Clone, Debug, PartialEq)]
pub struct Compliant {
    /// Stiffness of all contacts, or of each: N/m, with Hunt and Crossley's model N/m^(3/2).
    pub stiffness: Vec<f64>,
    /// The model of the normal forces.
    pub model: ContactModel,
    /// Common damping of all contacts, dimensionless: the damping ratio z, or y of a Hunt-Crossley
    /// contact at `max|u-|`; `None`: the damping follows from the coefficients of restitution.
    pub damping: Option<f64>,
    /// Gaps before the impact in m (m entries); empty: all contacts touch.
    pub gaps: Vec<f64>,
    /// Speed-dependent friction; `None`: a constant coefficient.
    pub stribeck: Option<Stribeck>,
}

impl Default for Compliant {
    fn default() -> Self {
        Compliant {
            stiffness: vec![1e6],
            model: ContactModel::default(),
            damping: None,
            gaps: Vec::new(),
            stribeck: None,
        }
    }
}

impl Compliant {
    /// The law's name.
    pub const NAME: &'static str = "compliant";

    /// Step limit of an integration.
    pub const STEPS: usize = 200_000;

    /// The damping ratio of an inelastic contact. At the end of its impact, the contact separates
    /// with 0.25 % of its velocity.
    pub const INELASTIC: f64 = force::INELASTIC;

    /// The unique outcome of the impact.
    ///
    /// Errors: a stiffness that is not finite or not > 0, a gap that is not finite or is negative,
    /// a list whose length is not the number of contacts.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<CompliantDetails>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The outcome; if the work is spent before the impact ends, its state at that time.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<CompliantDetails>> {
        let m = problem.contact_count();
        let stiffness = match self.stiffness[..] {
            [all] => vec![all; m],
            _ => self.stiffness.clone(),
        };
        checked(&stiffness, m, "stiffness", "> 0", |x| x > 0.0)?;
        if let Some(damping) = self.damping {
            checked(&[damping], 1, "damping", ">= 0", |x| x >= 0.0)?;
        }
        let gaps = if self.gaps.is_empty() { vec![0.0; m] } else { self.gaps.clone() };
        checked(&gaps, m, "gaps", ">= 0", |x| x >= 0.0)?;
        if let Some(Stribeck { speed, peak, viscous }) = self.stribeck {
            checked(&[speed], 1, "stribeck speed", "> 0", |x| x > 0.0)?;
            checked(&[peak], 1, "stribeck peak", ">= 1", |x| x >= 1.0)?;
            checked(&[viscous], 1, "stribeck viscous", ">= 0", |x| x >= 0.0)?;
        }
        let forces = Force::all(problem, &stiffness, self.model, self.damping);
        let motion = CompliantMotion::new(problem, &forces, self.stribeck);
        let track = |tolerance| motion.track(&gaps, tolerance, Self::STEPS, limits);
        let rough = track(10.0 * TOLERANCE);
        let fine = if limits.is_over() { rough.clone() } else { track(TOLERANCE) };
        let details = CompliantDetails::new(problem, &motion, &fine, stiffness);
        let mut outcome = Outcome::new(problem, fine.impulse().to_vec(), details);
        let ended = |track: &Track| track.ended;
        if outcome.status == Status::Terminated && !(ended(&rough) && ended(&fine)) {
            outcome.status = if limits.is_over() { Status::Budget } else { Status::StepLimit };
        }
        outcome.residual = difference(problem, &rough, &fine);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let lost = outcome.details.spring_energy;
        let warnings = match self.damping {
            Some(_) if motion.inelastic && lost > 0.01 * before => vec![cut(lost, before)],
            _ => Vec::new(),
        };
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings))
    }
}

/// The message for undamped springs, whose stored energy is lost.
fn cut(lost: f64, before: f64) -> String {
    format!(
        "{} of {} J are in the springs at the end and are lost, as all coefficients of restitution are 0: the impact \
         ends as soon as no contact approaches; with coefficients above 0 (`restitution` of a file, --restitution) \
         the springs push until the contacts part, with the damping given",
        short(lost),
        short(before)
    )
}

/// The largest difference of the contact velocities at the end of two tracks, over `max|u-|`.
fn difference(problem: &ContactProblem, a: &Track, b: &Track) -> f64 {
    let unit = problem.contact_velocity().amax();
    if unit == 0.0 {
        return 0.0;
    }
    let [a, b] = [a, b].map(|track| nalgebra::DVector::from_column_slice(track.impulse()));
    (problem.delassus() * (a - b)).amax() / unit
}

fn checked(
    numbers: &[f64],
    m: usize,
    what: &str,
    range: &str,
    of: impl Fn(f64) -> bool,
) -> Result<()> {
    if numbers.len() != m {
        return Err(Error::usage(format!("{} numbers for {m} contacts", numbers.len())).at(what));
    }
    let Some(x) = numbers.iter().find(|x| !(x.is_finite() && of(**x))) else { return Ok(()) };
    Err(Error::usage(format!("expected finite numbers {range}, found {x}")).at(what))
}

impl Describe for Compliant {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("stiffness", self.stiffness.clone().into()),
            ("model", self.model.name().into()),
            ("damping", self.damping.into()),
            ("gaps", self.gaps.clone().into()),
            ("stribeck", self.stribeck.map(|law| vec![law.speed, law.peak, law.viscous]).into()),
        ]
    }
}
