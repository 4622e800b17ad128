//! The input of a motion by the time-augmented inclusion.

use nalgebra::DVector;

use super::state::TouchPlace;
use crate::motion::midpoint::Midpoint;

/// A planar mechanism that moves by the time-augmented inclusion of \[HP23\].
#[derive(Clone, Debug)]
pub struct InclusionMotion {
    given: Midpoint,
    sizes: DVector<f64>,
    turning: DVector<f64>,
    reach: f64,
}

impl InclusionMotion {
    /// The integrator's name.
    pub const NAME: &'static str = "inclusion";

    /// The motion of a given mechanism.
    pub fn new(given: Midpoint) -> Self {
        let model = &given.mechanism().model;
        let reach = model.reach();
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let size = |unit: &String| if unit.contains("rad") { 1.0 } else { reach };
        let sizes = model.units().iter().map(size).collect();
        let turning = model.units().iter().map(|unit| f64::from(unit.contains("rad"))).collect();
        InclusionMotion {
            sizes: DVector::from_vec(sizes),
            turning: DVector::from_vec(turning),
            reach,
            given,
        }
    }

    /// The mechanism, its start and its law.
    pub fn given(&self) -> &Midpoint {
        &self.given
    }

    /// The size of a large change of each coordinate (n): a radian, or the reach of the bodies.
    pub(super) fn sizes(&self) -> &DVector<f64> {
        &self.sizes
    }

    /// 1 for angles, 0 for displacements (n).
    pub(super) fn turning(&self) -> &DVector<f64> {
        &self.turning
    }

    /// The change of a gap by rounding at a configuration, at most, m.
    pub(super) fn blur(&self, q: &DVector<f64>) -> f64 {
        4.0 * f64::EPSILON * (self.reach + q.component_div(&self.sizes).amax() * self.reach)
    }

    /// The coefficient of friction of a place.
    pub(super) fn friction(&self, place: &TouchPlace) -> f64 {
        self.given.coefficients().friction_of(place.0.first, place.0.second)
    }
}
