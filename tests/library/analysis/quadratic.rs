//! Certified bounds in space.

use super::*;
use carom_analysis::bounds::certified::quadratic::certificate::Certificate;
use carom_analysis::bounds::certified::quadratic::judge::Judge;
use carom_analysis::bounds::certified::quadratic::{Goal, finder};
use carom_analysis::bounds::{certified, cone};
use carom_core::Limits;

/// A unit mass in space that strikes the ground.
fn puck(mu: f64, e: f64, velocity: [f64; 3]) -> ContactProblem {
    let row = |k: usize| (0..3).map(|l| f64::from(u8::from(k == l))).collect::<Vec<_>>();
    problem(ProblemSpec {
        mass: (0..3).map(row).collect(),
        normal: vec![row(2)],
        tangent: vec![row(0), row(1)],
        friction: Some(vec![mu]),
        restitution: Some(vec![e]),
        velocity: velocity.to_vec(),
        ..ProblemSpec::default()
    })
}

/// One contact of a unit mass slides on without turning, `x+ = 2 - mu (1 + e)`. A smaller
/// restitution gives back less, so `e` is 0 where that goes farther.
#[test]
fn one_contact_has_the_bounds_of_its_closed_form() {
    for (mu, e, velocity, direction, most) in [
        (0.0, 0.5, [2.0, 0.0, -1.0], [0.0, 0.0, 1.0], 0.5),
        (0.3, 0.5, [2.0, 0.0, -1.0], [0.0, 0.0, 1.0], 0.5),
        (0.3, 0.5, [2.0, 0.0, -1.0], [1.0, 0.0, 0.0], 1.7),
        (0.3, 0.5, [2.0, 0.0, -1.0], [-1.0, 0.0, 0.0], -1.55),
        (0.3, 0.0, [2.0, 0.0, -1.0], [-1.0, 0.0, 0.0], -1.7),
        (0.3, 0.5, [2.0, 0.0, -1.0], [0.0, 1.0, 0.0], 0.0),
    ] {
        let problem = puck(mu, e, velocity);
        let found = bound(&problem, &direction, BoundKind::Certified).unwrap();
        let gap = found.value - most;
        assert!(found.certified && gap >= -1e-9, "{mu} {e} {direction:?}: {found:?}");
        assert!(gap < 0.02, "{mu} {e} {direction:?}: {found:?}");
    }
}

/// The velocities with which accepted samples of the law end, to 1e-5 of `|v-|_M`.
fn outcomes(problem: &ContactProblem, samples: u64) -> Vec<Vec<f64>> {
    let law: Law = Routh { accuracy: Some(1e-6), ..Routh::default() }.into();
    let plan = planned(law, samples, 0, F64);
    let engine = cpu();
    let (run, samples) = engine.collect(problem, &plan).unwrap();
    let accepted = samples.accepted(run.summary.tolerance().residual);
    accepted.into_iter().map(|i| samples.row(&samples.velocity, i).to_vec()).collect()
}

/// A direction of unit length in the kinetic metric of `v / |v-|_M`.
fn direction(problem: &ContactProblem, draws: &mut Draws) -> Vec<f64> {
    let v = problem.velocity();
    let speed = (2.0 * problem.kinetic_energy(v.as_slice())).sqrt();
    let root = problem.mass().clone().cholesky().unwrap().l() / speed;
    (root * DVector::from_vec(draws.numbers(v.len())).normalize()).as_slice().to_vec()
}

fn farthest(outcomes: &[Vec<f64>], c: &[f64]) -> f64 {
    let along = |v: &Vec<f64>| v.iter().zip(c).map(|(v, c)| v * c).sum::<f64>();
    outcomes.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

/// Samples stay within the bounds, which are never above `conic`.
#[test]
fn no_sample_in_space_goes_beyond_its_bound() {
    let mut closer = 0;
    let random = fixed_problems(spatial(2)).take(cases(6, 60));
    let scenes = ["cube-on-edge", "quadruped-trot", "pin-ball"];
    for (k, problem) in scenes.map(load).into_iter().chain(random).enumerate() {
        let (mut draws, ends) = (Draws::of(211, k), outcomes(&problem, 500));
        let c = direction(&problem, &mut draws);
        let found = bound(&problem, &c, BoundKind::Certified).unwrap();
        let (over, wide) =
            (farthest(&ends, &c) - found.value, conic(&problem, &c, &Limits::default()));
        assert!(!found.certified || over <= 1e-5, "{k}: {over:e} beyond {found:?}");
        assert!(found.value <= wide.value, "{k}: {found:?} {wide:?}");
        closer += usize::from(found.value < wide.value - 1e-3);
    }
    assert!(closer >= 3, "{closer}");
}

/// In each of these directions the bound lies three times as close to samples as `conic`.
#[test]
fn bounds_in_space_are_closer_than_those_of_the_energy() {
    let trot = load("quadruped-trot");
    let (mut draws, ends) = (Draws::of(223, 0), outcomes(&trot, 4000));
    for _ in 0..3 {
        let c = direction(&trot, &mut draws);
        let [found, wide] = [
            bound(&trot, &c, BoundKind::Certified).unwrap().value,
            conic(&trot, &c, &Limits::default()).value,
        ];
        let reached = farthest(&ends, &c);
        assert!(wide - reached > 3.0 * (found - reached), "{reached} {found} {wide}");
    }
}

/// Whatever the numbers of a certificate are, its bound is no less than what motions reach.
#[test]
fn wrong_certificates_prove_nothing_wrong() {
    let problem = load("cube-on-edge");
    let ends = outcomes(&problem, 2000);
    let space = Whitened::new(&problem).unwrap();
    let r = cone::pointing(&space, |i| space.cone.size[i], &Limits::default()).unwrap();
    let mut draws = Draws::of(227, 0);
    let c = direction(&problem, &mut draws);
    let goal = Goal::new(&problem, &space, problem.friction(), &r, &c).unwrap();
    let cost = |rises: &[f64]| goal.domain.cost(rises);
    let judge = Judge { frame: &goal.frame, cost: &cost };
    let (found, _) =
        finder::find(&goal.frame, &goal.direction, true, None, &Limits::default()).unwrap();
    let value = |certificate: &Certificate| {
        (judge.bound(certificate, &goal.direction, &Limits::default()) + goal.left()) * goal.unit
    };
    let (right, reached) = (value(&found), farthest(&ends, &c));
    assert!(right.is_finite() && right >= reached - 1e-5, "{right} {reached}");
    let mut wider = 0;
    for k in 0..cases(200, 2000) {
        let mut wrong = found.clone();
        let by = draws.uniform(-1.0, 1.0) * 10f64.powf(draws.uniform(-6.0, 0.0));
        let fall = draws.below(wrong.falls.len());
        let claim = if k % 8 == 0 { &mut wrong.ends } else { &mut wrong.falls[fall].claim };
        match draws.below(8) {
            0 => claim.ball += by,
            1 => claim.disk += by,
            2 => claim.parallel += by,
            3 => claim.rising[0][draws.below(2)] += by,
            4 => wrong.function.linear[draws.below(3)] += by,
            5 => wrong.function.stored[draws.below(2)] += by,
            6 => wrong.function.pieces[draws.below(2)].kink += by,
            _ => wrong.function.constant += by,
        }
        let bound = value(&wrong);
        assert!(bound >= reached - 1e-5, "{k}: {bound} {reached}");
        wider += usize::from(bound > right + 1e-9);
    }
    assert!(wider > cases(60, 600), "{wider}");
    let mut missing = found.clone();
    missing.falls.pop();
    assert_eq!(value(&missing), f64::INFINITY);
    let mut negative = found;
    negative.function.stored[0] = -1.0;
    assert_eq!(value(&negative), f64::INFINITY);
}

#[test]
fn problems_with_many_contacts_are_refused() {
    let hand = load("hand-on-box");
    assert!(hand.contact_count() > certified::MOST_CONTACTS);
    let error = certified::refusal(&hand).unwrap();
    assert!(error.hint.is_some() && error.to_string().starts_with("kind: "), "{error}");
}
