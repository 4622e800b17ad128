//! The velocities through which laws take an impact: each part beside what its law says of it.

use super::*;
use carom_core::outcome::listed::Outcome;
use carom_law::finite::propagative::Kind;
use carom_law::{Compliant, Details};

/// The outcomes that ended.
fn ended(law: FiniteLaw, problem: &ContactProblem) -> Vec<Outcome<Details>> {
    let outcomes = law.resolve(problem).unwrap().outcomes;
    outcomes.into_iter().filter(|outcome| outcome.status == Status::Terminated).collect()
}

fn course(problem: &ContactProblem, outcome: &Outcome<Details>) -> Vec<DVector<f64>> {
    let course = outcome.course(problem);
    assert_eq!(course[0], problem.velocity().as_slice());
    assert_eq!(course[course.len() - 1], outcome.velocity);
    course.into_iter().map(DVector::from_vec).collect()
}

/// How much of a part's momentum impulses at contact `i` do not explain, over that before.
fn elsewhere(problem: &ContactProblem, i: usize, part: DVector<f64>) -> f64 {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let rows: Vec<usize> = std::iter::once(i).chain(m + d * i..m + d * (i + 1)).collect();
    let columns = problem.jacobian().select_rows(&rows).transpose();
    let momentum = problem.mass() * part;
    let impulse = columns.clone().svd(true, true).solve(&momentum, 1e-12).unwrap();
    (columns * impulse - momentum).amax() / (problem.mass() * problem.velocity()).amax()
}

/// With friction, only the contact that is struck gets an impulse, after which it rests.
#[test]
fn a_single_impact_stops_the_contact_that_it_strikes() {
    let problems = fixed_problems(small(4, 1.5, false)).take(40);
    let mut impacts = 0;
    for problem in problems.chain(fixed_problems(spatial(3)).take(20)) {
        let size = problem.contact_velocity().amax();
        for outcome in ended(FiniteLaw::Sequential(Sequential::default()), &problem) {
            let course = course(&problem, &outcome);
            assert_eq!(course.len(), 1 + outcome.impacts);
            for (k, &i) in outcome.sequence.iter().enumerate() {
                let u = problem.jacobian() * &course[k + 1];
                assert!(u[i].abs() <= 1e-9 * size, "{} of {size}", u[i]);
                let off = elsewhere(&problem, i, &course[k + 1] - &course[k]);
                assert!(off < 1e-9, "impact {k}: {off:e}");
                impacts += 1;
            }
        }
    }
    assert!(impacts > 200);
}

/// Without restitution lost, normal velocities are turned round and the energy stays; half of it
/// lost, the plastic part comes first.
#[test]
fn a_reflection_turns_one_normal_velocity_round() {
    let mut reflections = 0;
    for problem in fixed_problems(frictionless(3, false)).take(40) {
        let size = problem.contact_velocity().amax();
        let elastic = FiniteLaw::Propagative(Propagative::default());
        for outcome in ended(elastic, &problem).iter().filter(|one| !one.sequence.is_empty()) {
            let course = course(&problem, outcome);
            assert_eq!(course.len(), 1 + outcome.sequence.len());
            for (k, &i) in outcome.sequence.iter().enumerate() {
                let [before, after] = [k, k + 1].map(|k| problem.jacobian() * &course[k]);
                assert!((before[i] + after[i]).abs() <= 1e-9 * size);
                let energy = |k: usize| problem.kinetic_energy(course[k].as_slice());
                assert!((energy(k + 1) - energy(k)).abs() <= 1e-9 * energy(0));
                reflections += 1;
            }
        }
        let half = Propagative { restitution: Some(0.5), ..Propagative::default() };
        let outcomes = ended(FiniteLaw::Propagative(half), &problem);
        let kind = |one: &Outcome<Details>| match &one.details {
            Details::Propagative(details) => details.kind,
            other => panic!("{other:?}"),
        };
        let plastic = outcomes.iter().find(|one| kind(one) == Kind::PlasticProjection);
        let Some(plastic) = plastic.map(|one| vector(&one.velocity)) else {
            continue;
        };
        for outcome in outcomes.iter().filter(|one| !one.sequence.is_empty()) {
            let course = course(&problem, outcome);
            assert_eq!(course.len(), 2 + outcome.sequence.len());
            let halfway = (problem.velocity() + &plastic) * 0.5;
            assert!((&course[1] - halfway).amax() <= 1e-9 * problem.velocity().amax());
            for (k, &i) in outcome.sequence.iter().enumerate() {
                assert!(elsewhere(&problem, i, &course[k + 2] - &course[k + 1]) < 1e-9);
            }
        }
    }
    assert!(reflections > 100);
}

#[test]
fn the_intervals_of_plus_add_up_to_its_impulse() {
    for problem in fixed_problems(small(3, 1.5, false)).take(40) {
        for outcome in ended(FiniteLaw::Plus(Plus::default()), &problem) {
            let Details::Plus(details) = &outcome.details else { panic!("{outcome:?}") };
            let course = course(&problem, &outcome);
            assert_eq!(course.len(), 1 + details.intervals());
            let last = details.rounds.last().and_then(|round| round.intervals.last());
            let Some(last) = last else { continue };
            let push = problem.jacobian().tr_mul(&vector(&last.impulse));
            let [before, after] = [course.len() - 2, course.len() - 1].map(|k| &course[k]);
            let off = problem.mass() * (after - before) - push;
            assert!(off.amax() <= 1e-9 * (problem.mass() * problem.velocity()).amax());
        }
    }
}

#[test]
fn one_spatial_contact_passes_its_events() {
    let problem = load("icosahedron-tetrahedron");
    let outcomes = ended(FiniteLaw::DarbouxKeller(DarbouxKeller::default()), &problem);
    let Details::DarbouxKeller(details) = &outcomes[0].details else { panic!("{outcomes:?}") };
    let course = course(&problem, &outcomes[0]);
    assert_eq!(course.len(), 1 + details.events.len());
    for (event, v) in details.events.iter().zip(&course[1..]) {
        let off = problem.jacobian() * v - vector(&event.velocity);
        assert!(off.amax() <= 1e-9 * problem.contact_velocity().amax(), "{event:?}: {off}");
    }
}

#[test]
fn all_contacts_at_once_take_one_part() {
    let problem = load("rocking-block");
    let law = FiniteLaw::AnitescuPotra(AnitescuPotra::default());
    for outcome in ended(law, &problem) {
        assert_eq!(course(&problem, &outcome).len(), 2);
    }
}

/// A compliant impact goes on in time: its contact velocities are those of its impulses.
#[test]
fn a_compliant_impact_follows_its_impulses() {
    for (name, problem) in loaded(["rocking-block", "cube-on-edge"]) {
        for outcome in ended(FiniteLaw::Compliant(Compliant::default()), &problem) {
            let course = course(&problem, &outcome);
            let Details::Compliant(details) = &outcome.details else { unreachable!() };
            assert!(course.len() == details.course.len() && course.len() > 10, "{}", course.len());
            for (v, moment) in course.iter().zip(&details.course) {
                let u = problem.jacobian() * v;
                let off = (u - vector(&moment.velocity)).amax();
                assert!(off < 1e-9 * problem.contact_velocity().amax(), "{name}: {off:e}");
            }
        }
    }
}
