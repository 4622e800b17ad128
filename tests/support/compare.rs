//! Samples of a run, and how far results are from each other.

use std::sync::OnceLock;

use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_engine::{Device, Engine, Plan, Precision};
use carom_law::{Law, Routh};

/// The largest difference of two vectors' entries.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

/// The published steps, instead of the process that is the default on a problem.
pub fn steps() -> Plan {
    Plan { law: Routh::steps().into(), ..Plan::default() }
}

/// A plan in the units that tests vary.
pub fn planned(law: impl Into<Law>, samples: u64, seed: u64, precision: Precision) -> Plan {
    Plan { law: law.into(), samples, seed, precision: Some(precision), ..Plan::default() }
}

pub fn samples(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> Samples {
    engine.collect(problem, plan).unwrap().1
}

/// The GPU of the tests, opened once, as a kernel of one shape takes its driver seconds to build. A
/// missing adapter fails the test.
pub fn gpu() -> &'static Engine {
    static GPU: OnceLock<Engine> = OnceLock::new();
    GPU.get_or_init(|| Engine::open(&Device::Gpu).expect("a Vulkan, Metal or DX12 adapter"))
}

pub fn cpu() -> Engine {
    Engine::open(&Device::Cpu).unwrap()
}

pub fn on_cpu(problem: &ContactProblem, plan: &Plan) -> Samples {
    samples(&cpu(), problem, plan)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// A shorter run has the first samples of a longer one, bit by bit.
pub fn assert_prefix(short: &Samples, long: &Samples, what: &str) {
    let pairs = [
        (&short.velocity, &long.velocity),
        (&short.contact_velocity, &long.contact_velocity),
        (&short.impulse, &long.impulse),
        (&short.kinetic_energy, &long.kinetic_energy),
        (&short.residual, &long.residual),
    ];
    for (a, b) in pairs {
        assert!(bits(a) == bits(&b[..a.len()]), "{what}: other bits");
    }
    assert!(short.steps == long.steps[..short.len()], "{what}: other steps");
    assert!(short.status == long.status[..short.len()], "{what}: other statuses");
    assert!(short.repaired == long.repaired[..short.len()], "{what}: other repairs");
}
