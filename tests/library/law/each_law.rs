//! Each law on one scene, quickly.

use super::*;

fn energy(problem: &ContactProblem) -> f64 {
    problem.kinetic_energy(&problem.spec().velocity)
}

#[test]
fn every_sampled_law_ends_one_scene() {
    let scene = |name| load(name);
    let mut uncertain = scene("rocking-block").spec().clone();
    uncertain.uncertainty.friction = vec![[0.5, 1.0]; 2];
    let uncertain = problem(uncertain);
    let mut cases: Vec<(Law, ContactProblem)> = Vec::new();
    for name in Law::NAMES {
        let problem = if *name == "plus" { uncertain.clone() } else { scene("rocking-block") };
        cases.push((Law::named(name).unwrap(), problem));
    }
    cases.push((Law::default(), uncertain));
    cases.push((Law::default(), scene("cube-on-edge")));
    cases.push((Routh::steps().into(), scene("rocking-block")));
    cases.push((Routh { facets: Some(4), ..Routh::steps() }.into(), scene("cube-on-edge")));
    for (law, problem) in cases {
        let engine = cpu();
        let plan = Plan { law: law.clone(), samples: 256, seed: 1, ..Plan::default() };
        let summary = engine.sample(&problem, &plan, |_| Ok(())).unwrap().summary;
        assert_eq!(summary.accepted, 256, "{law:?}");
        let (_, most, _) = summary.kinetic_energy.get(0).unwrap();
        assert!(most <= energy(&problem) * (1.0 + 1e-9), "{law:?}: {most} J");
    }
}

#[test]
fn every_law_with_finitely_many_outcomes_ends_one_scene() {
    for name in FiniteLaw::NAMES {
        let spatial = name == "darboux-keller";
        let scene = if spatial { "icosahedron-tetrahedron" } else { "rocking-block" };
        let problem = load(scene);
        let resolved = FiniteLaw::named(name).unwrap().resolve(&problem).unwrap();
        assert!(!resolved.outcomes.is_empty(), "{name}");
        for outcome in resolved.outcomes {
            assert_eq!(outcome.status, Status::Terminated, "{name}");
            assert!(outcome.residual <= 1e-6, "{name}: {}", outcome.residual);
            let most = energy(&problem) * (1.0 + 1e-9);
            assert!(outcome.kinetic_energy <= most, "{name}: {} J", outcome.kinetic_energy);
        }
    }
}
