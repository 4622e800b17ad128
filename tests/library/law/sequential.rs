//! Single impacts with friction and restitution, one after the other, against naive loops.

use super::*;
use crate::support::problems;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

/// A brick that lands on `corners` of its lower face, turned about by `seed`.
fn brick(corners: usize, seed: u64, e: f64) -> ContactProblem {
    let draws = Stream::new(seed, 3);
    let number = |j: u32| f64::from(stream::unit(draws.draw(0, Purpose::User, j))) - 0.5;
    let (mass, half) = (0.4, [0.05, 0.06, 0.04]);
    let inertia = |a: usize, b: usize| mass / 3.0 * (half[a] * half[a] + half[b] * half[b]);
    let masses = [mass, mass, mass, inertia(1, 2), inertia(0, 2), inertia(0, 1)];
    let (mut normal, mut tangent) = (Vec::new(), Vec::new());
    for c in 0..corners {
        let sign = |bit: usize| if ((c + bit) / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
        // Off the face by a little, so that no two are alike.
        let r = Vector3::new(
            sign(0) * half[0],
            sign(1) * half[1],
            -half[2] + 0.02 * number(20 + c as u32),
        );
        for (axis, rows) in [(2, &mut normal), (0, &mut tangent)] {
            for axis in axis..if axis == 2 { 3 } else { 2 } {
                let direction = Vector3::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
                let moment = r.cross(&direction);
                rows.push(direction.iter().chain(moment.iter()).copied().collect::<Vec<f64>>());
            }
        }
    }
    problem(ProblemSpec {
        mass: diagonal(&masses),
        normal,
        tangent,
        friction: Some((0..corners).map(|c| 0.2 + 0.2 * c as f64).collect()),
        restitution: Some((0..corners).map(|c| e * (1.0 - 0.2 * c as f64)).collect()),
        velocity: vec![
            number(0),
            number(1),
            -1.0 + number(2),
            8.0 * number(3),
            8.0 * number(4),
            8.0 * number(5),
        ],
        ..ProblemSpec::default()
    })
}

/// Contact `i` alone, at velocity `v`.
fn alone(problem: &ContactProblem, i: usize, v: &[f64]) -> ContactProblem {
    let spec = problem.spec().clone();
    problems::problem(ProblemSpec {
        normal: vec![spec.normal[i].clone()],
        tangent: spec.tangent[2 * i..2 * i + 2].to_vec(),
        friction: Some(vec![problem.friction()[i]]),
        restitution: Some(vec![problem.restitution().unwrap()[i]]),
        velocity: v.to_vec(),
        contacts: None,
        ..spec
    })
}

/// The velocity after impacts of one contact at a time, in the space of velocities.
fn naive(problem: &ContactProblem, order: &[usize]) -> (Vec<f64>, Vec<usize>) {
    let m = problem.contact_count();
    let mut v = problem.velocity().clone();
    let mut sequence = Vec::new();
    let approach = |v: &DVector<f64>, i: usize| (problem.jacobian().row(i) * v)[0];
    let rest = 1e-12 * v.amax();
    for visit in 0.. {
        assert!(visit < 100_000);
        if (0..m).all(|i| approach(&v, i) >= -rest) {
            break;
        }
        let i = order[visit % order.len()];
        // What a naive loop leaves at a contact that was just stopped is rounding.
        if approach(&v, i) < -1e-15 {
            let resolved =
                DarbouxKeller::default().resolve(&alone(problem, i, v.as_slice())).unwrap();
            v = vector(&resolved.outcomes[0].velocity);
            sequence.push(i);
        }
    }
    (v.as_slice().to_vec(), sequence)
}

#[test]
fn spatial_impacts_alternate_as_in_a_naive_loop() {
    let mut longest = 0;
    for seed in 0..12 {
        let (corners, e) = (1 + seed as usize % 4, [0.0, 0.3, 0.8][seed as usize % 3]);
        let problem = brick(corners, seed, e);
        let resolved = Sequential::default().resolve(&problem).unwrap();
        assert_eq!(resolved.outcomes.len(), corners);
        assert!(resolved.complete && resolved.warnings.is_empty(), "{:?}", resolved.warnings);
        for outcome in &resolved.outcomes {
            let (velocity, sequence) = naive(&problem, &outcome.details.order);
            assert_eq!(outcome.status, Status::Terminated);
            assert!(outcome.residual <= 1e-9, "{seed}: {}", outcome.residual);
            let off = apart(&outcome.velocity, &velocity) / problem.velocity().amax();
            let impacts = [outcome.impacts, sequence.len()];
            assert!(off < 1e-9, "{seed}: {off}, impacts {impacts:?}");
            // Close to rest, rounding decides how many more there are.
            let common = outcome.sequence.len().min(sequence.len()).min(20);
            assert_eq!(outcome.sequence[..common], sequence[..common], "{seed}");
            longest = longest.max(outcome.impacts);
            // Nothing approaches, momentum changes by the impulse alone, no energy is gained.
            let after = problem.jacobian() * vector(&outcome.velocity);
            assert!(after.rows(0, corners).min() >= -1e-11);
            let change = vector(&outcome.velocity) - problem.velocity();
            let given = problem.jacobian().transpose() * vector(&outcome.impulse);
            assert!((problem.mass() * change - given).amax() < 1e-12);
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            assert!(outcome.kinetic_energy <= before + 1e-12);
            for i in 0..corners {
                let [x, y] = [0, 1].map(|k| outcome.impulse[corners + 2 * i + k]);
                assert!(x.hypot(y) <= problem.friction()[i] * outcome.impulse[i] + 1e-12);
            }
        }
    }
    assert!(longest > 5, "at most {longest} impacts");
}

#[test]
fn one_spatial_contact_is_the_law_of_one_contact() {
    for seed in 0..4 {
        let problem = brick(1, seed, 0.5);
        let alternating = Sequential::default().resolve(&problem).unwrap();
        let single = DarbouxKeller::default().resolve(&problem).unwrap();
        assert!(apart(&alternating.outcomes[0].velocity, &single.outcomes[0].velocity) < 1e-12);
    }
}

/// Planar contacts with friction and restitution: small increments, one after the other.
fn increments(problem: &ContactProblem, order: &[usize]) -> Vec<f64> {
    let m = problem.contact_count();
    let minverse: DMatrix<f64> = problem.mass().clone().try_inverse().unwrap();
    let (mut v, rest) = (problem.velocity().clone(), 1e-4);
    for visit in 0..200 {
        let i = order[visit % order.len()];
        let row = |r: usize| problem.jacobian().row(r).transpose();
        let (n, t) = (row(i), row(m + i));
        if n.dot(&v) >= -rest {
            continue;
        }
        let (mu, e) = (problem.friction()[i], problem.restitution().unwrap()[i]);
        let step = 1e-5 * -n.dot(&v) / n.dot(&(&minverse * &n));
        let (mut stored, mut compressing) = (0.0, true);
        loop {
            let (un, ut) = (n.dot(&v), t.dot(&v));
            // The friction that stops sliding, within the cone.
            let pushed = &v + &minverse * &n * step;
            let needed = -t.dot(&pushed) / t.dot(&(&minverse * &t));
            let lt = needed.clamp(-mu * step, mu * step);
            v = pushed + &minverse * &t * lt;
            let work = 0.5 * (un + n.dot(&v)) * step;
            if compressing {
                stored -= e * e * work;
                compressing = n.dot(&v) < 0.0;
            } else {
                stored -= work;
            }
            if !compressing && stored <= 0.0 {
                break;
            }
            assert!(ut.is_finite());
        }
    }
    v.as_slice().to_vec()
}

#[test]
fn planar_contacts_bounce_with_friction() {
    let spec = ProblemSpec {
        mass: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 0.1]],
        normal: vec![vec![0.0, 1.0, -0.5], vec![0.0, 1.0, 0.4]],
        tangent: vec![vec![1.0, 0.0, 0.6], vec![1.0, 0.0, 0.6]],
        friction: Some(vec![0.3, 0.6]),
        restitution: Some(vec![0.5, 0.3]),
        ..ProblemSpec::default()
    };
    // Slipping throughout, halting, turning round; coming down on both and on one.
    for velocity in [[2.0, -1.0, 0.1], [0.2, -1.0, 0.0], [-0.3, -0.7, 1.0], [0.05, -1.0, -1.5]] {
        let problem = problem(ProblemSpec { velocity: velocity.to_vec(), ..spec.clone() });
        for order in [vec![0, 1], vec![1, 0]] {
            let law = Sequential { order: Some(order.clone()), ..Sequential::default() };
            let outcome = &law.resolve(&problem).unwrap().outcomes[0];
            assert_eq!(outcome.status, Status::Terminated);
            let off = apart(&outcome.velocity, &increments(&problem, &order));
            assert!(off < 2e-3, "{velocity:?} {order:?}: {off}");
            assert_eq!(outcome.impulse.len(), 4);
        }
    }
}

#[test]
fn frictionless_contacts_bounce_by_their_coefficients() {
    let mut spec = ProblemSpec {
        restitution: Some(vec![0.25, 1.0]),
        ..smooth(&[2.0, 3.0], [[1.0, 0.0], [0.0, 1.0]], [-1.0, -2.0])
    };
    let outcome = |spec: &ProblemSpec| {
        let outcome = Sequential { start: Some(0), ..Sequential::default() }
            .resolve(&problem(spec.clone()))
            .unwrap();
        outcome.outcomes[0].clone()
    };
    let bounced = outcome(&spec);
    assert!(apart(&bounced.velocity, &[0.25, 2.0]) < 1e-14);
    assert!(apart(&bounced.impulse, &[2.5, 12.0]) < 1e-13);
    // A ball that strikes one of two at rest: momentum passes on.
    spec.normal = vec![vec![-1.0, 1.0, 0.0], vec![0.0, -1.0, 1.0]];
    spec.mass = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    (spec.velocity, spec.restitution) = (vec![1.0, 0.0, 0.0], Some(vec![1.0, 1.0]));
    assert!(apart(&outcome(&spec).velocity, &[0.0, 0.0, 1.0]) < 1e-14);
}

/// Without restitution a planar impact has the closed form, whatever the file says of 0.
#[test]
fn planar_impacts_without_restitution_are_as_before() {
    let block = load("rocking-block");
    let plain = Sequential::default().resolve(&block).unwrap();
    let spec = ProblemSpec { restitution: Some(vec![0.0, 0.0]), ..block.spec().clone() };
    assert_eq!(Sequential::default().resolve(&problem(spec)).unwrap().outcomes, plain.outcomes);
}

/// Spatial problems of any shape: redundant contacts, singular Delassus matrices, frictions up to
/// 1e3, units over decades. Below three coordinates a contact's own Delassus matrix is singular.
fn spatial() -> impl Strategy<Value = ProblemSpec> {
    let friction = prop_oneof![Just(0.0), 0.1..1.5f64, Just(1e3)].boxed();
    let problems =
        Problems { contacts: 3, coordinates: 6, tangents: 2, friction, decades: [4.0, 1e-9, 4.0] }
            .strategy();
    let restitution = prop_oneof![Just(0.0), 0.1..0.9f64, Just(1.0)];
    (problems, prop::collection::vec(restitution, 3)).prop_map(|(spec, mut restitution)| {
        restitution.truncate(spec.normal.len());
        ProblemSpec { restitution: Some(restitution), ..spec }
    })
}

/// Planar problems with restitution, one contact of which always bounces.
fn planar() -> impl Strategy<Value = ProblemSpec> {
    let restitution = (prop::collection::vec(0.0..1.0f64, 3), 0.1..1.0f64);
    (small(3, 1e3, false), restitution).prop_map(|(spec, (mut restitution, e))| {
        restitution.truncate(spec.normal.len());
        restitution[0] = e;
        ProblemSpec { restitution: Some(restitution), ..spec }
    })
}

/// Ends of random problems are sound; with `regular` coordinates nearly all end.
fn all_are_sound(problems: impl Strategy<Value = ProblemSpec>, regular: usize) {
    let (ended, all) = (Cell::new(0), Cell::new(0));
    let config = random_cases(400);
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&problems, |spec| {
            let problem = problem(spec);
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            for outcome in Sequential::default().resolve(&problem).unwrap().outcomes {
                let counts = usize::from(problem.coordinate_count() >= regular);
                all.set(all.get() + counts);
                prop_assert!(outcome.status != Status::NotFinite);
                if outcome.status != Status::Terminated {
                    // Between two faces that nearly meet there are more impacts than are taken.
                    let many =
                        outcome.status == Status::StepLimit && outcome.impacts == MAX_IMPACTS;
                    let left = counts == 0 || many && outcome.residual <= 1e-6;
                    prop_assert!(left, "{:?}", outcome.status);
                    continue;
                }
                ended.set(ended.get() + counts);
                prop_assert!(outcome.residual <= 1e-6, "residual {}", outcome.residual);
                prop_assert!(outcome.kinetic_energy <= before * (1.0 + 1e-6));
                let after = problem.jacobian() * vector(&outcome.velocity);
                let normal = after.rows(0, problem.contact_count());
                prop_assert!(normal.min() >= -1e-6 * problem.contact_velocity().amax().max(1e-300));
            }
            Ok(())
        })
        .unwrap();
    let (ended, all) = (ended.get(), all.get());
    assert!(all > 400 && 50 * (all - ended) <= all, "{ended} of {all}");
}

#[test]
fn random_spatial_impacts_are_sound() {
    all_are_sound(spatial(), 3);
}

#[test]
fn random_planar_bounces_are_sound() {
    all_are_sound(planar(), 2);
}
