use std::collections::BTreeSet;

use nalgebra::DVector;

use super::state::TouchPlace;
use crate::model::Site;
use crate::motion::midpoint::Midpoint;

/// A mechanism that moves by the time-augmented inclusion of \[HP23\].
#[derive(Clone, Debug)]
pub struct InclusionMotion {
    given: Midpoint,
    /// The size of a large change along each entry of the velocity (n): a radian, or the reach of
    /// the bodies.
    pub(super) sizes: DVector<f64>,
    /// 1 for angular velocities, 0 for others (n).
    pub(super) turning: DVector<f64>,
    lengths: DVector<f64>,
    reach: f64,
    /// The sites that may touch.
    pub(super) sites: BTreeSet<Site>,
    /// Maximum work of a step.
    pub(super) work: u64,
}

impl InclusionMotion {
    /// The integrator's name.
    pub const NAME: &'static str = "inclusion";
    /// Default maximum work of a step: about as many multiplications, some minutes.
    pub const WORK: u64 = 150_000_000_000;

    /// The motion of a given mechanism.
    pub fn new(given: Midpoint) -> Self {
        let mechanism = given.mechanism();
        let reach = mechanism.reach();
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let units = mechanism.units();
        let each = |of: &dyn Fn(bool) -> f64| {
            DVector::from_iterator(units.len(), units.iter().map(|unit| of(unit.contains("rad"))))
        };
        let lengths: Vec<f64> = (mechanism.position_units().iter())
            .map(|unit| if unit == "m" { 1.0 } else { reach })
            .collect();
        let q = &given.start().q;
        let places = mechanism.places(q, |_, _| true, f64::INFINITY).into_iter();
        InclusionMotion {
            sites: places.map(|((site, _), _)| site).collect(),
            sizes: each(&|turns| if turns { 1.0 } else { reach }),
            turning: each(&|turns| f64::from(turns)),
            lengths: DVector::from_vec(lengths),
            reach,
            given,
            work: Self::WORK,
        }
    }

    /// The motion with steps of at most `work`, about as many multiplications, in place of
    /// [`InclusionMotion::WORK`].
    pub fn with_work(self, work: u64) -> Self {
        InclusionMotion { work, ..self }
    }

    /// The mechanism, its start and its law.
    pub fn given(&self) -> &Midpoint {
        &self.given
    }

    /// Upper bound on the rounding error of a gap at a configuration, m.
    pub(super) fn blur(&self, q: &DVector<f64>) -> f64 {
        4.0 * f64::EPSILON * (self.reach + q.component_mul(&self.lengths).amax())
    }

    pub(super) fn friction(&self, place: &TouchPlace) -> f64 {
        self.given.coefficients().friction_of(place.0.first, place.0.second)
    }
}
