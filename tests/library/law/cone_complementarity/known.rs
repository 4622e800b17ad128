//! Problems whose solutions are known otherwise.

use super::oracle::one_contact;
use super::*;

fn identity(n: usize) -> Vec<Vec<f64>> {
    diagonal(&vec![1.0; n])
}

#[test]
fn a_ball_on_a_floor_in_closed_form() {
    let listed = [(0.5, [2.4, -3.2]), (0.1, [2.4, -3.2]), (0.0, [2.4, -3.2]), (3.0, [0.0; 2])];
    for (friction, expected) in listed {
        let ball = problem(ProblemSpec {
            mass: identity(3),
            normal: vec![vec![0.0, 0.0, 1.0]],
            tangent: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]],
            friction: Some(vec![friction]),
            velocity: vec![2.4, -3.2, -2.0],
            ..ProblemSpec::default()
        });
        let found = velocities(&ball);
        // The speed of sliding falls from 4 by 2 mu.
        let left = 1.0 - 2.0 * friction / 4.0;
        let expected = [expected[0] * left, expected[1] * left, 0.0];
        assert!(found.len() == 1, "{friction}: {found:?}");
        assert!(distance(&ball, &found[0], &expected) < 1e-12, "{friction}: {found:?}");
    }
}

#[test]
fn one_contact_has_the_solutions_of_a_fine_circle() {
    let (mut listed, mut known) = (0, 0);
    for problem in fixed_problems(ordinary(1, 6, 3.0)).take(cases(200, 4000)) {
        if problem.coordinate_count() < 3 || problem.contact_velocity()[0] >= 0.0 {
            continue;
        }
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        let expected = one_contact(w, problem.friction()[0], u);
        let velocity = |l: &[f64; 3]| {
            let v = problem.velocity() + problem.response() * vector(l);
            v.as_slice().to_vec()
        };
        let expected: Vec<Vec<f64>> = expected.iter().map(velocity).collect();
        let found = velocities(&problem);
        for v in &found {
            assert!(nearest(&problem, v, &expected) < 1e-7, "{found:?} {expected:?}");
        }
        let met = |v: &&Vec<f64>| nearest(&problem, v, &found) < 1e-6;
        listed += expected.iter().filter(met).count();
        known += expected.len();
    }
    assert!(known > 50 && 100 * listed >= 98 * known);
}

/// A planar problem with tangents in space: the one it has, in directions that are not its own.
fn in_space(planar: &ContactProblem, draws: &mut Draws) -> ContactProblem {
    let spec = planar.spec();
    let turned = |row: &Vec<f64>, by: f64| row.iter().map(|x| x * by).collect::<Vec<f64>>();
    let pair = |row: &Vec<f64>| {
        let angle = draws.uniform(0.0, 6.0);
        [turned(row, angle.cos()), turned(row, angle.sin())]
    };
    let tangent = spec.tangent.iter().flat_map(pair).collect();
    problem(ProblemSpec { tangent, points: None, ..spec.clone() })
}

#[test]
fn planar_problems_have_the_solutions_of_all_their_modes() {
    let (mut met, mut known, mut problems) = (0, 0, 0);
    let scenes = ["rocking-block", "compass-gait", "box-and-wall"].map(load);
    let random = fixed_problems(small(5, 3.0, false))
        .filter(ContactProblem::approaches)
        .take(cases(60, 1000));
    for (number, planar) in scenes.into_iter().chain(random).enumerate() {
        let all = AnitescuPotra::default().resolve(&planar).unwrap();
        let isolated = all.outcomes.iter().all(|outcome| outcome.details.isolated);
        let expected: Vec<Vec<f64>> =
            all.outcomes.into_iter().map(|outcome| outcome.velocity).collect();
        let own = ConeComplementarity::default().resolve(&planar).unwrap();
        assert_eq!((own.outcomes.len(), own.complete), (expected.len(), all.complete));
        for outcome in &own.outcomes {
            assert!(nearest(&planar, &outcome.velocity, &expected) < 1e-7);
        }
        // The search in space knows nothing of modes.
        let spatial = in_space(&planar, &mut Draws::of(31, number));
        let found = velocities(&spatial);
        if isolated && all.complete {
            for v in &found {
                assert!(nearest(&planar, v, &expected) < 1e-6, "{number}: {found:?} {expected:?}");
            }
            met += expected.iter().filter(|v| nearest(&planar, v, &found) < 1e-6).count();
            known += expected.len();
            problems += 1;
        }
    }
    assert!(problems > 30 && known > problems && 10 * met >= 9 * known);
}

#[test]
fn ever_more_facets_lead_to_it() {
    let counts = [4, 8, 16, 32];
    let (mut sums, mut problems) = ([0.0; 4], 0);
    for problem in fixed_problems(ordinary(6, 12, 1.0)).filter(ContactProblem::approaches) {
        let found = velocities(&problem);
        let faceted = counts.map(|facets| {
            let set = (AnitescuPotra { facets: Some(facets) }).resolve(&problem).unwrap();
            set.outcomes.into_iter().map(|outcome| outcome.velocity).collect::<Vec<_>>()
        });
        if found.len() > 1 || faceted.iter().any(|set| set.len() != 1) {
            continue;
        }
        let distances = faceted.map(|set| distance(&problem, &set[0], &found[0]));
        (0..4).for_each(|k| sums[k] += distances[k]);
        problems += 1;
        if problems == cases(25, 300) {
            break;
        }
    }
    let mean = sums.map(|sum| sum / problems as f64);
    println!("mean distance with {counts:?} facets: {mean:?}");
    for pair in mean.windows(2) {
        assert!(pair[1] < 0.7 * pair[0], "{mean:?}");
    }
    assert!(mean[3] < 0.15 * mean[0], "{mean:?}");
}

#[test]
fn without_friction_it_is_the_frictionless_solution() {
    for rough in fixed_problems(ordinary(8, 12, 1.0)).filter(ContactProblem::approaches).take(20) {
        let m = rough.contact_count();
        let smooth = problem(ProblemSpec { friction: Some(vec![0.0; m]), ..rough.spec().clone() });
        let plain =
            problem(ProblemSpec { friction: None, tangent: Vec::new(), ..rough.spec().clone() });
        let [found, expected] = [&smooth, &plain].map(velocities);
        assert!(found.len() == 1 && expected.len() == 1);
        assert!(distance(&smooth, &found[0], &expected[0]) < 1e-9);
    }
}

#[test]
fn friction_without_end_holds_what_it_can() {
    // One contact with two independent tangents sticks, where pushing is what stops it.
    for rough in fixed_problems(ordinary(8, 12, 1.0)).filter(ContactProblem::approaches).take(20) {
        let m = rough.contact_count();
        let stuck = problem(ProblemSpec { friction: Some(vec![1e5; m]), ..rough.spec().clone() });
        let set = ConeComplementarity::default().resolve(&stuck).unwrap();
        for outcome in set.outcomes {
            assert_eq!(outcome.status, Status::Terminated);
            let u = stuck.jacobian() * vector(&outcome.velocity);
            for i in 0..m {
                let (slip, most) =
                    (u[m + 2 * i].hypot(u[m + 2 * i + 1]), stuck.contact_velocity().amax());
                let friction = outcome.impulse[m + 2 * i].hypot(outcome.impulse[m + 2 * i + 1]);
                assert!(
                    friction <= 1e-9
                        || slip <= 1e-9 * most
                        || outcome.impulse[i] <= 1.1e-5 * friction
                );
            }
        }
    }
}

#[test]
fn scales_change_nothing() {
    for plain in fixed_problems(ordinary(6, 12, 1.0)).filter(ContactProblem::approaches).take(20) {
        let expected = velocities(&plain);
        if expected.len() > 1 {
            continue;
        }
        let listed = [(1e9, 1.0, 1.0), (1e-9, 1.0, 1.0), (1.0, 1e9, 1e-9), (1.0, 1e-9, 1e9)];
        for (mass, length, speed) in listed {
            let times = |rows: &[Vec<f64>], by: f64| -> Vec<Vec<f64>> {
                rows.iter().map(|row| row.iter().map(|x| x * by).collect()).collect()
            };
            let spec = plain.spec().clone();
            let scaled = problem(ProblemSpec {
                mass: times(&spec.mass, mass),
                normal: times(&spec.normal, length),
                tangent: times(&spec.tangent, length),
                velocity: spec.velocity.iter().map(|v| v * speed).collect(),
                ..spec
            });
            let found = velocities(&scaled);
            assert_eq!(found.len(), expected.len());
            for v in &found {
                let back: Vec<f64> = v.iter().map(|v| v / speed).collect();
                assert!(nearest(&plain, &back, &expected) < 1e-8);
            }
        }
    }
}

#[test]
fn restitution_is_refused_and_zero_is_not() {
    let block = load("rocking-block");
    let with = |e: f64| bouncing(&block, e);
    let error = ConeComplementarity::default().resolve(&with(0.5)).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("restitution[0]"));
    assert!(ConeComplementarity::default().resolve(&with(0.0)).is_ok());
    let w = DMatrix::<f64>::identity(3, 3);
    assert_eq!(one_contact(&w, 1.0, &DVector::from_vec(vec![-1.0, 0.0, 0.0])).len(), 1);
}
