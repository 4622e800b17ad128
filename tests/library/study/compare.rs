//! Laws beside the set, and the pictures of both.

use super::*;
use carom::output::{RunRecord, compare, pictures};
use carom::study::{SampledSet, Verdict};

const EXAMPLES: [&str; 6] = [
    "rocking-block",
    "compass-gait",
    "box-and-wall",
    "ramone",
    "disk-stack",
    "disk-stack-as-published",
];

fn compared(problem: &ContactProblem, samples: u64) -> (RunRecord, Comparison) {
    by(Law::default(), problem, samples)
}

fn by(law: Law, problem: &ContactProblem, samples: u64) -> (RunRecord, Comparison) {
    let plan = Plan { law, samples, seed: 3, ..Plan::default() };
    let comparison = beside(problem, &plan);
    (record(problem, &plan, &comparison), comparison)
}

fn record(problem: &ContactProblem, plan: &Plan, comparison: &Comparison) -> RunRecord {
    RunRecord::new(problem, plan, &comparison.run.device, comparison.run.precision)
}

#[test]
fn the_inelastic_laws_lie_in_the_set() {
    // [HP23] Sec. 5: simultaneous and sequential outcomes belong to the set.
    for (name, problem) in loaded(EXAMPLES) {
        let (_, comparison) = compared(&problem, 16_384);
        let inelastic = comparison
            .outcomes
            .iter()
            .filter(|c| ["anitescu-potra", "sequential"].contains(&c.law));
        let mut count = 0;
        for compared in inelastic {
            let (distance, spacing) = (compared.place.distance, compared.spacing);
            let near = distance <= spacing.max(1e-6) && compared.place.verdict != Verdict::Outside;
            assert!(near, "{name}: {} {}: {distance} of {spacing}", compared.law, compared.which);
            count += 1;
        }
        assert!(count >= 2 && comparison.refused.is_empty());
    }
}

#[test]
fn steps_sample_all_simultaneous_solutions_of_the_compass_gait() {
    let problem = load("compass-gait");
    let (_, comparison) = by(Routh::steps().into(), &problem, 4096);
    let solutions: Vec<_> =
        comparison.outcomes.iter().filter(|c| c.law == "anitescu-potra").collect();
    assert_eq!(solutions.len(), 3);
    assert!(solutions.iter().all(|compared| compared.place.verdict == Verdict::Inside));
}

#[test]
fn what_bounces_is_outside() {
    for (name, problem) in loaded(EXAMPLES.into_iter().chain(["newtons-cradle", "billiard-break"]))
    {
        let (_, comparison) = compared(&problem, 2048);
        let elastic = comparison.outcomes.iter().find(|c| c.which.contains("admissible")).unwrap();
        assert!(elastic.place.verdict == Verdict::Outside, "{name}");
        assert!(elastic.place.distance > 0.1, "{name}");
    }
}

#[test]
fn a_law_that_does_not_apply_is_named() {
    let block = load("rocking-block");
    let spec = ProblemSpec { restitution: Some(vec![0.5, 0.4]), ..block.spec().clone() };
    let uneven = problem(spec);
    let refused = beside(&uneven, &Plan { samples: 64, ..Plan::default() }).refused;
    let names: Vec<_> = refused.iter().map(|(law, _)| *law).collect();
    assert_eq!(
        names,
        ["anitescu-potra", "cone-complementarity", "convex-relaxation", "propagative"]
    );
}

#[test]
fn one_spatial_contact_is_compared_with_its_own_law() {
    let ball = given(
        r#"{ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[0, 0, 1]],
              "tangent": [[1, 0, 0], [0, 1, 0]], "friction": [0.1], "restitution": [0.5],
              "velocity": [1, 0.5, -2] }"#,
    );
    let plan = Plan { samples: 64, law: Law::Propagative(Default::default()), ..Plan::default() };
    let comparison = beside(&ball, &plan);
    let of = |law: &str| comparison.outcomes.iter().find(|compared| compared.law == law).unwrap();
    let (single, alternating) = (of("darboux-keller"), of("sequential"));
    assert_eq!((single.which.as_str(), single.outcome.impacts), ("continuous", 1));
    assert!((single.outcome.velocity[2] - 1.0).abs() < 1e-12 && single.place.distance > 0.05);
    assert!((single.place.distance - alternating.place.distance).abs() < 1e-12);
    let record = record(&ball, &plan, &comparison);
    assert!(compare::text(&ball, &record, &comparison).contains("darboux-keller"));
}

#[test]
fn pictures_have_labels_units_and_a_legend() {
    for (name, problem) in loaded(EXAMPLES.into_iter().chain(["newtons-cradle", "billiard-break"]))
    {
        let (record, comparison) = compared(&problem, 512);
        let wanted = pictures::Wanted::default();
        let svg = pictures::comparison(&problem, &record, &comparison, &wanted)
            .unwrap()
            .svg(None)
            .unwrap();
        let mut set = SampledSet::new::<f64>(&problem).unwrap();
        set.add(&comparison.samples, 1e-3);
        let drawn = pictures::set(&set, None, &json!(record), &wanted).unwrap().svg(None).unwrap();
        let of_both = "samples of the set, 512 drawn|anitescu-potra|sequential|(m/s)|seed 3";
        let of_set = "outcomes by what the contacts do|%|Velocity after the impact|(m/s)|seed 3";
        for (svg, words) in [(&svg, of_both), (&drawn, of_set)] {
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
            for word in words.split('|') {
                assert!(svg.contains(word) || comparison.accepted.len() < 512, "{name}: {word}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{name}");
        }
        let text = compare::text(&problem, &record, &comparison);
        assert!(text.contains("anitescu-potra") && text.contains("inside"), "{text}");
        let json = compare::json(&problem, &record, &comparison);
        assert_eq!(json["schema_version"], 1);
        assert_eq!(json["outcomes"].as_array().unwrap().len(), comparison.outcomes.len());
        assert!(json["set"]["resolution"].is_number());
    }
}
