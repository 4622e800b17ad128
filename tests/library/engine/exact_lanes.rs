//! The event process in vector lanes: the same samples as one by one.

use super::*;
use carom_engine::StepSolver;

const SCENES: [&str; 4] = ["rocking-block", "compass-gait", "box-and-wall", "ramone"];

fn plan(sampler: Sampler, precision: Precision, solver: StepSolver, samples: u64) -> Plan {
    let law = Routh { sampler: Some(sampler), ..Routh::default() };
    Plan { solver: Some(solver), ..planned(law, samples, 3, precision) }
}

/// The problem with coefficients of restitution.
fn elastic(problem: &ContactProblem, e: [f64; 2]) -> ContactProblem {
    let restitution = Some(e[..problem.contact_count()].to_vec());
    ContactProblem::new(ProblemSpec { restitution, ..problem.spec().clone() }).unwrap()
}

/// Samples in lanes, and one by one.
fn both(
    problem: &ContactProblem,
    sampler: Sampler,
    precision: Precision,
    samples: u64,
) -> [Samples; 2] {
    [StepSolver::Chart, StepSolver::Scalar]
        .map(|solver| on_cpu(problem, &plan(sampler, precision, solver, samples)))
}

/// How many samples end otherwise, or differ by more than `bound` of their largest impulse.
fn different([a, b]: &[Samples; 2], bound: f64) -> usize {
    let differs = |i: usize| {
        let (l, other) = (a.row(&a.impulse, i), b.row(&b.impulse, i));
        let size = other.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let near = l.iter().zip(other).all(|(x, y)| (x - y).abs() <= bound * size);
        (a.status[i], a.steps[i]) != (b.status[i], b.steps[i]) || !near
    };
    (0..a.len()).filter(|&i| differs(i)).count()
}

#[test]
fn scenes_are_the_same_in_lanes() {
    let cases_of = |name| [[0.0; 2], [0.7, 0.7], [0.0, 1.0]].map(|e| (name, e));
    for (name, e) in SCENES.into_iter().flat_map(cases_of) {
        let problem = elastic(&load(name), e);
        let mix = "uniform:1,sobol:1,coverage:1".parse().unwrap();
        for sampler in [Sampler::Uniform, Sampler::Sobol, Sampler::Coverage, mix] {
            let count = cases(10_000, 100_000);
            let double = both(&problem, sampler, F64, count);
            assert_eq!(different(&double, 1e-10), 0, "{name} {e:?}");
            let single = both(&problem, sampler, F32, count);
            let changed = different(&single, 1e-4);
            let ended = |samples: &Samples| {
                samples.status.iter().filter(|s| **s == Status::Terminated).count()
            };
            assert!(changed as u64 <= count / 1000, "{name} {e:?}, {sampler:?}: {changed}");
            assert_eq!(ended(&single[0]), ended(&single[1]), "{name} {e:?}, {sampler:?}");
            assert!(single[0].residual.iter().all(|r| *r <= 1e-5), "{name} {e:?}, {sampler:?}");
        }
    }
}

/// Friction from 0 to 1e5, copies of contacts, singular matrices, units of any size.
#[test]
fn random_problems_are_the_same_in_lanes() {
    let any = cases(150, 1000) as usize;
    let problems =
        fixed_problems(planar(2)).take(any).chain(fixed_problems(small(2, 1e5, false)).take(any));
    let (mut single, mut all) = (0, 0);
    for (n, problem) in problems.enumerate() {
        let sampler = [Sampler::Uniform, Sampler::Coverage][n % 2];
        let problem = elastic(&problem, [[0.0, 0.0], [0.5, 0.0], [0.3, 1.0]][n % 3]);
        let double = both(&problem, sampler, F64, 200);
        assert_eq!(different(&double, 1e-10), 0, "problem {n}: {problem:?}");
        single += different(&both(&problem, sampler, F32, 200), 1e-4);
        all += 200;
    }
    assert!(1000 * single <= all, "{single} of {all}");
}

#[test]
fn a_sample_does_not_depend_on_its_lane() {
    for (name, problem) in loaded(["compass-gait", "disk-stack"]) {
        let law = Law::Routh(Routh::default());
        let mut prepared =
            Prepared::<f32>::new(&problem, &Plan { law, seed: 4, ..Plan::default() }).unwrap();
        let all = prepared.sample(0, 700).clone();
        for (first, count) in [(0, 1), (5, 63), (13, 64), (100, 65), (129, 500)] {
            let some = prepared.sample(first, count);
            for i in 0..count {
                let j = first as usize + i;
                let (l, known) = (some.row(&some.impulse, i), all.row(&all.impulse, j));
                assert_eq!(l, known, "{name} {first} {i}");
                assert_eq!(some.steps[i], all.steps[j], "{name}");
                assert_eq!(some.residual[i], all.residual[j], "{name}");
            }
        }
    }
}
