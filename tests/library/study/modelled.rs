//! Samples by a model: forecasts with the moments of those of events, checked outcomes below them.

use super::*;
use carom::run::{Forecaster, Run};
use carom::study::Residual;
use carom::study::identify::{Dress, modelled};
use carom::{Prepared, Samples, StepSolver};
use carom_core::event::Event;
use std::sync::Arc;

/// A planar body of mass 1 and inertia 0.001 that lands on two corners.
fn landing(velocity: [f64; 3]) -> ContactProblem {
    let corners = [[-0.05, -0.03], [0.05, -0.03]];
    let normal = corners.iter().map(|r| [0.0, 1.0, r[0]]);
    let tangent = corners.iter().map(|r| [1.0, 0.0, -r[1]]);
    problem(ProblemSpec {
        gap: Some(vec![0.0, 0.0015]),
        ..rough(&[1.0, 1.0, 1e-3], normal, tangent, [0.3; 2], velocity)
    })
}

fn event(number: usize, problem: ContactProblem, measured: Vec<f64>) -> Event {
    let gap = problem.spec().gap.clone();
    Event { number, problem, measured, noise: None, clean: None, gap, toss: None }
}

fn uncertain() -> Model {
    Model {
        friction: [0.1, 0.4],
        restitution: [0.2, 0.6],
        before: 0.05,
        noise: 0.03,
        ..Model::default()
    }
}

/// A model with all that forecasts add: its residual has learned from outcomes that were shifted.
fn dressed() -> Model {
    let events: Vec<Event> = (0..24)
        .map(|i| {
            let turn = f64::from(i) / 24.0 - 0.5;
            let problem = landing([0.5 * turn, -0.8 - 0.4 * turn, 6.0 * turn]);
            let bare = event(i as usize, problem, vec![0.0; 3]);
            let outcome = uncertain().forecast(&bare, 1, 7, None).unwrap().points;
            let space = PointSet::new(bare.problem.mass(), bare.problem.velocity(), &[]).unwrap();
            let point = DVector::from_vec(outcome) + DVector::from_vec(vec![0.1, 0.0, 0.05]);
            let measured = space.map().clone().try_inverse().unwrap() * point;
            event(i as usize, bare.problem.clone(), measured.as_slice().to_vec())
        })
        .collect();
    let forecasts: Vec<_> =
        events.iter().map(|event| uncertain().forecast(event, 16, 1, None).unwrap()).collect();
    let residual = Some(Residual::fit(&events, &forecasts).unwrap().0);
    let dress = Some(Dress { scale: 0.7, bias: [0.05, -0.1], spread: [0.04, 0.02] });
    Model { dress, residual, ..uncertain() }
}

fn plan(model: &Model, samples: u64) -> Plan {
    let forecaster: Option<Arc<dyn Forecaster>> = Some(Arc::new(model.clone()));
    Plan { law: model.law().unwrap(), samples, seed: 3, forecaster, ..Plan::default() }
}

fn collect(problem: &ContactProblem, plan: &Plan) -> Samples {
    let cpu = Engine::open(&carom::Device::Cpu).unwrap();
    cpu.collect(problem, plan).unwrap().1
}

/// Mean (n) and covariance (n,n) of points.
fn moments(points: &[DVector<f64>]) -> (DVector<f64>, DMatrix<f64>) {
    let count = points.len() as f64;
    let mean = points.iter().sum::<DVector<f64>>() / count;
    let apart = |point: &DVector<f64>| (point - &mean) * (point - &mean).transpose();
    (mean.clone(), points.iter().map(apart).sum::<DMatrix<f64>>() / count)
}

/// The samples of a run have the mean and the covariance of the forecast of the same event, which
/// makes them in another way: from the points of a forecast, part by part.
#[test]
fn forecasts_have_the_moments_of_those_of_events() {
    const COUNT: usize = 4096;
    let problem = landing([0.3, -1.0, 2.0]);
    let space = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
    let full = dressed();
    let pose = Model { gap: Some(0.001), inset: 0.01, slope: [0.05, 0.0], ..full.clone() };
    let late = Model { late: Some(0.002), ..pose.clone() };
    let heavy = Model { inertia: 1.5, ..uncertain() };
    let dressed = Model { residual: None, ..full.clone() };
    for model in [uncertain(), heavy, dressed, full, pose, late] {
        let samples = collect(&model.on(problem.clone()).unwrap(), &plan(&model, COUNT as u64));
        let drawn: Vec<DVector<f64>> =
            samples.velocity.chunks_exact(3).map(|velocity| space.point(velocity)).collect();
        let forecast =
            model.forecast(&event(0, problem.clone(), vec![0.0; 3]), COUNT, 5, None).unwrap();
        let points: Vec<_> =
            forecast.points.chunks_exact(3).map(DVector::from_column_slice).collect();
        let ((mean, cov), (expected, mut spread)) = (moments(&drawn), moments(&points));
        spread += DMatrix::identity(3, 3) * forecast.noise.powi(2);
        // The two means have the error of so many samples, and what is done about a mean uses that
        // of 256 outcomes, which moves some of the spread: five standard errors of these.
        let size = spread.trace().sqrt();
        let error = 5.0 * size * (1.0 / 256.0 + 2.0 / COUNT as f64).sqrt();
        assert!((&mean - &expected).norm() < error, "{mean} {expected}");
        // Fourth moments of these points are below ten times those of a normal distribution.
        let error = 5.0 * size.powi(2) * (20.0 / COUNT as f64).sqrt();
        assert!((&cov - &spread).norm() < error, "{cov} {spread}");
    }
}

/// Without a residual or a scale, mean and covariance are those of the outcomes.
#[test]
fn noise_is_isotropic_in_the_kinetic_metric() {
    let problem = landing([0.3, -1.0, 2.0]);
    let space = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
    let dressing = uncertain().dressing(&problem).unwrap();
    assert_eq!((dressing.scale, dressing.shift), (1.0, DVector::zeros(3)));
    let root = space.map() * dressing.root;
    let cov = &root * root.transpose();
    assert!((cov - DMatrix::identity(3, 3) * 0.03_f64.powi(2)).norm() < 1e-15);
    // A heavier rotation changes the outcomes, not the metric of the noise.
    let turned = Model { inertia: 2.0, ..uncertain() };
    let heavier = turned.on(problem.clone()).unwrap();
    assert_eq!((heavier.mass()[(0, 0)], heavier.mass()[(2, 2)]), (1.0, 2e-3));
    let root = space.map() * turned.dressing(&heavier).unwrap().root;
    assert!((&root * root.transpose() - DMatrix::identity(3, 3) * 0.03_f64.powi(2)).norm() < 1e-15);
}

/// Impulses, statuses and residuals of forecasts are those of the outcomes of a run with the law
/// and the uncertain numbers of the model; without what the model adds, so are velocities.
#[test]
fn outcomes_below_forecasts_are_those_of_the_law() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model { block: Some(0.5), coverage: Some(0.25), ..dressed() };
    std::fs::write(dir.path().join("model.toml"), model.text().unwrap()).unwrap();
    let named = |law_only| Run {
        model: Some("model.toml".to_string().into()),
        law_only,
        samples: Some(3000),
        ..Run::default()
    };
    let run = |asked: &Run| collect(&asked.on(landing([0.3, -1.0, 2.0])).unwrap(), &asked.plan());
    let [forecasts, lawful] =
        [false, true].map(|law_only| run(&modelled(named(law_only), dir.path()).unwrap()));
    let natural = landing([0.3, -1.0, 2.0]).natural_step().unwrap();
    let sampler = Some("uniform:0.75,coverage:0.25".parse().unwrap());
    let law = Routh { step: Some(0.5 * natural), sampler, ..Routh::default() };
    let uncertainty = Uncertainty {
        friction: vec![model.friction],
        restitution: vec![model.restitution],
        noise: model.before,
        ..Uncertainty::default()
    };
    let plain = run(&Run {
        law: Law::Routh(law),
        uncertainty: Some(uncertainty),
        samples: Some(3000),
        ..Run::default()
    });
    assert_eq!(lawful, plain);
    assert_ne!(forecasts.velocity, plain.velocity);
    assert_eq!(forecasts.impulse, plain.impulse);
    assert_eq!((forecasts.status, forecasts.residual), (plain.status, plain.residual));
}

/// A sample is a function of problem, model, seed and number: whatever the chunks, in a prepared
/// problem with another velocity before, and in a run of statistics alone.
#[test]
fn a_forecast_does_not_depend_on_the_run() {
    let model = dressed();
    let problem = model.on(landing([0.3, -1.0, 2.0])).unwrap();
    let plan = Plan { solver: Some(StepSolver::Scalar), ..plan(&model, 2500) };
    let all = collect(&problem, &plan);
    assert_eq!(all, collect(&problem, &Plan { chunk: Some(1), ..plan.clone() }));
    let mut prepared =
        Prepared::<f64>::new(&model.on(landing([0.1, -0.7, 0.0])).unwrap(), &plan).unwrap();
    prepared.velocity(&[0.3, -1.0, 2.0]).unwrap();
    let some = prepared.sample(1500, 200);
    assert_eq!(some.velocity, all.velocity[3 * 1500..3 * 1700]);
    assert_eq!(some.kinetic_energy, all.kinetic_energy[1500..1700]);
    for i in 0..200 {
        let velocity = vector(some.row(&some.velocity, i));
        let along = problem.jacobian() * &velocity;
        let error = (along - vector(some.row(&some.contact_velocity, i))).amax();
        assert!(error < 1e-13, "{error}");
        let energy = 0.5 * velocity.dot(&(problem.mass() * &velocity));
        assert!((energy - some.kinetic_energy[i]).abs() < 1e-13 * energy.max(1.0));
    }
    let cpu = Engine::open(&carom::Device::Cpu).unwrap();
    let counted = cpu.summarize(&problem, &plan, |_| ()).unwrap().summary;
    let kept = cpu.collect(&problem, &plan).unwrap().0.summary;
    assert_eq!(counted, kept);
}

/// Modes are those of the outcomes: with no spread but the noise, the modes of the law alone.
#[test]
fn modes_are_those_of_outcomes() {
    let model = uncertain();
    let problem = model.on(landing([0.3, -1.0, 2.0])).unwrap();
    let cpu = Engine::open(&carom::Device::Cpu).unwrap();
    let of = |plan: &Plan| cpu.collect(&problem, plan).unwrap().0.summary;
    let forecasts = of(&plan(&model, 4000));
    let outcomes = of(&Plan { forecaster: None, ..plan(&model, 4000) });
    assert_eq!(forecasts.modes, outcomes.modes);
    assert_ne!(forecasts.velocity, outcomes.velocity);
}

/// A block over the natural step follows the velocity.
#[test]
fn blocks_follow_the_natural_step() {
    let problem = landing([0.3, -1.0, 2.0]);
    let of = |law: Routh, problem: &ContactProblem| {
        let law = Law::Routh(law);
        let plan = Plan { law, samples: 64, solver: Some(StepSolver::Scalar), ..Plan::default() };
        Prepared::<f64>::new(problem, &plan).unwrap()
    };
    let natural = problem.natural_step().unwrap();
    let mut block = of(Routh { block: Some(0.3), ..Routh::default() }, &landing([0.0, -9.0, 1.0]));
    block.velocity(&[0.3, -1.0, 2.0]).unwrap();
    let mut step = of(Routh { step: Some(0.3 * natural), ..Routh::default() }, &problem);
    assert_eq!(block.sample(0, 64), step.sample(0, 64));
    let both = Run {
        law: Law::Routh(Routh { block: Some(0.3), step: Some(0.1), ..Routh::default() }),
        ..Run::default()
    };
    assert_eq!(both.on(problem).unwrap_err().at.as_deref(), Some("block"));
}

/// A model warns of problems with numbers of contacts that the events did not have to which it was
/// fitted, by a warning of the problem that every report has.
#[test]
fn other_numbers_of_contacts_are_warned_of() {
    let fitted =
        |contacts: &[[usize; 2]]| Model { events: 184, contacts: contacts.to_vec(), ..uncertain() };
    let two = fitted(&[[2, 184]]);
    let problem = landing([0.3, -1.0, 2.0]);
    assert!(two.on(problem.clone()).unwrap().warnings().is_empty());
    let mut spec = problem.spec().clone();
    for rows in [&mut spec.normal, &mut spec.tangent] {
        rows.truncate(1);
    }
    (spec.friction, spec.gap) = (Some(vec![0.3]), None);
    let one = ContactProblem::new(spec).unwrap();
    let warned = two.on(one.clone()).unwrap();
    let expected = "the model was fitted to events with 2 contacts (184), and is used with 1 contact, where its \
                    forecasts may be far off; `carom identify --contacts 1` takes events with 1 contact and more";
    assert_eq!(warned.warnings(), [expected]);
    assert_eq!(fitted(&[[1, 90], [2, 94]]).unfitted(&[1, 2, 2]), None);
    let many = two.unfitted(&[2, 4, 2, 3, 3, 1]).unwrap();
    assert!(
        many.contains("with 1 contact (1 of 6), 3 contacts (2 of 6), 4 contacts (1 of 6),"),
        "{many}"
    );
    // A file of an older version does not say it; a model by hand was fitted to nothing.
    assert!(fitted(&[]).unfitted(&[2]).unwrap().contains("does not say"));
    assert_eq!(uncertain().unfitted(&[1]), None);
    // One contact has neither gaps nor an edge to know of.
    let edge = Model { gap: Some(0.001), inset: 0.01, single: None, ..uncertain() };
    let posed = edge.on(one).unwrap();
    assert!(!posed.uncertainty().poses(), "{:?}", posed.uncertainty());
}

/// Runs of a model with numbers of its own for one contact have the moments of its forecasts.
#[test]
fn one_contact_has_the_single_model() {
    let own = Model { restitution: [0.1; 2], noise: 0.2, ..uncertain() };
    let model = Model { single: Some(Box::new(own.clone())), ..uncertain() };
    let mut spec = landing([0.3, -1.0, 2.0]).spec().clone();
    for rows in [&mut spec.normal, &mut spec.tangent] {
        rows.truncate(1);
    }
    (spec.friction, spec.gap) = (Some(vec![0.3]), None);
    let one = problem(spec);
    let run = |model: &Model, problem: &ContactProblem| {
        collect(&model.on(problem.clone()).unwrap(), &plan(model, 100))
    };
    assert_eq!(run(&model, &one), run(&own, &one));
    let two = landing([0.3, -1.0, 2.0]);
    assert_eq!(run(&model, &two), run(&uncertain(), &two));
    assert_ne!(run(&model, &one).velocity, run(&uncertain(), &one).velocity);
}

/// What a problem cannot have is refused, and a model that adds nothing has outcomes alone.
#[test]
fn models_meet_problems() {
    let model = Model { gap: Some(0.001), ..Model::default() };
    let mut spec = landing([0.0, -1.0, 0.0]).spec().clone();
    spec.gap = None;
    let error = model.on(problem(spec)).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("model"), "{error}");
    let unread = Run { model: Some("model.toml".to_string().into()), ..Run::default() };
    let error = unread.on(landing([0.0, -1.0, 0.0])).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("model"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("model.toml"), "friction = [0.1, 0.2]\n").unwrap();
    let lawful = modelled(unread, dir.path()).unwrap();
    assert!(lawful.law_only && lawful.plan().forecaster.is_none());
}
