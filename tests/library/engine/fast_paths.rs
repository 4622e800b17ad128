//! The fast ways to solve steps against the slow one, and both against enumeration.

use super::*;
use crate::support::compare::{assert_prefix, steps};
use carom_core::lcp::enumerate::enumerate;
use carom_core::lcp::{ExplicitMap, ModeTable, StepProblem};
use carom_core::real::Real;
use carom_engine::{Batch, StepSolver};
use carom_law as law;
use carom_law::routh::steps::Steps;

fn run(
    problem: &ContactProblem,
    solver: Option<StepSolver>,
    precision: Precision,
    samples: u64,
) -> Samples {
    let plan = Plan { samples, seed: 5, precision: Some(precision), solver, ..steps() };
    on_cpu(problem, &plan)
}

/// How many samples differ by more than `bound` max|u-| in a velocity, or in how they end.
fn different(a: &Samples, b: &Samples, problem: &ContactProblem, bound: f64) -> usize {
    let size = problem.contact_velocity().amax();
    (0..a.len())
        .filter(|&i| {
            let (u, w) = (a.row(&a.contact_velocity, i), b.row(&b.contact_velocity, i));
            a.status[i] != b.status[i] || u.iter().zip(w).any(|(x, y)| (x - y).abs() > bound * size)
        })
        .count()
}

/// A body of mass 1 and inertia 0.1 on points (x, y, slope of the normal), with friction mu.
fn body(points: &[(f64, f64, f64)], mu: f64, velocity: [f64; 3]) -> ContactProblem {
    let rows = |tangent: bool| {
        let row = move |&(x, y, slope): &(f64, f64, f64)| {
            let size = f64::hypot(1.0, slope);
            let n = if tangent { [1.0 / size, slope / size] } else { [-slope / size, 1.0 / size] };
            vec![n[0], n[1], x * n[1] - y * n[0]]
        };
        points.iter().map(row)
    };
    problem(rough(&[1.0, 1.0, 0.1], rows(false), rows(true), vec![mu; points.len()], velocity))
}

fn small_problems() -> Vec<(String, ContactProblem)> {
    let scenes = ["rocking-block", "compass-gait", "box-and-wall", "ramone"];
    let mut problems: Vec<_> = scenes.iter().map(|name| (name.to_string(), load(name))).collect();
    problems.push(("one contact".into(), body(&[(0.3, -0.4, 0.1)], 0.5, [1.0, -1.0, 2.0])));
    problems.push((
        "no friction".into(),
        body(&[(-0.3, -0.4, 0.1), (0.5, -0.3, 0.0)], 0.0, [1.0, -1.0, 2.0]),
    ));
    problems.push((
        "nasty".into(),
        body(&[(-0.5, -1.0, 0.0), (0.05, -0.9, 0.0)], 0.7, [0.4, -1.0, 0.3]),
    ));
    problems.push((
        "wedge".into(),
        body(&[(-0.5, -1.0, -1.5), (0.5, -1.0, 1.5)], 0.3, [0.1, -1.0, 0.2]),
    ));
    let three = [(-0.5, -1.0, 0.0), (0.1, -0.9, 0.3), (0.6, -0.8, -0.4)];
    problems.push(("three".into(), body(&three, 0.4, [0.3, -1.0, 0.5])));
    problems
}

#[test]
fn vectors_and_samples_one_by_one_agree_in_f64() {
    for (name, problem) in small_problems() {
        let slow = run(&problem, Some(StepSolver::Scalar), F64, 20_000);
        let fast = run(&problem, Some(StepSolver::Table), F64, 20_000);
        assert_eq!(different(&fast, &slow, &problem, 1e-9), 0, "{name}");
        assert_eq!(fast.steps, slow.steps, "{name}");
        for unasked in [None, Some(StepSolver::Former)] {
            assert_prefix(&run(&problem, unasked, F64, 1000), &fast, &name);
        }
    }
}

/// Vectors and single samples agree where rates persist over short steps, and where some are 0.
#[test]
fn vectors_and_samples_one_by_one_agree_however_rates_are_drawn() {
    let disks = ("disk-stack".to_string(), load("disk-stack"));
    for (name, problem) in small_problems().into_iter().chain([disks]) {
        let step = Some(0.2 * Law::from(Routh::steps()).step_on(&problem).unwrap());
        let mix = "uniform:1,sobol:1,coverage:1".parse().unwrap();
        let ways = [(law::Sampler::Uniform, Some(3)), (law::Sampler::Coverage, None), (mix, None)];
        for (sampler, persist) in ways {
            let law = Routh {
                sampler: Some(sampler),
                persist,
                step,
                max_steps: Some(1000),
                ..Routh::steps()
            };
            let run = |solver, precision| {
                let (law, precision) = (Law::Routh(law.clone()), Some(precision));
                let plan = Plan { law, samples: 5000, solver, precision, ..steps() };
                on_cpu(&problem, &plan)
            };
            let (fast, slow) = (run(None, F64), run(Some(StepSolver::Scalar), F64));
            // Solutions of short steps may lie within `Real::DISTINCT`, and count as one.
            let bound = if persist.is_some() { 1e-9 } else { 10.0 * f64::DISTINCT };
            assert_eq!(different(&fast, &slow, &problem, bound), 0, "{name}, {sampler:?}");
            assert_eq!(fast.steps, slow.steps, "{name}, {sampler:?}");
            if problem.contact_count() > 3 {
                continue; // Lemke's method may take another path in f32
            }
            let single = run(None, F32);
            let differing = different(&single, &slow, &problem, 1e-4);
            assert!(differing <= 5, "{name}, {sampler:?}: {differing}");
            assert!(single.residual.iter().all(|r| *r <= 1e-5), "{name}, {sampler:?}");
        }
    }
}

#[test]
fn single_precision_agrees_with_double_on_unique_steps() {
    let problem = load("rocking-block");
    let count = 1_000_000;
    let double = run(&problem, None, F64, count);
    let single = run(&problem, None, F32, count);
    let differing = different(&single, &double, &problem, 1e-5);
    assert!(differing <= 1, "{differing} of {count}");
}

#[test]
fn single_precision_takes_the_same_branches_where_steps_have_several_solutions() {
    for (name, problem) in small_problems() {
        let double = run(&problem, Some(StepSolver::Scalar), F64, 20_000);
        let single = run(&problem, None, F32, 20_000);
        let differing = different(&single, &double, &problem, 1e-4);
        assert!(differing <= 4, "{name}: {differing}");
        assert!(single.residual.iter().all(|r| *r <= 1e-5), "{name}");
    }
}

/// The distinct `u+` among solutions, in units of max|u-|.
fn distinct(problem: &StepProblem<f64>, x: &[f64], impulses: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let k = 2 * problem.contacts;
    let mut all: Vec<Vec<f64>> = Vec::new();
    for l in impulses {
        let mut u = vec![0.0; k];
        problem.advance(&x[..k], l, &mut u);
        let scaled: Vec<f64> = u.iter().zip(&problem.sigma).map(|(u, s)| u * s).collect();
        let near = |other: &Vec<f64>| other.iter().zip(&scaled).all(|(a, b)| (a - b).abs() <= 1e-7);
        if !all.iter().any(near) {
            all.push(scaled);
        }
    }
    all
}

#[test]
fn the_pruned_map_has_all_solutions_that_enumeration_finds() {
    for (name, problem) in small_problems().into_iter().filter(|(_, p)| p.contact_count() <= 2) {
        let bound = Steps::<f64>::new(&Routh::steps(), &problem).unwrap();
        let step = &bound.space.step;
        let (m, n) = (step.contacts, step.lcp_size());
        let explicit = ExplicitMap::pruned(step);
        let table = ModeTable::<f64>::new(&explicit.regions, &bound.rates.caps);
        let mut points = Vec::new();
        let mut work = bound.workspace();
        for i in 0..100 {
            bound.sample_observed(&Stream::new(1, i), &mut work, |_, x, _| points.push(x.to_vec()));
        }
        for x in &points {
            let (u, c) = x.split_at(2 * m);
            let found: Vec<Vec<f64>> = (0..explicit.regions.len())
                .filter(|&k| table.holds(k, x))
                .map(|k| {
                    let mut l = vec![0.0; 2 * m];
                    table.impulse(step, k, x, &mut l);
                    l
                })
                .collect();
            let found = distinct(step, x, &found);
            let matrix = nalgebra::DMatrix::from_fn(n, n, |i, j| step.lcp_entry(i, j));
            let constant = nalgebra::DVector::from_fn(n, |i, _| step.lcp_constant(u, c, i));
            let all: Vec<Vec<f64>> = enumerate(&matrix, &constant, 1e-9)
                .iter()
                .map(|z| {
                    let mut l = vec![0.0; 2 * m];
                    step.impulse_of(z.as_slice(), &mut l);
                    l
                })
                .collect();
            let all = distinct(step, x, &all);
            assert_eq!(found.len(), all.len(), "{name}: {x:?}\n{found:?}\n{all:?}");
            assert!(!explicit.unique || found.len() == 1, "{name}: proved unique, yet {found:?}");
        }
    }
}

#[test]
fn a_sampler_follows_new_velocities_and_problems() {
    let plan = Plan { seed: 3, ..steps() };
    let problems: Vec<ContactProblem> =
        ["compass-gait", "ramone", "disk-stack"].iter().map(|name| load(name)).collect();
    let mut sampler = Prepared::<f64>::new(&problems[0], &plan).unwrap();
    for problem in &problems {
        sampler.problem(problem).unwrap();
        let faster: Vec<f64> = problem.velocity().iter().map(|v| 1.5 * v).collect();
        sampler.velocity(&faster).unwrap();
        let mut other = problem.clone();
        other.set_velocity(&faster).unwrap();
        let mut fresh = Prepared::<f64>::new(&other, &plan).unwrap();
        assert_eq!(sampler.sample(7, 500), fresh.sample(7, 500));
    }
    let before = sampler.sample(7, 500).clone();
    assert!(sampler.velocity(&[1.0]).is_err());
    assert!(sampler.velocity(&vec![f64::NAN; problems[2].coordinate_count()]).is_err());
    // A finite velocity is refused too where the problem in its unit has no finite numbers.
    assert!(sampler.velocity(&vec![-1e200; problems[2].coordinate_count()]).is_err());
    assert_eq!(sampler.sample(7, 500), &before, "a velocity that is refused changes nothing");
    let chart = Plan { solver: Some(StepSolver::Chart), ..plan };
    assert!(Prepared::<f64>::new(&problems[0], &chart).is_err());
}

#[test]
fn a_batch_is_its_problems_one_by_one() {
    let scenes = ["rocking-block", "ramone"].map(load);
    let problems: Vec<ContactProblem> = (0..20)
        .map(|i| {
            let mut problem = scenes[i % 2].clone();
            let v: Vec<f64> =
                problem.velocity().iter().map(|v| v * (1.0 + 0.01 * (i / 2) as f64)).collect();
            problem.set_velocity(&v).unwrap();
            problem
        })
        .collect();
    let plan = Plan { samples: 300, seed: 2, ..steps() };
    for plan in [plan.clone(), Plan { law: Law::default(), ..plan.clone() }] {
        let mut batch = Batch::<f32>::new(&plan);
        for (problem, samples) in problems.iter().zip(batch.sample(&problems).unwrap()) {
            let mut alone = Prepared::<f32>::new(problem, &plan).unwrap();
            let alone = alone.sample(0, 300);
            assert_eq!(different(alone, samples, problem, 1e-4), 0);
            assert_eq!(alone.steps, samples.steps);
        }
    }
    let seeds: Vec<u64> = (0..20).map(|i| 5 + (i << 40)).collect();
    let mut batch = Batch::<f64>::new(&plan);
    for ((problem, samples), seed) in
        problems.iter().zip(batch.sample_seeded(&problems, &seeds).unwrap()).zip(&seeds)
    {
        let own = Plan { seed: *seed, ..plan.clone() };
        let mut alone = Prepared::<f64>::new(problem, &own).unwrap();
        assert_eq!(different(alone.sample(0, 300), samples, problem, 1e-9), 0);
    }
    assert!(batch.sample_seeded(&problems, &seeds[1..]).is_err());
    assert!(Batch::<f64>::new(&plan).sample(&[]).unwrap().is_empty());
    let endless = Plan { samples: u64::MAX, ..steps() };
    assert!(Batch::<f64>::new(&endless).sample(&problems).is_err());
}

#[test]
fn solvers_that_do_not_apply_are_refused_with_a_hint() {
    let compass = load("compass-gait");
    let disks = load("disk-stack");
    let lemke = Law::Routh(Routh { solution: Solution::Lemke, ..Routh::steps() });
    for (problem, solver, law) in [
        (&compass, StepSolver::Chart, Law::from(Routh::steps())),
        (&compass, StepSolver::Table, lemke),
        (&disks, StepSolver::Table, Law::from(Routh::steps())),
    ] {
        let plan = Plan { samples: 10, solver: Some(solver), law, ..steps() };
        let error = cpu().collect(problem, &plan).unwrap_err();
        assert_eq!(error.at.as_deref(), Some("solver"), "{error}");
        assert!(error.hint.is_some());
    }
}
