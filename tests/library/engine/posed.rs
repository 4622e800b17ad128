//! Samples with poses of their own: each is that of a problem in its pose, at every door.

use super::*;
use crate::support::compare::assert_prefix;
use carom::run::StepSolver;
use carom::study::SampledSet;
use carom_analysis::{BoundKind, Differentiator, Reach, Wrt};
use carom_core::Limits;
use carom_core::outcome::Mode;
use carom_engine::{Batch, Replay, Search, SearchGoal};

fn uncertain(name: &str, words: &str) -> ContactProblem {
    let problem = load(name);
    let restitution = problem.spec().restitution.clone();
    problem.with_numbers(restitution, words.parse().unwrap()).unwrap()
}

fn plan(law: Law, samples: u64, precision: Precision) -> Plan {
    Plan { device: Device::Cpu, ..planned(law, samples, 3, precision) }
}

const POSES: &str = "shift=0.01,attitude=0.02,slope=-0.1..0.1,inset=0..0.02";

/// Every sample is the sample with its number of the problem in its pose, whatever the law.
#[test]
fn a_sample_is_that_of_its_problem() {
    let numbers = format!("{POSES},mu=0.1..0.4,noise=0.02");
    let spatial = format!("{POSES},mu=0.1..0.4,inertia=0.8..1.2");
    for (name, words, law, count) in [
        ("rocking-block", &*numbers, Law::default(), 60),
        ("compass-gait", POSES, Law::from(Routh::steps()), 40),
        ("box-and-wall", POSES, Law::named("sequential").unwrap(), 40),
        ("cube-on-edge", &*spatial, Law::default(), 20),
    ] {
        for precision in [F64, F32] {
            let (problem, plan) = (uncertain(name, words), plan(law.clone(), count, precision));
            let found = on_cpu(&problem, &plan);
            let mut moved: f64 = 0.0;
            for i in 0..count {
                let posed = problem.posed(plan.seed, i).unwrap();
                assert!(!posed.first.uncertainty().poses());
                let alone = one(&posed.first, &plan, precision, i);
                let at = i as usize;
                assert_eq!(found.row(&found.velocity, at), &alone.velocity[..], "{name} {i}");
                assert_eq!(found.row(&found.impulse, at), &alone.impulse[..], "{name} {i}");
                let u = found.row(&found.contact_velocity, at);
                assert_eq!(u, &alone.contact_velocity[..], "{name} {i}");
                assert_eq!(
                    (found.status[at], found.steps[at], found.residual[at], found.repaired[at]),
                    (alone.status[0], alone.steps[0], alone.residual[0], alone.repaired[0])
                );
                assert_eq!(found.status[at], Status::Terminated, "{name} {i}");
                moved = moved.max((posed.jacobian - problem.jacobian()).amax());
            }
            assert!(moved > 0.01, "{name}");
        }
    }
}

fn one(problem: &ContactProblem, plan: &Plan, precision: Precision, i: u64) -> Samples {
    let plan = Plan { solver: Some(StepSolver::Scalar), ..plan.clone() };
    match precision {
        F32 => Prepared::<f32>::new(problem, &plan).unwrap().sample(i, 1).clone(),
        F64 => Prepared::<f64>::new(problem, &plan).unwrap().sample(i, 1).clone(),
    }
}

/// A block whose second corner may hang.
fn hanging(words: &str) -> ContactProblem {
    let places = [[0.05, -0.03], [-0.05, -0.03], [0.0, -0.03]];
    problem(ProblemSpec {
        gap: Some(vec![0.004, 0.001, 0.02]),
        uncertainty: words.parse().unwrap(),
        ..leaning(&places, 0.0, 1e-3, [0.2, -1.0, 0.3])
    })
}

/// The velocity after `impulse`, rows as in the file, in the plain pose.
fn after(problem: &ContactProblem, impulse: &[f64]) -> Vec<f64> {
    let force = problem.jacobian().tr_mul(&vector(impulse));
    let kick = problem.mass().clone().cholesky().unwrap().solve(&force);
    (problem.velocity() + kick).as_slice().to_vec()
}

#[test]
fn late_contacts_close_in_a_second_impact() {
    let count = 40;
    let plan = plan(Law::default(), count, F64);
    let near = hanging("gap=0.002,mu=0.1..0.4");
    let late = hanging("gap=0.002,late=0.005,mu=0.1..0.4");
    let (first, both) = (on_cpu(&near, &plan), on_cpu(&late, &plan));
    for i in 0..count as usize {
        // The first impact is that of the near corner alone.
        let l = first.row(&first.impulse, i);
        assert!(l[1] > 0.0 && [0, 2, 3, 5].iter().all(|&row| l[row] == 0.0), "{l:?}");
        let v = first.row(&first.velocity, i);
        assert!(apart(v, &after(&near, l)) < 1e-12);
        let u = first.row(&first.contact_velocity, i);
        assert!(u[1].abs() < 1e-9 && u[0] < -0.1 && u[2] < -0.1, "{u:?}");
        assert!(apart(u, (near.jacobian() * vector(v)).as_slice()) < 1e-12);
        // The second impact, by hand: the corners in the order near, late, from this velocity.
        let spec = near.spec();
        let pick = |rows: &[Vec<f64>]| vec![rows[1].clone(), rows[0].clone()];
        let by_hand = problem(ProblemSpec {
            normal: pick(&spec.normal),
            tangent: pick(&spec.tangent),
            friction: Some(vec![0.3; 2]),
            velocity: v.to_vec(),
            gap: None,
            uncertainty: "mu=0.1..0.4".parse().unwrap(),
            ..spec.clone()
        });
        let second = one(&by_hand, &plan, F64, Stream::second(i as u64));
        let sum = both.row(&both.impulse, i);
        let l2 = &second.impulse;
        let expected = [l2[1], l[1] + l2[0], 0.0, l2[3], l[4] + l2[2], 0.0];
        assert!(apart(sum, &expected) < 1e-12, "{sum:?} {expected:?}");
        assert!(apart(both.row(&both.velocity, i), &second.velocity) < 1e-12);
        // The sum leads from the velocity before both to that after them.
        assert!(apart(both.row(&both.velocity, i), &after(&late, sum)) < 1e-12);
        let u = both.row(&both.contact_velocity, i);
        assert!(u[0] > -1e-6 && u[1] > -1e-6, "{u:?}");
        assert_eq!(both.steps[i], first.steps[i] + second.steps[0]);
        assert_eq!(both.residual[i], first.residual[i].max(second.residual[0]));
        assert_eq!(both.status[i], Status::Terminated);
    }
    // Contacts that were left out are open.
    let mut set = SampledSet::new::<f64>(&near).unwrap();
    set.add(&first, 1e-6);
    assert!((0..set.len()).all(|at| set.modes_of(at)[0] == Mode::Lift));
    let engine = cpu();
    let run = engine.summarize(&near, &plan, |_| ()).unwrap();
    assert!(run.summary.modes.by_frequency().iter().all(|(modes, _)| modes[0] == Mode::Lift));
}

/// A second impact has the numbers of the first one, and other orders.
#[test]
fn second_impacts_share_numbers_alone() {
    use carom_core::rng::Purpose;
    let (first, second) = (Stream::new(5, 7), Stream::new(5, Stream::second(7)));
    for step in 0..9 {
        let draw = |stream: &Stream, purpose| stream.block(step, purpose, 0);
        assert_eq!(draw(&first, Purpose::Parameter), draw(&second, Purpose::Parameter));
        for purpose in [Purpose::Rate, Purpose::Solution, Purpose::Order, Purpose::Sampler] {
            assert_ne!(draw(&first, purpose), draw(&second, purpose));
        }
    }
}

#[test]
fn all_doors_have_the_same_samples() {
    for (problem, law) in [
        (hanging("gap=0.002,late=0.005,attitude=0.02,shift=0.002"), Law::default()),
        (
            uncertain("cube-on-edge", "shift=0.001,attitude=0.01,gap=0.001,late=0.01"),
            Law::default(),
        ),
    ] {
        for precision in [F64, F32] {
            let plan = Plan { chunk: Some(1), ..plan(law.clone(), 24, precision) };
            let all = on_cpu(&problem, &plan);
            let sizes: std::collections::BTreeSet<usize> = (0..24)
                .map(|i| problem.posed(plan.seed, i).unwrap().first.contact_count())
                .collect();
            assert!(sizes.len() > 1, "all have {sizes:?} contacts");
            assert_prefix(&on_cpu(&problem, &Plan { samples: 7, ..plan.clone() }), &all, "fewer");
            let (prepared, batch) = match precision {
                F64 => (
                    Prepared::<f64>::new(&problem, &plan).unwrap().sample(0, 24).clone(),
                    Batch::<f64>::new(&plan).sample(std::slice::from_ref(&problem)).unwrap()[0]
                        .clone(),
                ),
                F32 => (
                    Prepared::<f32>::new(&problem, &plan).unwrap().sample(0, 24).clone(),
                    Batch::<f32>::new(&plan).sample(std::slice::from_ref(&problem)).unwrap()[0]
                        .clone(),
                ),
            };
            assert_prefix(&prepared, &all, "prepared");
            assert_prefix(&batch, &all, "batch");
            for i in all.accepted(1e-5).into_iter().take(12) {
                let replay = Replay::new(&problem, &plan, precision, i as u64).unwrap();
                assert_eq!(replay.samples.velocity, all.row(&all.velocity, i));
                let end = &replay.steps.last().unwrap().after;
                assert_eq!(end.velocity, all.row(&all.velocity, i));
                assert!(apart(&end.contact_velocity, all.row(&all.contact_velocity, i)) < 1e-6);
                let mut sum = vec![0.0; replay.samples.impulse.len()];
                for step in &replay.steps {
                    assert_eq!(step.caps.len(), problem.contact_count());
                    sum.iter_mut().zip(&step.impulse).for_each(|(sum, l)| *sum += l);
                }
                let exact = if precision == F64 { 1e-9 } else { 1e-4 };
                assert!(apart(&sum, all.row(&all.impulse, i)) < exact, "{i}");
            }
        }
    }
}

/// With other velocities, and other seeds.
#[test]
fn a_prepared_problem_follows() {
    let problem = hanging("gap=0.002,late=0.005,attitude=0.02");
    let asked = plan(Law::default(), 10, F64);
    let mut prepared = Prepared::<f64>::new(&problem, &asked).unwrap();
    prepared.seed(11);
    prepared.velocity(&[0.1, -2.0, -0.4]).unwrap();
    let mut other = problem.clone();
    other.set_velocity(&[0.1, -2.0, -0.4]).unwrap();
    let expected = on_cpu(&other, &Plan { seed: 11, ..asked });
    assert_prefix(prepared.sample(0, 10), &expected, "another velocity");
}

/// Where the pose has no width, one problem is sampled as always.
#[test]
fn one_pose_is_one_problem() {
    let problem = uncertain("rocking-block", "inset=0.02,slope=0.05");
    let plan = plan(Law::default(), 3000, F64);
    let engine = cpu();
    let (run, found) = engine.collect(&problem, &plan).unwrap();
    let posed = problem.posed(0, 0).unwrap().first;
    assert!((posed.jacobian() - problem.jacobian()).amax() > 0.01);
    let (expected, alone) = engine.collect(&posed, &plan).unwrap();
    assert_prefix(&found, &alone, "one pose");
    assert_eq!((run.solver, run.step), (expected.solver, expected.step));
    assert_eq!(run.summary, expected.summary);
    assert_ne!(run.solver, StepSolver::Scalar.name());
    // One whose samples have their own has no step that all share.
    let each = uncertain("rocking-block", "shift=0.01");
    let run = engine.summarize(&each, &plan, |_| ()).unwrap();
    assert_eq!((run.step, run.solver), (None, StepSolver::Scalar.name()));
    assert_eq!(run.summary.samples, 3000);
    let given = Law::from(Routh { step: Some(0.1), ..Routh::default() });
    let run = engine.summarize(&each, &Plan { law: given, ..plan }, |_| ()).unwrap();
    assert_eq!(run.step, Some(0.1));
}

/// Compares the derivatives of samples that have one with central differences of the velocity after
/// both impacts; returns which samples have one.
fn compare(problem: &ContactProblem, plan: &Plan, wrt: Wrt, found: &Differentiator) -> Vec<bool> {
    let (n, h) = (3, 1e-6);
    let found = found.jacobians(0, plan.samples as usize, || ()).unwrap();
    assert_eq!(found.columns, 3);
    let known = found.differentiable;
    for i in (0..known.len()).filter(|&i| known[i]) {
        for k in 0..3 {
            let moved = |by: f64| {
                let mut spec = problem.spec().clone();
                match wrt {
                    Wrt::Friction => spec.friction.as_mut().unwrap()[k] += by,
                    _ => spec.velocity[k] += by,
                }
                let other = ContactProblem::new(spec).unwrap();
                let mut there = Prepared::<f64>::new(&other, plan).unwrap();
                there.sample(i as u64, 1).velocity.clone()
            };
            let (plus, minus) = (moved(h), moved(-h));
            for a in 0..n {
                let slope = (plus[a] - minus[a]) / (2.0 * h);
                let value = found.values[(i * n + a) * 3 + k];
                let off = (slope - value).abs();
                assert!(off < 1e-4 * (1.0 + value.abs()), "{i} {a} {k}: {slope} {value}");
                // The third contact takes part in neither impact.
                assert!(wrt == Wrt::Velocity || k < 2 || value == 0.0);
            }
        }
    }
    known
}

/// Derivatives are those of both impacts, whether or not the step follows the velocity.
#[test]
fn derivatives_are_those_of_both_impacts() {
    let problem = hanging("gap=0.002,late=0.005,shift=0.001");
    let known = |of: Vec<bool>| of.into_iter().filter(|known| *known).count();
    for step in [problem.natural_step(), None] {
        let plan = plan(Law::from(Routh { step, ..Routh::default() }), 8, F64);
        for wrt in [Wrt::Velocity, Wrt::Friction] {
            let found = Differentiator::new(&problem, &plan, wrt).unwrap();
            assert!(known(compare(&problem, &plan, wrt, &found)) > 4, "{step:?} {wrt:?}");
        }
    }
}

/// Where the length of a block is given, it is held anyway; else samples have other derivatives at
/// a held length. Derivatives of branches are added where there are none.
#[test]
fn derivatives_of_both_impacts_hold_the_step_and_take_branches() {
    let problem = hanging("gap=0.002,late=0.005,shift=0.001");
    let values = |found: &Differentiator| found.jacobians(0, 8, || ()).unwrap().values;
    for (step, same) in [(problem.natural_step(), true), (None, false)] {
        let plan = plan(Law::from(Routh { step, ..Routh::default() }), 8, F64);
        let total = Differentiator::new(&problem, &plan, Wrt::Velocity).unwrap();
        let held = Differentiator::at_held_step(&problem, &plan).unwrap();
        let pairs = values(&total).into_iter().zip(values(&held));
        let pairs: Vec<_> = pairs.filter(|(a, b)| a.is_finite() && b.is_finite()).collect();
        assert!(!pairs.is_empty());
        assert_eq!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs())), same);
        let before = total.jacobians(0, 8, || ()).unwrap();
        let with = total.of_branches().jacobians(0, 8, || ()).unwrap();
        assert_eq!(with.differentiable, before.differentiable);
        let kept = before.values.iter().zip(&with.values).filter(|(a, _)| a.is_finite());
        assert!(kept.into_iter().all(|(a, b)| a == b));
    }
    let plan = plan(Law::default(), 8, F64);
    let refused = Differentiator::along(&problem, &plan, &[1.0, 0.0, 0.0]).map(drop).unwrap_err();
    assert!(refused.to_string().contains("uncertain poses"), "{refused}");
}

#[test]
fn what_takes_one_pose_refuses() {
    let problem = uncertain("rocking-block", "shift=0.01");
    let asked = plan(Law::default(), 100, F64);
    let engine = cpu();
    let search = Search { share: 0.5, goal: SearchGoal::Far(Vec::new()) };
    assert!(engine.explore(&problem, &asked, &search, |_| Ok(())).is_err());
    assert!(Reach::default().set(&problem).is_err());
    let refused = [
        carom::bound(&problem, &[1.0, 0.0, 0.0], BoundKind::Conic).map(drop),
        carom::guarantee_until(&problem, &Limits::default()).map(drop),
        Law::default().prepare::<f64>(&problem).map(drop),
    ];
    for error in refused.map(Result::unwrap_err) {
        assert!(error.what.contains("one pose"), "{error}");
        assert_eq!(error.at.as_deref(), Some("uncertainty"));
    }
    let table = Plan { solver: Some(StepSolver::Table), law: Routh::steps().into(), ..asked };
    let error = engine.collect(&problem, &table).unwrap_err();
    assert!(error.what.contains("samples of one problem"), "{error}");
    let orders = Law::named("sequential").unwrap();
    let numbers = Uncertainty { noise: 0.1, ..problem.uncertainty().clone() };
    let noisy = problem.with_numbers(None, numbers).unwrap();
    assert!(engine.collect(&noisy, &Plan { law: orders, samples: 3, ..Plan::default() }).is_err());
}
