//! What used to take for ever, and samples that have to be those of the event process.

use super::*;

fn inclusion() -> Routh {
    Routh { process: Some(RouthProcess::Inclusion), ..uniform() }
}

/// Planar problems whose segments have one solution: the draws are the same, so the samples are.
#[test]
fn in_a_plane_its_samples_are_those_of_the_exact_process() {
    for name in ["rocking-block", "box-and-wall", "newtons-cradle"] {
        for e in [0.0, 0.6] {
            let problem = bouncing(&load(name), e);
            let step = problem.natural_step();
            let law = |process| Routh { process: Some(process), step, accuracy: None, ..uniform() };
            let integrated = Routh { accuracy: Some(1e-8), ..law(RouthProcess::Inclusion) };
            let a = sampled(&problem, law(RouthProcess::Events), F64, 300);
            let b = sampled(&problem, integrated, F64, 300);
            let size = problem.velocity().amax();
            let apart =
                a.velocity.iter().zip(&b.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let segments = |steps: &[u32]| steps.iter().map(|s| f64::from(*s)).sum::<f64>() / 300.0;
            let [most, found] = [&a, &b].map(|samples| segments(&samples.steps));
            assert!(apart <= 1e-8 * size, "{name} {e}: {apart:e}");
            assert!(found <= 1.5 * most, "{name} {e}");
        }
    }
}

/// A stack of disks, disturbed: motion spirals to rest.
#[test]
fn spirals_end() {
    let spec = load("disk-stack").spec().clone();
    let uncertainty = Uncertainty { noise: 0.01, ..Uncertainty::default() };
    let problem = problem(ProblemSpec { uncertainty, ..spec });
    let samples = sampled(&problem, uniform(), F64, 200);
    let ended = (0..200)
        .filter(|&i| samples.status[i] == Status::Terminated && samples.residual[i] <= 1e-3);
    let most = samples.steps.iter().max();
    assert!(ended.count() == 200, "{:?}", samples.status);
    assert!(most < Some(&2000), "{most:?}");
}

/// Feet and fingers with many redundant contacts, of which some rest while others slide: at most
/// one sample in 50 is left to be repaired.
#[test]
fn robots_on_redundant_contacts_end_accepted() {
    for (name, count) in [("humanoid", 200), ("hand-on-box", 50)] {
        for e in [0.0, 0.4] {
            let problem = bouncing(&load(name), e);
            for precision in [F32, F64] {
                let samples = sampled(&problem, inclusion(), precision, count);
                let accepted = |(status, residual): &(&Status, &f64)| {
                    **status == Status::Terminated && **residual <= 1e-3
                };
                let ended = samples.status.iter().zip(&samples.residual);
                let left = count as usize - ended.filter(accepted).count();
                assert!(left <= count as usize / 50, "{name} {e} {precision:?}: {left} rejected");
            }
        }
    }
}

/// Two planar contacts whose tangents are 17 degrees apart, with friction from 20 to 100.
#[test]
fn steep_friction_does_not_take_long() {
    for mu in [20.0, 50.0, 100.0] {
        let (sin, cos) = 17f64.to_radians().sin_cos();
        let normal = [[0.0, 1.0, -0.5], [-sin, cos, 0.6]];
        let tangent = [[1.0, 0.0, 0.3], [cos, sin, 0.4]];
        let problem = problem(rough(&[1.0, 1.0, 0.2], normal, tangent, [mu; 2], [1.0, -0.7, 0.4]));
        let samples = sampled(&problem, inclusion(), F64, 200);
        let most = samples.steps.iter().max();
        assert!(samples.status.iter().all(|s| *s == Status::Terminated), "{:?}", samples.status);
        assert!(most < Some(&500), "mu {mu}: {most:?}");
    }
}

/// A block that slides fast and approaches slowly, or only because of noise, in units of any size.
#[test]
fn blocks_are_as_long_as_what_was_drawn_asks_for() {
    let block = |un: f64, noise: f64, [mass, length]: [f64; 2]| {
        let mass = [mass, mass, 0.2 * mass * length * length];
        let normal = [[0.0, 1.0, -0.5 * length], [0.0, 1.0, 0.5 * length]];
        let tangent = [[1.0, 0.0, 0.9 * length], [1.0, 0.0, 0.9 * length]];
        let spec = ProblemSpec {
            uncertainty: Uncertainty { noise, ..Uncertainty::default() },
            ..rough(&mass, normal, tangent, [0.8; 2], [length, un * length, 0.0])
        };
        problem(spec)
    };
    for (un, noise) in [(-1e-6, 0.0), (1e-3, 0.02), (-1e-6, 0.02)] {
        let runs =
            [[1.0, 1.0], [2f64.powi(20), 1.0], [2f64.powi(-20), 2f64.powi(10)]].map(|units| {
                let problem = block(un, noise, units);
                let samples = sampled(&problem, inclusion(), F64, 200);
                let ended =
                    samples.status.iter().filter(|status| **status == Status::Terminated).count();
                assert_eq!(ended, 200, "{un} {noise} {units:?}");
                samples.steps
            });
        let most = runs[0].iter().max();
        assert!(most < Some(&400), "{most:?}");
        assert!(runs[1..].iter().all(|other| *other == runs[0]), "{un} {noise}");
    }
}

/// The distance from a far finer integration stays below the accuracy asked for.
#[test]
fn it_is_as_accurate_as_is_asked_for() {
    for (name, problem) in loaded(["cube-on-edge", "cube-on-face", "quadruped-trot"]) {
        let make = |accuracy| {
            let law = Routh { accuracy: Some(accuracy), ..inclusion() };
            Law::Routh(law).prepare::<f64>(&problem).unwrap()
        };
        let fine = make(1e-8);
        for accuracy in [1e-3, 1e-4, 1e-5] {
            let coarse = make(accuracy);
            let (mut a, mut b) = (coarse.workspace(), fine.workspace());
            let mut worst = 0.0f64;
            for sample in 0..40 {
                let ends = [(&coarse, &mut a), (&fine, &mut b)].map(|(process, work)| {
                    let ending = process.sample(&Stream::new(9, sample), work);
                    assert_eq!(ending.status, Status::Terminated);
                    let scaling = &process.space().scaling;
                    let l = DVector::from_fn(problem.jacobian().nrows(), |j, _| {
                        scaling.impulse_along(work.total(), j)
                    });
                    problem.response() * l
                });
                worst = worst.max((&ends[0] - &ends[1]).amax() / problem.velocity().amax());
            }
            assert!(worst <= accuracy, "{name} {accuracy:e}: {worst:e}");
        }
    }
}
