//! The start of an interval, and the impulses for given contact modes.

use nalgebra::DVector;

use super::equations::Load;
use super::slip::impending;
use super::{Acting, ContactPhase, Friction, IntervalEquations, TangentMode};

/// Thresholds of the contact modes.
#[derive(Clone, Copy, Debug)]
pub struct IntervalLimits {
    /// Smallest tangential speed of a sliding contact, m/s.
    pub transition: f64,
    /// The largest change of direction in an interval, rad.
    pub turn: f64,
    /// Normal velocities below this count as 0, m/s.
    pub rest: f64,
    /// `max|u-|`, m/s.
    pub size: f64,
}

/// The start of an interval.
#[derive(Clone, Copy, Debug)]
pub struct IntervalStart<'a> {
    pub equations: &'a IntervalEquations<'a>,
    /// Contact velocity ((1+d) m).
    pub u: &'a DVector<f64>,
    /// The phase of each contact in the round (m).
    pub phases: &'a [ContactPhase],
    /// The remaining normal impulse of expansion (m), N s.
    pub left: &'a [f64],
    pub limits: &'a IntervalLimits,
}

impl IntervalStart<'_> {
    /// The size of the tangential part of contact i of an impulse or velocity.
    pub fn speed(&self, x: &DVector<f64>, i: usize) -> f64 {
        let [x, y] = self.equations.tangential(x, i);
        x.hypot(y)
    }

    /// The mode of contact i with all constraints active.
    pub fn at_first(&self, i: usize) -> TangentMode {
        match self.phases[i] {
            ContactPhase::Observing => TangentMode::Observing,
            _ if self.equations.friction[i] == 0.0 => TangentMode::Frictionless,
            _ if self.speed(self.u, i) >= self.limits.transition => TangentMode::Sliding,
            _ => TangentMode::Rolling,
        }
    }

    /// The impulse of least norm with the contact modes `tangents`.
    pub fn impulse(&self, tangents: &[TangentMode]) -> DVector<f64> {
        let idle = |tangent: TangentMode| {
            matches!(tangent, TangentMode::Observing | TangentMode::Inactive)
        };
        let active = (0..tangents.len()).filter(|&i| !idle(tangents[i]));
        let act = |i: usize| Acting {
            contact: i,
            load: match (self.phases[i], tangents[i]) {
                (ContactPhase::Compressing, TangentMode::Jammed) => Load::Halts,
                (ContactPhase::Compressing, _) => Load::Stops,
                _ => Load::Given(self.left[i]),
            },
            friction: match tangents[i] {
                TangentMode::Rolling | TangentMode::Impending => Friction::Held(0.0),
                TangentMode::Sliding | TangentMode::Jammed => Friction::Along(
                    self.equations.tangential(self.u, i).map(|x| x / self.speed(self.u, i)),
                ),
                _ => Friction::Along([0.0; 2]),
            },
        };
        let mut acting: Vec<Acting> = active.map(act).collect();
        let slips = |place: &usize| tangents[acting[*place].contact] == TangentMode::Impending;
        let slipping: Vec<usize> = (0..acting.len()).filter(slips).collect();
        match slipping.is_empty() {
            true => self.equations.impulse(self.u, &acting),
            false => impending(self.equations, self.u, &mut acting, &slipping),
        }
    }
}
