//! The input of a motion by the time-augmented inclusion.

use nalgebra::DVector;

use super::state::TouchPlace;
use crate::error::{Error, Result};
use crate::model::Planar;
use crate::motion::mechanism::Model;
use crate::motion::midpoint::Midpoint;

/// A planar mechanism that moves by the time-augmented inclusion of \[HP23\].
#[derive(Clone, Debug)]
pub struct InclusionMotion {
    given: Midpoint,
    model: Planar,
    sizes: DVector<f64>,
    turning: DVector<f64>,
    reach: f64,
}

impl InclusionMotion {
    /// The integrator's name.
    pub const NAME: &'static str = "inclusion";

    /// The motion of a given mechanism.
    ///
    /// # Errors
    /// A mechanism in space.
    pub fn new(given: Midpoint) -> Result<Self> {
        let Model::Planar(model) = &given.mechanism().model else {
            return Err(Error::input("the integrator `inclusion` moves planar mechanisms")
                .at("integrator")
                .hint("in space take `midpoint`"));
        };
        let model = model.clone();
        let reach = model.reach();
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let size = |unit: &String| if unit.contains("rad") { 1.0 } else { reach };
        let sizes = model.units().iter().map(size).collect();
        let turning = model.units().iter().map(|unit| f64::from(unit.contains("rad"))).collect();
        Ok(InclusionMotion {
            sizes: DVector::from_vec(sizes),
            turning: DVector::from_vec(turning),
            reach,
            model,
            given,
        })
    }

    /// The mechanism, its start and its law.
    pub fn given(&self) -> &Midpoint {
        &self.given
    }

    /// Bodies, joints and walls.
    pub(super) fn model(&self) -> &Planar {
        &self.model
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
