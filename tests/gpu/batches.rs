//! Batches: several problems of one shape in one dispatch.

use super::*;

in_both! {
    many_problems_in_one_kernel,
    batches,
    forecasts,
    samples_with_poses_of_their_own,
}

/// What a model adds to an outcome is the same on every device, up to the rounding of velocities;
/// runs that keep no samples, and batches, have it too.
pub fn forecasts<R: carom::Kernels>() {
    const COUNT: u64 = 500;
    let model = Model {
        friction: [0.2, 0.4],
        restitution: [0.1, 0.3],
        noise: 0.05,
        law: Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() }.into(),
        ..Model::default()
    };
    let problem = model.on(load("rocking-block")).unwrap();
    let (law, precision) = (model.law().unwrap(), Some(precision_of::<R>()));
    let lawful = Plan { law, samples: COUNT, seed: 5, precision, ..Plan::default() };
    let plan = Plan { forecaster: Some(Arc::new(model)), ..lawful.clone() };
    let added = |engine: &Engine| -> Vec<f64> {
        let of = |plan: &Plan| engine.collect(&problem, plan).unwrap().1.velocity;
        of(&plan).iter().zip(of(&lawful)).map(|(with, without)| with - without).collect()
    };
    let engine = Engine::open(&Device::Gpu).unwrap();
    let (here, there) = (added(&Engine::open(&Device::Cpu).unwrap()), added(&engine));
    // Each of two velocities is rounded once.
    let close = 4.0 * R::EPSILON.to_f64() * problem.velocity().amax();
    assert!(here.iter().zip(&there).all(|(a, b)| (a - b).abs() <= close));
    assert!(there.iter().any(|x| x.abs() > 0.01));
    let (run, samples) = engine.collect(&problem, &plan).unwrap();
    assert_eq!(engine.summarize(&problem, &plan, |_| ()).unwrap().summary, run.summary);
    let mut batch = engine.batch::<R>(&plan);
    assert_eq!(batch.sample(std::slice::from_ref(&problem)).unwrap()[0].velocity, samples.velocity);
}

/// Columns of particles: two with a table of their own, and each of them again with another
/// velocity.
fn columns(m: usize) -> Vec<ContactProblem> {
    let mut rng = Draws::of(31, m);
    let two = [column(&mut rng, m), column(&mut rng, m)];
    let faster = two.clone().map(|mut problem| {
        let velocity: Vec<f64> = problem.velocity().iter().map(|v| 1.3 * v + 0.01).collect();
        problem.set_velocity(&velocity).unwrap();
        problem
    });
    two.into_iter().chain(faster).collect()
}

/// One kernel for all computes what a kernel for each does, also where a dispatch ends within a
/// problem.
pub fn many_problems_in_one_kernel<R: Compiled>() {
    const EACH: u32 = 150;
    for (m, law) in [
        (1, Routh::steps()),
        (2, Routh::steps()),
        (2, Routh { max_steps: Some(2), ..Routh::steps() }),
        (2, Routh { solution: Solution::Lemke, ..Routh::steps() }),
        (4, Routh::steps()),
    ] {
        let problems = columns(m);
        let law = Law::from(law);
        let bounds: Vec<_> = problems.iter().map(|one| law.prepare::<R>(one).unwrap()).collect();
        let seeds: Vec<u64> = (0..problems.len() as u64).map(|b| 7 + (b << 33)).collect();
        let mut all =
            Kernel::of_many(gpu(), &bounds.iter().collect::<Vec<_>>(), &seeds, EACH).unwrap();
        let rows = problems.len() as u64 * u64::from(EACH);
        let parts: Vec<Raw<R>> = [(0, 100), (100, rows - 100)]
            .map(|(first, count)| all.dispatch(first, count, || false).unwrap())
            .to_vec();
        let endings: Vec<_> = parts.iter().flat_map(|raw| &raw.endings).collect();
        let impulses: Vec<_> = parts.iter().flat_map(|raw| &raw.impulses).collect();
        for (b, bound) in bounds.iter().enumerate() {
            let mut one = Kernel::new(gpu(), bound, seeds[b]).unwrap();
            let raw = one.dispatch::<R>(0, u64::from(EACH), || false).unwrap();
            assert!(raw.endings.iter().any(|ending| ending.steps > 0));
            // On hardware the two pipelines may contract differently, and few samples then take
            // another way.
            let close = if bench().exact { 0.0 } else { 1e3 * R::EPSILON };
            let differs = |i: &usize| {
                let (at, k) = (b * EACH as usize + i, 2 * m);
                let (here, alone) = (&impulses[at * k..][..k], &raw.impulses[i * k..][..k]);
                let (a, b) = (endings[at], &raw.endings[*i]);
                (a.status, a.steps) != (b.status, b.steps)
                    || here.iter().zip(alone).any(|(a, b)| (a.to_f64() - b.to_f64()).abs() > close)
            };
            let different = (0..EACH as usize).filter(differs).count();
            assert_few(different, EACH as usize, &format!("{m} contacts, problem {b}"));
        }
    }
}

/// A batch on the GPU has the samples of a batch on the CPU, also with other velocities and other
/// problems later on.
pub fn batches<R: carom::Kernels>() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let plan = plan(Solution::Random, precision_of::<R>(), 200, 3);
    let (mut here, mut there) = (Batch::<R>::new(&plan), engine.batch::<R>(&plan));
    let mut problems = columns(2);
    let close = if precision_of::<R>() == Precision::F64 { 1e-9 } else { 1e-4 };
    for round in 0..3 {
        match round {
            1 => problems.iter_mut().for_each(|problem| {
                let velocity: Vec<f64> = problem.velocity().iter().map(|v| 0.8 * v).collect();
                problem.set_velocity(&velocity).unwrap();
            }),
            2 => problems.rotate_left(1),
            _ => {}
        }
        let (a, b) = (here.sample(&problems).unwrap(), there.sample(&problems).unwrap());
        assert_eq!((a.len(), b.len()), (problems.len(), problems.len()));
        for (p, (a, b)) in a.iter().zip(b).enumerate() {
            assert_eq!((a.len(), b.len()), (200, 200));
            assert!(b.residual.iter().all(|r| *r <= R::RESIDUAL));
            assert_eq!(a.status, b.status, "round {round}, problem {p}");
            let differing = (0..a.len()).filter(|&i| apart(a, b, i) > close).count();
            assert!(differing <= 2, "round {round}, problem {p}: {differing} of 200 differ");
        }
    }
    let mixed = [columns(1).remove(0), columns(2).remove(0)];
    let error = there.sample(&mixed).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("contacts"), "{error}");
    assert!(there.sample(&[]).unwrap().is_empty());
    let table = Plan { solver: Some(StepSolver::Table), ..plan };
    let error = engine.collect(&problems[0], &table).map(|_| ()).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("solver"), "{error}");
}

/// Samples with poses of their own, with and without second impacts, are those of the CPU.
pub fn samples_with_poses_of_their_own<R: Compiled>() {
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let cpu = Engine::open(&Device::Cpu).unwrap();
    for (name, words, samples) in [
        ("rocking-block", "shift=0.01,attitude=0.02,slope=-0.1..0.1", 300),
        ("cube-on-edge", "shift=0.001,attitude=0.01,gap=0.001,late=0.01,mu=0.1..0.2", 60),
    ] {
        let problem = load(name);
        let restitution = problem.spec().restitution.clone();
        let problem = problem.with_numbers(restitution, words.parse().unwrap()).unwrap();
        let plan =
            Plan { samples, seed: 5, precision: Some(precision_of::<R>()), ..Plan::default() };
        let (run, there) = gpu.collect(&problem, &plan).unwrap();
        let here = cpu.collect(&problem, &plan).unwrap().1;
        assert!(run.doubted.is_some_and(|doubted| doubted.samples > 0), "{name}");
        let scale = problem.velocity().amax();
        let close = (1e4 * R::EPSILON.to_f64()).max(2e-6);
        let differs = |&i: &usize| {
            // Rounding decides whether a step of the inclusion is accepted.
            let otherwise = there.steps[i] != here.steps[i];
            let close = if otherwise { close.max(inclusion::OTHERWISE) } else { close };
            there.status[i] != here.status[i] || apart(&there, &here, i) > close * scale
        };
        let few = (0..samples as usize).filter(differs).count();
        assert_few(few, samples as usize, name);
        // No impulse at contacts that were left out of both impacts.
        for i in 0..samples {
            let posed = problem.posed(5, i).unwrap();
            let row = there.row(&there.impulse, i as usize);
            let out = (0..problem.contact_count()).filter(|c| !posed.order.contains(c));
            out.for_each(|c| assert_eq!(row[c], 0.0, "{name} {i}"));
        }
    }
}
