//! One spatial contact with circular Coulomb friction and restitution: the theory of Darboux and
//! Keller.
//!
//! With the normal impulse `I` as time, `v` the normal velocity, `g` the sliding velocity, `p` the
//! tangential impulse:
//!
//! ```text
//! g' = B p' + d,   v' = W_nn + d.p',   p' = -mu g/|g| while slipping, -B^-1 d while sticking
//! E' = -v  (work of compression),   F' = g.p'  (work of friction)
//! ```
//!
//! where `W_nn`, `d` and `B` are the normal, coupling and tangential parts of the Delassus matrix.
//! Source: \[JW16\] (11), (20), (28)-(31), (34). Deviations: slip is integrated over `tau` with
//! `dI = |g| dtau`. Equation (31) becomes `g_tau = -mu B g + |g| d`, regular down to `|g| = 0`, and
//! is solved by Taylor series with recursive coefficients. Slip near an invariant direction needs
//! no angular tolerance: on the way to a stable direction all quantities are power series in the
//! angle.
//!
//! [`StruckContact::impact`] follows an impact arc by arc: an [`Arc`] is motion in a constant
//! direction, a Taylor series of slip, or the whole way to a stable direction. A [`StruckContact`]
//! is prepared once for many impacts.

mod arc;
pub mod contact;
mod course;
mod describe;
mod impact;
mod invariant;
pub mod phase;
mod settle;
mod settling;
mod state;
mod straight;
mod taylor;

pub use arc::Arc;
pub use contact::StruckContact;
pub use course::{ContactCourse, EventKind, ImpactEvent};
pub use impact::{ContactImpact, MAX_ARCS};
pub use invariant::{InvariantDirection, invariant_directions};
pub use phase::{ArcEnd, Leave};
pub use state::{ContactMotion, ImpactState, place};

use phase::Phase;
use settling::Settling;
use state::{ArcPiece, TERMS, dot, sum, turn};
use straight::Straight;

use serde_json::Value;

use crate::sampling::restitution::shared_coefficient;
use crate::{Describe, Hypothesis};
use carom_core::{ContactProblem, Error, Limits, Outcome, OutcomeSet, Result, Status};

/// The Darboux-Keller law: the normal impulse is the time variable, and Coulomb's law holds at
/// every instant.
///
/// ```text
/// u' = W (1, p'),  p' = -mu g/|g| while the contact slips,
///                  whatever holds the contact while it sticks, with |p'| <= mu
/// compression until u_n = 0, then restitution until   int u_n dI = e^2 E_c   (Stronge)
///                                                     I = (1 + e) I_c        (Poisson)
///                                                     u_n = -e u_n-          (Newton)
/// ```
///
/// `E_c` is the work of compression, the integral of `-u_n`; `I_c` the normal impulse at its end.
/// The tangent rows `t1`, `t2` and the normal form a right-handed orthonormal frame. A contact that
/// does not approach receives no impulse. Source: \[JW16\] Sec. 2 and 6. Deviations: events are
/// located as sign changes, where Algorithm 1 compares numbers that should be equal. The event `l`
/// of Algorithm 1 does not occur, because slip reaches an invariant direction only asymptotically.
/// If (18) fails, compression may begin again during restitution; restitution then also returns a
/// share of this work. The impulse printed in (15) is not converged; it differs from this law's.
/// Guarantee: ends for every positive definite `W`, see [`StruckContact::impact`]; otherwise
/// [`Status::StepLimit`]. Accuracy: about 1e-11. The residual of an outcome covers the rates at the
/// end of each arc, energy balance, momentum, friction cone and law of restitution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DarbouxKeller {
    /// The law of restitution.
    pub hypothesis: Hypothesis,
    /// Coefficient of restitution; `None`: the problem's, else 0.
    pub restitution: Option<f64>,
}

impl DarbouxKeller {
    /// The law's name.
    pub const NAME: &'static str = "darboux-keller";

    /// The outcome, as in [`DarbouxKeller::resolve`]: it needs little work.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        _limits: &Limits,
    ) -> Result<OutcomeSet<ContactCourse>> {
        self.resolve(problem)
    }

    /// The outcome, with its course.
    ///
    /// Errors: not one contact, not two tangent rows, no motion along the normal, a coefficient of
    /// restitution outside [0, 1]. Whether the rows form a right-handed orthonormal frame is not
    /// checked: `M`, `J` alone cannot tell.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<ContactCourse>> {
        require_one_spatial(problem)?;
        let e = shared_coefficient(problem, Self::NAME, self.restitution, 0.0)?;
        let w = problem.delassus();
        let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| w[(i, j)]));
        let u: [f64; 3] = std::array::from_fn(|i| problem.contact_velocity()[i]);
        let mu = problem.friction()[0];
        if rows[0][0] <= 0.0 {
            let what = "no coordinate moves the contact along its normal";
            return Err(Error::input(what).at("normal[0]"));
        }
        let (impact, course) =
            ContactCourse::of(&StruckContact::new(rows, mu), mu, u, self.hypothesis, e);
        let margin = course.margin;
        let mut outcome = Outcome::new(problem, impact.impulse.to_vec(), course);
        let size = problem.contact_velocity().amax();
        let drift = outcome.drift(problem, 1.0, |i| impact.velocity[i]);
        outcome.residual = impact.residual.max(if size > 0.0 { drift / size } else { 0.0 });
        if impact.end == ArcEnd::Over {
            let [compression, restitution, friction] = impact.work;
            let done = friction + restitution - compression;
            outcome.residual = outcome.residual.max(outcome.imbalance(problem, done));
        }
        outcome.impacts = usize::from(impact.impulse[0] > 0.0);
        outcome.sequence = vec![0; outcome.impacts];
        let mut warnings = Vec::new();
        if outcome.status == Status::Terminated && impact.end != ArcEnd::Over {
            outcome.status = Status::StepLimit;
            warnings.push("the impact does not end: the contact goes on approaching".to_string());
        } else if margin <= 0.0 {
            warnings.push(format!(
                "condition (18) fails by {:.3e} 1/kg: friction may drive the contact together; this impact ends all the same",
                -margin
            ));
        }
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings))
    }
}

impl Describe for DarbouxKeller {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("hypothesis", self.hypothesis.name().into())]
    }
}

fn require_one_spatial(problem: &ContactProblem) -> Result<()> {
    let law = DarbouxKeller::NAME;
    let m = problem.contact_count();
    if m != 1 {
        return Err(Error::input(format!("the law `{law}` solves one contact; this problem has {m}"))
            .at("normal")
            .hint(
                "keep one row of `normal`, or take a law for several contacts, such as routh or sequential",
            ));
    }
    let (found, why) = match problem.tangents_per_contact() {
        2 => return Ok(()),
        0 => ("has no tangent rows", "friction may be 0"),
        _ => ("is planar", "planar contacts are solved by anitescu-potra and sequential"),
    };
    Err(Error::input(format!("the law `{law}` needs a spatial contact; this one {found}"))
        .at("tangent")
        .hint(format!("give two tangent rows; {why}")))
}
