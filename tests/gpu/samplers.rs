//! How rates are drawn: whole runs against the CPU engine.

use super::*;

in_both! { rates_that_persist, coverage, sobol_points, mixes }

/// Compares a law of short steps with the CPU's slow path, which rounds as a kernel does, sample by
/// sample, on problems for each of its kernels.
fn compare<R: Compiled>(law: &Routh, what: &str) {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    let scenes = ["rocking-block", "compass-gait", "box-and-wall", "ramone"];
    let mut problems: Vec<_> = scenes.iter().map(|name| load(name)).collect();
    problems.extend([3, 4].map(|m| column(&mut Draws::of(20, m), m)));
    for problem in problems {
        for solution in [Solution::Random, Solution::Lemke] {
            let step = Some(0.2 * Law::from(law.clone()).step_on(&problem).unwrap());
            let law = Law::Routh(Routh { solution, step, max_steps: Some(1000), ..law.clone() });
            let plan = Plan { law, ..plan(solution, precision_of::<R>(), cases(250, 1000), 8) };
            let slow = Plan { solver: Some(StepSolver::Scalar), ..plan.clone() };
            let (a, b) = (samples(&cpu, &problem, &slow), samples(&gpu, &problem, &plan));
            let tolerance = 1024.0 * R::EPSILON * problem.velocity().amax();
            let different = (0..a.len()).filter(|&i| {
                let steps = a.steps[i] != b.steps[i];
                a.status[i] != b.status[i] || steps || apart(&a, &b, i) > tolerance
            });
            let what = format!("{what}: {}, {}, {}", problem.name(), solution.name(), R::NAME);
            // In short steps of ramone solutions nearly coincide, and single precision counts them
            // one way or the other.
            let doubtful = usize::from(R::EPSILON > f64::EPSILON && problem.name() == "ramone");
            assert_few(different.count().saturating_sub(3 * doubtful), a.len(), &what);
            assert!(a.steps.iter().any(|&steps| steps > 3), "{what}: too few steps to tell");
        }
    }
}

pub fn rates_that_persist<R: Compiled>() {
    compare::<R>(&Routh { persist: Some(3), ..Routh::steps() }, "persist 3");
}

/// Few contacts at a time, steps of all lengths.
pub fn coverage<R: Compiled>() {
    compare::<R>(&Routh { sampler: Some(Sampler::Coverage), ..Routh::steps() }, "coverage");
}

pub fn sobol_points<R: Compiled>() {
    compare::<R>(&Routh { sampler: Some(Sampler::Sobol), ..Routh::steps() }, "sobol");
}

/// Every sample by the sampler that it has drawn.
pub fn mixes<R: Compiled>() {
    for mix in ["uniform:0.3,coverage:0.7", "uniform:1,sobol:1,coverage:2"] {
        compare::<R>(&Routh { sampler: mix.parse().ok(), ..Routh::steps() }, mix);
    }
}

#[test]
pub fn uncertain_inertia_stays_on_the_cpu() {
    bench();
    let mut spec = load("rocking-block").spec().clone();
    spec.uncertainty.inertia = vec![[0.9, 1.1]];
    let problem = ContactProblem::new(spec).unwrap();
    let plan = Plan { samples: 10, ..Plan::default() };
    let engine = Engine::open_for(&problem, &plan).unwrap();
    assert!(engine.info().kind == "cpu" && engine.info().why.contains("uncertain inertia"));
    let error = Engine::open(&Device::Gpu).unwrap().collect(&problem, &plan).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Device);
    assert!(error.what.contains("uncertain inertia runs on the CPU only"), "{error}");
}
