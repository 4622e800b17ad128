//! The search for outcomes that reach far.

use super::*;
use carom_analysis::Reach;
use carom_core::rng::Patch;
use carom_engine::{Search, SearchGoal};

fn plan(samples: u64, seed: u64) -> Plan {
    Plan { samples, seed, device: Device::Cpu, precision: Some(F64), ..Plan::default() }
}

fn explored(problem: &ContactProblem, plan: &Plan, share: f64) -> Samples {
    let mut all = Samples::default();
    let engine = Engine::open_for(problem, plan).unwrap();
    let run = engine.explore(
        problem,
        plan,
        &Search { share, goal: SearchGoal::Far(Vec::new()) },
        |samples| {
            assert_eq!(samples.first, all.len() as u64);
            all.append(samples.clone());
            Ok(())
        },
    );
    assert_eq!(run.unwrap().summary.samples, plan.samples);
    all
}

/// What is found lies in the exact set, and the first samples are those without a search.
#[test]
fn explored_samples_are_outcomes() {
    for (name, problem) in loaded(["rocking-block", "compass-gait"]) {
        let plan = plan(3000, 4);
        let found = explored(&problem, &plan, 0.5);
        assert_eq!(found.len(), 3000);
        let (_, plain) =
            Engine::open_for(&problem, &plan).unwrap().collect(&problem, &plan).unwrap();
        let n = problem.coordinate_count();
        assert_eq!(found.velocity[..1500 * n], plain.velocity[..1500 * n]);
        let set =
            Reach { certify: false, seconds: 600.0, ..Reach::default() }.set(&problem).unwrap();
        for i in found.accepted(1e-6) {
            assert!(set.distance(found.row(&found.velocity, i)) < 1e-6, "{name}, {i}");
        }
        assert!(found.accepted(1e-6).len() > 2900);
        let again = explored(&problem, &Plan { chunk: Some(1024), ..plan }, 0.5);
        assert_eq!(found.velocity, again.velocity);
    }
}

/// Samples that are aimed at points of the exact set are outcomes, and come near to more of it.
#[test]
fn aimed_samples_fill_the_set() {
    let problem = load("box-and-wall");
    let set = Reach { certify: false, seconds: 600.0, ..Reach::default() }.set(&problem).unwrap();
    let points = |seed: u64| -> Vec<Vec<f64>> {
        let all = set.sample(1000, seed).unwrap();
        all.chunks(problem.coordinate_count()).map(<[f64]>::to_vec).collect()
    };
    let reached = |samples: &Samples| {
        let accepted = samples.accepted(1e-6).into_iter();
        let all = accepted.flat_map(|i| samples.row(&samples.velocity, i).to_vec());
        let all = all.collect::<Vec<f64>>();
        let near = PointSet::new(problem.mass(), problem.velocity(), &all).unwrap();
        points(7).iter().filter(|v| near.distance(v).0 <= 0.01).count()
    };
    let (plan, mut aimed) = (plan(4096, 3), Samples::default());
    let engine = Engine::open_for(&problem, &plan).unwrap();
    let search = Search { share: 0.5, goal: SearchGoal::Near(points(8)) };
    let keep = |samples: &Samples| {
        aimed.append(samples.clone());
        Ok(())
    };
    engine.explore(&problem, &plan, &search, keep).unwrap();
    let (_, plain) = engine.collect(&problem, &plan).unwrap();
    let [aimed_at, of_chance] = [reached(&aimed), reached(&plain)];
    assert!(aimed_at >= 950 && of_chance < 900, "{aimed_at} and {of_chance} of 1000");
    for i in aimed.accepted(1e-6) {
        assert!(set.distance(aimed.row(&aimed.velocity, i)) < 1e-6, "{i}");
    }
    let nothing = Search { share: 0.5, goal: SearchGoal::Near(Vec::new()) };
    assert!(engine.explore(&problem, &plan, &nothing, |_| Ok(())).is_err());
}

/// A sample has the draws of another in patched steps, its own in all others and other purposes.
#[test]
fn patches_change_the_draws_of_their_steps() {
    let (own, other, last) = (Stream::new(3, 10), Stream::new(3, 11), Stream::new(3, 12));
    let (all, low) = (u32::MAX, 0xFFFF);
    let patches = [
        Patch { from: 2, until: 5, sample: 11, taken: all },
        Patch { from: 4, until: u32::MAX, sample: 12, taken: all },
        Patch { from: 7, until: 8, sample: 11, taken: low },
    ];
    let patched = own.patched(&patches);
    for step in 0..9 {
        let expected = if step < 2 {
            own
        } else if step < 4 {
            other
        } else {
            last
        };
        for purpose in [Purpose::Rate, Purpose::Solution, Purpose::Covering, Purpose::Order] {
            let [mut words, more] = [expected, other].map(|stream| stream.block(step, purpose, 1));
            if step == 7 {
                words = std::array::from_fn(|i| (words[i] >> 16 << 16) | (more[i] % 65536));
            }
            assert_eq!(patched.block(step, purpose, 1), words);
        }
        for purpose in [Purpose::Parameter, Purpose::User, Purpose::Sampler, Purpose::Scrambling] {
            assert_eq!(patched.block(step, purpose, 0), own.block(step, purpose, 0));
        }
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let problem = load("rocking-block");
    let refused = |plan: &Plan, share: f64| {
        let engine = Engine::open_for(&problem, plan).unwrap();
        let error = engine
            .explore(&problem, plan, &Search { share, goal: SearchGoal::Far(Vec::new()) }, |_| {
                Ok(())
            })
            .unwrap_err();
        assert_eq!(error.at.as_deref(), Some("explore"), "{}", error.what);
    };
    refused(&plan(100, 0), 0.0);
    refused(&plan(100, 0), f64::NAN);
    let law = Routh { sampler: Some(Sampler::Sobol), ..Routh::default() };
    refused(&Plan { law: law.into(), ..plan(100, 0) }, 0.5);
    refused(&Plan { law: Law::named("sequential").unwrap(), ..plan(100, 0) }, 0.5);
}
