//! Single impacts in random order, against the CPU.

use super::*;

in_both! {
    orders,
    order_runs,
}

fn laws() -> [Law; 2] {
    let max_steps = Some(200);
    [
        Sequential { max_steps, ..Sequential::default() }.into(),
        Propagative { max_steps, ..Propagative::default() }.into(),
    ]
}

/// Kernels take the impacts that the CPU takes, number by number where the adapter rounds as Rust
/// does.
pub fn orders<R: Compiled>() {
    const COUNT: u64 = 500;
    let mut problems = Vec::new();
    for m in 1..=6 {
        let mut rng = Draws::of(41, m);
        problems.extend((0..4).map(|_| column(&mut rng, m)));
    }
    let scenes = ["rocking-block", "ramone", "disk-stack", "newtons-cradle"];
    problems.extend(scenes.map(load));
    for (p, problem) in problems.iter().enumerate() {
        for law in laws() {
            let bound = law.clone().prepare::<R>(problem).unwrap();
            let k = 2 * bound.space().step.contacts;
            let mut kernel = Kernel::new(gpu(), &bound, 5).unwrap();
            let raw = kernel.dispatch::<R>(0, COUNT, || false).unwrap();
            let mut work = bound.workspace();
            let mut differing = 0;
            for i in 0..COUNT as usize {
                let ending = bound.sample(&Stream::new(5, i as u64), &mut work);
                let found = &raw.impulses[i * k..(i + 1) * k];
                let worst = (work.total().iter().zip(found))
                    .fold(0.0_f64, |worst, (a, b)| worst.max((a.to_f64() - b.to_f64()).abs()));
                let close = if bench().exact { 0.0 } else { 1e4 * R::EPSILON };
                differing += u64::from(ending.steps != raw.endings[i].steps || worst > close);
                if bench().exact {
                    let (a, b, law) = (&ending, &raw.endings[i], law.name());
                    assert_eq!(a.status, b.status, "problem {p}, {law}, sample {i}");
                    assert_eq!(a.residual.to_f64() as f32, b.residual.to_f64() as f32);
                }
            }
            let most = if bench().exact { 0 } else { COUNT / 100 };
            assert!(differing <= most, "problem {p}, {}: {differing} of {COUNT}", law.name());
        }
    }
}

/// Whole runs have the outcomes of the CPU's; elastic ones keep their energy.
pub fn order_runs<R: Compiled>() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let cpu = Engine::open(&Device::Cpu).unwrap();
    for name in ["rocking-block", "compass-gait", "disk-stack", "newtons-cradle"] {
        let problem = load(name);
        for law in laws() {
            let plan =
                Plan { law: law.clone(), ..plan(Solution::Random, precision_of::<R>(), 3000, 2) };
            let reference = samples(&cpu, &problem, &plan);
            let found = samples(&engine, &problem, &plan);
            let differing = (0..3000).filter(|&i| {
                found.steps[i] != reference.steps[i] || apart(&found, &reference, i) > 1e-4
            });
            let differing = differing.count();
            println!("{name}, {}: {differing} of 3000 differ", law.name());
            assert!(differing <= 3, "{name}, {}: {differing} of 3000", law.name());
            if let Law::Propagative(_) = law {
                let before = problem.kinetic_energy(problem.velocity().as_slice());
                let close = if precision_of::<R>() == Precision::F32 { 1e-5 } else { 1e-12 };
                for i in (0..3000).filter(|&i| found.status[i] == Status::Terminated) {
                    let off = (found.kinetic_energy[i] - before).abs();
                    assert!(off <= close * before, "{name}, sample {i}");
                }
            }
        }
    }
}
