//! PLUS against the conditions of its intervals, from velocities and impulses alone.

use super::plus::only;
use super::*;
use carom_law::finite::plus::{ContactPhase, PlusCourse, PlusEnd, TangentMode};
use carom_law::{Limits, Outcome};

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest violation of the law by a course with free restitution coefficients, in m/s, from
/// the velocities that its impulses lead to; all without what the law says of the contacts but
/// their phases and who jams.
fn violation(problem: &ContactProblem, law: &Plus, course: &PlusCourse) -> f64 {
    let (w, mu) = (problem.delassus(), problem.friction());
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let rest = 1e-9 * problem.contact_velocity().amax();
    let mut u = problem.contact_velocity().clone();
    let (mut worst, mut owed) = (0.0_f64, vec![0.0; m]);
    for round in &course.rounds {
        let mut left = owed.clone();
        for i in 0..m {
            let expected = match (left[i] * w[(i, i)] > 10.0 * rest, u[i] < -10.0 * rest) {
                (true, _) => ContactPhase::Expanding,
                (false, true) => ContactPhase::Compressing,
                (false, false) => ContactPhase::Observing,
            };
            let clear =
                left[i] * w[(i, i)] > 10.0 * rest || left[i] == 0.0 && u[i].abs() > 10.0 * rest;
            assert!(!clear || round.phases[i] == expected, "{:?} {expected:?}", round.phases);
        }
        for interval in &round.intervals {
            assert!(interval.share > 0.0 && interval.share <= 1.0);
            let applied = vector(&interval.impulse);
            let whole = &applied / interval.share;
            let end = &u + w * &whole;
            for i in 0..m {
                let rows = m + d * i..m + d * (i + 1);
                let own = if d > 0 {
                    rows.clone().map(|k| w[(k, k)]).sum::<f64>() / d as f64
                } else {
                    0.0
                };
                let part = |x: &DVector<f64>| x.as_slice()[rows.clone()].to_vec();
                let (before, after, friction) = (part(&u), part(&end), part(&whole));
                let slides = mu[i] > 0.0 && size(&before) >= law.v_transition;
                let jams = interval.tangents[i] == TangentMode::Jammed;
                // The cone.
                worst = worst
                    .max(-whole[i] * w[(i, i)])
                    .max((size(&friction) - mu[i] * whole[i]) * own);
                // The normal impulse.
                match round.phases[i] {
                    ContactPhase::Observing => worst = worst.max(whole[i].abs() * w[(i, i)]),
                    ContactPhase::Expanding => {
                        worst = worst.max((whole[i] - left[i]).abs() * w[(i, i)])
                    }
                    ContactPhase::Compressing if jams => {
                        assert!(slides);
                        let slip: f64 =
                            before.iter().zip(&after).map(|(a, b)| a * b / size(&before)).sum();
                        // The contact still approaches where sliding along its friction ends; it
                        // may have no load where others end it.
                        worst = worst.max(end[i]).max(slip);
                        worst = worst.max(if whole[i] > 0.0 {
                            (whole[i] * w[(i, i)]).min(-slip)
                        } else {
                            0.0
                        });
                    }
                    ContactPhase::Compressing => {
                        worst = worst.max(-end[i]).max((whole[i] * w[(i, i)]).min(end[i]));
                    }
                }
                // Friction is as large as it may be and opposes the slip, before or else after.
                let slip = if slides { &before } else { &after };
                let power: f64 = friction.iter().zip(slip).map(|(l, u)| l * u).sum();
                let lacks = power + mu[i] * whole[i] * size(slip);
                let speed = problem.contact_velocity().amax();
                worst = worst.max(lacks * own / speed);
            }
            u += w * &applied;
            left.iter_mut().for_each(|left| *left *= 1.0 - interval.share);
        }
        for i in 0..m {
            let sum: f64 = round.intervals.iter().map(|interval| interval.impulse[i]).sum();
            worst = worst.max((sum - round.impulse[i]).abs() * w[(i, i)]);
            owed[i] = if round.phases[i] == ContactPhase::Compressing {
                round.restitution[i] * sum
            } else {
                0.0
            };
        }
    }
    if course.end == PlusEnd::Over {
        worst = worst.max(-u.rows(0, m).min());
    }
    worst
}

/// Resolves a problem; checks what ended by the judge, and the momentum. Whether it ended.
fn judged(law: &Plus, problem: &ContactProblem, what: &str) -> (bool, Outcome<PlusCourse>) {
    let outcome = only(law.resolve(problem).unwrap());
    let speed = problem.contact_velocity().amax();
    if outcome.status == Status::Terminated {
        let found = violation(problem, law, &outcome.details) / speed;
        assert!(found <= 2e-6, "{what}: {found:e}, residual {:e}", outcome.residual);
        let after = vector(&outcome.velocity);
        let given = problem.mass() * (after - problem.velocity());
        let taken = problem.jacobian().transpose() * vector(&outcome.impulse);
        assert!((&given - &taken).amax() <= 1e-9 * given.amax().max(1e-9), "{what}: momentum");
    }
    (outcome.status == Status::Terminated, outcome)
}

/// A torso on two straight legs whose feet strike: x and y of the hip, three angles.
fn biped(number: usize, friction: [f64; 2]) -> ProblemSpec {
    let mut draws = Draws::of(91, number);
    let mut mass = vec![vec![0.0; 5]; 5];
    let mut add = |m: f64, x: [f64; 5], y: [f64; 5], inertia: f64, angle: usize| {
        for i in 0..5 {
            for j in 0..5 {
                mass[i][j] += m * (x[i] * x[j] + y[i] * y[j]);
            }
        }
        mass[angle][angle] += inertia;
    };
    let (a, turn) = (draws.uniform(-0.2, 0.5), draws.uniform(-0.5, 0.5));
    let at = |arm: f64, angle: f64, place: usize| {
        let (mut x, mut y) = ([1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]);
        (x[place], y[place]) = (arm * angle.cos(), arm * angle.sin());
        (x, y)
    };
    let (x, y) = at(-a, turn, 2);
    add(draws.uniform(3.0, 10.0), x, y, draws.uniform(0.05, 0.5), 2);
    let (mut normal, mut tangent) = (Vec::new(), Vec::new());
    for leg in [3, 4] {
        let (m, length) = (draws.uniform(0.5, 3.0), draws.uniform(0.8, 1.2));
        let (center, angle) = (draws.uniform(0.3, 0.7), draws.uniform(-0.6, 0.6));
        let (x, y) = at(center * length, angle, leg);
        add(m, x, y, m * length * length / 12.0, leg);
        let (x, y) = at(length, angle, leg);
        normal.push(y.to_vec());
        tangent.push(x.to_vec());
    }
    let velocity = loop {
        let [x, y] = [draws.uniform(-1.0, 1.0), draws.uniform(-2.0, 0.0)];
        let velocity: Vec<f64> =
            [x, y].into_iter().chain((0..3).map(|_| draws.uniform(-2.0, 2.0))).collect();
        let approach =
            |n: &Vec<f64>| n.iter().zip(&velocity).map(|(n, v)| n * v).sum::<f64>() < 0.0;
        if normal.iter().all(approach) {
            break velocity;
        }
    };
    let [low, high] = friction;
    let e = (0..2).map(|_| draws.uniform(0.0, 0.6)).collect();
    let friction = Some((0..2).map(|_| draws.uniform(low, high)).collect());
    ProblemSpec {
        mass,
        normal,
        tangent,
        friction,
        restitution: Some(e),
        velocity,
        ..ProblemSpec::default()
    }
}

#[test]
fn bipeds_on_two_feet_end() {
    for friction in [[0.1, 1.0], [0.6, 1.2]] {
        let (count, mut unsolved, mut jams) = (cases(120, 500), Vec::new(), 0);
        for number in 0..count {
            let spec = biped(number, friction);
            let (ended, outcome) =
                judged(&Plus::default(), &problem(spec.clone()), &format!("{number}"));
            if !ended {
                unsolved.push(number);
            }
            jams += usize::from(outcome.details.jammed() > 0);
            // Without restitution they lose energy.
            let law = Plus { restitution: Some(0.0), v_plastic: 0.0, ..Plus::default() };
            let problem = problem(spec);
            let (ended, outcome) = judged(&law, &problem, &format!("{number}, plastic"));
            if ended {
                let before = problem.kinetic_energy(problem.velocity().as_slice());
                assert!(outcome.kinetic_energy <= before * (1.0 + 1e-9), "{number}");
            }
        }
        assert!(unsolved.len() * 200 < count, "{unsolved:?}");
        assert!(jams > 0);
    }
}

/// A rod slides tip first: friction pulls it in until it stops, then it rolls: a closed form.
#[test]
fn a_contact_that_jams_slides_to_rest_and_rolls() {
    let (sin, cos) = 1.0_f64.sin_cos();
    let (normal, tangent) = ([[0.0, 1.0, -0.5 * cos]], [[1.0, 0.0, 0.5 * sin]]);
    let rod = |e: f64| ProblemSpec {
        restitution: Some(vec![e]),
        ..rough(&[1.0, 1.0, 1.0 / 12.0], normal, tangent, [3.0], [-3.0, -1.0, 0.0])
    };
    let mirrored = ProblemSpec { velocity: vec![3.0, -1.0, 0.0], ..rod(0.0) };
    let stuck = |spec: &ProblemSpec| {
        let problem = problem(spec.clone());
        let (w, side) = (problem.delassus().clone(), problem.contact_velocity()[1].signum());
        w[(0, 0)] < 3.0 * side * w[(0, 1)]
    };
    let [one, other] = [stuck(&rod(0.0)), stuck(&mirrored)];
    assert!(one != other, "one of the two directions");
    let jamming = if one { rod(0.0) } else { mirrored };
    for e in [0.0, 0.5] {
        let problem = problem(ProblemSpec { restitution: Some(vec![e]), ..jamming.clone() });
        let law = Plus { v_plastic: 0.0, ..Plus::default() };
        let (ended, outcome) = judged(&law, &problem, "rod");
        assert!(ended && outcome.details.jammed() == 1, "{:?}", outcome.details);
        // Sliding ends with load l: u_t + (W_tn - mu s W_tt) l = 0. Rolling stops both: W pi = -u.
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        let s = u[1].signum();
        let slide = -u[1] / (w[(0, 1)] - 3.0 * s * w[(1, 1)]);
        let mut after = u + w * DVector::from_vec(vec![slide, -3.0 * s * slide]);
        assert!(after[1].abs() < 1e-12 && after[0] < u[0], "it approaches faster: {after}");
        let stop = w.clone().lu().solve(&-&after).unwrap();
        assert!(stop[1].abs() <= 3.0 * stop[0], "it can roll");
        after.fill(0.0);
        if e > 0.0 {
            // Expansion lifts it while it rolls.
            let load = e * (slide + stop[0]);
            after[0] = load * (w[(0, 0)] - w[(0, 1)] * w[(0, 1)] / w[(1, 1)]);
        }
        let found = problem.jacobian() * vector(&outcome.velocity);
        assert!((found - after).amax() <= 1e-12);
    }
}

/// A plate on four contacts in the plane: after its first round nothing approaches.
#[test]
fn a_plate_on_redundant_contacts_does_not_approach_after_a_round() {
    let problem = given(
        r#"{
  "mass": [
    [2.520000101002024, 0.0, 0.0], [0.0, 2.520000101002024, 0.0], [0.0, 0.0, 0.08388559712089277]],
  "normal": [
    [0.0, 1.0, -0.1141694474519365], [0.0, 1.0, 0.1141694474519365],
    [0.0, 1.0, -0.05708472372596825], [0.0, 1.0, 0.05708472372596825]],
  "tangent": [
    [1.0, 0.0, 0.2946678458235008], [1.0, 0.0, 0.2946678458235008], [1.0, 0.0, 0.2946678458235008],
    [1.0, 0.0, 0.2946678458235008]],
  "friction": [0.10223325003458295, 1.0635035427841057, 0.8365885724879267, 0.5294717834575164],
  "restitution": [0.3374334185852452, 0.5590014073651846, 0.04514706228725984, 0.2864415608727565],
  "velocity": [-0.5900677181134684, -1.7388377475922574, 2.350036552127493]
}"#,
    );
    let (ended, outcome) = judged(&Plus::default(), &problem, "plate");
    assert!(ended);
    let slip = problem.jacobian().row(4) * vector(&outcome.velocity);
    println!("slides with {} after, {:?}", slip[0], outcome.details.rounds[0]);
    let first = vector(&outcome.details.rounds[0].impulse);
    let u = problem.contact_velocity() + problem.delassus() * first;
    assert!(u.rows(0, 4).min() >= -1e-9, "{u}");
}

/// A random brick that lands on one of its faces: four contacts with tangents turned by `angles`.
fn brick(number: usize, turned: bool) -> ProblemSpec {
    let mut draws = Draws::of(92, number);
    let sides = [0, 1, 2].map(|_| draws.uniform(0.2, 0.8));
    let m = draws.uniform(0.5, 3.0);
    let inertia = |a: usize, b: usize| m / 12.0 * (sides[a].powi(2) + sides[b].powi(2));
    let entries = [m, m, m, inertia(1, 2), inertia(0, 2), inertia(0, 1)];
    let [x, y, z] = sides.map(|side| side / 2.0);
    let corners = [[x, -y], [-x, -y], [-x, y], [x, y]];
    let velocity: Vec<f64> = [-1.0, -1.0, -3.0, -1.0, -1.0, -1.0]
        .into_iter()
        .zip([1.0, 1.0, -0.5, 1.0, 1.0, 1.0])
        .map(|(low, high)| draws.uniform(low, high))
        .collect();
    let mut tangent = Vec::new();
    for [x, y] in corners {
        let angle = draws.uniform(0.0, 6.2);
        let (sin, cos) = if turned { angle.sin_cos() } else { (0.0, 1.0) };
        let (a, b) = ([1.0, 0.0, 0.0, 0.0, -z, -y], [0.0, 1.0, 0.0, z, 0.0, x]);
        tangent.push((0..6).map(|k| cos * a[k] + sin * b[k]).collect());
        tangent.push((0..6).map(|k| cos * b[k] - sin * a[k]).collect());
    }
    ProblemSpec {
        mass: diagonal(&entries),
        normal: corners.iter().map(|[x, y]| vec![0.0, 0.0, 1.0, *y, -x, 0.0]).collect(),
        tangent,
        friction: Some((0..4).map(|_| draws.uniform(0.1, 1.0)).collect()),
        restitution: Some((0..4).map(|_| draws.uniform(0.0, 1.0)).collect()),
        velocity,
        ..ProblemSpec::default()
    }
}

#[test]
fn bricks_on_a_face_do_not_depend_on_the_frames_of_their_contacts() {
    let (count, mut unsolved, mut differ) = (cases(40, 300), 0, Vec::new());
    for number in 0..count {
        let [own, turned] = [false, true].map(|turned| {
            judged(
                &Plus { theta_max: 0.05, ..Plus::default() },
                &problem(brick(number, turned)),
                &format!("{number}"),
            )
        });
        if !own.0 || !turned.0 {
            unsolved += 1;
            continue;
        }
        let off = apart(&own.1.velocity, &turned.1.velocity);
        if off > 1e-6 {
            differ.push((number, off));
        }
    }
    assert!(differ.is_empty(), "{differ:?}");
    assert!(unsolved * 50 <= count, "{unsolved} of {count}");
}

#[test]
fn an_effort_that_is_over_says_so() {
    let problem = problem(biped(3, [0.6, 1.2]));
    let set = Plus::default().resolve_within(&problem, &Limits::of(10.0)).unwrap();
    assert_eq!(set.outcomes[0].status, Status::Budget);
    assert_eq!(set.outcomes[0].velocity, problem.velocity().as_slice());
}
