//! The set-valued law as an inclusion: circular friction cones, restitution, planar and spatial.

use super::*;
use crate::law::darboux_keller::{by_law, contact_problem, contacts};
use carom_law::Compiled;
use proptest::prelude::*;

/// Impulses in N s of samples `0 .. count`, and how they ended.
fn samples<R: Compiled>(
    problem: &ContactProblem,
    law: &Routh,
    count: u64,
) -> Vec<(Vec<f64>, Ending<R>)> {
    let bound = Law::Routh(law.clone()).prepare::<R>(problem).unwrap();
    let mut work = bound.workspace();
    (0..count)
        .map(|i| {
            let ending = bound.sample(&Stream::new(7, i), &mut work);
            let total: Vec<f64> = work.total().iter().map(|l| l.to_f64()).collect();
            let rows = problem.jacobian().nrows();
            ((0..rows).map(|j| bound.space().scaling.impulse_along(&total, j)).collect(), ending)
        })
        .collect()
}

fn law(h: Option<f64>, hypothesis: Hypothesis) -> Routh {
    let accuracy = Some(1e-8);
    Routh {
        process: Some(RouthProcess::Inclusion),
        step: h,
        accuracy,
        hypothesis: Some(hypothesis),
        ..Routh::default()
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[test]
fn one_contact_is_darboux_keller() {
    for case in golden("jia_wang")["cases"].as_array().unwrap() {
        let (inputs, expected) = (&case["inputs"], &case["expected"]);
        let name = inputs["name"].as_str().unwrap();
        let (mu, e) = (number(&inputs["mu"]), number(&inputs["e"]));
        let problem = contact_problem(&rows(&inputs["W"]), &numbers(&inputs["v_minus"]), mu, e);
        let natural = problem.natural_step().unwrap();
        let check = |hypothesis: Hypothesis, known: &[f64]| {
            for share in [10.0, 1.0, 0.1] {
                let law = law(Some(share * natural), hypothesis);
                for (found, ending) in samples::<f64>(&problem, &law, 3) {
                    let off = apart(&[found[1], found[2], found[0]], known) / largest(known);
                    assert!(off <= 5e-6 && ending.residual <= 1e-6, "{name}: {off} {ending:?}");
                }
                let (found, ending) =
                    &samples::<f32>(&problem, &Routh { accuracy: Some(1e-5), ..law }, 1)[0];
                let off = apart(&[found[1], found[2], found[0]], known) / largest(known);
                assert!(off <= 5e-5 && ending.residual <= 1e-4, "{name} in f32: {off} {ending:?}");
            }
        };
        check(Hypothesis::Stronge, &numbers(&expected["Ir"]));
        if !expected["poisson_Ir"].is_null() {
            check(Hypothesis::Poisson, &numbers(&expected["poisson_Ir"]));
        }
    }
}

proptest! {
    #![proptest_config(random_cases(300))]

    #[test]
    fn one_random_contact_is_darboux_keller((w, v, mu, e) in contacts()) {
        let known = by_law(&w, &v, mu, e, Hypothesis::Stronge).impulse;
        let w = rows_of(&w);
        let problem = contact_problem(&w, v.as_slice(), mu, e);
        let (found, ending) = &samples::<f64>(&problem, &law(None, Hypothesis::Stronge), 1)[0];
        prop_assert_eq!(ending.status, Status::Terminated);
        let off = apart(found, &known) / largest(&known);
        prop_assert!(off <= 1e-5, "{} {:?} {:?}", off, found, known);
    }
}

fn velocities(problem: &ContactProblem, law: &Routh, count: u64) -> Vec<f64> {
    let all = samples::<f64>(problem, law, count);
    let ended = all.iter().filter(|(_, ending)| ending.status == Status::Terminated);
    ended
        .flat_map(|(impulse, ending)| {
            assert!(ending.residual <= 1e-6, "{} {ending:?}", problem.name());
            let after = problem.velocity() + problem.response() * vector(impulse);
            after.as_slice().to_vec()
        })
        .collect()
}

/// The share of points that lie as near to a set as its points lie to each other.
fn within(problem: &ContactProblem, points: &[f64], set: &[f64]) -> f64 {
    let set = PointSet::new(problem.mass(), problem.velocity(), set).unwrap();
    let rows: Vec<&[f64]> = points.chunks(problem.coordinate_count()).take(1000).collect();
    let near = |v: &&&[f64]| {
        let (distance, spacing) = set.distance(v);
        distance <= spacing.max(1e-4)
    };
    rows.iter().filter(near).count() as f64 / rows.len() as f64
}

#[test]
fn without_restitution_it_has_the_set_of_the_published_law() {
    let names = "rocking-block compass-gait box-and-wall ramone tailed-runner newtons-cradle";
    for (name, planar) in loaded(names.split(' ')) {
        let published = velocities(&planar, &Routh::default(), 4000);
        let natural = planar.natural_step().unwrap();
        let listed = [(1.0, Sampler::Uniform), (1.0, Sampler::Coverage), (0.25, Sampler::Coverage)];
        for (share, sampler) in listed {
            let spatial = embedded(&planar, 0.7);
            let law = Routh {
                step: Some(share * natural),
                sampler: Some(sampler),
                ..law(None, Hypothesis::Stronge)
            };
            let integrated = velocities(&spatial, &law, 4000);
            let shares = [
                within(&planar, &integrated, &published),
                within(&planar, &published, &integrated),
            ];
            println!("{name} {share} {sampler:?}: {shares:?}");
        }
    }
}
