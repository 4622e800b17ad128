//! A contact that is there twice leaves the outcomes as they are.

use super::*;

/// The problem with a copy of contact `i` behind its own contacts.
fn repeated(alone: &ContactProblem, i: usize) -> ContactProblem {
    let mut spec = ProblemSpec { contacts: None, points: None, gap: None, ..alone.spec().clone() };
    let tangents = alone.tangents_per_contact();
    spec.normal.push(spec.normal[i].clone());
    for t in tangents * i..tangents * (i + 1) {
        spec.tangent.push(spec.tangent[t].clone());
    }
    for numbers in [&mut spec.friction, &mut spec.restitution].into_iter().flatten() {
        numbers.push(numbers[i]);
    }
    problem(spec)
}

fn sample(problem: &ContactProblem, law: &Routh) -> Samples {
    on_cpu(
        problem,
        &Plan { law: Law::Routh(law.clone()), samples: 300, seed: 5, ..Plan::default() },
    )
}

#[test]
fn samples_of_the_routh_law_stay() {
    let faceted = Routh { facets: Some(8), ..uniform() };
    let laws = [
        ("rocking-block", uniform(), 0.0),
        ("rocking-block", uniform(), 0.5),
        ("box-and-wall", uniform(), 0.0),
        ("cube-on-edge", uniform(), 0.0),
        ("cube-on-edge", faceted.clone(), 0.0),
        ("cube-on-edge", faceted, 0.5),
    ];
    for (name, law, e) in laws {
        let alone = load(name);
        let m = alone.contact_count();
        let alone = bouncing(&alone, e);
        let expected = sample(&alone, &law);
        for i in 0..m {
            let samples = sample(&repeated(&alone, i), &law);
            for s in 0..samples.len() {
                assert_eq!(samples.status[s], Status::Terminated);
                assert_eq!(expected.status[s], Status::Terminated);
                let (v, other) =
                    (samples.row(&samples.velocity, s), expected.row(&expected.velocity, s));
                let what = format!("{name} {e}, contact {i}, sample {s}");
                assert!(apart(v, other) <= 1e-6, "{what}: {v:?} {other:?}");
                assert_eq!(samples.row(&samples.impulse, s)[m], 0.0);
            }
        }
    }
}
