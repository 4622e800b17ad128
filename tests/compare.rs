//! Laws beside the set, and the pictures of both.

use carom::engine::{Comparison, Device, Engine, Plan};
use carom::output::{compare, pictures};
use carom::problem::{ContactProblem, ProblemSpec};
use carom::scene;

const EXAMPLES: [&str; 6] =
    ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack", "disk-stack-as-published"];

fn compared(problem: &ContactProblem, samples: u64) -> (Plan, Comparison) {
    let plan = Plan { samples, seed: 3, ..Plan::default() };
    let comparison = Engine::open(&Device::Cpu).unwrap().compare(problem, &plan).unwrap();
    (plan, comparison)
}

#[test]
fn the_inelastic_laws_lie_in_the_set() {
    // [HP23] Sec. 5: simultaneous and sequential outcomes belong to the set.
    for name in EXAMPLES {
        let problem = scene::load(name).unwrap();
        let (_, comparison) = compared(&problem, 16_384);
        let inelastic = comparison.outcomes.iter().filter(|compared| compared.law != "propagative");
        let mut count = 0;
        for compared in inelastic {
            let (distance, spacing) = (compared.distance, compared.spacing);
            println!("{name}: {} {}: {distance:e} of {spacing:e}", compared.law, compared.which);
            assert!(compared.in_set, "{name}: {} {}: {distance} of {spacing}", compared.law, compared.which);
            count += 1;
        }
        assert!(count >= 2 && comparison.refused.is_empty());
    }
}

#[test]
fn all_simultaneous_solutions_of_the_compass_gait_are_sampled() {
    let problem = scene::load("compass-gait").unwrap();
    let (_, comparison) = compared(&problem, 4096);
    let solutions: Vec<_> = comparison.outcomes.iter().filter(|c| c.law == "anitescu-potra").collect();
    assert_eq!(solutions.len(), 3);
    assert!(solutions.iter().all(|compared| compared.distance <= 1e-6));
}

#[test]
fn what_bounces_is_outside() {
    for name in EXAMPLES.into_iter().chain(["newtons-cradle", "billiard-break"]) {
        let problem = scene::load(name).unwrap();
        let (_, comparison) = compared(&problem, 2048);
        let elastic = comparison.outcomes.iter().find(|c| c.which.contains("admissible")).unwrap();
        assert!(!elastic.in_set && elastic.distance > 0.1, "{name}");
    }
}

#[test]
fn a_law_that_does_not_apply_is_named() {
    let block = scene::load("rocking-block").unwrap();
    let spec = ProblemSpec { restitution: Some(vec![0.5, 0.4]), ..block.spec().clone() };
    let uneven = ContactProblem::new(spec).unwrap();
    let engine = Engine::open(&Device::Cpu).unwrap();
    let plan = Plan { samples: 64, ..Plan::default() };
    assert!(engine.compare(&uneven, &plan).is_err(), "the set itself is of an inelastic law");
}

#[test]
fn pictures_have_labels_units_and_a_legend() {
    for name in EXAMPLES.into_iter().chain(["newtons-cradle", "billiard-break"]) {
        let problem = scene::load(name).unwrap();
        let (plan, comparison) = compared(&problem, 512);
        let svg = pictures::comparison(&problem, &plan, &comparison).svg().unwrap();
        let drawn = pictures::set(&problem, &plan, &comparison.run, &comparison.samples).svg().unwrap();
        for (svg, words) in [
            (&svg, ["the set: 512 of its samples", "anitescu-potra", "sequential", "normal (m/s)", "seed 3"]),
            (&drawn, ["outcomes by what the contacts do", "%", "rate of ", "normal (m/s)", "seed 3"]),
        ] {
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
            for word in words {
                assert!(svg.contains(word) || comparison.accepted.len() < 512, "{name}: {word}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{name}");
        }
        let text = compare::text(&problem, &plan, &comparison);
        assert!(text.contains("anitescu-potra") && text.contains("in the set"), "{text}");
        let json = compare::json(&problem, &plan, &comparison);
        assert_eq!(json["schema_version"], 1);
        assert_eq!(json["outcomes"].as_array().unwrap().len(), comparison.outcomes.len());
        assert!(json["set"]["resolution"].is_number());
    }
}
