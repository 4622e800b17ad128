//! Random problems under every law: what is accepted is judged, what is not says why.

use std::fs;

use carom::{Error, ErrorKind};
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::status::Status;
use carom_engine::{Device, Engine, Plan, Precision};
use carom_law::{
    AnitescuPotra, FiniteLaw, Hypothesis, Law, Propagative, Routh, RouthProcess, Sampler,
    Sequential, Solution,
};
use serde_json::json;

use crate::harness::{Case, Ended, Target, Verdict};
use crate::judges::{DOUBLE, Judge, Outcome, Rest, SINGLE, Tolerance};
use crate::problems::{self, Size};

pub const TARGETS: [Target; 7] = [
    Target { name: "exact", case: exact },
    Target { name: "inclusion", case: inclusion },
    Target { name: "steps", case: steps },
    Target { name: "facets", case: facets },
    Target { name: "orders", case: orders },
    Target { name: "finite", case: finite },
    Target { name: "large", case: large },
];

const USUAL: Size = Size { contacts: 8, coordinates: 12 };

/// A problem that has been accepted, or why it was refused.
fn problem(
    case: &mut Case,
    size: Size,
    tangents: impl Fn(usize) -> bool,
) -> Option<(ProblemSpec, ContactProblem)> {
    let mut spec = problems::problem(&mut case.draws, size);
    while !tangents(spec.tangent.len() / spec.normal.len()) {
        spec = problems::problem(&mut case.draws, size);
    }
    fs::write(case.dir.join("problem.json"), json!(spec).to_string())
        .expect("the folder of the case can be written");
    ContactProblem::new(spec.clone()).ok().map(|problem| (spec, problem))
}

/// What an error says must be clear.
fn refused(error: &Error, case: &Case) -> Verdict {
    match error.kind {
        ErrorKind::Interrupted if case.stopped() => Ok(Ended::Stopped),
        ErrorKind::Interrupted => Err("it says that it was interrupted".to_string()),
        _ if error.what.trim().is_empty() => Err("an error without words".to_string()),
        _ => Ok(Ended::Refused),
    }
}

/// Samples a problem and judges every sample.
fn sampled(case: &mut Case, law: Law, size: Size, tangents: impl Fn(usize) -> bool) -> Verdict {
    let Some((spec, problem)) = problem(case, size, tangents) else { return Ok(Ended::Refused) };
    let precision = case.any(&[Precision::F64, Precision::F64, Precision::F32]);
    let plan = Plan {
        law,
        samples: 1 + case.draws.below(64) as u64,
        seed: u64::from(case.draws.word()),
        device: Device::Cpu,
        precision: Some(precision),
        stop: Some(case.stop.clone()),
        ..Plan::default()
    };
    case.told = format!("problem.json, {plan:?}");
    let engine = Engine::open(&Device::Cpu).map_err(|error| error.to_string())?;
    let (run, samples) = match engine.collect(&problem, &plan) {
        Ok(done) => done,
        Err(error) => return refused(&error, case),
    };
    let reference = plan.law.prepare::<f64>(&problem).map_err(|error| error.to_string())?;
    let single = precision == Precision::F32;
    let most =
        if single { reference.most_residual::<f32>() } else { reference.most_residual::<f64>() };
    let poisson = matches!(&plan.law, Law::Routh(law) if law.hypothesis() == Hypothesis::Poisson)
        || matches!(plan.law, Law::Plus(_));
    let usual = if single { SINGLE } else { DOUBLE };
    let tolerance = Tolerance {
        residual: most.max(usual.residual),
        energy: usual.energy.filter(|_| !(poisson && problem.bounces())),
        cones: !matches!(plan.law, Law::Propagative(_)),
        ..usual
    };
    let diagonal: Vec<f64> = problem.delassus().diagonal().iter().copied().collect();
    let judge = Judge::new(&spec, &diagonal);
    let mut accepted = 0;
    for i in 0..samples.len() {
        let outcome = Outcome {
            velocity: samples.row(&samples.velocity, i),
            impulse: samples.row(&samples.impulse, i),
            energy: samples.kinetic_energy[i],
        };
        let (status, residual) = (samples.status[i], samples.residual[i]);
        let all = outcome.velocity.iter().chain(outcome.impulse);
        if !all.chain([&outcome.energy, &residual]).all(|x| x.is_finite()) {
            let what = format!("{outcome:?}, residual {residual}");
            return Err(format!("sample {i}, {status:?}, is not finite: {what}"));
        }
        if status == Status::Terminated && residual <= most {
            accepted += 1;
            let told = |what: String| {
                format!("sample {i} (residual {residual:.1e}, {} steps): {what}", samples.steps[i])
            };
            judge.verdict(outcome, tolerance).map_err(told)?;
        }
    }
    let summary = &run.summary;
    if summary.samples != plan.samples || summary.accepted != accepted {
        let (samples, said) = (summary.samples, summary.accepted);
        return Err(format!("{samples} samples, {said} accepted; counted {accepted}"));
    }
    Ok(case.ended())
}

fn sampler(case: &mut Case) -> Sampler {
    case.any(&[Sampler::Uniform, Sampler::Sobol, Sampler::Coverage])
}

fn routh(case: &mut Case, process: RouthProcess) -> Routh {
    Routh { process: Some(process), sampler: Some(sampler(case)), ..Routh::default() }
}

fn exact(case: &mut Case) -> Verdict {
    let law = routh(case, RouthProcess::Events);
    sampled(case, law.into(), USUAL, |d| d < 2)
}

fn inclusion(case: &mut Case) -> Verdict {
    let hypothesis = case.any(&[Hypothesis::Stronge, Hypothesis::Stronge, Hypothesis::Poisson]);
    let law = Routh { hypothesis: Some(hypothesis), ..routh(case, RouthProcess::Inclusion) };
    sampled(case, law.into(), Size { contacts: 6, ..USUAL }, |_| true)
}

fn steps(case: &mut Case) -> Verdict {
    let solution = case.any(&[Solution::Random, Solution::Lemke]);
    let law = Routh { solution, ..routh(case, RouthProcess::Steps) };
    sampled(case, law.into(), USUAL, |d| d < 2)
}

fn facets(case: &mut Case) -> Verdict {
    let hypothesis = case.any(&[Hypothesis::Stronge, Hypothesis::Poisson]);
    let facets = Some([4, 8, 12][case.draws.below(3)]);
    let law = Routh { facets, hypothesis: Some(hypothesis), ..routh(case, RouthProcess::Steps) };
    sampled(case, law.into(), Size { contacts: 4, ..USUAL }, |d| d == 2)
}

fn orders(case: &mut Case) -> Verdict {
    let law = match case.draws.below(2) {
        0 => Law::Sequential(Sequential::default()),
        _ => Law::Propagative(Propagative::default()),
    };
    sampled(case, law, USUAL, |_| true)
}

/// Up to thirty contacts and coordinates, with whatever law is the default.
fn large(case: &mut Case) -> Verdict {
    let law = Routh { sampler: Some(sampler(case)), ..Routh::default() };
    sampled(case, law.into(), Size { contacts: 30, coordinates: 30 }, |_| true)
}

/// A law with finitely many outcomes: those that end are judged.
fn finite(case: &mut Case) -> Verdict {
    let name = FiniteLaw::NAMES[case.draws.below(FiniteLaw::NAMES.len())];
    let law = FiniteLaw::named(name).ok_or("no such law")?;
    let size = match name {
        "darboux-keller" => Size { contacts: 1, coordinates: 12 },
        "compliant" => Size { contacts: 4, coordinates: 6 },
        _ => Size { contacts: 6, coordinates: 12 },
    };
    let Some((spec, problem)) = problem(case, size, |_| true) else { return Ok(Ended::Refused) };
    case.told = format!("carom resolve problem.json --law {name}");
    let resolved = match law.resolve(&problem) {
        Ok(resolved) => resolved,
        Err(error) => return refused(&error, case),
    };
    let tolerance = Tolerance {
        // Sequences without friction, the plastic ones of which may pull; sliding that makes
        // contacts leave.
        cones: name != "propagative",
        // Poisson's coefficient may add energy.
        energy: DOUBLE.energy.filter(|_| name != "plus"),
        rest: if name == "propagative" { Rest::OfMomentum } else { Rest::OfSpeeds([1e-6; 3]) },
        ..DOUBLE
    };
    let diagonal: Vec<f64> = problem.delassus().diagonal().iter().copied().collect();
    let judge = Judge::new(&spec, &diagonal);
    for (i, found) in resolved.outcomes.iter().enumerate() {
        let outcome = Outcome {
            velocity: &found.velocity,
            impulse: &found.impulse,
            energy: found.kinetic_energy,
        };
        if found.status == Status::Terminated {
            let residual = found.residual;
            let told = |what: String| format!("outcome {i} (residual {residual:.1e}): {what}");
            judge.verdict(outcome, tolerance).map_err(told)?;
            if residual.is_nan() || residual > 1e-6 {
                return Err(format!("outcome {i} has ended with residual {residual}"));
            }
        } else if found.status != Status::NotFinite && !found.velocity.iter().all(|x| x.is_finite())
        {
            let (status, velocity) = (found.status, &found.velocity);
            return Err(format!("outcome {i}, {status:?}, is not finite: {velocity:?}"));
        }
    }
    if AnitescuPotra::NAME == name && resolved.complete && resolved.outcomes.is_empty() {
        return Err("all outcomes are none".to_string());
    }
    Ok(case.ended())
}
