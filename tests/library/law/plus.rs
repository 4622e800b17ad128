//! PLUS against published and independent numbers, and against what must hold for every problem.

use super::*;
use crate::support::problems;
use carom_law::Outcome;
use carom_law::finite::plus::{ContactPhase, Phases, PlusCourse, PlusEnd, TangentMode};
use proptest::prelude::*;
use std::f64::consts::FRAC_PI_6;

/// Impacts are plastic, at any speed.
pub const PLASTIC: Plus = Plus {
    phases: Phases::Rounds,
    theta_max: 0.01,
    v_transition: 0.1,
    v_plastic: 0.0,
    v_capture: 0.0,
    restitution: Some(0.0),
};

/// A case of the golden file; its rows are x, y, normal.
fn spec(case: &Value) -> ProblemSpec {
    let jacobian = rows(&case["G"]);
    let frictionless = numbers(&case["mu"]).iter().all(|&mu| mu == 0.0);
    let tangent = jacobian.chunks(3).flat_map(|rows| rows[..2].to_vec()).collect();
    ProblemSpec {
        mass: rows(&case["M"]),
        normal: jacobian.chunks(3).map(|rows| rows[2].clone()).collect(),
        tangent: if frictionless { Vec::new() } else { tangent },
        friction: Some(numbers(&case["mu"])),
        restitution: Some(numbers(&case["e_min"])),
        velocity: numbers(&case["u0"]),
        ..ProblemSpec::default()
    }
}

fn case(name: &str) -> Value {
    let file = golden("plus");
    file["cases"].as_array().unwrap().iter().find(|case| case["name"] == name).unwrap().clone()
}

pub fn only(set: OutcomeSet<PlusCourse>) -> Outcome<PlusCourse> {
    let [outcome] = &set.outcomes[..] else { panic!("{} outcomes", set.outcomes.len()) };
    outcome.clone()
}

fn resolve(law: &Plus, spec: ProblemSpec) -> Outcome<PlusCourse> {
    only(law.resolve(&problem(spec)).unwrap())
}

/// Impulses or velocities contact by contact: x, y, normal.
fn by_contact(l: &[f64], m: usize) -> Vec<[f64; 3]> {
    let d = l.len() / m - 1;
    let tangent = |i: usize, t: usize| if t < d { l[m + d * i + t] } else { 0.0 };
    (0..m).map(|i| [tangent(i, 0), tangent(i, 1), l[i]]).collect()
}

fn near(found: &[[f64; 3]], expected: &Value, bound: f64, what: &str) {
    let expected = rows(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(apart(found, expected) <= bound, "{what}: {found:?} {expected:?}");
    }
}

#[test]
fn every_published_example() {
    let names = |tangents: &[TangentMode]| -> Vec<&str> {
        let name = |tangent: &TangentMode| match tangent {
            TangentMode::Frictionless => "-",
            tangent => tangent.name(),
        };
        tangents.iter().map(name).collect()
    };
    for case in golden("plus")["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let spec = spec(case);
        let (m, problem) = (spec.normal.len(), problem(spec));
        let asked =
            [(number(&case["theta_max"]), "expected"), (FRAC_PI_6, "expected_theta_pi_over_6")];
        for (theta_max, key) in asked {
            let (what, expected) = (format!("{name}, {theta_max}"), &case[key]);
            let outcome = only(Plus { theta_max, ..Plus::default() }.resolve(&problem).unwrap());
            assert_eq!(outcome.status, Status::Terminated, "{what}");
            // What redundant contacts share when they slip is found by iteration.
            let exact = if case["tol"]["pi"].is_number() { 1e-12 } else { 1e-8 };
            assert!(outcome.residual <= exact, "{what}: {:e}", outcome.residual);
            if let Some(bound) = case["tol"]["pi"].as_f64() {
                near(&by_contact(&outcome.impulse, m), &expected["pi"], bound, &what);
            }
            // Redundant contacts have one sum, not one impulse each.
            let unique = case["tol"]["pi"].is_number();
            let sums = by_contact(&outcome.impulse, m)
                .iter()
                .fold([0.0; 3], |sum, l| [0, 1, 2].map(|a| sum[a] + l[a]));
            let known = rows(&expected["pi"])
                .iter()
                .fold([0.0; 3], |sum, l| [0, 1, 2].map(|a| sum[a] + l[a]));
            assert!(apart(&sums, &known) <= 1e-6, "{what}: {sums:?} {known:?}");
            let velocity = problem.jacobian() * vector(&outcome.velocity);
            near(
                &by_contact(velocity.as_slice(), m),
                &expected["v"],
                number(&case["tol"]["v"]),
                &what,
            );
            let course = &outcome.details;
            let intervals = course.intervals() as u64;
            assert_eq!(intervals, expected["n_intervals"].as_u64().unwrap(), "{what}");
            let rounds = course.rounds.len() as u64;
            assert_eq!(rounds, expected["n_rounds"].as_u64().unwrap(), "{what}");
            let Some(rounds) = expected["rounds"].as_array() else { continue };
            let bound = number(&case["tol"]["u"]);
            assert!(apart(&outcome.velocity, &numbers(&expected["u"])) <= bound, "{what}");
            assert!((outcome.kinetic_energy - number(&expected["KE1"])).abs() <= 1e-5, "{what}");
            for (round, expected) in course.rounds.iter().zip(rounds) {
                let phases: Vec<&str> = round.phases.iter().map(|phase| phase.name()).collect();
                assert_eq!(phases, expected["phase"].as_array().unwrap()[..], "{what}");
                assert!(apart(&round.restitution, &numbers(&expected["e"])) <= 1e-12, "{what}");
                let count = round.intervals.len() as u64;
                assert_eq!(count, expected["n_intervals"].as_u64().unwrap(), "{what}");
                let listed = expected["intervals"].as_array().unwrap();
                let first = if listed.len() < round.intervals.len() { 3 } else { listed.len() };
                let shown = round.intervals[..first].iter().zip(&listed[..first]);
                let last = &round.intervals[round.intervals.len() - (listed.len() - first)..];
                for (interval, expected) in shown.chain(last.iter().zip(&listed[first..])) {
                    assert!((interval.share - number(&expected["alpha"])).abs() <= 1e-6, "{what}");
                    let tangents = names(&interval.tangents);
                    let known = &expected["tangent"].as_array().unwrap()[..];
                    assert!(!unique || tangents == *known, "{what}: {tangents:?}");
                }
            }
        }
    }
}

/// The paper's scenes are the golden cases, whose coordinates are at these places of ours.
#[test]
fn the_published_scenes_end_like_the_published_examples() {
    let body = &[3, 4, 5, 0, 1, 2][..];
    let scenes = [
        ("brick-on-vertex", "single_mu0.325_theta0.01", body),
        ("brick-flat", "four_point_flat_080604", body),
        ("ball-row", "ball_row_5", &[0, 1, 2, 3, 4][..]),
        ("triple-pendulum", "triple_pendulum", &[0, 1, 2]),
    ];
    for (scene, name, places) in scenes {
        let (problem, case) = (load(scene), case(name));
        let restitution = problem.restitution().is_none().then_some(1.0);
        let outcome = only(Plus { restitution, ..Plus::default() }.resolve(&problem).unwrap());
        let ours: Vec<f64> = places.iter().map(|&place| outcome.velocity[place]).collect();
        let turned: Vec<f64> = numbers(&case["expected"]["u"]);
        assert!(apart(&ours, &turned) <= 1e-6, "{scene}: {ours:?} {turned:?}");
        let intervals = outcome.details.intervals() as u64;
        assert_eq!(intervals, case["expected"]["n_intervals"].as_u64().unwrap());
        for (a, &i) in places.iter().enumerate() {
            for (b, &j) in places.iter().enumerate() {
                let entry = number(&case["M"][b][a]);
                assert!((problem.mass()[(j, i)] - entry).abs() <= 1e-12, "{scene}: M[{j}][{i}]");
            }
        }
    }
}

#[test]
fn the_numbers_of_intervals_of_figure_10() {
    for (theta_max, intervals) in [(0.01, 116), (0.15, 11), (0.25, 8)] {
        let law = Plus { theta_max, ..Plus::default() };
        let outcome = resolve(&law, spec(&case("single_mu0.325_theta0.01")));
        assert_eq!(outcome.details.intervals(), intervals, "{theta_max}");
    }
}

#[test]
fn a_row_of_balls_has_the_five_rounds_of_table_2() {
    let outcome = resolve(&Plus::default(), spec(&case("ball_row_5")));
    let letters =
        |phases: &[ContactPhase]| phases.iter().map(|phase| phase.name()).collect::<String>();
    let rounds: Vec<String> =
        outcome.details.rounds.iter().map(|round| letters(&round.phases)).collect();
    assert_eq!(rounds, ["COOO", "ECOO", "OECO", "OOEC", "OOOE"]);
    assert!(apart(&outcome.velocity, &[0.0, 0.0, 0.0, 0.0, -2.0]) <= 1e-14);
}

#[test]
fn a_planar_pendulum_is_a_spatial_one_that_cannot_move_sideways() {
    let case = case("triple_pendulum");
    let spatial = spec(&case);
    let planar = ProblemSpec { tangent: vec![spatial.tangent[0].clone()], ..spatial.clone() };
    let [spatial, planar] = [spatial, planar].map(|spec| resolve(&Plus::default(), spec));
    near(&by_contact(&planar.impulse, 1), &case["expected"]["pi"], 1e-6, "planar");
    assert!(apart(&planar.velocity, &spatial.velocity) <= 1e-13);
    assert_eq!(planar.details.intervals(), 3);
    let backwards = planar.details.rounds[1].intervals[1].tangents[0];
    assert_eq!(backwards, TangentMode::Impending, "friction cannot hold it");
}

/// The distance of the impulse from the law of Darboux and Keller with Poisson's coefficient, for
/// smaller and smaller `theta_max`, and the orders of convergence.
fn orders(mu: f64, e: f64) -> Vec<f64> {
    let spec = ProblemSpec {
        friction: Some(vec![mu]),
        restitution: Some(vec![e]),
        ..spec(&case("single_mu0.125_theta0.01"))
    };
    let exact = DarbouxKeller { hypothesis: Hypothesis::Poisson, restitution: None };
    let exact = exact.resolve(&problem(spec.clone())).unwrap().outcomes[0].impulse.clone();
    let error = |theta_max: f64| {
        let law = Plus { theta_max, v_transition: 1e-4, ..Plus::default() };
        apart(&resolve(&law, spec.clone()).impulse, &exact)
    };
    let errors = [0.1, 0.03, 0.01, 0.003, 0.001].map(error);
    println!("mu {mu}, e {e}: {errors:?}");
    errors.windows(2).map(|pair| (pair[0] / pair[1]).ln() / (10_f64.ln() / 2.0)).collect()
}

#[test]
fn small_turns_converge_to_darboux_and_keller() {
    for (mu, e) in [(0.125, 0.0), (0.125, 0.392), (0.2, 0.0)] {
        let orders = orders(mu, e);
        assert!(orders.iter().all(|order| (0.8..1.3).contains(order)), "{orders:?}");
    }
    // The limit is known from elsewhere, too.
    let limit = &golden("plus")["continuous_limit_mu0.125"];
    let law = Plus { theta_max: 1e-3, ..Plus::default() };
    let outcome = resolve(&law, spec(&case("single_mu0.125_theta0.01")));
    let error = apart(&by_contact(&outcome.impulse, 1)[0], &numbers(&limit["pi"]));
    assert!(error < 5e-4, "{error:e}");
}

/// A problem of several spatial contacts, with friction and restitution of all sizes.
fn spatial_spec(number: usize) -> ProblemSpec {
    let mut draws = Draws::of(77, number);
    let (m, n) = (1 + draws.below(4), 6);
    let rows: Vec<Vec<Vec<f64>>> = (0..m)
        .map(|_| {
            let arm = draws.numbers(3);
            let axis = |k: usize| {
                let mut row = vec![0.0; n];
                row[k] = 1.0;
                row[3 + (k + 1) % 3] = arm[(k + 2) % 3];
                row[3 + (k + 2) % 3] = -arm[(k + 1) % 3];
                row
            };
            [2, 0, 1].map(axis).to_vec()
        })
        .collect();
    let mut velocity: Vec<f64> = draws.numbers(n).iter().map(|v| 3.0 * v).collect();
    velocity[2] = -4.0;
    let inertia = [1.0, 1.0, 1.0, 0.2, 0.3, 0.4];
    ProblemSpec {
        mass: diagonal(&inertia),
        normal: rows.iter().map(|rows| rows[0].clone()).collect(),
        tangent: rows.iter().flat_map(|rows| rows[1..].to_vec()).collect(),
        friction: Some((0..m).map(|_| draws.uniform(0.05, 1.0)).collect()),
        restitution: Some((0..m).map(|_| draws.uniform(0.0, 1.0)).collect()),
        velocity,
        ..ProblemSpec::default()
    }
}

/// A random impact is the same in other tangential frames and orders of contacts.
fn ends_the_same(number: usize) -> Status {
    let law = Plus { theta_max: 0.1, ..Plus::default() };
    let spec = spatial_spec(number);
    let own = resolve(&law, spec.clone());
    let size = spec.velocity.iter().fold(0.0_f64, |size, v| size.max(v.abs()));
    let mut draws = Draws::of(78, number);
    let mut turned = spec.clone();
    for i in 0..spec.normal.len() {
        let (sin, cos) = draws.uniform(0.0, 6.2).sin_cos();
        let [a, b] = [&spec.tangent[2 * i], &spec.tangent[2 * i + 1]];
        turned.tangent[2 * i] = a.iter().zip(b).map(|(a, b)| cos * a + sin * b).collect();
        turned.tangent[2 * i + 1] = a.iter().zip(b).map(|(a, b)| cos * b - sin * a).collect();
    }
    let turned = resolve(&law, turned);
    assert!(apart(&own.velocity, &turned.velocity) <= 1e-8 * size, "case {number}");
    assert_eq!(own.details.intervals(), turned.details.intervals(), "case {number}");
    let backwards = |list: &[f64]| list.iter().rev().copied().collect::<Vec<f64>>();
    let permuted = ProblemSpec {
        normal: spec.normal.iter().rev().cloned().collect(),
        tangent: spec.tangent.chunks(2).rev().flatten().cloned().collect(),
        friction: spec.friction.as_deref().map(backwards),
        restitution: spec.restitution.as_deref().map(backwards),
        ..spec.clone()
    };
    let permuted = resolve(&law, permuted);
    assert!(apart(&own.velocity, &permuted.velocity) <= 1e-8 * size, "case {number}");
    let m = spec.normal.len();
    let mut impulses = by_contact(&permuted.impulse, m);
    impulses.reverse();
    for (a, b) in by_contact(&own.impulse, m).iter().zip(&impulses) {
        assert!(apart(a, b) <= 1e-6, "case {number}: {a:?} {b:?}");
    }
    own.status
}

#[test]
fn frames_and_the_order_of_contacts_do_not_matter() {
    let ended = (0..200).filter(|&number| ends_the_same(number) == Status::Terminated).count();
    assert!(ended >= 170);
}

/// A brick that lands flat on its four lower corners, (x, y) in the order of their signs.
fn flat(velocity: [f64; 6], mu: f64, e: f64) -> ProblemSpec {
    let mass = [2.0, 2.0, 2.0, 0.2, 0.3, 0.4];
    let corners = [[-0.4, -0.3], [-0.4, 0.3], [0.4, -0.3], [0.4, 0.3]];
    let down = -0.2;
    ProblemSpec {
        mass: diagonal(&mass),
        normal: corners.iter().map(|[x, y]| vec![0.0, 0.0, 1.0, *y, -x, 0.0]).collect(),
        tangent: corners
            .iter()
            .flat_map(|[x, y]| {
                [vec![1.0, 0.0, 0.0, 0.0, down, -y], vec![0.0, 1.0, 0.0, -down, 0.0, *x]]
            })
            .collect(),
        friction: Some(vec![mu; 4]),
        restitution: Some(vec![e; 4]),
        velocity: velocity.to_vec(),
        ..ProblemSpec::default()
    }
}

#[test]
fn a_symmetric_brick_stays_symmetric() {
    for mu in [0.05, 0.2, 0.5, 1.0, 1e5] {
        for e in [0.0, 0.5, 1.0] {
            for speed in [0.05, 0.5, 2.0, 9.0] {
                // The plane y = 0 is one of symmetry.
                let outcome =
                    resolve(&Plus::default(), flat([speed, 0.0, -5.0, 0.0, 0.3, 0.0], mu, e));
                let contacts = by_contact(&outcome.impulse, 4);
                for pair in contacts.chunks(2) {
                    let mirrored = [pair[1][0], -pair[1][1], pair[1][2]];
                    let off = apart(&pair[0], &mirrored);
                    assert!(off <= 1e-9, "mu {mu}, e {e}, {speed}: {pair:?}");
                }
                for odd in [1, 3, 5] {
                    assert!(outcome.velocity[odd].abs() <= 1e-9, "mu {mu}, e {e}, {speed}");
                }
            }
            let straight = resolve(&Plus::default(), flat([0.0, 0.0, -5.0, 0.0, 0.0, 0.0], mu, e));
            for contact in by_contact(&straight.impulse, 4) {
                assert!(apart(&contact, &[0.0, 0.0, 2.5 * (1.0 + e)]) <= 1e-12, "{contact:?}");
            }
        }
    }
}

#[test]
fn redundant_contacts_share_by_least_squares() {
    // Frictionless and plastic: the loads are W^+ (-u_n) where none of them pulls.
    let mut draws = Draws::new(79);
    let mut seen = 0;
    for _ in 0..200 {
        let corners: Vec<[f64; 2]> = (0..3 + draws.below(4))
            .map(|_| [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, 1.0)])
            .collect();
        let velocity = vec![-1.0, draws.uniform(-0.1, 0.1), draws.uniform(-0.1, 0.1)];
        let inertia = [1.0, 0.4, 0.3];
        let problem =
            problem(smooth(&inertia, corners.iter().map(|[x, y]| [1.0, *y, -x]), velocity));
        let inverse = problem.delassus().clone().pseudo_inverse(1e-9).unwrap();
        let loads = inverse * -problem.contact_velocity();
        if loads.min() <= 0.0 || problem.contact_velocity().max() >= 0.0 {
            continue;
        }
        seen += 1;
        let outcome = only(PLASTIC.resolve(&problem).unwrap());
        let found = &outcome.impulse;
        assert!(apart(found, loads.as_slice()) <= 1e-10, "{found:?} {loads}");
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn copies_of_a_contact_do_what_it_does_alone() {
    for (number, mu) in [0.125, 0.225, 0.325, 1.0].into_iter().enumerate() {
        let one =
            ProblemSpec { friction: Some(vec![mu]), ..spec(&case("single_mu0.125_theta0.01")) };
        let copies = 2 + number;
        let many = ProblemSpec {
            normal: vec![one.normal[0].clone(); copies],
            tangent: (0..copies).flat_map(|_| one.tangent.clone()).collect(),
            friction: Some(vec![mu; copies]),
            restitution: one.restitution.as_ref().map(|e| vec![e[0]; copies]),
            ..one.clone()
        };
        let [one, many] = [one, many].map(|spec| resolve(&Plus::default(), spec));
        assert!(apart(&one.velocity, &many.velocity) <= 1e-9);
        for share in by_contact(&many.impulse, copies) {
            let whole = share.map(|l| l * copies as f64);
            assert!(apart(&whole, &by_contact(&one.impulse, 1)[0]) <= 1e-9);
        }
    }
}

#[test]
fn restitution_depends_on_the_speed_as_in_figure_2() {
    let ball = |speed: f64| ProblemSpec {
        restitution: Some(vec![0.4]),
        ..smooth(&[3.0], [[1.0]], [-speed])
    };
    for (speed, e) in [(1.0, 0.4), (0.1, 0.4), (0.05, 0.7), (0.02, 0.88), (0.009, 0.0)] {
        let outcome = resolve(&Plus::default(), ball(speed));
        let found = outcome.velocity[0];
        assert!((found - e * speed).abs() <= 1e-14, "{speed}: {found}");
    }
    let law = Plus { v_capture: 0.5, v_plastic: 2.0, restitution: Some(0.0), ..Plus::default() };
    for (speed, e) in [(0.4, 0.0), (1.0, 0.5), (3.0, 0.0)] {
        let outcome = resolve(&law, ball(speed));
        let found = outcome.velocity[0];
        assert!((found - e * speed).abs() <= 1e-14, "{speed}: {found}");
    }
}

/// Row C of [USD15] Fig. 14: the four balls at rest bounce like one of their mass. Elastic impact
/// of 1 kg at -2 m/s on 4 kg: -2 (1 - 4)/5 = 1.2 and -2 (2/5) = -0.8.
#[test]
fn with_one_compression_balls_that_touch_bounce_as_one() {
    let law = Plus { phases: Phases::Once, restitution: Some(1.0), ..Plus::default() };
    let outcome = only(law.resolve(&load("ball-row")).unwrap());
    assert_eq!(outcome.status, Status::Terminated);
    assert!(apart(&outcome.velocity, &[1.2, -0.8, -0.8, -0.8, -0.8]) <= 1e-12);
    let phases: Vec<_> = outcome.details.rounds.iter().map(|round| round.phases.clone()).collect();
    assert_eq!(phases, [[ContactPhase::Compressing; 4], [ContactPhase::Expanding; 4]]);
    // One contact alone has no others to wait for.
    for (case, name) in ["single_mu0.125_theta0.01", "single_mu0.325_theta0.01"].iter().enumerate()
    {
        let once = Plus { phases: Phases::Once, ..Plus::default() };
        let [once, rounds] =
            [once, Plus::default()].map(|law| resolve(&law, spec(&self::case(name))));
        assert_eq!(once.velocity, rounds.velocity, "{case}");
    }
    // What rises stays out of it, and nothing happens where nothing approaches.
    let balls =
        |velocity: Vec<f64>| smooth(&[1.0; 3], [[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]], velocity);
    let outcome = resolve(&law, balls(vec![-2.0, 0.0, -3.0]));
    assert!(apart(&outcome.velocity, &[0.0, -2.0, -3.0]) <= 1e-12, "{:?}", outcome.velocity);
    assert!(resolve(&law, balls(vec![1.0, 0.0, -3.0])).details.rounds.is_empty());
    // A contact that gives nothing back is pushed by one that does: it approaches in the end.
    let once = Plus { phases: Phases::Once, ..Plus::default() };
    let uneven = ProblemSpec { restitution: Some(vec![1.0, 0.0]), ..balls(vec![-2.0, 0.0, 0.0]) };
    let outcome = resolve(&once, uneven);
    assert_eq!((outcome.status, outcome.details.end), (Status::StepLimit, PlusEnd::Limit));
}

#[test]
fn options_outside_their_ranges_are_refused() {
    let problem = problem(spec(&case("ball_row_5")));
    let wrong = [
        (Plus { theta_max: 0.0, ..Plus::default() }, "theta_max"),
        (Plus { theta_max: 4.0, ..Plus::default() }, "theta_max"),
        (Plus { v_transition: -1.0, ..Plus::default() }, "v_transition"),
        (Plus { v_plastic: f64::NAN, ..Plus::default() }, "v_plastic"),
        (Plus { v_capture: -0.1, ..Plus::default() }, "v_capture"),
        (Plus { restitution: Some(1.5), ..Plus::default() }, "restitution"),
    ];
    for (law, at) in wrong {
        assert_eq!(law.resolve(&problem).unwrap_err().at.as_deref(), Some(at));
    }
}

/// Checks what must hold for every outcome, and returns it.
fn checked(law: &Plus, problem: &ContactProblem) -> Outcome<PlusCourse> {
    let outcome = only(law.resolve(problem).unwrap());
    let mut u = problem.contact_velocity().clone();
    let mut terms = u.amax();
    for interval in outcome.details.rounds.iter().flat_map(|round| &round.intervals) {
        let impulse = vector(&interval.impulse);
        u += problem.delassus() * &impulse;
        // The law's own sum, in the same order: roundings of the terms of each interval.
        terms += (problem.delassus().abs() * impulse.abs()).amax() + u.amax();
        let rounding = 4.0 * f64::EPSILON * u.len() as f64 * terms;
        let off = apart(&interval.velocity, u.as_slice());
        assert!(off <= rounding, "{off:e} {rounding:e}");
    }
    let before = problem.velocity();
    let after = vector(&outcome.velocity);
    let given = problem.mass() * (&after - before);
    let impulse = vector(&outcome.impulse);
    let taken = problem.jacobian().transpose() * &impulse;
    let sizes = problem.mass().abs() * (after.abs() + before.abs())
        + problem.jacobian().abs().transpose() * impulse.abs();
    for ((given, taken), size) in given.iter().zip(&taken).zip(&sizes) {
        assert!((given - taken).abs() <= 1e-9 * size, "momentum: {given} {taken}");
    }
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let load = outcome.impulse[..m].iter().fold(0.0_f64, |load, l| load.max(*l));
    for (i, mu) in problem.friction().iter().enumerate() {
        let square: f64 = outcome.impulse[m + d * i..m + d * (i + 1)].iter().map(|t| t * t).sum();
        let (normal, friction) = (outcome.impulse[i], square.sqrt());
        assert!(normal >= -1e-6 * load, "a pull: {normal} of {load}");
        // Directions 1e-4 as long as others move impulses that hardly move the bodies: the residual
        // says by how much such an outcome misses its cones.
        let rounding = outcome.residual.clamp(1e-6, 1e-3);
        let limit = mu * normal + rounding * load.max(friction);
        assert!(friction <= limit, "the cone: {friction} {normal} {mu} {load}");
    }
    if outcome.status == Status::Terminated {
        let u = problem.jacobian().rows(0, m) * &after;
        assert!(u.min() >= -1e-7 * problem.contact_velocity().amax(), "it approaches: {u}");
    }
    outcome
}

/// With friction 1e5 velocities grew until they overflowed.
#[test]
fn an_impact_whose_speed_grows_without_bound_ends() {
    let spec = serde_json::from_value(golden("plus_growth")).unwrap();
    let outcome = checked(&Plus { theta_max: 0.1, ..Plus::default() }, &problem(spec));
    assert_eq!((outcome.status, outcome.details.end), (Status::StepLimit, PlusEnd::Limit));
}

/// The coefficients of restitution of the contacts, drawn by `seed`.
fn bouncing(spec: ProblemSpec, seed: u64) -> ProblemSpec {
    let mut draws = Draws::new(seed);
    let e = spec.normal.iter().map(|_| draws.uniform(0.0, 1.0)).collect();
    ProblemSpec { restitution: Some(e), ..spec }
}

/// The problem of a random spec; a smaller failing case may have a row that is zero, which is none.
fn possible(spec: ProblemSpec) -> Result<ContactProblem, TestCaseError> {
    ContactProblem::new(spec).map_err(|error| TestCaseError::reject(error.to_string()))
}

/// Scenes of any size: masses, lengths and speeds from 1e-9 to 1e9.
fn huge_and_tiny(tangents: usize) -> impl Strategy<Value = ProblemSpec> {
    let friction = prop_oneof![Just(0.0), 0.1..1.5f64, Just(1e5)].boxed();
    Problems { contacts: 5, coordinates: 8, tangents, friction, decades: [9.0; 3] }.strategy()
}

proptest! {
    #![proptest_config(random_cases(cases(150, 3000)))]

    #[test]
    fn every_planar_impact_ends_and_balances(spec in problems::planar(6), seed in 0..u64::MAX) {
        checked(&Plus::default(), &possible(bouncing(spec, seed))?);
    }

    #[test]
    fn every_spatial_impact_ends_and_balances(spec in problems::spatial(4), seed in 0..u64::MAX) {
        checked(&Plus { theta_max: 0.1, ..Plus::default() }, &possible(bouncing(spec, seed))?);
    }

    #[test]
    fn impacts_of_any_size_end_and_balance(planar in huge_and_tiny(1), spatial in huge_and_tiny(2)) {
        for spec in [planar, spatial] {
            checked(&Plus { theta_max: 0.1, ..PLASTIC }, &possible(spec)?);
        }
    }

    #[test]
    fn plastic_impacts_without_friction_lose_energy(spec in problems::frictionless(6, true)) {
        let problem = possible(spec)?;
        let outcome = checked(&PLASTIC, &problem);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        prop_assert!(outcome.kinetic_energy <= before * (1.0 + 1e-9));
        prop_assert!(matches!(outcome.details.end, PlusEnd::Over | PlusEnd::Limit));
    }

    #[test]
    fn plastic_impacts_of_one_contact_lose_energy(planar in problems::planar(1), spatial in problems::spatial(1)) {
        for spec in [planar, spatial] {
            let problem = possible(spec)?;
            let outcome = checked(&PLASTIC, &problem);
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            prop_assert!(outcome.kinetic_energy <= before * (1.0 + 1e-9));
        }
    }
}

#[test]
fn what_random_impacts_end_with() {
    // Energy of plastic impacts with several rough contacts, and how many are stuck.
    let (mut most, mut ends) = (0.0_f64, [0; 4]);
    for number in 0..cases(300, 3000) {
        let problem = problem(ProblemSpec { restitution: None, ..spatial_spec(number) });
        let outcome = checked(&Plus { theta_max: 0.05, ..PLASTIC }, &problem);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        most = most.max(outcome.kinetic_energy / before - 1.0);
        ends[outcome.details.end as usize] += 1;
    }
    assert!(most <= 1e-3, "{most}");
    assert_eq!(ends[PlusEnd::Limit as usize], 0);
}

/// The response of a matrix with a nearly dependent row does not blow up: see `least_norm`.
#[test]
fn nearly_equal_contacts_share_like_equal_ones() {
    let spec = |off: f64| smooth(&[1.0; 2], [[1.0, 0.0], [1.0, off]], [-1.0, 0.0]);
    let [exact, off] = [0.0, 1e-9].map(|off| resolve(&PLASTIC, spec(off)));
    assert!(apart(&exact.impulse, &[0.5, 0.5]) <= 1e-14);
    assert!(apart(&exact.impulse, &off.impulse) <= 1e-6, "{:?}", off.impulse);
}
