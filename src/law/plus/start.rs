//! The start of an interval, and the impulses for given modes of the contacts.

use nalgebra::DVector;

use super::course::{Phase, Tangent};
use super::equations::{Acting, Equations, Friction, Load};
use super::slip::impending;

/// Velocities and angles that tell the modes of contacts apart.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tangential speed from which contacts slide, m/s.
    pub transition: f64,
    /// The largest change of direction in an interval, rad.
    pub turn: f64,
    /// Normal velocities below this are 0, m/s.
    pub rest: f64,
    /// `max|u-|`, m/s.
    pub size: f64,
}

/// The start of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    pub equations: &'a Equations<'a>,
    /// Contact velocity ((1+d) m).
    pub u: &'a DVector<f64>,
    /// The phases of the contacts in the round (m).
    pub phases: &'a [Phase],
    /// The normal impulse that remains to expand (m), N s.
    pub left: &'a [f64],
    pub limits: &'a Limits,
}

impl Start<'_> {
    /// The size of the tangential part of contact i of an impulse or velocity.
    pub fn speed(&self, x: &DVector<f64>, i: usize) -> f64 {
        let [x, y] = self.equations.tangential(x, i);
        x.hypot(y)
    }

    /// The mode of contact i where all constraints are active.
    pub fn at_first(&self, i: usize) -> Tangent {
        match self.phases[i] {
            Phase::Observing => Tangent::Observing,
            _ if self.equations.friction[i] == 0.0 => Tangent::Frictionless,
            _ if self.speed(self.u, i) >= self.limits.transition => Tangent::Sliding,
            _ => Tangent::Rolling,
        }
    }

    /// The impulse of least norm with which the contacts have the modes `tangents`.
    pub fn impulse(&self, tangents: &[Tangent]) -> DVector<f64> {
        let idle = |tangent: Tangent| matches!(tangent, Tangent::Observing | Tangent::Inactive);
        let active = (0..tangents.len()).filter(|&i| !idle(tangents[i]));
        let act = |i: usize| Acting {
            contact: i,
            load: match (self.phases[i], tangents[i]) {
                (Phase::Compressing, Tangent::Jammed) => Load::Halts,
                (Phase::Compressing, _) => Load::Stops,
                _ => Load::Given(self.left[i]),
            },
            friction: match tangents[i] {
                Tangent::Rolling | Tangent::Impending => Friction::Held(0.0),
                Tangent::Sliding | Tangent::Jammed => Friction::Along(
                    self.equations.tangential(self.u, i).map(|x| x / self.speed(self.u, i)),
                ),
                _ => Friction::Along([0.0; 2]),
            },
        };
        let mut acting: Vec<Acting> = active.map(act).collect();
        let slips = |place: &usize| tangents[acting[*place].contact] == Tangent::Impending;
        let slipping: Vec<usize> = (0..acting.len()).filter(slips).collect();
        match slipping.is_empty() {
            true => self.equations.impulse(self.u, &acting),
            false => impending(self.equations, self.u, &mut acting, &slipping),
        }
    }
}
