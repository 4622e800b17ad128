use std::collections::BTreeMap;

use nalgebra::DVector;

use super::impact::{Coefficients, ImpactLaw};
use super::state::{MechanismState, resting};
use crate::model::{Motion, Surface};
use crate::motion::mechanism::Mechanism;
use carom_core::error::{Error, Result};

/// Largest tolerance of contacts, as a part of the bodies.
const LARGE: f64 = 0.01;
/// Default number of steps.
const STEPS: u64 = 1000;

/// The specification of a motion.
#[derive(Clone, Debug)]
pub struct MidpointSpec {
    /// The name of the motion.
    pub name: String,
    /// The mechanism that moves.
    pub mechanism: Mechanism,
    /// Friction and restitution.
    pub coefficients: Coefficients,
    /// Configuration and velocity at the start.
    pub start: Motion,
    /// The law of impacts.
    pub law: ImpactLaw,
    /// The time step `h` in s.
    pub time_step: f64,
    /// Largest gap of a contact that takes part in an impact, m.
    pub tolerance: f64,
    /// Number of steps unless the caller sets it; `None`: the default.
    pub steps: Option<u64>,
    /// Maximum number of impacts of a contact in a step before a slowly closing contact is
    /// sustained.
    pub max_impacts: Option<u32>,
    /// Seed of a sampled law.
    pub seed: u64,
    /// The name of the integrator.
    pub integrator: &'static str,
}

/// A mechanism that moves through impacts: the midpoint variational integrator in
/// generalized coordinates, impacts on its discrete momentum.
#[derive(Clone, Debug)]
pub struct Midpoint {
    spec: MidpointSpec,
    start: MechanismState,
}

impl Midpoint {
    /// The integrator's name.
    pub const NAME: &'static str = "midpoint";

    /// Checks a motion.
    ///
    /// # Errors
    /// A time step or tolerance that is not positive; a singular mass matrix; bodies that overlap
    /// at the start.
    pub fn new(spec: MidpointSpec) -> Result<Self> {
        for (number, key) in [(spec.time_step, "time_step"), (spec.tolerance, "contact.tolerance")]
        {
            if !(number.is_finite() && number > 0.0) {
                return Err(Error::input(format!("expected a number > 0, found {number}")).at(key));
            }
        }
        let q = DVector::from_column_slice(&spec.start.position);
        let v = DVector::from_column_slice(&spec.start.velocity);
        let p = spec.mechanism.momentum(&q, &v);
        spec.mechanism.velocity(&q, &p)?;
        let deep = spec.mechanism.touching(&q, -spec.tolerance);
        if let Some(contact) = deep.first() {
            let [one, other] = [contact.first, Surface::Body(contact.second)]
                .map(|surface| spec.mechanism.surface_name(surface));
            let depth = -contact.touch.gap;
            let what = format!("`{one}` and `{other}` overlap by {depth:e} m at first");
            return Err(Error::input(what)
                .at("bodies")
                .hint("move them apart, or raise `contact.tolerance`"));
        }
        let reach = spec.mechanism.reach();
        if reach > 0.0 && spec.tolerance > LARGE * reach {
            let (tolerance, reach) = (spec.tolerance, reach);
            let what = format!(
                "{tolerance:e} m is not small beside the bodies, which reach {reach:e} m from their origins"
            );
            return Err(Error::input(what)
                .at("contact.tolerance")
                .hint("take a smaller one, such as a millionth of them"));
        }
        let energy = 0.5 * p.dot(&v) + spec.mechanism.potential(&q);
        if !energy.is_finite() {
            return Err(Error::input("the energy at first overflows").at("bodies"));
        }
        let sustained = resting(&spec.mechanism, spec.tolerance, [&q, &v]);
        let start = MechanismState {
            q,
            p,
            step: 0,
            within: 0.0,
            impacts: 0,
            hits: BTreeMap::new(),
            sustained,
            normal: BTreeMap::new(),
            forces: Vec::new(),
        };
        Ok(Midpoint { spec, start })
    }

    /// The motion with another impact law.
    pub fn with_law(mut self, law: ImpactLaw) -> Self {
        self.spec.law = law;
        self
    }

    /// The name of the motion.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The name of the integrator, which may also be the
    /// [inclusion](crate::motion::InclusionMotion).
    pub fn integrator(&self) -> &'static str {
        self.spec.integrator
    }

    /// The mechanism that moves.
    pub fn mechanism(&self) -> &Mechanism {
        &self.spec.mechanism
    }

    /// Friction and restitution.
    pub fn coefficients(&self) -> &Coefficients {
        &self.spec.coefficients
    }

    /// The law of impacts.
    pub fn law(&self) -> &ImpactLaw {
        &self.spec.law
    }

    /// The seed of a sampled law.
    pub fn seed(&self) -> u64 {
        self.spec.seed
    }

    /// The time step `h` in s.
    pub fn time_step(&self) -> f64 {
        self.spec.time_step
    }

    /// Largest gap of a contact that takes part in an impact, m.
    pub fn tolerance(&self) -> f64 {
        self.spec.tolerance
    }

    /// The number of steps where the caller sets none.
    pub fn steps(&self) -> u64 {
        self.spec.steps.unwrap_or(STEPS)
    }

    /// Most impacts of a contact in a step, where the file sets a limit; with the
    /// [inclusion](crate::motion::InclusionMotion) most events of a step.
    pub fn max_impacts(&self) -> Option<u32> {
        self.spec.max_impacts
    }

    /// The state at the start.
    pub fn start(&self) -> &MechanismState {
        &self.start
    }
}
